package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mingle/dataset"
	"mingle/report"
)

// columns are those that are published beside the sets, as they stand. There is one list of them
// for all families: what a family publishes beside the sets of its own accord it adds in begin.
type columns struct {
	keep        []string // that were asked for
	own         []string // that the promise is about: the family judges them itself
	identifiers bool     // columns that tell lines apart may be among those asked for
	persons     bool     // the unit is a person: no identifier is published
	others      []string // that a published file was found to have
}

// all are the names of all columns that are published.
func (c columns) all() []string {
	out := slices.Clone(c.keep)
	for _, name := range c.own {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// both says what is true of columns that were to be kept and that the promise is about.
func (c columns) both() []string {
	var out []string
	for _, name := range c.keep {
		if slices.Contains(c.own, name) {
			out = append(out, fmt.Sprintf("Column %q was to be kept, and is sensitive: its values "+
				"are published as they are, as those of every sensitive column, and the "+
				"guarantee is about them.", name))
		}
	}
	return out
}

// refuse tells what cannot be kept: a family that publishes no columns has no place for any, and
// neither has a format without columns.
func (c columns) refuse(formats ...dataset.Format) error {
	if len(c.keep) == 0 {
		return nil
	}
	for _, f := range formats {
		if f != "" && !f.HasColumns() {
			return fmt.Errorf("files of the format %s have no columns to be kept: %s have", f,
				dataset.WithColumns())
		}
	}
	return nil
}

// check refuses columns that are not there, and those that tell lines apart, unless that is wanted.
func (c columns) check(path string, there []dataset.Column) error {
	return c.checked(path, there, "them", func(one []dataset.Column) report.Beside {
		return report.BesideOf(one, 0)
	})
}

// checkOfPersons refuses columns that tell persons apart: of is the person of each line, -1 nobody.
func (c columns) checkOfPersons(path string, there []dataset.Column, of []int32) error {
	return c.checked(path, there, "the persons", func(one []dataset.Column) report.Beside {
		return report.BesideOfPersons(one, of, 0)
	})
}

func (c columns) checked(
	path string, there []dataset.Column, whom string, look func([]dataset.Column) report.Beside,
) error {
	var bad dataset.Faults
	for _, name := range c.keep {
		at := slices.IndexFunc(there, func(t dataset.Column) bool { return t.Name == name })
		if at < 0 {
			bad.Addf(0, "there is no column %q to be kept%s", name, dataset.ColumnHint(name, names(there)))
			continue
		}
		if b := look(there[at : at+1]); b.Identifies() && !c.identifiers {
			bad.Addf(0, "column %q is or nearly is an identifier: it has %s distinct values in %s "+
				"lines, and tells %s of %s from all others. %s", name, report.Number(b.Distinct),
				report.Number(len(there[at].Values)), report.Percent(b.Unique), whom, c.without())
		}
	}
	return bad.Err(name(path))
}

// without says what to do about a column that is an identifier.
func (c columns) without() string {
	if c.persons {
		return "Leave it out of --keep-columns: with persons no identifier is published"
	}
	return "Leave it out of --keep-columns, or say --keep-identifiers too"
}

func names(columns []dataset.Column) []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.Name)
	}
	return out
}

// asked are the columns that were asked for, among those of a file, but for those that the promise
// is about: of these it says something.
func (c columns) asked(there []dataset.Column) []dataset.Column {
	var out []dataset.Column
	for _, t := range there {
		if slices.Contains(c.keep, t.Name) && !slices.Contains(c.own, t.Name) {
			out = append(out, t)
		}
	}
	return out
}

// alone makes sure that a published file has no other columns. A long file names its transactions:
// by numbers that are those of its lines, unless the names were to be kept.
func (c columns) alone(there []dataset.Column) error {
	for _, t := range there {
		switch {
		case slices.Contains(c.all(), t.Name):
		case !t.Key:
			return fmt.Errorf("column %q is in the published file, and was not to be kept", t.Name)
		case !numbered(t.Values):
			return errors.New("the names of the transactions are in the published file, and were not to be kept")
		}
	}
	return nil
}

// see remembers the columns of a published file that no promise is about, read or not. Every long
// file has names of its transactions: they are told where they are more than numbers of lines.
func (c *columns) see(there []dataset.Column, unread []string) {
	for _, t := range there {
		if !slices.Contains(c.own, t.Name) && (!t.Key || !numbered(t.Values)) {
			c.others = append(c.others, strconv.Quote(t.Name))
		}
	}
	for _, name := range unread {
		c.others = append(c.others, strconv.Quote(name))
	}
}

// layoutNotes are what a verdict is to say of how a published file was read, and of such columns.
func (e *env) layoutNotes() []string {
	var out []string
	if e.adapted != "" {
		out = append(out, e.adapted)
	}
	if len(e.columns.others) > 0 {
		out = append(out, "the published file has columns that no promise is about: "+
			strings.Join(e.columns.others, ", "))
	}
	return out
}

// besideSets are notes on what the published file shows beside its sets.
func (e *env) besideSets() []string { return e.beside }

// numbered tells whether values are the numbers from 1 on; some may be missing.
func numbered(values []string) bool {
	last := 0
	for _, v := range values {
		n, err := strconv.Atoi(v)
		if err != nil || n <= last || strings.HasPrefix(v, "+") || v[0] == '0' {
			return false
		}
		last = n
	}
	return true
}
