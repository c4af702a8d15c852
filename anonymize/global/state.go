package global

import (
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/itemset"
)

// lossTable prices cuts. A leaf's cost is 0, an inner node's the occurrences below it times its leaves: NCP(D) without the
// division by |I| and by all occurrences, so that costs compare exactly.
type lossTable struct {
	tree *hierarchy.Tree
	cost []int64
}

func newLossTable(t *hierarchy.Tree, supports []int) *lossTable {
	prefix := make([]int64, t.Leaves()+1)
	for leaf, n := range supports {
		prefix[leaf+1] = prefix[leaf] + int64(n)
	}
	l := &lossTable{tree: t, cost: make([]int64, t.Nodes())}
	for u := int32(t.Leaves()); int(u) < t.Nodes(); u++ {
		lo, hi := t.Range(u)
		l.cost[u] = (prefix[hi] - prefix[lo]) * int64(t.LeafCount(u))
	}
	return l
}

// state is a cut under construction: what it costs, and the data it is judged on.
type state struct {
	*lossTable
	merged    *dataset.Merged
	index     *itemset.Index
	diversity *diversity // nil: none asked

	cut   *hierarchy.Cut
	dead  []bool  // nodes below the cut
	below []int64 // what the leaves below a node at or above the cut cost now
}

// newState checks the input and prepares the data; the cut generalizes nothing yet.
func newState(in anonymize.Input) (*state, error) {
	if err := Check(in); err != nil {
		return nil, err
	}
	merged, diversity := mergeInput(in)
	s := onData(merged, newLossTable(in.Tree, in.Data.Supports()), in.Memory)
	s.diversity = diversity
	return s, nil
}

// onData starts a cut that generalizes nothing on merged data, which need not be feasible.
func onData(merged *dataset.Merged, loss *lossTable, memory int64) *state {
	t := loss.tree
	return &state{
		lossTable: loss,
		merged:    merged,
		index:     anonymize.NewIndex(merged, t, memory/8),
		cut:       hierarchy.BottomCut(t),
		dead:      make([]bool, t.Nodes()),
		below:     make([]int64, t.Nodes()),
	}
}

// lift moves the cut up to node u.
func (s *state) lift(u int32) {
	delta := s.cost[u] - s.below[u]
	for v := u; v >= 0; v = s.tree.Parent(v) {
		s.below[v] += delta
	}
	s.cut.Lift(u)
}

// commit lifts the cut as the repair of path says; kill is told every node that is below the cut from now on.
func (s *state) commit(l *lifting, path []int32, kill func(u int32)) {
	for _, u := range l.set {
		if !slices.Contains(path, u) {
			s.lift(u)
			s.bury(u, kill)
		}
	}
}

// bury marks everything below u as dead.
func (s *state) bury(u int32, kill func(u int32)) {
	for _, c := range s.tree.Children(u) {
		if !s.dead[c] {
			s.dead[c] = true
			kill(c)
			s.bury(c, kill)
		}
	}
}

// anyDead tells whether the cut has moved above a node of the set.
func (s *state) anyDead(set []int32) bool {
	for _, u := range set {
		if s.dead[u] {
			return true
		}
	}
	return false
}

// liftTo moves the cut up to another one wherever that is higher.
func (s *state) liftTo(c *hierarchy.Cut) {
	for _, u := range c.Nodes() {
		if lo, _ := s.tree.Range(u); !s.dead[u] && s.cut.Of(lo) != u {
			s.lift(u)
			s.bury(u, func(int32) {})
		}
	}
}
