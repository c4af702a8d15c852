package webui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// room is the private directory in which everything lies that the page was given or made. It is
// removed at the end; after a crash by the next server, which knows by a lock whose owner lives.
type room struct {
	dir  string
	lock *os.File

	mu   sync.Mutex
	next int
}

const (
	roomPrefix = "mingle-serve-"
	lockName   = "lock"
)

// newRoom makes one below a directory for temporary files, and sweeps out what dead ones left.
func newRoom(below string) (*room, error) {
	sweep(below)
	dir, err := os.MkdirTemp(below, roomPrefix) // mode 0700
	if err != nil {
		return nil, err
	}
	lock, err := newLock(filepath.Join(dir, lockName), hold)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &room{dir: dir, lock: lock}, nil
}

// newLock makes a file that is held. One that cannot be held is closed: on Windows its directory
// could not be removed else.
func newLock(path string, hold func(*os.File) error) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := hold(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("%s cannot be locked: %w", path, err), lock.Close())
	}
	return lock, nil
}

// sweep removes rooms whose owners are dead. What is not ours cannot be removed, and stays.
func sweep(below string) {
	entries, err := os.ReadDir(below)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(below, e.Name())
		if !strings.HasPrefix(e.Name(), roomPrefix) || !e.IsDir() || !mine(dir) {
			continue
		}
		if release, dead := abandoned(filepath.Join(dir, lockName)); dead {
			vacate(dir)
			release()
		}
	}
}

// vacate removes a directory, its lock last: what is left of it can be swept again.
func vacate(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// directory makes a new one in the room.
func (r *room) directory() (string, error) {
	dir := filepath.Join(r.dir, strconv.Itoa(r.number()))
	return dir, os.Mkdir(dir, 0o700)
}

// number is one that no directory has yet.
func (r *room) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	return r.next
}

func (r *room) remove() error {
	err := vacate(r.dir)
	r.lock.Close()  // it may be closed
	if err != nil { // an open file cannot be removed everywhere
		err = os.RemoveAll(r.dir)
	}
	return err
}
