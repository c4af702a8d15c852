package spark

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mingle/cluster/engine"
	"mingle/cluster/place"
)

// storage is where the files lie: in folders that every machine sees by the same path, or wherever
// Hadoop's file systems reach, by the program for them that is part of Spark.
type storage struct {
	options Options
	dir     string // for settings
}

// Here is the storage of this machine, without a session: of paths that have no scheme.
func Here() engine.Storage { return storage{} }

// uri is a path as Spark needs it.
func uri(path string) string {
	if place.Scheme(path) == "" {
		return "file://" + place.Local(path)
	}
	return path
}

// onlyPlain says which paths there may be.
const onlyPlain = "paths have letters, digits and /_.-:=@+ alone, and no : in their last part, for " +
	"they stand in statements and commands"

// hidden tells whether engines take a name for no data.
func hidden(name string) bool { return name[0] == '.' || name[0] == '_' }

// alike refuses a file of a name that Spark and others take for something else.
func alike(file string) error {
	name := path.Base(file)
	switch {
	case strings.HasSuffix(name, "._COPYING_"): // by programs of Hadoop
		return fmt.Errorf("%s is being copied: wait until it has its name, or remove it", file)
	case name[0] == '_' && strings.Contains(name, "="):
		return fmt.Errorf("%s begins with _ as what is no data, but Spark reads it, for it has =: "+
			"rename it", file)
	}
	return nil
}

// alone refuses a file that is named by itself and that Spark takes for no data.
func alone(file string) error {
	if hidden(path.Base(file)) {
		return fmt.Errorf("%s begins with . or _, by which Spark takes it for no data: rename it", file)
	}
	return alike(file)
}

// Files implements engine.Engine.
func (s storage) Files(ctx context.Context, at string) ([]engine.File, error) {
	if !plain(at) {
		return nil, fmt.Errorf("%q: %s", at, onlyPlain)
	}
	if place.Scheme(at) != "" {
		return s.far(ctx, at)
	}
	return here(place.Local(at))
}

// here lists files of this machine.
func here(at string) ([]engine.File, error) {
	info, err := os.Stat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file or folder", at)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []engine.File{{Path: at, Bytes: info.Size()}}, alone(at)
	}
	entries, err := os.ReadDir(at)
	var out []engine.File
	for _, f := range entries {
		own := filepath.Join(at, f.Name())
		if err := alike(own); err != nil {
			return nil, err
		}
		if hidden(f.Name()) {
			continue
		}
		info, err := os.Stat(own) // of what a link leads to, as Spark reads it
		if err != nil {
			return nil, err
		}
		if err := readable(own, info.IsDir()); err != nil {
			return nil, err
		}
		out = append(out, engine.File{Path: own, Bytes: info.Size()})
	}
	return out, err
}

// readable refuses what is in a folder of files and cannot be read as one.
func readable(path string, isFolder bool) error {
	switch {
	case !plain(path):
		return fmt.Errorf("%q: %s", path, onlyPlain)
	case isFolder:
		return inFolder(path)
	}
	return nil
}

func inFolder(path string) error {
	return fmt.Errorf("%s is a folder: files are read from one folder, not from those in it", path)
}

// hadoop runs the program for Hadoop's file systems.
func (s storage) hadoop(ctx context.Context, args ...string) (string, error) {
	home, err := s.options.home()
	if err != nil {
		return "", err
	}
	full := []string{"org.apache.hadoop.fs.FsShell"}
	for _, c := range s.options.Conf {
		if set, is := strings.CutPrefix(c, "spark.hadoop."); is {
			full = append(full, "-D", set)
		}
	}
	cmd := exec.CommandContext(
		ctx, filepath.Join(home, "bin", "spark-class"), append(full, args...)...)
	cmd.Env = append(os.Environ(), "SPARK_HOME="+home)
	if os.Getenv("HADOOP_CONF_DIR") == "" { // the program asks for a file of settings
		name := filepath.Join(s.dir, "core-site.xml")
		if err := os.WriteFile(name, []byte("<configuration/>\n"), 0o600); err != nil {
			return "", err
		}
		cmd.Env = append(cmd.Env, "HADOOP_CONF_DIR="+s.dir)
	}
	defer ownGroup(cmd, s.options.Hurry)()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", &hadoopError{strings.Join(args, " "), said(errs.String()), err}
	}
	return out.String(), nil
}

// hadoopError is what went wrong with a file far away.
type hadoopError struct {
	what, says string
	err        error
}

func (e *hadoopError) Error() string { return fmt.Sprintf("hadoop fs %s: %s", e.what, e.says) }
func (e *hadoopError) Unwrap() error { return e.err }

// said is the last line that is not of a stack.
func said(text string) string {
	out := ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "at ") {
			out = line
		}
	}
	return out
}

