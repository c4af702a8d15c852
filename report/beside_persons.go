package report

import (
	"cmp"
	"fmt"
	"slices"

	"mingle/dataset"
)

// BesideOfPersons looks at columns together where the unit is a person: of[i] is the person of line
// i, -1 nobody known. A value that all lines of one person have tells that person from all others,
// however many lines these are. A line of nobody stands for itself, and hides nobody.
func BesideOfPersons(columns []dataset.Column, of []int32, k int) Beside {
	b := Beside{Persons: true, Columns: columnNames(columns)}
	value, distinct := valuesOf(columns, len(of))
	b.Distinct = distinct
	persons := make([]int, distinct) // by value: how many different ones
	who := make([]int, len(of))      // who has line i: a person, or the line alone
	for i, p := range of {
		if who[i] = int(p); p < 0 {
			who[i] = -1 - i
		}
	}
	byPerson := make([]int, len(of))
	for i := range byPerson {
		byPerson[i] = i
	}
	slices.SortFunc(byPerson, func(i, j int) int {
		return cmp.Or(cmp.Compare(who[i], who[j]), cmp.Compare(value[i], value[j]))
	})
	for n, i := range byPerson {
		before := max(n-1, 0)
		if n > 0 && who[byPerson[before]] == who[i] && value[byPerson[before]] == value[i] {
			continue
		}
		b.pairs++
		if of[i] >= 0 {
			persons[value[i]]++
		}
	}
	units, alone, few := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for i, w := range who {
		n := persons[value[i]]
		units[w] = true
		if n == 0 || of[i] >= 0 && n == 1 {
			alone[w] = true
		}
		if n < k {
			few[w] = true
		}
	}
	if n := float64(len(units)); n > 0 {
		b.Unique, b.Few = float64(len(alone))/n, float64(len(few))/n
	}
	return b
}

// valuesOf numbers the values of columns, taken together, by line.
func valuesOf(columns []dataset.Column, lines int) (value []int32, distinct int) {
	known := map[string]int32{}
	value = make([]int32, lines)
	var key []byte
	for i := range value {
		key = key[:0]
		for _, c := range columns {
			key = fmt.Appendf(key, "%d:%s", len(c.Values[i]), c.Values[i])
		}
		id, met := known[string(key)]
		if !met {
			id = int32(len(known))
			known[string(key)] = id
		}
		value[i] = id
	}
	return value, len(known)
}

func columnNames(columns []dataset.Column) []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.Name)
	}
	return out
}

// BesideEachOfPersons looks at each column, and where there are several at all of them together.
func BesideEachOfPersons(columns []dataset.Column, of []int32, k int) []Beside {
	return besideEach(columns, func(some []dataset.Column) Beside {
		return BesideOfPersons(some, of, k)
	})
}

// BesideCautions is why columns beside the sets make the verdict less than green, by what was
// counted with the original, in place of what the public report says.
func (c *Custodian) BesideCautions() []Caution { return besideCautions(c.Beside, "items") }

// Beside tells of the columns beside the sets: by persons, where these are counted and known.
func (o *Outcome) Beside() []Beside {
	if o.Custodian != nil && len(o.Custodian.Beside) > 0 {
		return o.Custodian.Beside
	}
	return o.Report.Beside
}

// BesideNote says, where persons are counted and the columns are known by their lines alone, that
// these shares are not of persons; "": nothing is to be said.
func (o *Outcome) BesideNote() string {
	b := o.Beside()
	if len(b) == 0 || b[0].Persons || !countsPersons(o.Report.Guarantee) {
		return ""
	}
	return "Lines were counted in these columns, not persons: whose a line is cannot be seen in " +
		"the published file. A value on many lines may be that of one person."
}
