package local

import (
	"testing"

	"mingle/anonymize/conformance"
)

// What is kept of the nodes that were asked for before is what is published with them, and what
// counting it would cost, while transactions change.
func TestKeptPairsAreThoseOfTheRelease(t *testing.T) {
	oneGoroutine(t)
	kept := 0
	for seed := range uint64(20) {
		in := conformance.Medium(seed)
		in.Promise.M = 1 + int(seed%2)
		st := halfway(t, in)
		x := newExchange(t.Context(), st)
		for c := in.Tree.Root() - 1; c >= 0; c-- {
			x.into(c)
			for _, n := range []neighbours{x.joined, x.left} {
				for _, one := range n.(*pairCounts).kept {
					if one.node >= 0 {
						kept++
						same(t, st, one)
					}
				}
			}
		}
	}
	if kept < 1000 {
		t.Errorf("only %d nodes were kept", kept)
	}
}

// same fails unless what is kept of a node is what a new count finds.
func same(t *testing.T, st *state, one *oneNode) {
	t.Helper()
	with, alone, cost := make([]int32, st.tree.Nodes()), int32(0), int64(0)
	for i := range int32(st.merged.Len()) {
		if set := st.published(i); st.publishes(i, one.node) {
			alone += st.merged.Weights[i]
			if cost += counted + int64(len(set)); st.m > 1 {
				for _, v := range set {
					with[v] += st.merged.Weights[i]
				}
			}
		}
	}
	if st.m < 2 {
		cost = 0
	}
	if alone != one.alone || cost != one.cost {
		t.Fatalf("node %d: support %d and cost %d are kept, want %d and %d", one.node, one.alone,
			one.cost, alone, cost)
	}
	for v, n := range with {
		if n != one.with[v] {
			t.Fatalf("nodes %d and %d: %d is kept, want %d", one.node, v, one.with[v], n)
		}
	}
}
