package mingle

import (
	"fmt"
	"strings"

	"mingle/anonymize"
	"mingle/anonymize/km"
)

// Entry is one algorithm that users can choose.
type Entry struct {
	Family  string // the promise it keeps, and the command: anonymize FAMILY
	Name    string
	Summary string // one line, for help
	New     func() anonymize.Algorithm
}

// algorithms is the one table of algorithms; the first of a family is its default.
var algorithms = []Entry{
	{"km", "aa", "apriori-based: the default heuristic", func() anonymize.Algorithm { return km.AA{} }},
	{"km", "da", "direct: one walk over the whole count tree", func() anonymize.Algorithm { return km.DA{} }},
	{"km", "oa", "optimal, for small domains", func() anonymize.Algorithm { return km.OA{} }},
}

// Algorithms lists the algorithms of a family, the default first.
func Algorithms(family string) []Entry {
	var out []Entry
	for _, e := range algorithms {
		if e.Family == family {
			out = append(out, e)
		}
	}
	return out
}

// FindAlgorithm finds an algorithm of a family by its name.
func FindAlgorithm(family, name string) (Entry, error) {
	var names []string
	for _, e := range Algorithms(family) {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, fmt.Errorf("algorithm %q is not known: anonymize %s has %s", name, family, strings.Join(names, ", "))
}
