// Package publish makes files appear all together or not at all.
//
// Everything is written to temporary files beside the targets, synced, and renamed in the end. A run that fails or is
// interrupted leaves every target as it was. Until then a temporary file can be read by its owner only, for it may hold
// what has not been verified.
package publish

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Stdout is the target that stands for standard output.
const Stdout = "-"

// Private is the mode of files that only their owner may read.
const Private fs.FileMode = 0o600

// Public is the mode of all other files, before the umask.
const Public fs.FileMode = 0o666

// Set is a group of files that appear together.
type Set struct {
	// Force allows existing targets to be replaced.
	Force bool
	// Out is where the target "-" goes.
	Out io.Writer

	files []*File
}

// File is one file of a set, not yet in place.
type File struct {
	*os.File        // the temporary file, open for reading and writing
	Target   string // as the user named it
	place    string // where it goes: Target with symbolic links followed; empty for a stream
	mode     fs.FileMode
	stream   io.Writer // where it goes when the target is not an ordinary file
	device   string    // the device or pipe to open as stream in the end
	backup   string    // the former target, while others are still being moved
	moved    bool
}

// Check tells whether the target can be written at all, so that a long run is not made in vain. Create checks again.
func (s *Set) Check(target string) error {
	if target == Stdout {
		return nil
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory: name a file in it", target)
	case err == nil && info.Mode().IsRegular() && !s.Force:
		return fmt.Errorf("%s exists already: choose another name, or replace it with --force", target)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot write %s: %w", target, Reason(err))
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	return checkDirectory(target)
}

func checkDirectory(target string) error {
	dir := filepath.Dir(follow(target))
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot write %s: the directory %s does not exist", target, dir)
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", target, Reason(err))
	case !info.IsDir():
		return fmt.Errorf("cannot write %s: %s is not a directory", target, dir)
	}
	probe, err := os.OpenFile(temporaryName(follow(target)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, Private)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", target, Reason(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Create opens a temporary file for the target. Devices, pipes and "-" are written in the end, from the temporary file.
func (s *Set) Create(target string, mode fs.FileMode) (*File, error) {
	if err := s.Check(target); err != nil {
		return nil, err
	}
	f := &File{Target: target}
	beside := filepath.Join(os.TempDir(), "mingle-output")
	if target == Stdout {
		f.stream = s.Out
	} else if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		f.device = target
	} else {
		f.place = follow(target)
		beside = f.place
	}
	var err error
	f.File, err = os.OpenFile(temporaryName(beside), os.O_CREATE|os.O_EXCL|os.O_RDWR, mode)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", target, Reason(err))
	}
	if f.place == "" && runtime.GOOS != "windows" {
		os.Remove(f.Name()) // a file without a name cannot be left behind
	}
	s.add(f)
	info, err := f.Stat() // the mode as the umask left it
	if err != nil {
		return nil, err
	}
	f.mode = info.Mode().Perm()
	if err := f.Chmod(Private); err != nil && f.mode != Private {
		f.mode = 0 // a file system without modes
	}
	return f, nil
}

// Abort removes what was written. It is harmless after Commit, so it can be deferred.
func (s *Set) Abort() {
	liveMu.Lock()
	defer liveMu.Unlock()
	s.remove()
}

func (s *Set) add(f *File) {
	liveMu.Lock()
	defer liveMu.Unlock()
	s.files = append(s.files, f)
	live[s] = true
}

func (s *Set) remove() {
	for _, f := range s.files {
		f.Close()
		os.Remove(f.Name())
	}
	s.files = nil
	delete(live, s)
}

// Commit puts all files in place. After an error none of them is, and all former targets are back.
func (s *Set) Commit() error {
	liveMu.Lock()
	defer liveMu.Unlock()
	defer s.remove()
	return s.commit()
}

func (s *Set) commit() (err error) {
	for _, f := range s.files {
		if err := f.finish(); err != nil {
			return fmt.Errorf("cannot write %s: %w", f.Target, Reason(err))
		}
	}
	defer func() {
		for _, f := range s.files {
			f.settle(err == nil)
		}
	}()
	for _, f := range s.files {
		if f.place == "" {
			continue
		}
		if err := f.move(s.Force); err != nil {
			return fmt.Errorf("cannot write %s: %w", f.Target, Reason(err))
		}
	}
	for _, f := range s.files { // last, because a stream cannot be taken back
		if f.place != "" {
			continue
		}
		if err := f.copyOut(); err != nil {
			return fmt.Errorf("cannot write %s: %w", f.name(), Reason(err))
		}
	}
	return nil
}

func (f *File) name() string {
	if f.Target == Stdout {
		return "standard output"
	}
	return f.Target
}

// finish brings the bytes to the disk.
func (f *File) finish() error {
	if f.place == "" {
		return nil
	}
	if f.mode != 0 {
		if err := f.Chmod(f.mode); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// move puts the file in place. Without force it never replaces a file, not even one that appeared a moment ago.
func (f *File) move(force bool) error {
	var err error
	if _, missing := os.Lstat(f.place); missing != nil {
		if err = os.Link(f.Name(), f.place); err != nil && !errors.Is(err, fs.ErrExist) { // no hard links here
			err = os.Rename(f.Name(), f.place)
		}
	} else {
		if !force {
			return errors.New("it exists already: choose another name, or replace it with --force")
		}
		err = f.replace()
	}
	if err != nil {
		return err
	}
	f.moved = true
	return syncDirectory(filepath.Dir(f.place))
}

// replace renames over the former target, which lives on under a second name until all files of the set are in place.
func (f *File) replace() error {
	f.backup = temporaryName(f.place)
	err := os.Link(f.place, f.backup)
	if err != nil {
		err = os.Rename(f.place, f.backup)
	}
	if err != nil {
		f.backup = ""
		return err
	}
	return os.Rename(f.Name(), f.place)
}

// settle ends the move: for good, or back to how it was.
func (f *File) settle(good bool) {
	switch {
	case good && f.backup != "":
		os.Remove(f.backup)
	case !good && f.backup != "":
		os.Rename(f.backup, f.place) // does nothing, and leaves both, while both name the same file
		os.Remove(f.backup)
	case !good && f.moved:
		os.Remove(f.place)
	}
}

func (f *File) copyOut() error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if f.device == "" {
		_, err := io.Copy(f.stream, f.File)
		return err
	}
	out, err := os.OpenFile(f.device, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, f.File)
	return errors.Join(err, out.Close())
}

// follow is where a path leads when it, or its directory, is a symbolic link.
func follow(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// temporaryName is a hidden name in the same directory that no other run uses.
func temporaryName(path string) string {
	var b [6]byte
	rand.Read(b[:]) // never fails, see crypto/rand
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".mingle-"+hex.EncodeToString(b[:]))
}

// Reason drops the operation and the temporary name from a file error: the message names the target.
func Reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// live are the sets that have temporary files. The lock is held while one of them is put in place.
var (
	liveMu sync.Mutex
	live   = map[*Set]bool{}
)

// AbortAll removes the temporary files of all sets, after waiting for one that is being put in place. It is for a
// process that ends at once because its work does not answer; the sets must not be used afterwards.
func AbortAll() {
	liveMu.Lock() // and keep it: nothing is put in place from now on
	for s := range live {
		s.remove()
	}
}
