package verify

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// A record matches exactly if it differs from the base in at most threshold places, all uncertain.
// Nothing was sorted out before, as it mostly is by the marks.
func TestMatchesIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	matched := 0
	for range 20_000 {
		base, uncertain, record := r.IntN(64), r.IntN(64), r.IntN(64)
		threshold := r.IntN(5)
		g := matchGroup{
			base: itemsOf(base), uncertain: itemsOf(uncertain), threshold: threshold,
		}
		differs := base ^ record
		want := differs&^uncertain == 0 && bits.OnesCount(uint(differs)) <= threshold
		for range 2 { // by the list of uncertain items; by a set of bits, where they are many
			if got := g.matches(itemsOf(record)); got != want {
				t.Fatalf("%v of base %v, uncertain %v, threshold %d: %v, want %v",
					itemsOf(record), g.base, g.uncertain, threshold, got, want)
			}
			g.mayDiffer = bitsOf(g.uncertain, 6)
		}
		if want {
			matched++
		}
	}
	if matched < 100 {
		t.Errorf("only %d matched", matched)
	}
}
