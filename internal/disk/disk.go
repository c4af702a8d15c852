// Package disk is the way to the file system of all that makes, reads or checks a release.
//
// It does what package os does. Tests may watch every operation, let it fail, and look at the disk
// between any two: see [Watch]. Nothing else does, so that an operation costs one look at a pointer
// more than without.
package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
)

// Watch is what a test is told of the operations of a process. Each has a path, which is that of
// the new name for a link and a rename, and a name: "open", "create", "read", "write", "sync",
// "close", "chmod", "chown", "stat", "list", "link", "rename", "remove", "mkdir", "truncate",
// "sync directory", "lock", "wait".
type Watch struct {
	// Before comes before an operation. Its error is that of the operation, which is then not done;
	// of a write whose error is a [Part], half of the bytes are written. A file is closed in any
	// case, as Linux does it.
	Before func(name, path string) error
	After  func(name, path string) // comes after an operation that was done
	// Random fills in for the source of chance of the names of temporary files; nil: none does.
	Random func([]byte)
}

// ErrSkip is what Before returns for an operation that is left out without an error: such as a wait
// of which a test needs no time to pass.
var ErrSkip = errors.New("it is left out")

// ErrExists is [fs.ErrExist] of what a run shall not replace, with what to do.
var ErrExists error = exists{}

type exists struct{}

func (exists) Error() string {
	return "exists already: choose another name, or replace it with --force"
}

func (exists) Unwrap() error { return fs.ErrExist }

// Part is the error of a write of which half is done.
type Part struct{ Err error }

func (p *Part) Error() string { return p.Err.Error() }

func (p *Part) Unwrap() error { return p.Err }

var watching atomic.Pointer[Watch]

// Set has w told of all operations until stop is called. It is for tests, one at a time.
func Set(w *Watch) (stop func()) {
	watching.Store(w)
	return func() { watching.Store(nil) }
}

func before(name, path string) error {
	if w := watching.Load(); w != nil && w.Before != nil {
		if err := w.Before(name, path); err != nil {
			return &fs.PathError{Op: name, Path: path, Err: err}
		}
	}
	return nil
}

func after(name, path string) {
	if w := watching.Load(); w != nil && w.After != nil {
		w.After(name, path)
	}
}

// Do does an operation that this package has no function for, under the eyes of a test.
func Do(name, path string, do func() error) error {
	if err := before(name, path); err != nil {
		if errors.Is(err, ErrSkip) {
			return nil
		}
		return err
	}
	defer after(name, path)
	return do()
}

