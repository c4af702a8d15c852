package local

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize/conformance"
)

// Swaps keep the promise one by one, lessen the loss by what they say, and keep count of all
// supports.
func TestSwaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	made := 0
	for seed := range uint64(30) {
		in := conformance.Medium(seed)
		in.Promise.M = 1 + int(seed%3)
		s := newSearch(t.Context(), in, 1)
		r := newRecoding(in.Tree, s.merged, nil)
		one := s.one(r)
		steps := s.varied(rng, eachByItself).steps(s.weights)
		for _, to := range steps[:len(steps)*2/3] {
			one.specialise(to)
		}
		m := &meter{ctx: t.Context(), limit: math.MaxInt64}
		x := newSwaps(r, s.rule, m, 1)
		for i := range int32(r.merged.Len()) {
			was, before := slices.Clone(r.published(i)), r.loss
			x.visit(i)
			if slices.Equal(was, r.published(i)) {
				continue
			}
			made++
			if r.loss > before {
				t.Fatal("a swap has raised the loss")
			}
			check(t, in, r)
			fresh := newSwaps(r, s.rule, m, 1)
			for _, at := range x.slots {
				if at.key != 0 && at.count != fresh.of(at.key) {
					t.Fatalf("support %d has been kept as %d", fresh.of(at.key), at.count)
				}
			}
		}
	}
	if made < 20 {
		t.Errorf("%d swaps only", made)
	}
}

// A set that is counted already has room in a full table, another one has not.
func TestSupportsAreFull(t *testing.T) {
	s := newSupports(1, 3)
	for k := range uint64(3) {
		if s.full() {
			t.Fatalf("full with %d of 3", k)
		}
		s.add(k+1, 1)
	}
	if s.add(2, 5); !s.full() || s.of(2) != 6 || s.of(4) != 0 {
		t.Errorf("full: %v, %d, %d", s.full(), s.of(2), s.of(4))
	}
}
