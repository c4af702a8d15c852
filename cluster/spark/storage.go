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

// uri is a path as Spark needs it.
func uri(path string) string {
	if place.Scheme(path) == "" {
		return "file://" + place.Local(path)
	}
	return path
}

// onlyPlain says which paths there may be.
const onlyPlain = "paths have letters, digits and /_.-:=@+ alone, for they stand in statements and " +
	"commands"

// hidden tells whether engines take a name for no data.
func hidden(name string) bool { return name[0] == '.' || name[0] == '_' }

// Files implements engine.Engine.
func (s storage) Files(ctx context.Context, at string) ([]engine.File, error) {
	if place.Scheme(at) != "" {
		return s.far(ctx, at)
	}
	at = place.Local(at)
	info, err := os.Stat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file or folder", at)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []engine.File{{Path: at, Bytes: info.Size()}}, nil
	}
	entries, err := os.ReadDir(at)
	var out []engine.File
	for _, f := range entries {
		if hidden(f.Name()) {
			continue
		}
		if f.IsDir() {
			return nil, inFolder(path.Join(at, f.Name()))
		}
		info, err := f.Info()
		if err != nil {
			return nil, err
		}
		out = append(out, engine.File{Path: filepath.Join(at, f.Name()), Bytes: info.Size()})
	}
	return out, err
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
	ownGroup(cmd)
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
	text, err := s.hadoop(ctx, "-ls", at)
	if err != nil {
		return nil, err
	}
	var out []engine.File
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 8 || hidden(path.Base(f[7])) {
			continue
		}
		if f[0][0] == 'd' {
			return nil, inFolder(f[7])
		}
		size, err := strconv.ParseInt(f[4], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: its list cannot be understood", at)
		}
		out = append(out, engine.File{Path: f[7], Bytes: size})
	}
	slices.SortFunc(out, func(a, b engine.File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Move implements engine.Engine.
func (s storage) Move(ctx context.Context, from, to string) error {
	if place.Scheme(to) == "" {
		return os.Rename(place.Local(from), place.Local(to))
	}
	_, err := s.hadoop(ctx, "-mv", from, to)
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
	_, err := s.hadoop(ctx, "-test", "-e", at)
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == 1 {
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
		text, err := s.hadoop(ctx, "-ls", at[:strings.LastIndexByte(at, '/')+1])
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(text) {
			if f := strings.Fields(line); len(f) == 8 {
				found = append(found, f[7])
			}
		}
	}
	return slices.DeleteFunc(found, func(f string) bool {
		return !strings.HasPrefix(path.Base(f), prefix)
	}), nil
}
