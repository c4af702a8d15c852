package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// What compatibility finds is what condition (c) says word by word, of releases of random data with
// so many refusals that transactions publish nodes at several levels; and nothing is left of it
// when the release has been made compatible.
func TestSoakCompatible(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 66))
	holds, fails := 0, map[bool]int{} // whether of persons
	for range soak.Share(8000, 200_000) {
		in := leveled(t, rng)
		if rng.IntN(3) == 0 {
			in = ofPersons(rng, in)
		}
		if admit(in) != nil {
			continue
		}
		merged, div := merge(in)
		thrown := newCoins(in, rng, rng.Float64())
		s := newSearchOf(t.Context(), in, 1)(throwFor(thrown, merged, div))
		st := s.walk(s.byGain(both, 2))
		c := &compatibility{state: st}
		c.findBranches()
		want := compatibleByDefinition(in, st)
		failing := c.look(t.Context(), watched{workers: 1 + rng.IntN(2)})
		if want != failing.none() {
			t.Fatalf("by definition %v, found %v of %v\n%s", want, failing, c.list,
				conformance.Describe(in))
		}
		if want {
			holds++
			continue
		}
		fails[in.Promise.Persons]++
		s.mend(t.Context(), st)
		check(t, in, st)
		if !compatibleByDefinition(in, st) {
			t.Fatalf("not made compatible\n%s", conformance.Describe(in))
		}
	}
	if holds < 50 || fails[false] < 50 || fails[true] < 25 {
		t.Errorf("%d held, %v failed", holds, fails)
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

// compatibleByDefinition tells whether every set of at most m items is compatible with no
// transaction or with k.
func compatibleByDefinition(in anonymize.Input, st *state) bool {
	var known []int32
	var from func(x int32) bool
	from = func(x int32) bool {
		support, some, persons := 0, false, map[int32]bool{}
		for i := range int32(st.merged.Len()) {
			if !slices.ContainsFunc(known, func(x int32) bool {
				return !mayBe(in, x, st.published(i))
			}) {
				some = true
				if unit := st.unit(i); unit < 0 || !persons[unit] {
					support += int(st.merged.Weights[i])
					persons[unit] = true
				}
			}
		}
		if len(known) > 0 && some && support < in.Promise.K {
			return false
		}
		if len(known) == in.Promise.M || !some {
			return true
		}
		for ; x < int32(in.Tree.Leaves()); x++ {
			known = append(known, x)
			holds := from(x + 1)
			known = known[:len(known)-1]
			if !holds {
				return false
			}
		}
		return true
	}
	return from(0)
}
