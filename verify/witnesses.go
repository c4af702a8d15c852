package verify

import (
	"cmp"
	"slices"
)

// witness is a breach by a combination, before it is spelled out.
type witness struct {
	nodes   []int32 // ascending; for knowledge: claims
	beside  int32   // the sensitive item, or the class of lines, that it breaks with; -1: none
	support int
	needed  int
	of      unit // what support and needed are of
}

// unit is what a witness counts.
type unit int8

const (
	ofLines   unit = iota
	ofPersons      // support and needed are of persons
	// ofOne: support is the lines there are, and needed those that there should be, as one person
	// has so many of them
	ofOne
)

func compareWitnesses(a, b witness) int {
	return cmp.Or(cmp.Compare(len(a.nodes), len(b.nodes)),
		slices.Compare(a.nodes, b.nodes), cmp.Compare(a.beside, b.beside),
		cmp.Compare(a.of, b.of))
}

// witnesses keeps the first ones in order and counts all.
type witnesses struct {
	kept  []witness
	count int64
}

// add files a witness; nodes is copied only when it is kept.
func (s *witnesses) add(nodes []int32, beside int32, support, needed int) {
	s.file(witness{nodes: nodes, beside: beside, support: support, needed: needed})
}

// addPersons is add where persons were counted.
func (s *witnesses) addPersons(nodes []int32, beside int32, support, needed int) {
	s.file(witness{nodes, beside, support, needed, ofPersons})
}

func (s *witnesses) file(w witness) {
	s.count++
	full := len(s.kept) == maxBreaches
	if full && len(w.nodes) > len(s.kept[maxBreaches-1].nodes) {
		return
	}
	w.nodes = slices.Clone(w.nodes)
	slices.Sort(w.nodes)
	s.keep(w)
}

func (s *witnesses) keep(w witness) {
	at, _ := slices.BinarySearchFunc(s.kept, w, compareWitnesses)
	if at == maxBreaches {
		return
	}
	s.kept = slices.Insert(s.kept, at, w)
	s.kept = s.kept[:min(len(s.kept), maxBreaches)]
}

// merge adds what others found. The result does not depend on the order of merging.
func (s *witnesses) merge(o *witnesses) {
	s.count += o.count
	for _, w := range o.kept {
		s.keep(w)
	}
}
