package local_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/local"
	"mingle/internal/soak"
)

// In parts, too, a release keeps every promise that it is asked for, and is the same for the same
// seed; where parts are too small to keep it there are fewer.
func TestPartsSoak(t *testing.T) {
	for parts := 2; parts <= soak.Share(2, 3); parts++ {
		conformance.Suite{
			Instances:    soak.Share(100, 300),
			NoNegative:   true,
			OrderMatters: true,
			New:          func() anonymize.Algorithm { return local.Algorithm{Parts: parts} },
		}.Run(t)
	}
}

// Parts are of the same size but for one, and look at nothing but the seed.
func TestPartsAreDealtByChance(t *testing.T) {
	if testing.Short() {
		t.Skip("parts of smaller data are made under the race detector, too")
	}
	in := conformance.Medium(11)
	seed := [32]byte{1}
	in.Seed = &seed
	of := func(in anonymize.Input) []int32 {
		g, err := local.Algorithm{Parts: 4}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return g.Parts
	}
	first := of(in)
	sizes := make([]int, 4)
	for _, part := range first {
		sizes[part]++
	}
	if slices.Max(sizes)-slices.Min(sizes) > 1 {
		t.Errorf("parts of %v transactions", sizes)
	}
	order := rand.New(rand.NewPCG(1, 1)).Perm(in.Data.Len())
	shuffled := make([]int32, len(order))
	for i, at := range order {
		shuffled[i] = int32(at)
	}
	other := in
	other.Data = in.Data.Select(shuffled)
	if !slices.Equal(first, of(other)) {
		t.Error("the parts change with the data")
	}
	seed[0] = 2
	if slices.Equal(first, of(in)) {
		t.Error("another seed makes the same parts")
	}
}

// What does not fit as a whole is divided into as few parts as fit.
func TestDivide(t *testing.T) {
	in := conformance.Medium(11)
	whole := 2*in.Foretold(local.Algorithm{}) + 1<<30 // and for the data and the program
	if got := in.Divide(local.Algorithm{}, whole); got == nil || got.(local.Algorithm).Parts != 2 {
		t.Errorf("with room for all of it: %+v, want two parts", got)
	}
	last := 2
	for room := int64(100 << 20); room > 0; room -= 1 << 18 {
		got := in.Divide(local.Algorithm{}, room)
		if got == nil {
			break
		}
		if parts := got.(local.Algorithm).Parts; parts < last {
			t.Errorf("%d parts in less room than %d", parts, last)
		} else {
			last = parts
		}
	}
	if last == 2 {
		t.Error("less room makes no more parts")
	}
	if got := in.Divide(local.Algorithm{}, 1); got != nil {
		t.Errorf("a byte is enough for %+v", got)
	}
}
