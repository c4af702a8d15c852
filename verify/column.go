package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mingle/dataset"
)

// SensitiveColumn is the values of a column whose values must not be inferred.
type SensitiveColumn struct {
	Name      string
	Published []string // of each published line
	Original  []string // of each original one; nil: not at hand
}

// checkColumns refuses columns that are not those of the promise, or of other lines.
func (in *KMInput) checkColumns() error {
	if len(in.Columns) != len(in.Promise.Columns) {
		return fmt.Errorf("verify: %d sensitive columns are given, and the promise has %d",
			len(in.Columns), len(in.Promise.Columns))
	}
	var faults []error
	for n, c := range in.Columns {
		if c.Name != in.Promise.Columns[n] {
			faults = append(faults, fmt.Errorf("verify: sensitive column %q is given in place of %q",
				c.Name, in.Promise.Columns[n]))
		}
		if in.Published != nil && len(c.Published) != in.Published.Len() ||
			c.Original != nil && (in.Original == nil || len(c.Original) != in.Original.Len()) {
			faults = append(faults, fmt.Errorf("verify: the values of column %q are not of the "+
				"lines of the data", c.Name))
		}
	}
	return errors.Join(faults...)
}

// valuedColumn is a sensitive column, its values numbered.
type valuedColumn struct {
	name   string
	dict   *dataset.Dictionary // of the values that must not be inferred
	value  []int32             // of each published line: the number; -1: a value that may be
	filled []bool              // the line has a value
}

// columns checks the sensitive columns: for every set J of at most m published nodes (or of what
// else may be known), the empty one included, and every value, at most 1/l of the lines that match
// J and have a value have that one.
//
// Where the unit is a person, so have at most 1/l of the persons with a line that matches J and has
// a value.
//
// That is diversity of the lines that have a value, where each has its value for a sensitive item.
func (j *judgement) columns(ctx context.Context) error {
	if len(j.in.Columns) == 0 {
		return nil
	}
	j.sameValues()
	return j.columnsInto(ctx, j.f)
}

func (j *judgement) columnsInto(ctx context.Context, into *Finding) error {
	for _, c := range j.valuedColumns() {
		b := dataset.NewBuilder(c.dict)
		var lines []int32
		for i := range j.in.Published.Len() {
			at := j.line(i)
			if !c.filled[at] {
				continue
			}
			lines = append(lines, int32(i))
			c.addTo(b, at)
		}
		sub := j.among(lines, b.Build(), !j.valuesMissing())
		sub.within.column = c.name
		// supports, and the lines of one person, were looked at before; a value may be nobody's
		sub.in.Promise.K, sub.in.Promise.PersonShare = 1, 0
		if j.in.Promise.Persons {
			sub.in.Promise.K = 0
		}
		if err := sub.runWithin(ctx, into); err != nil {
			return err
		}
	}
	return nil
}

// addTo adds the value of a published line as a sensitive item, if it is one.
func (c *valuedColumn) addTo(b *dataset.Builder, i int) {
	if v := c.value[i]; v >= 0 {
		b.Add([]int32{v})
	} else {
		b.Add(nil)
	}
}

// valuedColumns numbers the values of the columns, once for all.
func (j *judgement) valuedColumns() []*valuedColumn {
	if j.valued != nil {
		return j.valued
	}
	for _, col := range j.in.Columns {
		values := make([]string, len(col.Published)) // blanks around one make no other
		for i, v := range col.Published {
			values[i] = strings.TrimSpace(v)
		}
		labels := slices.Clone(values)
		slices.Sort(labels)
		labels = slices.DeleteFunc(slices.Compact(labels), func(v string) bool {
			return slices.Contains(j.in.NotSensitive, v) || !j.isValue(v)
		})
		slices.SortFunc(labels, func(a, b string) int {
			return cmp.Or(dataset.CompareLabels(a, b), cmp.Compare(a, b))
		})
		c := &valuedColumn{
			name: col.Name, dict: dataset.MustDictionary(labels),
			value: make([]int32, len(col.Published)), filled: make([]bool, len(col.Published)),
		}
		for i, v := range values {
			c.value[i], c.filled[i] = -1, j.isValue(v)
			if id, bounded := c.dict.ID(v); bounded {
				c.value[i] = id
			}
		}
		j.valued = append(j.valued, c)
	}
	return j.valued
}

// isValue tells whether a cell, without the blanks around it, is a value.
func (j *judgement) isValue(v string) bool {
	return v != "" || j.in.Promise.NullIsValue
}

// sameValues checks that the published values are those of the original, or withheld.
func (j *judgement) sameValues() {
	if j.in.Original == nil || j.of == nil && j.in.Original.Len() != j.in.Published.Len() {
		return
	}
	for _, c := range j.in.Columns {
		for i := range c.Published {
			if c.Original == nil || c.Original[j.originalOf(i)] == c.Published[i] ||
				j.withheld(i) {
				continue
			}
			line := j.in.Published.Line(i)
			j.f.breach(1, Breach{
				Kind: KindSensitive, Itemset: []string{}, Lines: []int{line},
				Sensitive: c.Name,
				Message: fmt.Sprintf("column %q has %q on line %d of the published file, and %q "+
					"on line %d of the original", c.Name, c.Published[i], line,
					c.Original[j.originalOf(i)], j.originalLine(i)),
			})
		}
	}
}
