package suppress

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/partition"
	"mingle/privacy"
)

// What an algorithm keeps against who has it in mind, suppression around it does not.
func TestTheAlgorithmInMindIsRefused(t *testing.T) {
	in := conformance.Medium(1)
	in.Promise = privacy.KM{K: 2, M: 1, Knows: privacy.OfAlgorithm}
	inner := partition.Algorithm{}
	if _, err := inner.Anonymize(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	for _, a := range []anonymize.Algorithm{
		Items{Inner: inner, Max: 0.5}, Transactions{Inner: inner, Max: 0.5},
	} {
		if _, err := a.Anonymize(t.Context(), in); err == nil {
			t.Errorf("%s takes a promise that it does not keep", a.Name())
		}
	}
}
