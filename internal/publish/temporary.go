package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mingle/internal/disk"
)

// Temporary files are hidden files beside their target. Their names have the same length whatever
// the target's name is, and begin with a part that is computed from it, so that a later run finds
// what belongs to it.
const (
	prefix       = ".mingle-"
	stagedSuffix = ".new" // what is to be put in place
	formerSuffix = ".old" // what was there before
)

// prefixOf is how the names of all temporary files of a target begin.
func prefixOf(path string) string {
	sum := sha256.Sum256([]byte(filepath.Base(path)))
	return prefix + hex.EncodeToString(sum[:8]) + "-"
}

// temporaryName is a hidden name in the same directory that no other run uses.
func temporaryName(path, suffix string) string {
	var b [6]byte
	disk.Random(b[:])
	return filepath.Join(filepath.Dir(path), prefixOf(path)+hex.EncodeToString(b[:])+suffix)
}

// stage opens a temporary file that only the owner can read, and locks it: that is how other runs
// see that it is in use.
func stage(path string) (*disk.File, error) {
	// Another run may take a file for a leftover in the moment before it is locked: it has the lock
	// then, or has removed the file already.
	const most = 10
	for range most {
		f, err := create(temporaryName(path, stagedSuffix), Private)
		if err != nil {
			return nil, err
		}
		taken := errors.Is(tryLock(f), errBusy)
		named, err := stillNamed(f)
		if named && !taken {
			return f, nil
		}
		f.Close()
		if err != nil { // it may have its name
			return nil, errors.Join(err, disk.Remove(f.Name()))
		}
	}
	return nil, errors.New("other runs remove its temporary files")
}

func create(name string, mode fs.FileMode) (*disk.File, error) {
	return disk.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, mode)
}

// stillNamed tells whether a file has its name yet: nobody has removed it.
func stillNamed(f *disk.File) (bool, error) {
	open, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := disk.Lstat(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return os.SameFile(open, named), err
}

// probe tells whether files can be made in the directory of path.
func probe(path string) error {
	_, err := probed(path, Private, func(string) {})
	return err
}

// modeHere is the mode that a new file gets in the directory of path: the one asked for, as umask
// and directory leave it; 0 where the file system has no modes. It is found with an empty file, so
// that nothing can be read too early.
func modeHere(path string, asked fs.FileMode) (fs.FileMode, error) {
	info, err := probed(path, asked, func(string) {})
	if err != nil {
		return 0, err
	}
	if mode := info.Mode().Perm(); mode&^asked == 0 {
		return mode, nil
	}
	return 0, nil
}

// foldsCase tells whether names that differ in case are one file in the directory of path.
func foldsCase(path string) (folds bool) {
	probed(path, Private, func(name string) {
		dir, base := filepath.Split(name)
		folds = oneFile(name, dir+strings.ToUpper(base))
	})
	return folds
}

// probed makes an empty file for a moment and describes it.
func probed(path string, mode fs.FileMode, look func(name string)) (fs.FileInfo, error) {
	f, err := create(temporaryName(path, stagedSuffix), mode)
	if err != nil {
		return nil, err
	}
	look(f.Name())
	info, err := f.Stat()
	err = errors.Join(err, f.Close())
	if gone := disk.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return info, err
}

// leftover is a former file under its second name. It needs no lock: only a run that has the lock
// of the target removes such files.
type leftover struct{ name string }

// keep gives the file at path a second name.
func keep(path string) (*leftover, error) {
	l := &leftover{name: temporaryName(path, formerSuffix)}
	err := disk.Link(path, l.name)
	if linkless(err) {
		err = disk.Rename(path, l.name)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// restore brings the former file back. After an error it still has its second name, unless it never
// lost its first.
func (l *leftover) restore(path string) error {
	err := disk.Rename(l.name, path) // does nothing, and leaves both, while both name the same file
	if err != nil && !oneFile(l.name, path) {
		return err
	}
	if err := l.drop(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func oneFile(a, b string) bool {
	first, _ := disk.Lstat(a)
	second, _ := disk.Lstat(b)
	return os.SameFile(first, second)
}

// drop takes the second name away.
func (l *leftover) drop() error { return disk.Remove(l.name) }

// removeLeftovers removes the temporary files with a suffix that runs left which were killed while
// they wrote to path.
func removeLeftovers(path, suffix string) {
	names, _ := disk.List(filepath.Dir(path)) // without it they lie there until the next run
	begin := prefixOf(path)
	for _, name := range names {
		if strings.HasPrefix(name, begin) && strings.HasSuffix(name, suffix) &&
			len(name) == len(begin)+12+len(suffix) {
			removeLeftover(filepath.Join(filepath.Dir(path), name))
		}
	}
}

// removeLeftover removes a file unless a run that is still alive has it locked.
func removeLeftover(name string) {
	info, err := disk.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	f := openQuietly(name)
	if f == nil {
		return
	}
	defer f.Close()
	if !lock(f) {
		return
	}
	if named, _ := stillNamed(f); named {
		disk.Remove(name)
	}
}
