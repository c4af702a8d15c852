package auto

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mingle/anonymize/conformance"
	"mingle/internal/brute"
)

// Of persons auto tries what counts them, and publishes what keeps the promise.
func TestPersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	released, locally := 0, map[bool]int{} // whether shares are bounded
	for range 150 {
		in := brute.RandomPersons(rng, brute.Random(rng))
		g, err := Algorithm{Transactions: 0.2}.Anonymize(t.Context(), in)
		if err != nil {
			continue
		}
		released++
		if g.Sensitive != nil {
			in.Sensitive = g.Sensitive
		}
		if !brute.KeepsInput(in, g.Published()) {
			t.Fatalf("not kept: %s", conformance.Describe(in))
		}
		for _, tried := range g.Tried {
			if strings.HasPrefix(tried.Name, "local") {
				locally[in.Promise.Diverse() || in.Promise.PersonShare > 0]++
			}
		}
	}
	if released < 20 || locally[false] < 20 || locally[true] < 20 {
		t.Errorf("%d released, local was tried %v times", released, locally)
	}
}