// far lists files far away.
func (s storage) far(ctx context.Context, at string) ([]engine.File, error) {
	list, err := s.list(ctx, at)
	if err != nil {
		return nil, err
	}
	var out []engine.File
	for _, f := range list {
		fault := alike(f.Path)
		if f.Path == at && !f.isFolder {
			fault = alone(f.Path)
		}
		if fault != nil {
			return nil, fault
		}
		if hidden(path.Base(f.Path)) {
			continue
		}
		if err := readable(f.Path, f.isFolder); err != nil {
			return nil, err
		}
		out = append(out, f.File)
	}
	slices.SortFunc(out, func(a, b engine.File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// entry is a file or a folder far away.
type entry struct {
	engine.File
	isFolder bool
}

// list lists what is in a folder far away, or the file itself.
func (s storage) list(ctx context.Context, at string) ([]entry, error) {
	text, err := s.hadoop(ctx, "-ls", "-q", at) // -q: a name has no line end
	if err != nil {
		return nil, err
	}
	out, err := entries(text)
	if err != nil {
		return nil, fmt.Errorf("%s: its list cannot be understood: %w", at, err)
	}
	return out, nil
}

// Lines of a list begin with what may be done with a file; some storages know no owner or group,
// and others have some with blanks. A name may have blanks anywhere.
var (
	isEntry = regexp.MustCompile(`^[-d][-rwxsStT]{9}`)
	ofEntry = regexp.MustCompile(`^[-d]\S+ +(?:-|\d+) .*?(\d+) \d{4}-\d\d-\d\d \d\d:\d\d (.+)$`)
	isCount = regexp.MustCompile(`^Found (\d+) items$`)
)

// entries reads a list. Other lines than those of entries are messages.
func entries(text string) (out []entry, err error) {
	counted := -1
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if c := isCount.FindStringSubmatch(line); c != nil {
			counted, _ = strconv.Atoi(c[1])
		}
		if !isEntry.MatchString(line) {
			continue
		}
		f := ofEntry.FindStringSubmatch(line)
		if f == nil {
			return nil, fmt.Errorf("%q", line)
		}
		size, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q", line)
		}
		out = append(out, entry{engine.File{Path: f[2], Bytes: size}, line[0] == 'd'})
	}
	if counted >= 0 && counted != len(out) {
		return nil, fmt.Errorf("it has %d items, and says that there are %d", len(out), counted)
	}
	return out, nil
}

// inside is the folder in one of Private.
const inside = "mingle-lines"

// Private implements engine.Engine. Spark makes folders that everybody may look into, so it is to
// make one in another. Of those far away the storage decides who may look into them.
func (s storage) Private(_ context.Context, at string) (string, error) {
	if place.Scheme(at) != "" {
		return at, nil
	}
	if !plain(at) {
		return "", fmt.Errorf("%q: %s", at, onlyPlain)
	}
	at = place.Local(at)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return "", err
	}
	return filepath.Join(at, inside), os.Mkdir(at, 0o700)
}

// Move implements engine.Engine.
func (s storage) Move(ctx context.Context, from, to string) error {
	if place.Scheme(to) != "" {
		_, err := s.hadoop(ctx, "-mv", from, to)
		return err
	}
	from = place.Local(from)
	err := os.Rename(from, place.Local(to))
	if err == nil && filepath.Base(from) == inside {
		os.Remove(filepath.Dir(from)) // it is empty; else the next run removes it
	}
	return err
}

// Remove implements engine.Engine.
func (s storage) Remove(ctx context.Context, at string) error {
	if place.Scheme(at) == "" {
		return os.RemoveAll(place.Local(at))
	}
	_, err := s.hadoop(ctx, "-rm", "-r", "-f", "-skipTrash", at)
	return err
}

// Exists implements engine.Engine.
func (s storage) Exists(ctx context.Context, at string) (bool, error) {
	if !plain(at) {
		return false, fmt.Errorf("%q: %s", at, onlyPlain)
	}
	if place.Scheme(at) == "" {
		_, err := os.Lstat(place.Local(at))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	_, err := s.hadoop(ctx, "-ls", "-d", at) // -test ends alike where it cannot look
	var why *hadoopError
	if errors.As(err, &why) && strings.HasSuffix(why.says, "No such file or directory") {
		return false, nil
	}
	return err == nil, err
}

// Open implements engine.Engine.
func (s storage) Open(ctx context.Context, at string) (io.ReadCloser, error) {
	if place.Scheme(at) == "" {
		return os.Open(place.Local(at))
	}
	text, err := s.hadoop(ctx, "-cat", at)
	return io.NopCloser(strings.NewReader(text)), err
}

// Siblings implements engine.Engine.
func (s storage) Siblings(ctx context.Context, at, prefix string) ([]string, error) {
	var found []string
	if place.Scheme(at) == "" {
		entries, err := os.ReadDir(filepath.Dir(place.Local(at)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, f := range entries {
			found = append(found, filepath.Join(filepath.Dir(place.Local(at)), f.Name()))
		}
	} else {
		list, err := s.list(ctx, at[:strings.LastIndexByte(at, '/')+1])
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			found = append(found, f.Path)
		}
	}
	return slices.DeleteFunc(found, func(f string) bool {
		return !strings.HasPrefix(path.Base(f), prefix)
	}), nil
}
