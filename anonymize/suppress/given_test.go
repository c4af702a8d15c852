package suppress

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
)

// Without an algorithm that anonymizes what is left, nothing is suppressed.
func TestSuppressionAroundNothing(t *testing.T) {
	for _, a := range []anonymize.Algorithm{Items{Max: 0.1}, Transactions{Max: 0.1}} {
		if _, err := a.Anonymize(t.Context(), conformance.Medium(3)); err == nil {
			t.Errorf("%T has a release", a)
		}
	}
}
