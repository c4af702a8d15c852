package hierarchy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/hierarchy"
)

// Own leaves are told leaf by leaf, from the definitions: on random trees and lines.
func TestOwnLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		tree := randomTree(t, r)
		var line []int32
		for u := range int32(tree.Nodes()) {
			if r.IntN(4) == 0 {
				line = append(line, u)
			}
		}
		r.Shuffle(len(line), func(i, j int) { line[i], line[j] = line[j], line[i] })
		for _, u := range line {
			all, own, apart := naiveOwn(tree, line, u)
			likely := all
			if len(apart) > 0 {
				likely = apart
			} else if len(own) > 0 {
				likely = own
			}
			for _, c := range []struct {
				name string
				got  []hierarchy.Span
				want []int32
			}{
				{"own", tree.Own(line, u, false, nil), own},
				{"child by child", tree.Own(line, u, true, nil), apart},
				{"likely", tree.Likely(line, u, nil), likely},
			} {
				if got := leavesOf(c.got); !slices.Equal(got, c.want) {
					t.Fatalf("%s leaves of %d in %v: %v, want %v", c.name, u, line, got, c.want)
				}
			}
		}
	}
}

// naiveOwn is the leaves below a node, its own, and its own child by child.
func naiveOwn(tree *hierarchy.Tree, line []int32, u int32) (all, own, apart []int32) {
	lower := func(v int32) bool { return v != u && tree.Covers(u, v) }
	for x := range int32(tree.Leaves()) {
		if !tree.Covers(u, x) {
			continue
		}
		all = append(all, x)
		above := func(v int32) bool { return lower(v) && tree.Covers(v, x) }
		if !slices.ContainsFunc(line, above) {
			own = append(own, x)
		}
		child := x
		for child != u && tree.Parent(child) != u {
			child = tree.Parent(child)
		}
		inChild := func(v int32) bool { return lower(v) && tree.Covers(child, v) }
		if !slices.ContainsFunc(line, inChild) {
			apart = append(apart, x)
		}
	}
	return all, own, apart
}

// What was in the array stays.
func TestOwnLeavesAreAppended(t *testing.T) {
	tree := randomTree(t, rand.New(rand.NewPCG(1, 1)))
	kept := hierarchy.Span{From: -3, To: -1}
	got := tree.Likely([]int32{0, tree.Root()}, tree.Root(), []hierarchy.Span{kept})
	if len(got) < 2 || got[0] != kept {
		t.Errorf("%v", got)
	}
}

func leavesOf(spans []hierarchy.Span) []int32 {
	var out []int32
	for _, s := range spans {
		for x := s.From; x < s.To; x++ {
			out = append(out, x)
		}
	}
	return out
}

// randomTree has up to 12 leaves, and chains of nodes with the same leaves.
func randomTree(t *testing.T, r *rand.Rand) *hierarchy.Tree {
	t.Helper()
	var text strings.Builder
	a, b := 1+r.IntN(3), 1+r.IntN(5)
	for x := range 1 + r.IntN(12) {
		fmt.Fprintf(&text, "x%d;b%d;a%d;*\n", x, x%b, x%b%a)
	}
	tree, err := hierarchy.Read(strings.NewReader(text.String()), hierarchy.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