func opened(name, path string, open func() (*os.File, error)) (f *File, err error) {
	err = Do(name, path, func() error {
		inner, err := open()
		f = &File{inner}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Open is os.Open.
func Open(path string) (*File, error) {
	return opened("open", path, func() (*os.File, error) { return os.Open(path) })
}

// OpenFile is os.OpenFile.
func OpenFile(path string, flag int, mode fs.FileMode) (*File, error) {
	name := "open"
	if flag&os.O_CREATE != 0 {
		name = "create"
	}
	return opened(name, path, func() (*os.File, error) { return os.OpenFile(path, flag, mode) })
}

// Temporary is os.CreateTemp: a new file that its owner alone can read.
func Temporary(dir, pattern string) (*File, error) {
	if dir == "" {
		f, err := Temporary(os.TempDir(), pattern)
		return f, NoTemporary(err)
	}
	return opened("create", filepath.Join(dir, pattern), func() (*os.File, error) {
		return os.CreateTemp(dir, pattern)
	})
}

// NoTemporary is the error of making something in the folder for temporary files, which nobody has
// named, and says how another one is named.
func NoTemporary(err error) error {
	if err == nil {
		return nil
	}
	variable := "TMPDIR"
	if runtime.GOOS == "windows" {
		variable = "TMP"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("the folder for temporary files, %s, cannot be used (%w): set %s",
		os.TempDir(), err, variable)
}

// ReadFile is os.ReadFile.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func described(path string, look func(string) (fs.FileInfo, error)) (info fs.FileInfo, err error) {
	err = Do("stat", path, func() (err error) {
		info, err = look(path)
		return err
	})
	return info, err
}

// Stat is os.Stat.
func Stat(path string) (fs.FileInfo, error) { return described(path, os.Stat) }

// Lstat is os.Lstat.
func Lstat(path string) (fs.FileInfo, error) { return described(path, os.Lstat) }

// List is the sorted names of what is in a directory.
func List(dir string) (names []string, err error) {
	err = Do("list", dir, func() error {
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return err
	})
	return names, err
}

// Link is os.Link.
func Link(from, to string) error {
	return Do("link", to, func() error { return os.Link(from, to) })
}

// Rename is os.Rename.
func Rename(from, to string) error {
	return Do("rename", to, func() error { return os.Rename(from, to) })
}

// Remove is os.Remove.
func Remove(path string) error {
	return Do("remove", path, func() error { return os.Remove(path) })
}

// RemoveAll is os.RemoveAll.
func RemoveAll(path string) error {
	return Do("remove", path, func() error { return os.RemoveAll(path) })
}

// MkdirAll is os.MkdirAll.
func MkdirAll(path string, mode fs.FileMode) error {
	return Do("mkdir", path, func() error { return os.MkdirAll(path, mode) })
}

// TemporaryDirectory is os.MkdirTemp, in the directory for temporary files.
func TemporaryDirectory(pattern string) (dir string, err error) {
	err = Do("mkdir", filepath.Join(os.TempDir(), pattern), func() (err error) {
		dir, err = os.MkdirTemp("", pattern)
		return err
	})
	return dir, NoTemporary(err)
}

// Truncate is os.Truncate.
func Truncate(path string, size int64) error {
	return Do("truncate", path, func() error { return os.Truncate(path, size) })
}

// Random fills b by chance, for names that nobody else has.
func Random(b []byte) {
	if w := watching.Load(); w != nil && w.Random != nil {
		w.Random(b)
		return
	}
	rand.Read(b) // never fails, see crypto/rand
}

// File is an open file whose operations a test can watch.
type File struct{ *os.File }

func (f *File) Read(p []byte) (n int, err error) {
	err = Do("read", f.Name(), func() (err error) {
		n, err = f.File.Read(p)
		return err
	})
	return n, err
}

// ReadAt is os.File's.
func (f *File) ReadAt(p []byte, at int64) (n int, err error) {
	err = Do("read", f.Name(), func() (err error) {
		n, err = f.File.ReadAt(p, at)
		return err
	})
	return n, err
}

func (f *File) Write(p []byte) (n int, err error) {
	if err := before("write", f.Name()); err != nil {
		if _, part := errors.AsType[*Part](err); part {
			n, _ = f.File.Write(p[:len(p)/2])
		}
		return n, err
	}
	defer after("write", f.Name())
	return f.File.Write(p)
}

// WriteString is Write of a text.
func (f *File) WriteString(text string) (int, error) { return f.Write([]byte(text)) }

// ReadFrom copies r to the file.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{f}, r)
}

// WriteTo copies the file to w.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{f})
}

// Sync is os.File's.
func (f *File) Sync() error { return Do("sync", f.Name(), f.File.Sync) }

// Chmod is os.File's.
func (f *File) Chmod(mode fs.FileMode) error {
	return Do("chmod", f.Name(), func() error { return f.File.Chmod(mode) })
}

// Chown is os.File's.
func (f *File) Chown(uid, gid int) error {
	return Do("chown", f.Name(), func() error { return f.File.Chown(uid, gid) })
}

// Stat is os.File's.
func (f *File) Stat() (info fs.FileInfo, err error) {
	err = Do("stat", f.Name(), func() (err error) {
		info, err = f.File.Stat()
		return err
	})
	return info, err
}

// Close is os.File's.
func (f *File) Close() error {
	if err := before("close", f.Name()); err != nil {
		return errors.Join(err, f.File.Close())
	}
	defer after("close", f.Name())
	return f.File.Close()
}
