package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/privacy"
)

// What compatibility finds is what condition (c) says word by word, of releases of random data with
// so many refusals that transactions publish nodes at several levels; and nothing is left of it
// when the release has been made compatible.
func TestSoakCompatible(t *testing.T) {
	rng := soak.Rand(65, 66)
	holds, fails := 0, map[bool]int{} // whether of persons
	for range soak.Rounds(t, soak.Share(8000, 200_000)) {
		in := leveled(t, rng)
		if rng.IntN(3) == 0 {
			in = ofPersons(rng, in)
		}
		if admit(in) != nil {
			continue
		}
		merged, div := merge(in)
		draws := newDraws(in, rng, rng.Float64())
		s := newSearchOf(t.Context(), in, 1)(drawFor(draws, merged, div))
		st := s.walk(s.byGain(both, 2))
		c := &compatibility{state: st}
		c.findBranches()
		want := compatibleByDefinition(in, st)
		failing := c.look(t.Context(), watched{workers: 1 + rng.IntN(2)})
		if want != failing.none() {
			t.Fatalf("by definition %v, found %v of %v\n%s", want, failing, c.list,
				conformance.Describe(in))
		}
		inParts(t, rng, c)
		if want {
			holds++
			continue
		}
		fails[in.Promise.Persons]++
		s.mend(t.Context(), st, nil)
		check(t, in, st)
		if !compatibleByDefinition(in, st) {
			t.Fatalf("not made compatible\n%s", conformance.Describe(in))
		}
	}
	if holds < 50 || fails[false] < 50 || fails[true] < 25 {
		t.Errorf("%d held, %v failed", holds, fails)
	}
}

// inParts fails unless the same is found in any number of parts, however many may be barred.
func inParts(t *testing.T, rng *rand.Rand, c *compatibility) {
	t.Helper()
	c.mostBars = 1 << rng.IntN(7)
	defer func() { c.mostBars = 0 }()
	one := c.lookInParts(t.Context(), watched{workers: 1}, func(int) int { return 1 })
	several := c.lookInParts(t.Context(), watched{workers: 1 + rng.IntN(3)}, func(int) int {
		return 1 + rng.IntN(4)
	})
	if !slices.Equal(one.bars, several.bars) || !slices.Equal(one.hopeless, several.hopeless) {
		t.Fatalf("%v in one part, %v in several", one, several)
	}
}

// leveled is a random instance over a binary tree of eight items.
func leveled(t *testing.T, rng *rand.Rand) anonymize.Input {
	labels := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	tree, err := hierarchy.Fanout(labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	for range 4 + rng.IntN(8) {
		var tx []int32
		for x := range int32(len(labels)) {
			if rng.IntN(8) < 1+2*int(x%2) {
				tx = append(tx, x)
			}
		}
		for range 1 + rng.IntN(2) {
			b.Add(slices.Clone(tx))
		}
	}
	promise := privacy.KM{K: 2 + rng.IntN(2), M: 1 + rng.IntN(3)}
	return anonymize.Input{Data: b.Build(), Tree: tree, Promise: promise}
}

// What coverage says of the choices below one or two nodes is what condition (c) says of them, word
// by word.
func TestSoakCoverage(t *testing.T) {
	rng := soak.Rand(67, 68)
	verdicts := map[[2]bool]int{} // whether of persons, and in order
	for range soak.Rounds(t, soak.Share(4000, 50_000)) {
		in := leveled(t, rng)
		if rng.IntN(2) == 0 {
			in = ofPersons(rng, in)
		}
		if admit(in) != nil {
			continue
		}
		merged, div := merge(in)
		draws := newDraws(in, rng, rng.Float64())
		s := newSearchOf(t.Context(), in, 1)(drawFor(draws, merged, div))
		st := s.walk(s.byGain(both, 2))
		in.Promise.K += rng.IntN(3) // so that more is out of order
		st.k = in.Promise.K
		c := newCoverage(st)
		for range 10 {
			set := []int32{int32(rng.IntN(in.Tree.Nodes()))}
			v := int32(rng.IntN(in.Tree.Nodes()))
			if in.Promise.M > 1 && !in.Tree.Covers(v, set[0]) && !in.Tree.Covers(set[0], v) {
				set = append(set, v)
			}
			want := choicesByDefinition(in, st, set)
			if c.holds(t.Context(), set) != want {
				t.Fatalf("of %v by definition %v\n%s", set, want, conformance.Describe(in))
			}
			verdicts[[2]bool{in.Promise.Persons, want}]++
		}
	}
	for of, n := range verdicts {
		if n < 100 {
			t.Errorf("%v: %d only", of, n)
		}
	}
}

// choicesByDefinition tells whether every choice of at most m items below some nodes, one at least
// below each, is compatible with no transaction or with k.
func choicesByDefinition(in anonymize.Input, st *state, nodes []int32) bool {
	ok := true
	brute.Sets(leavesBelow(in, nodes...), in.Promise.M, func(items []int32) {
		for _, v := range nodes {
			if !slices.ContainsFunc(items, func(x int32) bool { return in.Tree.Covers(v, x) }) {
				return
			}
		}
		support, some := compatibleWith(in, st, items)
		ok = ok && (!some || support >= in.Promise.K)
	})
	return ok
}

// leavesBelow are the items below some nodes.
func leavesBelow(in anonymize.Input, nodes ...int32) (leaves []int32) {
	for x := range int32(in.Tree.Leaves()) {
		if slices.ContainsFunc(nodes, func(v int32) bool { return in.Tree.Covers(v, x) }) {
			leaves = append(leaves, x)
		}
	}
	return leaves
}

// compatibleWith is how many transactions, or persons, a set of items is compatible with, and
// whether it is compatible with some transaction.
func compatibleWith(in anonymize.Input, st *state, items []int32) (support int, some bool) {
	persons := map[int32]bool{}
	for i := range int32(st.merged.Len()) {
		line := st.published(i)
		if slices.ContainsFunc(items, func(x int32) bool { return !mayBe(in, x, line) }) {
			continue
		}
		some = true
		if unit := st.unit(i); unit < 0 || !persons[unit] {
			support += int(st.merged.Weights[i])
			persons[unit] = true
		}
	}
	return support, some
}

// compatibleByDefinition tells whether every set of at most m items is compatible with no
// transaction or with k.
func compatibleByDefinition(in anonymize.Input, st *state) bool {
	ok := true
	brute.Sets(leavesBelow(in, in.Tree.Root()), in.Promise.M, func(items []int32) {
		support, some := compatibleWith(in, st, items)
		ok = ok && (len(items) == 0 || !some || support >= in.Promise.K)
	})
	return ok
}
