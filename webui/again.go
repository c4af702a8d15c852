package webui

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset/rows"
)

// again are the arguments that make the release of a run once more, for somebody who has its files
// in one directory under their own names.
func (r *run) again() []string {
	out := slices.Clone(r.args)
	for i, arg := range out {
		if slices.Contains(r.reads(), arg) || arg == r.files.published ||
			arg == r.files.report || arg == r.files.audit {
			out[i] = ownName(arg)
		}
	}
	taken := []string{r.files.published, r.files.report, r.files.audit}
	return append(out, "--page", distinct("report.html", append(taken, r.reads()...)...))
}

// files are those of a run in a directory. Who makes its release again has them in one with what
// is read: so none has the name of another.
func (p *project) files(dir string, l layout, t tree, c choice) made {
	taken := []string{p.path}
	if c.Family == km {
		taken = append(taken, t.Path)
	}
	take := func(name string) string {
		path := filepath.Join(dir, distinct(name, taken...))
		taken = append(taken, path)
		return path
	}
	out := made{
		published: take(l.published(p.name, c.Family)), report: take("report.json"),
		audit: take("audit.json"),
	}
	if c.lists() {
		out.list = take("sensitive.txt")
	}
	return out
}

// distinct is a name like another, which none of some paths ends in. Many systems take large and
// small letters for the same.
func distinct(name string, paths ...string) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(paths, func(path string) bool {
			return strings.EqualFold(fileName(path), name)
		})
	}
	free, ext := name, filepath.Ext(name)
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
	}
	return free
}

// fileName is the name of what is read; "": it is on a server.
func fileName(path string) string {
	if rows.Is(path) {
		path = rows.File(path)
	}
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

// ownName is a path or a location without directories; a server stays where it is.
func ownName(path string) string {
	at, err := rows.Parse(path)
	if !rows.Is(path) || err != nil {
		return lastName(path)
	}
	if at.Kind == rows.SQLite {
		at.Address = lastName(at.Address)
	}
	return at.String()
}

// lastName is the name of a file without directories, such that it is not taken for a flag.
func lastName(path string) string {
	base := filepath.Base(path)
	if strings.HasPrefix(base, "-") {
		return "./" + base
	}
	return base
}

// reads are the paths of what a run reads: the original, the hierarchy, the list of items.
func (r *run) reads() []string {
	out := []string{r.p.path}
	for _, path := range []string{r.tree, r.files.list} {
		if path != "" {
			out = append(out, path)
		}
	}
	return out
}

// beside are the names of the files that the release file needs.
func (r *run) beside() (names []string) {
	for _, path := range r.reads() {
		if name := fileName(path); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// releaseFile sends the file that makes the release again.
func (a *asked) releaseFile(r *run) error {
	if a.s.ReleaseFile == nil {
		return errNotThere
	}
	text, err := a.s.ReleaseFile(a.Context(), r.again(), r.outcome(false).Statements)
	if err != nil {
		return errors.Join(errors.New("the release file could not be written"), err)
	}
	return a.send("release.yaml", "text/plain; charset=utf-8", func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
