package privacy

import (
	"strings"
	"testing"
)

// Who runs the algorithm in mind may be left with fewer than k candidates: every report says so,
// but those of a promise against that.
func TestFewerCandidatesAgainstTheAlgorithmAreSaid(t *testing.T) {
	for _, c := range []struct {
		promise KM
		said    bool
	}{
		{KM{K: 2, M: 1}, true},
		{KM{K: 2, M: 1, L: 2}, true},
		{KM{K: 2, M: 1, NegativeKnowledge: true}, true},
		{KM{K: 2, M: 1, Knows: OfAlgorithm}, false},
	} {
		text := strings.Join(c.promise.NotCovered(), "\n")
		for _, part := range []string{
			"fewer than k may be left", "lra", "suppression", "l-diversity",
		} {
			if c.said && !strings.Contains(text, part) {
				t.Errorf("%v: %q is not said: %s", c.promise, part, text)
			}
		}
		if !c.said && strings.Contains(text, "fewer than k may be left") {
			t.Errorf("%v is said to leave fewer than k: %s", c.promise, text)
		}
	}
}

// What is more than any data has lines is refused: a product of two such numbers would be another.
func TestNumbersThatNothingReachesAreRefused(t *testing.T) {
	for _, p := range []interface{ Validate() error }{
		KM{K: 1 << 62, M: 1},
		KM{K: 2, M: 1, L: 1 << 62},
		KM{K: 2, M: 1, Persons: true, PersonShare: 1 << 62},
		Coherence{H: 1, K: 1 << 62, P: 1},
		Continuous{K: 1 << 62, M: 1},
		Nonreciprocal{L: 1 << 62},
	} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "at most 2147483647") {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
