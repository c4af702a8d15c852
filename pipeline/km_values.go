package pipeline

import (
	"maps"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/report"
)

// What values of sensitive columns no generalization can hide.

// frequent refuses values that are in more than 1/l of the rows with a value, or of more than 1/l
// of the persons with one, all of them: no generalization can hide them.
func (t *kmTask) frequent() error {
	var faults dataset.Faults
	for _, c := range t.valued {
		rows := make([]int32, len(c.Values)) // each is one
		for i := range rows {
			rows[i] = int32(i)
		}
		often := t.often(&faults, c, rows, "is in %d of %d rows with a value", nil)
		if t.whose != nil {
			t.often(&faults, c, t.whose.of, "is of %d of %d persons with a value", often)
		}
	}
	if err := faults.Err(""); err != nil {
		return privacy.Infeasiblef("%v", err)
	}
	return nil
}

// often refuses the values that more than 1/l of the units with a value have, given the unit of
// each row, -1 none, but for those that were refused before. It returns all that are refused.
func (t *kmTask) often(
	faults *dataset.Faults, c anonymize.Column, unit []int32, how string, before []string,
) []string {
	counts, all := map[string]map[int32]bool{}, map[int32]bool{}
	for i, v := range c.Values {
		if u := unit[i]; u >= 0 && c.IsValue(v) {
			if counts[v] == nil {
				counts[v] = map[int32]bool{}
			}
			counts[v][u], all[u] = true, true
		}
	}
	for _, v := range slices.SortedFunc(maps.Keys(counts), dataset.CompareLabels) {
		n := len(counts[v])
		if n*t.Promise.L <= len(all) || slices.Contains(t.free, v) || slices.Contains(before, v) {
			continue
		}
		before = append(before, v)
		faults.Addf(0, "l (%d) cannot be reached: value %q of column %q "+how+", more than 1/%d: "+
			"make l smaller, or list the value in --not-sensitive-values if anybody may learn it",
			t.Promise.L, v, c.Name, n, len(all), t.Promise.L)
	}
	return before
}

// tellsPersons refuses sensitive columns that are or nearly are identifiers of persons: whoever
// reads them would see which lines are of one person.
func (t *kmTask) tellsPersons() error {
	var faults dataset.Faults
	for _, c := range t.valued {
		if t.whose == nil {
			break
		}
		one := dataset.Column{Name: c.Name, Values: c.Values}
		b := report.BesideOfPersons([]dataset.Column{one}, t.whose.of, 0)
		if b.Identifies() {
			faults.Addf(0, "sensitive column %q is or nearly is an identifier: it has %s distinct "+
				"values in %s lines, and tells %s of the persons from all others. With persons no "+
				"identifier is published, which could tell which lines are of one person: take a "+
				"coarser column", c.Name, report.Number(b.Distinct), report.Number(len(c.Values)),
				report.Percent(b.Unique))
		}
	}
	return faults.Err(name(t.originalPath))
}
