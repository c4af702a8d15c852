package global

import (
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/itemset"
)

// state is a cut under construction: what it loses, and the data it is judged on.
type state struct {
	tree      *hierarchy.Tree
	loss      []int64 // by node; see anonymize.Problem
	merged    *dataset.Merged
	index     *itemset.Index
	diversity *diversity // nil: none asked
	byLeaves  bool       // see AA
	// equal transactions of merged may stand for themselves; see merge
	apart bool

	recoded   *dataset.Merged // merged at a former cut, recodedTo, for the next walk; nil: none
	recodedTo []int32

	cut      *hierarchy.Cut
	inactive []bool  // nodes below the cut
	below    []int64 // what the leaves below a node at or above the cut lose now
}

// newState prepares the data of a problem; the cut generalizes nothing yet.
func newState(p *anonymize.Problem) (*state, error) {
	merged, diversity := mergeInput(p)
	s := onData(merged, p.Losses(), p.Input)
	s.diversity = diversity
	return s, nil
}

// onData starts a cut that generalizes nothing on merged data, which need not be feasible.
func onData(merged *dataset.Merged, loss []int64, in anonymize.Input) *state {
	s := newCut(in.Tree, loss)
	s.merged = merged
	s.index = anonymize.NewIndex(merged, in.Tree, in.Memory/8, in.WorkerCount())
	return s
}

// newCut starts a cut that generalizes nothing, without data.
func newCut(t *hierarchy.Tree, loss []int64) *state {
	return &state{
		tree:     t,
		loss:     loss,
		cut:      hierarchy.BottomCut(t),
		inactive: make([]bool, t.Nodes()),
		below:    make([]int64, t.Nodes()),
	}
}

// lift moves the cut up to node u.
func (s *state) lift(u int32) {
	delta := s.loss[u] - s.below[u]
	for v := u; v >= 0; v = s.tree.Parent(v) {
		s.below[v] += delta
	}
	s.cut.Lift(u)
}

// commit lifts the cut as the repair of path says; tell is called with every node that is below the
// cut from now on.
func (s *state) commit(l *lifting, path []int32, tell func(u int32)) {
	for _, u := range l.set {
		if !slices.Contains(path, u) {
			s.lift(u)
			s.deactivate(u, tell)
		}
	}
}

// deactivate marks everything below u as below the cut, and tells of each node that is new.
func (s *state) deactivate(u int32, tell func(u int32)) {
	for _, c := range s.tree.Children(u) {
		if !s.inactive[c] {
			s.inactive[c] = true
			tell(c)
			s.deactivate(c, tell)
		}
	}
}

// anyInactive tells whether the cut has moved above a node of the set.
func (s *state) anyInactive(set []int32) bool {
	for _, u := range set {
		if s.inactive[u] {
			return true
		}
	}
	return false
}

// liftTo moves the cut up to another one wherever that is higher.
func (s *state) liftTo(c *hierarchy.Cut) {
	for _, u := range c.Nodes() {
		if lo, _ := s.tree.Range(u); !s.inactive[u] && s.cut.Of(lo) != u {
			s.lift(u)
			s.deactivate(u, func(int32) {})
		}
	}
}
