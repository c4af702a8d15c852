package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"mingle/dataset/bag"
	"mingle/report"
)

// audit reads an audit file.
func (f *Files) audit(ctx context.Context, path string) (*report.Audit, error) {
	text, err := f.bytes(ctx, "audit file", path)
	if err != nil {
		return nil, err
	}
	audit, err := report.ReadAudit(bytes.NewReader(text))
	return audit, inPath(path, err)
}

// belong makes sure that the files that were read, the published one and, where it was given, its
// original, are those that an audit file names by their hashes. With the order of another run every
// line would be taken for that of somebody else, and all figures would be wrong.
func (f *Files) belong(audit *report.Audit, path string) error {
	named := slices.Concat(audit.Inputs, audit.Outputs)
	for _, what := range []struct {
		name  string
		roles []string
	}{
		{"original", []string{roleTransactions, roleRecords}},
		{"published file", []string{report.RolePublished}},
	} {
		read := lastOf(f.Read, what.roles)
		if read == nil {
			continue
		}
		if !slices.ContainsFunc(named, func(n report.File) bool {
			return slices.Contains(what.roles, n.Role) && n.SHA256 == read.SHA256
		}) {
			return &Stranger{read.Name, what.name, name(path)}
		}
	}
	return nil
}

// Stranger is the error that a file is not the one that an audit file names.
type Stranger struct {
	Name  string // of the file
	As    string // what it was given as: "original" or "published file"
	Audit string // the name of the audit file
}

func (s *Stranger) Error() string {
	return fmt.Sprintf("%s is not the %s that the audit file %s names, by its SHA-256: they "+
		"do not belong together, or the file was changed. Give the files of one run, as "+
		"they were", s.Name, s.As, s.Audit)
}

// lastOf is the file of one of the roles that was read last; nil: there is none.
func lastOf(files []report.File, roles []string) *report.File {
	for i := range slices.Backward(files) {
		if slices.Contains(roles, files[i].Role) {
			return &files[i]
		}
	}
	return nil
}

// strange is implemented by tasks that can tell published lines that cannot be of the same line of
// the original: they have a label that stands for none of its items.
type strange interface{ strangeLines() (lines, of int) }

// misfit says why there are no figures that take each published line for that of the same line of
// the original; "": nothing speaks against it. What a file without its audit file hides better, such
// as lines that could come from others, nobody can see.
func (p Pair) misfit(t task) string {
	if p.Audit != "" {
		return ""
	}
	const give = "a release made with --shuffle or --person-column is compared with its original " +
		"by its audit file: give it with --audit"
	if countsPersons(t) {
		return "each published line would be taken for that of the same line of the original, and " +
			"a release of persons is in a random order: " + give
	}
	s, is := t.(strange)
	if !is {
		return ""
	}
	lines, of := s.strangeLines()
	if lines == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s published lines have a label that stands for no item of the same "+
		"line of the original, so that they are not of these lines, or the file is no release of "+
		"this original: %s", report.Number(lines), report.Number(of), give)
}

func (t *kmTask) strangeLines() (lines, of int) {
	of = t.published.Len()
	if of != t.input.Data.Len() {
		return 0, of
	}
	above := make([]int, t.tree.Nodes()) // the last line with an item at or below this node, from 1
	before, after := t.input.Data.Cursor(), t.published.Cursor()
	for i := range of {
		for _, x := range before.Tx(i) {
			for u := x; u >= 0 && above[u] != i+1; u = t.tree.Parent(u) {
				above[u] = i + 1
			}
		}
		if slices.ContainsFunc(after.Tx(i), func(u int32) bool { return above[u] != i+1 }) {
			lines++
		}
	}
	return lines, of
}

func (t *coherenceTask) strangeLines() (lines, of int) {
	of = t.published.Len()
	if of != t.raw.Len() {
		return 0, of
	}
	before, after := t.raw.Cursor(), t.published.Cursor()
	for i := range of {
		original := before.Tx(i)
		if slices.ContainsFunc(after.Tx(i), func(x int32) bool {
			id, known := t.raw.Dict().ID(t.published.Dict().Label(x))
			return !known || !slices.Contains(original, id)
		}) {
			lines++
		}
	}
	return lines, of
}

func (t *continuousTask) strangeLines() (lines, of int) {
	original := t.original()
	of = t.published.Len()
	if of != original.Len() {
		return 0, of
	}
	values, terms := original.Terms(), t.published.Terms()
	for i := range of {
		record := original.Record(i) // ascending
		if slices.ContainsFunc(t.published.Record(i), func(id int32) bool {
			term := terms[id]
			at, _ := slices.BinarySearchFunc(record, term.Lo, func(v int32, lo bag.Number) int {
				return values[v].Lo.Compare(lo)
			})
			return at == len(record) || !term.Contains(values[record[at]].Lo)
		}) {
			lines++
		}
	}
	return lines, of
}
