package local

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// manyTransactions are some of whose items next to nobody has: so sets of transactions are put
// together in both ways (see soon).
func manyTransactions(t *testing.T) anonymize.Input {
	labels := make([]string, 60)
	for i := range labels {
		labels[i] = fmt.Sprintf("item%02d", i)
	}
	tree, err := hierarchy.Fanout(labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(81, 82))
	b := dataset.NewBuilder(tree.LeafDict())
	for range 10_000 {
		var tx []int32
		for range 1 + rng.IntN(8) {
			tx = append(tx, int32(60*math.Pow(rng.Float64(), 6)))
		}
		b.Add(tx)
	}
	return anonymize.Input{Data: b.Build(), Tree: tree, Promise: privacy.KM{K: 5, M: 2}}
}

// covers is whether transaction i covers a node, by the definition (see coverage).
func (s *state) covers(i, v int32) bool {
	line := s.published(i)
	hasBelow := func(v int32) bool {
		return slices.ContainsFunc(line, func(w int32) bool { return s.tree.Covers(v, w) })
	}
	if slices.Contains(line, v) {
		return !slices.ContainsFunc(s.tree.Children(v), hasBelow)
	}
	for child, up := v, s.tree.Parent(v); up >= 0; child, up = up, s.tree.Parent(up) {
		if slices.Contains(line, up) {
			return !hasBelow(child)
		}
	}
	return false
}

func TestCoverage(t *testing.T) {
	st := halfway(t, manyTransactions(t))
	st.sortAll()
	c := newCoverage(st)
	c.first = 4
	soon := 0
	for v := range int32(st.tree.Nodes()) {
		if c.soon(v) {
			soon++
		}
		for round := range 2 { // what is kept, too
			covered, same := inStretches(&c, v, c.coverAt), c.cover(v)
			below, too := inStretches(&c, v, c.belowAt), c.below(v)
			if !slices.Equal(covered, same) || !slices.Equal(below, too) {
				t.Fatalf("round %d, node %d: a set that is not kept is another one", round, v)
			}
			for i := range int32(st.merged.Len()) {
				has := slices.ContainsFunc(st.published(i), func(w int32) bool {
					return st.tree.Covers(v, w)
				})
				in := func(set []uint64) bool { return set[i/64]>>(i%64)&1 != 0 }
				if in(covered) != st.covers(i, v) || in(below) != has {
					t.Fatalf("round %d: transaction %d, node %d", round, i, v)
				}
			}
		}
	}
	if soon == 0 || soon == st.tree.Nodes() {
		t.Errorf("%d sets are not kept", soon)
	}
}

// inStretches is a set of transactions, put together of all stretches.
func inStretches(
	c *coverage, v int32, part func(place int, v int32, in stretch) []uint64,
) (all []uint64) {
	for in := range c.stretches {
		all = append(all, part(1, v, in)...)
	}
	return all
}

// Supports child by child are those of each child.
func TestSupportsByChild(t *testing.T) {
	st := halfway(t, manyTransactions(t))
	st.k = 50
	st.sortAll()
	c := newCoverage(st)
	c.first = 4
	for v := range int32(st.tree.Nodes()) {
		for w := range int32(st.tree.Nodes()) {
			if st.tree.IsLeaf(v) || st.tree.Covers(v, w) || st.tree.Covers(w, v) {
				continue
			}
			for n, got := range c.byChild([]int32{w}, v) {
				want, _ := c.covering([]int32{w, st.tree.Children(v)[n]}, st.k)
				if exact := want < st.k; exact && got != want || !exact && got < st.k {
					t.Fatalf("node %d and child %d of %d: %d, want %d", w, n, v, got, want)
				}
			}
		}
	}
}
