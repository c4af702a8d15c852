package global

import (
	"cmp"
	"context"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
)

// lower takes back generalizations that are not needed: a node at the cut gives way to its children
// if every set with one of them stays frequent, the node whose leaves would gain most first, until
// none does. The cut must be k^m-anonymous, and stays so: only sets with a node that came down are
// new. It is for supports alone: a ratio may rise as nodes come down.
//
// A node that must stay now must stay later: a rare set with one of its children is still there, or
// one with children in place of nodes that came down, in no more transactions.
func (s *state) lower(ctx context.Context, in anonymize.Input) error {
	stays := make([]bool, s.tree.Nodes())
	for {
		candidates := slices.DeleteFunc(s.innerNodes(), func(u int32) bool { return stays[u] })
		lowered := 0
		for i, u := range candidates {
			in.Report("lowering", int64(i), int64(len(candidates)))
			ok, err := s.mayLower(ctx, in, u)
			if err != nil {
				return err
			}
			if stays[u] = !ok; ok {
				s.replaceByChildren(u)
				lowered++
			}
		}
		if lowered == 0 {
			return nil
		}
	}
}

// innerNodes are the nodes at the cut that are not leaves, by what going down to their children
// gains.
func (s *state) innerNodes() []int32 {
	gain := func(u int32) int64 {
		g := s.loss[u]
		for _, c := range s.tree.Children(u) {
			g -= s.loss[c]
		}
		return g
	}
	out := slices.DeleteFunc(s.cut.Nodes(), s.tree.IsLeaf)
	slices.SortStableFunc(out, func(a, b int32) int { return cmp.Compare(gain(b), gain(a)) })
	return out
}

// mayLower tells whether all sets with a child of u, which is at the cut, would be frequent.
func (s *state) mayLower(ctx context.Context, in anonymize.Input, u int32) (bool, error) {
	children := slices.Clone(s.tree.Children(u))
	// what fails soon first
	slices.SortFunc(children, func(a, b int32) int {
		return s.index.NodeSupport(a) - s.index.NodeSupport(b)
	})
	for _, c := range children {
		if s.index.Occurs(c) && s.index.NodeSupport(c) < in.Promise.K {
			return false, nil
		}
	}
	if in.Promise.M == 1 {
		return true, nil
	}
	for _, c := range children {
		ok, err := itemset.AllFrequent(ctx, s.company(c, u), in.Promise.M-1, in.Promise.K)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// company is what the transactions with c would publish beside it, were u replaced by its children,
// of which c is one.
func (s *state) company(c, u int32) itemset.Data {
	b := dataset.NewBuilder(s.tree.Dict())
	var weights, units, tx []int32
	for _, i := range s.index.Tids(c) {
		tx = tx[:0]
		for _, leaf := range s.merged.Tx(int(i)) {
			v := s.cut.Of(leaf)
			if v == u {
				v = s.childAbove(u, leaf)
			}
			if v != c {
				tx = append(tx, v)
			}
		}
		b.Add(tx)
		weights = append(weights, s.merged.Weight(int(i)))
		if s.merged.Units != nil {
			units = append(units, s.merged.Units[i])
		}
	}
	return anonymize.Rows(&dataset.Merged{Dataset: b.Build(), Weights: weights, Units: units})
}

// childAbove is the child of u that covers a leaf.
func (s *state) childAbove(u, leaf int32) int32 {
	children := s.tree.Children(u)
	i, found := slices.BinarySearchFunc(children, leaf, func(c, leaf int32) int {
		lo, _ := s.tree.Range(c)
		return cmp.Compare(lo, leaf)
	})
	if !found {
		i--
	}
	return children[i]
}

// replaceByChildren moves the cut down from u to its children.
func (s *state) replaceByChildren(u int32) {
	delta := -s.below[u]
	for _, c := range s.tree.Children(u) {
		s.cut.Lift(c)
		s.inactive[c] = false
		s.below[c] = s.loss[c]
		delta += s.loss[c]
	}
	for v := u; v >= 0; v = s.tree.Parent(v) {
		s.below[v] += delta
	}
}
