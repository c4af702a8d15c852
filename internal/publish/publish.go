// Package publish makes files appear all together or not at all.
//
// Everything is written to temporary files beside the targets, synced, and renamed in the end. A
// run that fails or is interrupted leaves every target as it was. Until then a temporary file can
// be read by its owner only, for it may hold what has not been verified.
//
// A process that is killed while files are put in place leaves some of them new and some old. The
// order makes that safe to find: the file that was created first, the published one, is put in
// place last. Where it is new all others are new. What is replaced keeps a second name until all
// files are in place, so nothing is lost either.
package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"mingle/internal/disk"
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
	// Inputs are the files that are read, which are never replaced; "-" is In.
	Inputs []string
	In     io.Reader
	// Process is whose AbortAll ends the set; nil: this one. Tests have several processes in one.
	Process *Process

	// Last, if not nil, is done when all files are in place and all streams are written: what it
	// does is not taken back. Where it fails, the files are, unless its error is Unsure.
	Last func() error
	// Unsure is the error of Last that leaves open whether it was done; nil: none does.
	Unsure error

	roles map[string]string // of the targets that were checked
	files []*File
	locks []*disk.File // of the targets, while files are put in place
	ended chan error   // what Last came to; nil: it has not begun
}

// File is one file of a set, not yet in place.
type File struct {
	*disk.File        // the temporary file, open for reading and writing
	Target     string // as the user named it
	place      place
	mode       fs.FileMode // that it shall have; 0: the file system has no modes
	former     *leftover   // the file that it replaces, while others are still being moved
	moved      bool
	nameless   bool // nothing else than its descriptor leads to it
}

