package report

import (
	"fmt"
	"strings"

	"mingle/dataset"
)

// Beside is what columns tell that are published beside the sets, as they stand: one, or several
// together. Whoever knows a person's values in them is left with the lines that have the same.
type Beside struct {
	Columns  []string `json:"columns"`
	Distinct int      `json:"distinct"` // values, or combinations of them
	Unique   float64  `json:"unique"`   // the share of the lines whose value no other line has
	Few      float64  `json:"few"`      // the share of those whose value fewer than k lines have
	lines    int
}

// BesideOf looks at columns together.
func BesideOf(columns []dataset.Column, k int) Beside {
	b := Beside{}
	if len(columns) == 0 {
		return b
	}
	b.lines = len(columns[0].Values)
	count := map[string]int{}
	var key []byte
	for i := range columns[0].Values {
		key = key[:0]
		for _, c := range columns {
			key = fmt.Appendf(key, "%d:%s", len(c.Values[i]), c.Values[i])
		}
		count[string(key)]++
	}
	for _, c := range columns {
		b.Columns = append(b.Columns, c.Name)
	}
	b.Distinct = len(count)
	unique, few := 0, 0
	for _, n := range count {
		if n == 1 {
			unique++
		}
		if n < k {
			few += n
		}
	}
	if b.lines > 0 {
		b.Unique, b.Few = float64(unique)/float64(b.lines), float64(few)/float64(b.lines)
	}
	return b
}

// BesideEach looks at each column, and where there are several at all of them together.
func BesideEach(columns []dataset.Column, k int) []Beside {
	var out []Beside
	for i := range columns {
		out = append(out, BesideOf(columns[i:i+1], k))
	}
	if len(columns) > 1 {
		out = append(out, BesideOf(columns, k))
	}
	return out
}

// fewValues are so few that they can be half as many as the lines of small data by chance.
const fewValues = 20

// Identifies tells whether a column is or nearly is an identifier: it tells half of the lines from
// all others, or has at least half as many values as there are lines, and not a few only.
func (b Beside) Identifies() bool {
	return b.lines > 1 && (b.Unique >= 0.5 || b.Distinct > fewValues && 2*b.Distinct >= b.lines)
}

// Name names the columns.
func (b Beside) Name() string { return strings.Join(b.Columns, ", ") }

// BesideCautions is why columns beside the sets make a verdict less than green.
func (r *Report) BesideCautions() []Caution {
	if len(r.Beside) == 0 {
		return nil
	}
	last := r.Beside[len(r.Beside)-1] // all of them
	n := len(last.Columns)
	says := "a column is"
	if n > 1 {
		says = Number(n) + " columns are"
	}
	says += " published beside the " + r.BesideWhat() + ", unchanged (" + last.Name() + "), of which " +
		"the guarantee says nothing: "
	if last.Few == 0 {
		says += "every line is one of at least k lines with the same in "
	} else {
		says += Percent(last.Unique) + " of the lines stand alone, and " + Percent(last.Few) +
			" are among fewer than k lines, by what is in "
	}
	if n > 1 {
		says += "them together"
	} else {
		says += "it"
	}
	return []Caution{{About: AboutColumns, Says: says, Try: []string{
		"Leave columns out, or make them coarser before the release: whoever knows a person's " +
			"values in them looks among the lines with the same values only.",
	}}}
}

// BesideWhat is what columns are beside of.
func (r *Report) BesideWhat() string {
	if r.Guarantee.Model == "continuous" {
		return "values"
	}
	return "items"
}

// besideText is a line of text for each column.
func (r *Report) besideText() []string {
	var out []string
	for _, b := range r.Beside {
		out = append(out, fmt.Sprintf("%s: %s, %s of the lines unique, %s with a value of fewer "+
			"than k lines", b.Name(), plural(b.Distinct, "distinct value"), Percent(b.Unique),
			Percent(b.Few)))
	}
	return out
}
