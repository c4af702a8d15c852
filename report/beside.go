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
	// Persons says that the shares are of persons: of those with a value that nobody else has, and
	// of those with one that fewer than k persons have.
	Persons bool `json:"persons,omitempty"`
	pairs   int  // of a value and who has it: a line or a person
}

// BesideOf looks at columns together.
func BesideOf(columns []dataset.Column, k int) Beside {
	b := Beside{}
	if len(columns) == 0 {
		return b
	}
	b.Columns, b.pairs = columnNames(columns), len(columns[0].Values)
	value, distinct := valuesOf(columns, b.pairs)
	b.Distinct = distinct
	count := make([]int, distinct)
	for _, v := range value {
		count[v]++
	}
	unique, few := 0, 0
	for _, n := range count {
		if n == 1 {
			unique++
		}
		if n < k {
			few += n
		}
	}
	if n := float64(b.pairs); n > 0 {
		b.Unique, b.Few = float64(unique)/n, float64(few)/n
	}
	return b
}

// BesideEach looks at each column, and where there are several at all of them together.
func BesideEach(columns []dataset.Column, k int) []Beside {
	return besideEach(columns, func(some []dataset.Column) Beside { return BesideOf(some, k) })
}

func besideEach(columns []dataset.Column, look func([]dataset.Column) Beside) []Beside {
	var out []Beside
	for i := range columns {
		out = append(out, look(columns[i:i+1]))
	}
	if len(columns) > 1 {
		out = append(out, look(columns))
	}
	return out
}

// fewValues are so few that they can be half as many as the lines of small data by chance.
const fewValues = 20

// Identifies tells whether a column is or nearly is an identifier: it tells half of the lines from
// all others, or has at least half as many values as there are lines, and not a few only. Of
// persons it asks the same, where a person with one of the person's values is as a line.
func (b Beside) Identifies() bool {
	return b.pairs > 1 && (b.Unique >= 0.5 || b.Distinct > fewValues && 2*b.Distinct >= b.pairs)
}

// unit is what the shares are of.
func (b Beside) unit() string {
	if b.Persons {
		return "person"
	}
	return "line"
}

// Name names the columns.
func (b Beside) Name() string { return strings.Join(b.Columns, ", ") }

// BesideCautions is why columns beside the sets make a verdict less than green.
func (r *Report) BesideCautions() []Caution {
	out := besideCautions(r.Beside, r.BesideWhat())
	if len(out) > 0 && countsPersons(r.Guarantee) {
		out[0].Says = besideSays(r.Beside, r.BesideWhat()) + "lines and not persons were counted in " +
			"what is published, and a value on many lines may be that of one person"
	}
	return out
}

func besideCautions(beside []Beside, what string) []Caution {
	if len(beside) == 0 {
		return nil
	}
	last := beside[len(beside)-1] // all of them
	says, unit := besideSays(beside, what), last.unit()
	if last.Few == 0 {
		says += fmt.Sprintf("every %s is one of at least k %ss with the same in ", unit, unit)
	} else {
		says += fmt.Sprintf("%s of the %ss stand alone, and %s are among fewer than k %ss, by what "+
			"is in ", Percent(last.Unique), unit, Percent(last.Few), unit)
	}
	if len(last.Columns) > 1 {
		says += "them together"
	} else {
		says += "it"
	}
	return []Caution{{About: AboutColumns, Says: says, Try: []string{
		"Leave columns out, or make them coarser before the release: whoever knows a person's " +
			"values in them looks among the lines with the same values only.",
	}}}
}

// besideSays is how a caution on columns begins.
func besideSays(beside []Beside, what string) string {
	last := beside[len(beside)-1]
	says := "a column is"
	if n := len(last.Columns); n > 1 {
		says = Number(n) + " columns are"
	}
	return says + " published beside the " + what + ", unchanged (" + last.Name() + "), of which " +
		"the guarantee says nothing: "
}

// IdentifierCautions say which of the columns that a promise is about are or nearly are
// identifiers: the promise holds of what is learned, and whoever knows a value finds the line.
func IdentifierCautions(columns []dataset.Column) []Caution {
	var says []string
	for i, c := range columns {
		if b := BesideOf(columns[i:i+1], 0); b.Identifies() {
			says = append(says, fmt.Sprintf("column %q is or nearly is an identifier: it has %s "+
				"distinct values in %s lines, and tells %s of them from all others", c.Name,
				Number(b.Distinct), Number(len(c.Values)), Percent(b.Unique)))
		}
	}
	if len(says) == 0 {
		return nil
	}
	return []Caution{{
		About: AboutIdentifier,
		Says:  strings.Join(says, ", ") + ": whoever knows a person's value finds the line",
		Try: []string{"Take a coarser column, in which many lines have each value. A name or a " +
			"number of a person or a case is no sensitive value."},
	}}
}

// BesideWhat is what columns are beside of.
func (r *Report) BesideWhat() string {
	if r.Guarantee.Model == "continuous" {
		return "values"
	}
	return "items"
}

// besideText is a line of text for each column.
func (o *Outcome) besideText() []string {
	var out []string
	for _, b := range o.Beside() {
		values := plural(b.Distinct, "distinct value")
		if b.Persons {
			out = append(out, fmt.Sprintf("%s: %s, %s of the persons with one that nobody else has, "+
				"%s with one that fewer than k persons have", b.Name(), values, Percent(b.Unique),
				Percent(b.Few)))
			continue
		}
		out = append(out, fmt.Sprintf("%s: %s, %s of the lines unique, %s with a value of fewer "+
			"than k lines", b.Name(), values, Percent(b.Unique), Percent(b.Few)))
	}
	if note := o.BesideNote(); note != "" {
		out = append(out, note)
	}
	return out
}
