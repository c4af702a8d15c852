package peel

import (
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// state is a local recoding that keeps the promise, between two steps.
type state struct {
	tree  *hierarchy.Tree
	k, m  int
	share int // see privacy.KM.PersonShare
	in    anonymize.Input

	rows  *dataset.Merged // what is counted: those of a person one after the other
	lines []int32         // by row: how many lines it stands for
	at    []int32         // by occurrence of rows: the node it is published as
	pub   [][]int32       // by row: the nodes it publishes, ascending, none above another, and
	// behind all nodes the sensitive items that may be known, from number known on
	known int32
	who   [][]int32        // by node: the rows that publish it, ascending
	sens  *dataset.Dataset // of the rows; nil: no l is asked
	lost  int64            // NCP times |I| and all occurrences

	step
}

// newState starts at a cut, given the node of every leaf.
func newState(p *anonymize.Problem, cut []int32) *state {
	s := &state{
		in: p.Input, tree: p.Tree, k: p.Promise.K, m: p.MostAtOnce(), share: p.Promise.PersonShare,
		rows: p.Counted(), known: int32(p.Tree.Nodes()),
	}
	if p.Knowable() > 0 {
		s.m = min(p.Promise.M, max(1, p.Data.MaxLen())+int(p.Knowable()))
	}
	if p.Promise.BeyondSupports() { // lines are counted, too
		var order []int32
		s.rows, order = p.Apart()
		if p.Promise.Diverse() {
			s.sens = p.Sensitive.Select(order)
		}
	}
	s.lines = make([]int32, s.rows.Len())
	for _, i := range s.rows.Of {
		s.lines[i]++
	}
	s.pub, s.who = make([][]int32, s.rows.Len()), make([][]int32, s.tree.Nodes())
	for i := range s.rows.Len() {
		var pub []int32
		for _, leaf := range s.rows.Tx(i) {
			u := cut[leaf]
			s.at = append(s.at, u)
			s.lost += s.tree.Penalty(u) * int64(s.lines[i])
			pub = append(pub, u)
		}
		slices.Sort(pub)
		s.pub[i] = slices.Compact(pub)
		for _, u := range s.pub[i] {
			s.who[u] = append(s.who[u], int32(i))
		}
		if s.sens != nil {
			s.pub[i] = append(s.pub[i], s.knowable(i)...)
		}
	}
	s.step.begin(s)
	return s
}

// knowable are the sensitive items of a row that may be known, as what it publishes has them.
func (s *state) knowable(row int) (out []int32) {
	for _, x := range s.sens.Tx(row) {
		if x < s.in.Knowable() {
			out = append(out, s.known+x)
		}
	}
	return out
}

// below are the places of a row's occurrences under a node.
func (s *state) below(row, u int32) (from, to int) {
	lo, hi := s.tree.Range(u)
	tx, start := s.rows.Tx(int(row)), s.rows.Start(int(row))
	a, _ := slices.BinarySearch(tx, lo)
	b, _ := slices.BinarySearch(tx, hi)
	return start + a, start + b
}

// childrenOf appends the children of u that a row's items are below.
func (s *state) childrenOf(row, u int32, out []int32) []int32 {
	from, to := s.below(row, u)
	children, k := s.tree.Children(u), 0
	tx, start := s.rows.Tx(int(row)), s.rows.Start(int(row))
	for _, leaf := range tx[from-start : to-start] {
		for !s.tree.Covers(children[k], leaf) {
			k++
		}
		if n := len(out); n == 0 || out[n-1] != children[k] {
			out = append(out, children[k])
		}
	}
	return out
}

// release is what has come of it.
func (s *state) release(in anonymize.Input) *release.Generalized {
	nodes := make([]int32, 0, in.Data.Occurrences())
	for i := range in.Data.Len() {
		row := int(s.rows.Of[i])
		nodes = append(nodes, s.at[s.rows.Start(row):s.rows.Start(row+1)]...)
	}
	g := release.Local(in.Tree, in.Data, nodes)
	g.Sensitive = in.Sensitive
	return g
}
