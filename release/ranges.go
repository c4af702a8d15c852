package release

import (
	"slices"

	"mingle/dataset/bag"
)

// Ranges is data of numbers, published as values and closed ranges.
//
// Exactly one of Map and Nodes is set. Map is a global recoding: the term of every distinct value
// of Data; its terms do not overlap. Nodes is a local recoding: the term of every occurrence, in
// the order of Data.Items(). Both index Terms.
type Ranges struct {
	Data  *bag.Bags  // the original: all its terms are points
	Terms []bag.Term // distinct, ascending

	Map   []int32
	Nodes []int32

	Warnings []string // footnotes for the person who signs
}

// GlobalRanges makes the release in which every distinct value v of data is published as the term
// of[v].
func GlobalRanges(data *bag.Bags, of []bag.Term) *Ranges {
	terms := distinctTerms(of)
	r := &Ranges{Data: data, Terms: terms, Map: make([]int32, len(of))}
	for v, t := range of {
		at, _ := slices.BinarySearchFunc(terms, t, bag.Term.Compare)
		r.Map[v] = int32(at)
	}
	return r
}

// LocalRanges makes the release in which occurrence pos is published as terms[of[pos]]; terms may
// be in any order and hold more than is used.
func LocalRanges(data *bag.Bags, terms []bag.Term, of []int32) *Ranges {
	used := make([]bool, len(terms))
	for _, t := range of {
		used[t] = true
	}
	var kept []bag.Term
	for i, t := range terms {
		if used[i] {
			kept = append(kept, t)
		}
	}
	r := &Ranges{Data: data, Terms: distinctTerms(kept), Nodes: make([]int32, len(of))}
	id := make([]int32, len(terms))
	for i, t := range terms {
		at, _ := slices.BinarySearchFunc(r.Terms, t, bag.Term.Compare)
		id[i] = int32(at)
	}
	for pos, t := range of {
		r.Nodes[pos] = id[t]
	}
	return r
}

func distinctTerms(terms []bag.Term) []bag.Term {
	out := slices.Clone(terms)
	slices.SortStableFunc(out, bag.Term.Compare)
	return slices.CompactFunc(out, func(a, b bag.Term) bool { return a.Compare(b) == 0 })
}

// Term is what the occurrence at position pos of Data.Items() is published as.
func (r *Ranges) Term(pos int) int32 {
	if r.Map != nil {
		return r.Map[r.Data.Items()[pos]]
	}
	return r.Nodes[pos]
}

// Published spells out the release: record i holds a term for every value of record i of Data.
func (r *Ranges) Published() *bag.Bags { return r.Data.Recode(r.Terms, r.Term) }
