package global

import (
	"cmp"
	"context"
	"slices"

	"mingle/anonymize"
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
	at := s.published(u)
	for _, c := range children {
		ok, err := itemset.AllFrequent(ctx, at.company(c), in.Promise.M-1, in.Promise.K)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// published is what transactions would publish, were a node replaced by its children. What is
// published is numbered in the order of the leaves.
type published struct {
	*state
	number []int32 // by leaf
	most   int32
}

func (s *state) published(u int32) *published {
	p := &published{state: s, number: make([]int32, s.tree.Leaves())}
	last := int32(-1)
	for leaf, v := range s.cut.Map() {
		if v == u {
			v = s.childAbove(u, int32(leaf))
		}
		if v != last {
			last, p.most = v, p.most+1
		}
		p.number[leaf] = p.most - 1
	}
	return p
}

// company is what the transactions with c, one of the children, would publish beside it.
func (p *published) company(c int32) itemset.Data {
	tids := p.index.Tids(c)
	d := itemset.Data{Len: len(tids), Items: int(p.most), Weights: make([]int32, len(tids))}
	for n, i := range tids {
		d.Weights[n] = p.merged.Weight(int(i))
		if p.merged.Units != nil {
			d.Units = append(d.Units, p.merged.Units[i])
		}
	}
	lo, hi := p.tree.Range(c)
	lines, tx := p.merged.Cursor(), []int32(nil)
	d.Tx = func(n int) []int32 {
		tx = tx[:0]
		for _, leaf := range lines.Tx(int(tids[n])) {
			v := p.number[leaf]
			if leaf >= lo && leaf < hi || len(tx) > 0 && tx[len(tx)-1] == v {
				continue
			}
			tx = append(tx, v)
		}
		return tx
	}
	return d
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
