package suppress

import (
	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/itemset"
	"mingle/release"
)

// kind is what is suppressed: units are the items, or the merged transactions.
type kind interface {
	// sizes are the occurrences that go with each unit.
	sizes() []int64
	// pick is a choice of units, none of them gone, of which at least one must go for a set of
	// nodes that x has to be frequent at these nodes or to disappear. Of all such choices it is one
	// that loses much.
	pick(x *itemset.Index, nodes []int32, gone []bool) []int32
	// rows are the merged transactions without the units that are gone; numbers stay.
	rows(gone []bool) *dataset.Merged
	// left is the input without them.
	left(gone []bool) anonymize.Input
	// restore makes a release of the whole input of one of left.
	restore(g *release.Generalized, gone []bool) *release.Generalized
	// losses are what the occurrences that go with each unit lose in a release of the whole input.
	losses(g *release.Generalized) []int64
	// mayReturn tells quickly, given what is left without the units that are gone, whether a unit
	// may be able to come back at a cut; it cannot where the answer is no.
	mayReturn(left func() *itemset.Index, cut []int32, unit int32) bool
	// touched is the data at a cut in which all sets must be frequent if a unit is to come back, as
	// sets of at most so many nodes.
	touched(cut []int32, gone []bool, unit int32) (d *dataset.Merged, m int)
}

// base is what both kinds have in common.
type base struct {
	in     anonymize.Input
	tree   *hierarchy.Tree
	merged *dataset.Merged
	lines  []int32        // by merged transaction: how many transactions it stands for
	index  *itemset.Index // of all of merged
}

func newBase(in anonymize.Input) base {
	var m *dataset.Merged
	if in.Promise.Persons {
		m = dataset.MergeUnits(in.Data, in.Persons)
	} else {
		m = dataset.Merge(in.Data)
	}
	index := anonymize.NewIndex(m, in.Tree, 0, in.WorkerCount())
	b := base{in, in.Tree, m, make([]int32, m.Len()), index}
	for _, i := range m.Of {
		b.lines[i]++
	}
	return b
}

// some collects merged transactions that were changed.
type some struct {
	*dataset.Builder
	weights, units []int32
}

// add adds what has become of merged transaction i.
func (s *some) add(b base, i int32, tx []int32) {
	s.Add(tx)
	s.weights = append(s.weights, b.merged.Weights[i])
	if b.merged.Units != nil {
		s.units = append(s.units, b.merged.Units[i])
	}
}

func (s *some) merged() *dataset.Merged {
	return &dataset.Merged{Dataset: s.Build(), Weights: s.weights, Units: s.units}
}

// like is data in place of the merged transactions.
func (b base) like(d *dataset.Dataset) *dataset.Merged {
	return &dataset.Merged{Dataset: d, Weights: b.merged.Weights, Units: b.merged.Units}
}

// release starts a release of the whole input.
func (s base) release(g *release.Generalized) *release.Generalized {
	return &release.Generalized{
		Tree: s.tree, Data: s.in.Data, Sensitive: s.in.Sensitive,
		Parts: g.Parts, Warnings: g.Warnings,
	}
}

// spread gives the nodes of g's occurrences to those of the whole input, in order, except where
// gone.
func (s base) spread(g *release.Generalized, gone func(i int,
	leaf int32) bool,
) *release.Generalized {
	out := s.release(g)
	out.Nodes = make([]int32, 0, s.in.Data.Occurrences())
	next := 0
	for i := range s.in.Data.Len() {
		for _, leaf := range s.in.Data.Tx(i) {
			u := release.Suppressed
			if !gone(i, leaf) {
				u = g.Node(next)
				next++
			}
			out.Nodes = append(out.Nodes, u)
		}
	}
	return out
}