// Create opens a temporary file for the target, which is put in place after all that are created
// later. The file gets the given mode less the umask, and no right that a file that it replaces
// does not give. Devices, pipes and "-" are written in the end, from the temporary file.
func (s *Set) Create(target string, mode fs.FileMode) (*File, error) {
	at, err := s.admit(Target{s.roles[target], target}, s.created())
	if err != nil {
		return nil, err
	}
	f := &File{Target: target, place: at}
	if at.stream() {
		path := filepath.Join(os.TempDir(), "mingle-output")
		removeLeftovers(path, stagedSuffix)
		f.File, err = stage(path)
		err = disk.NoTemporary(err)
	} else if f.mode, err = modeHere(at.path, mode); err == nil {
		f.File, err = stage(at.path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", target, Reason(err))
	}
	s.add(f)
	if at.stream() && runtime.GOOS != "windows" { // a file without a name cannot be left behind
		err = disk.Remove(f.Name())
		f.nameless = err == nil
	}
	return f, err
}

func (s *Set) created() []*checked {
	var out []*checked
	for _, f := range s.files {
		out = append(out, &checked{Target{s.roles[f.Target], f.Target}, f.place})
	}
	return out
}

// Abort removes what was written. It is harmless after Commit, so it can be deferred.
func (s *Set) Abort() {
	p := s.process()
	p.mu.Lock()
	defer p.mu.Unlock()
	s.remove()
}

func (s *Set) add(f *File) {
	p := s.process()
	p.mu.Lock()
	defer p.mu.Unlock()
	s.files = append(s.files, f)
	p.live[s] = true
}

// all are the files, for work without the lock: AbortAll may empty the set meanwhile.
func (s *Set) all() []*File {
	p := s.process()
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(s.files)
}

// remove takes away what is not in place, and releases the locks. The error is of a lock.
func (s *Set) remove() error {
	for _, f := range s.files {
		f.Close()
		if !f.moved && !f.nameless {
			disk.Remove(f.Name())
		}
	}
	var faults []error
	for _, f := range s.locks {
		faults = append(faults, releaseLock(f))
	}
	s.files, s.locks = nil, nil
	delete(s.process().live, s)
	return errors.Join(faults...)
}

// Commit puts all files in place. After an error none of them is, and all former targets are back;
// where the file system does not let that be, the error says what is where.
func (s *Set) Commit() error {
	defer s.Abort()
	files := s.all()
	for _, f := range files {
		if err := f.finish(); err != nil {
			return fmt.Errorf("cannot write %s: %w", f.Target, Reason(err))
		}
	}
	if err := s.hold(files); err != nil {
		return err
	}
	if err := s.place(); err != nil {
		return err
	}
	// last, because it cannot be taken back; without the lock, because nobody may be reading
	err := s.stream(files)
	if err == nil && s.Last != nil {
		err = s.last()
	}
	p := s.process()
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.conclude(err)
}

// place moves all ordinary files to where they belong, the one that was created first last.
func (s *Set) place() (err error) {
	p := s.process()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range slices.Backward(s.files) {
		if f.place.stream() {
			continue
		}
		if err := s.move(f); err != nil {
			err = fmt.Errorf("cannot write %s: %w", f.Target, Reason(err))
			return errors.Join(err, s.takeBack())
		}
	}
	return nil
}

func (s *Set) stream(files []*File) error {
	for _, f := range files {
		if !f.place.stream() {
			continue
		}
		if err := f.copyTo(s.Out); err != nil {
			return fmt.Errorf("cannot write %s: %w", f.name(), Reason(err))
		}
	}
	return nil
}

// takeBack undoes the moves, the last one first: a published file never stands without what belongs
// to it. The error names what could not be undone.
func (s *Set) takeBack() error {
	var faults []error
	for _, f := range s.files {
		switch {
		case f.former != nil:
			if err := f.former.restore(f.place.path); err != nil {
				faults = append(faults, fmt.Errorf("what was in %s could not be put back: it is kept as %s, move it: %w",
					f.Target, f.former.name, Reason(err)))
			}
		case f.moved:
			if err := disk.Remove(f.place.path); err != nil {
				faults = append(faults, fmt.Errorf("%s could not be taken away again: it belongs to a run that failed, remove it: %w",
					f.Target, Reason(err)))
			}
		}
		f.former, f.moved = nil, false
	}
	return errors.Join(faults...)
}

// end drops what the files replaced, and what runs left behind that were killed. The error says
// what could not be dropped: all files are in place even so.
func (s *Set) end() error {
	p := s.process()
	p.outcome = max(p.outcome, InPlace)
	var faults []error
	for _, f := range s.files {
		if f.former != nil {
			if err := f.former.drop(); err != nil {
				faults = append(faults, fmt.Errorf("all files are in place, but what was in %s before is still "+
					"there as %s: remove it: %w", f.Target, f.former.name, Reason(err)))
			}
		}
		if !f.place.stream() {
			removeLeftovers(f.place.path, formerSuffix)
		}
	}
	return errors.Join(faults...)
}

func (f *File) name() string {
	if f.Target == Stdout {
		return "standard output"
	}
	return f.Target
}

// finish brings the bytes to the disk.
func (f *File) finish() error {
	if f.place.stream() {
		return nil
	}
	return errors.Join(f.Sync(), ended(f.File))
}

// open gives the file its mode. That is done when it is in place: a process that is killed before
// leaves nothing that others may read.
func (f *File) open() error {
	if f.mode == 0 { // there are no modes
		return nil
	}
	return chmod(f.File, f.mode)
}

// narrowedTo is mode without the rights that the former file does not give. Unless the group is the
// same, it gets what everybody has.
func narrowedTo(mode, former fs.FileMode, sameGroup bool) fs.FileMode {
	mode &= former.Perm()
	if !sameGroup {
		mode &^= 0o070 &^ (mode & 0o007 << 3)
	}
	return mode
}

// move puts the file in place. Without force it never replaces a file, not even one that appeared a
// moment ago.
func (s *Set) move(f *File) error {
	path := f.place.path
	there, err := disk.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.moved, err = putNew(f.Name(), path)
	case err == nil:
		err = s.replace(f, there)
	}
	if err == nil {
		err = f.open()
	}
	if err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// replace puts the file in place of what is there, which keeps a second name. The file gets no
// right that the former one does not give.
func (s *Set) replace(f *File, there fs.FileInfo) error {
	err := s.mayReplace(there)
	if err != nil {
		return err
	}
	same := !hasList(f.place.path) && sameGroup(f.File, there)
	f.mode = narrowedTo(f.mode, there.Mode(), same)
	if f.former, err = keep(f.place.path); err != nil {
		return err
	}
	err = disk.Rename(f.Name(), f.place.path)
	f.moved = err == nil
	return err
}

// mayReplace asks once more, at the last moment, whether what is there now may go. It also finds
// two targets that are one file for reasons that only the file system knows, such as names that
// differ in case.
func (s *Set) mayReplace(there fs.FileInfo) error {
	if !s.Force {
		return fmt.Errorf("it %w", disk.ErrExists)
	}
	if !there.Mode().IsRegular() {
		return errors.New("something that is not a file has appeared there meanwhile")
	}
	input, err := s.inputAt(there)
	if err != nil {
		return err
	}
	if input != "" {
		return fmt.Errorf("it would overwrite the input %s: choose another name", input)
	}
	for _, f := range s.files {
		if !f.moved {
			continue
		}
		info, err := disk.Lstat(f.place.path)
		if err != nil {
			return err
		}
		if os.SameFile(info, there) {
			return fmt.Errorf("it is the same file as %s: name two files", f.Target)
		}
	}
	return nil
}

func (f *File) copyTo(out io.Writer) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if f.place.device == "" {
		_, err := io.Copy(out, f.File)
		return err
	}
	device, err := openDevice(f.place.device)
	if err != nil {
		return err
	}
	_, err = io.Copy(device, f.File)
	return errors.Join(err, device.Close())
}

// openDevice opens a device or pipe for writing; where the name is that of a descriptor, what it
// leads to goes on where it is.
func openDevice(name string) (*disk.File, error) {
	if n, open := Descriptor(name); open {
		f, err := duplicate(n)
		return &disk.File{File: f}, err
	}
	return disk.OpenFile(name, os.O_WRONLY, 0)
}

// Reason drops the operation and the temporary name from a file error: the message names the
// target.
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
