package publish

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"mingle/internal/disk"
)

// Two runs that put files in place of the same targets at the same moment could leave the release
// of one beside the report of the other, and one that takes its files back could take back those of
// the other. So each target has a lock while it is replaced: an empty file beside it.

// lockSuffix ends the name of the file of a target's lock. A run that is killed leaves it; the next
// one takes the same, and removes it.
const lockSuffix = "lock"

// growSuffix ends the name of the file of the lock of a file that grows.
const growSuffix = "grow"

var errBusy = errors.New("another run is writing it at this moment: wait for its end")

// How often a lock is asked for, and the pause in between: ten seconds in all. Putting files in
// place takes milliseconds, unless the other run waits for the reader of a pipe.
const (
	mostTries = 500
	pause     = 20 * time.Millisecond
	// growTries are for a file that grows: a run that has it may last for hours, and is not waited
	// for. Somebody who looks for leftovers may have the lock for a moment.
	growTries = 10
)

// Grow has a file that a run writes bit by bit, such as a table of results, for this run alone
// until release is called. The error says that another run has it. A file system without locks
// gives it to everybody.
func Grow(target string) (release func() error, err error) {
	path := follow(target)
	f, err := lockWithin(growTries, filepath.Join(filepath.Dir(path), prefixOf(path)+growSuffix))
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", target, Reason(err))
	}
	if f == nil {
		return func() error { return nil }, nil
	}
	return func() error { return releaseLock(f) }, nil
}

// hold takes the locks of all targets, in the order of their names, so that no two runs wait for
// each other.
func (s *Set) hold(files []*File) error {
	var paths []string
	for _, f := range files {
		if !f.place.stream() {
			paths = append(paths, f.place.path)
		}
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		f, err := takeLock(filepath.Join(filepath.Dir(path), prefixOf(path)+lockSuffix))
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", path, Reason(err))
		}
		if f != nil {
			s.keepLock(f)
		}
	}
	return nil
}

// keepLock has the lock released with the set.
func (s *Set) keepLock(f *disk.File) {
	p := s.process()
	p.mu.Lock()
	defer p.mu.Unlock()
	s.locks = append(s.locks, f)
}

// takeLock waits for a lock, but not for ever. A file system without locks has none: nil.
func takeLock(name string) (f *disk.File, err error) { return lockWithin(mostTries, name) }

func lockWithin(tries int, name string) (f *disk.File, err error) {
	var why error
	for range tries {
		f, err = openLock(name)
		if lockless(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if why = tryLock(f); why == nil {
			var named bool
			if named, why = stillNamed(f); named {
				return f, nil
			}
		}
		if lockless(why) {
			return nil, releaseLock(f)
		}
		f.Close()
		err = disk.Do("wait", name, func() error { time.Sleep(pause); return nil })
		if err != nil {
			return nil, err
		}
	}
	return nil, cmp.Or(why, errBusy)
}

// releaseLock removes the file while it is locked: whoever has it open sees that it has no name any
// more, and makes another.
func releaseLock(f *disk.File) error {
	err := disk.Remove(f.Name())
	f.Close()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the lock %s could not be removed: remove it: %w", f.Name(), Reason(err))
	}
	return nil
}
