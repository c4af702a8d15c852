package webui

import (
	"errors"
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
	return append(out, "--page", "report.html")
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
		if rows.Is(path) {
			path = rows.File(path)
		}
		if path != "" { // "": on a server
			names = append(names, filepath.Base(path))
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
