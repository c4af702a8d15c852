package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mingle/internal/disk"
)

// Target is a file to be written. Role is what messages call it, such as "report".
type Target struct{ Role, Path string }

func (t Target) role() string {
	if t.Role == "" {
		return "output"
	}
	return t.Role
}

// place is where a target goes. Two names may lead to one place: paths are not compared, files and
// directories are.
type place struct {
	path   string // with symbolic links followed; empty for a stream
	stdout bool
	device string      // the device or pipe to open in the end, or the name of an open descriptor
	file   fs.FileInfo // what is there; nil: nothing
	dir    fs.FileInfo // its directory; nil for a stream
}

func (p *place) stream() bool { return p.path == "" }

// checked is a target and where it goes.
type checked struct {
	Target
	place place
}

// Check refuses, all at once, targets that cannot be written, that are one file, that are an input,
// or that exist while nothing may be replaced, so that a long run is not made in vain. A target
// without a path is not wanted. Create checks again.
func (s *Set) Check(targets ...Target) error {
	if s.roles == nil {
		s.roles = map[string]string{}
	}
	var faults []error
	admitted := s.created()
	for _, t := range targets {
		if t.Path == "" {
			continue
		}
		at, err := s.admit(t, admitted)
		faults = append(faults, err)
		s.roles[t.Path] = t.Role
		admitted = append(admitted, &checked{t, at})
	}
	return errors.Join(faults...)
}

// admit finds the place of a target, and tells what is wrong with it beside the others.
func (s *Set) admit(t Target, others []*checked) (place, error) {
	at, err := s.locate(t.Path)
	if err != nil {
		return at, err
	}
	var faults []error
	if at.stdout && s.Out == nil {
		faults = append(faults, fmt.Errorf("the %s is to go to standard output, and Out is not given",
			t.role()))
	}
	for _, o := range others {
		if at.same(&o.place) {
			faults = append(faults, fmt.Errorf("the %s and the %s would both be written to %s: name two files",
				o.role(), t.role(), (&File{Target: t.Path}).name()))
		}
	}
	// these can be both
	if at.file != nil && at.file.Mode()&(fs.ModeCharDevice|fs.ModeSocket) == 0 {
		input, err := s.inputAt(at.file)
		if err != nil {
			return at, err
		}
		if input != "" {
			faults = append(faults, fmt.Errorf("the %s would overwrite the input %s: choose another name",
				t.role(), input))
		}
	}
	if !at.stream() {
		if at.file != nil && !s.Force {
			return at, errors.Join(append(faults, fmt.Errorf("%s %w", t.Path, disk.ErrExists))...)
		}
		removeLeftovers(at.path, stagedSuffix) // also of a target that this set only looks at
		if err := probe(at.path); err != nil {
			faults = append(faults, fmt.Errorf("cannot write %s: %w", t.Path, Reason(err)))
		}
	}
	return at, errors.Join(faults...)
}

// locate follows a path to its place. A pipe or device is a stream, and so is what is open already:
// standard output under any name, and whatever a descriptor such as /dev/fd/3 leads to.
func (s *Set) locate(target string) (at place, err error) {
	if target == Stdout || IsStream(target, s.Out) {
		at = place{stdout: true, file: infoOf(s.Out)}
		if s.closed(at.file) {
			err = errors.New("cannot write to standard output: it is closed (or is the null device, " +
				"open for reading too): send it to a file or a pipe, or name a file")
		}
		return at, err
	}
	if at.file, err = disk.Stat(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return at, fmt.Errorf("cannot write %s: %w", target, Reason(err))
	}
	_, open := Descriptor(target)
	switch {
	case open && at.file == nil:
		return at, fmt.Errorf("cannot write %s: no such descriptor is open", target)
	case at.file != nil && at.file.IsDir():
		return at, fmt.Errorf("%s is a directory: name a file in it", target)
	case open, at.file != nil && !at.file.Mode().IsRegular():
		at.device = target
		return at, nil
	}
	path := follow(target)
	dir := filepath.Dir(path)
	at.dir, err = disk.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("cannot write %s: the directory %s does not exist", target, dir)
	case err != nil:
		err = fmt.Errorf("cannot write %s: %w", target, Reason(err))
	case !at.dir.IsDir():
		err = fmt.Errorf("cannot write %s: %s is not a directory", target, dir)
	default:
		at.path = path
	}
	return at, err
}

// closed tells whether standard output was closed when the process started. The runtime then opens
// the null device in its place, for reading and writing, so that writing never fails. Somebody who
// wants nothing of the output opens it for writing only, as a shell does.
func (s *Set) closed(out fs.FileInfo) bool {
	null, _ := os.Stat(os.DevNull)
	if !nullInstead || !os.SameFile(null, out) {
		return false
	}
	_, err := s.Out.(*os.File).Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

// same tells whether two targets are one file: the same file now, or the same name in the same
// directory.
func (p *place) same(q *place) bool {
	if p.file != nil && q.file != nil {
		return os.SameFile(p.file, q.file)
	}
	if p.stdout && q.stdout {
		return true
	}
	if !os.SameFile(p.dir, q.dir) { // nor are streams, which have none
		return false
	}
	a, b := filepath.Base(p.path), filepath.Base(q.path)
	return a == b || strings.EqualFold(a, b) && foldsCase(p.path)
}

// inputAt is the input that a file is, or "".
func (s *Set) inputAt(there fs.FileInfo) (string, error) {
	for _, input := range s.Inputs {
		if input == "" {
			continue
		}
		info, err := disk.Stat(input)
		if input == "-" {
			info, err = infoOf(s.In), nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s: %w", input, Reason(err))
		}
		if os.SameFile(info, there) {
			return input, nil
		}
	}
	return "", nil
}

// infoOf describes the file behind a standard stream; nil: it is none.
func infoOf(stream any) fs.FileInfo {
	f, _ := stream.(*os.File)
	info, _ := f.Stat() // no file has none
	return info
}

// follow is where a path leads when it, or its directory, is a symbolic link. The end of the links
// need not exist.
func follow(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	const most = 40 // links in a row, as most systems have it
	for range most {
		dir, base := filepath.Split(path)
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return path
		}
		path = filepath.Join(dir, base)
		link, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if path = link; !filepath.IsAbs(link) {
			// not cleaned: ".." goes up from where a link leads
			path = dir + string(filepath.Separator) + link
		}
	}
	return path
}
