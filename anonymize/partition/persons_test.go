package partition_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/partition"
	"mingle/internal/soak"
)

// lra and partition keep promises of persons: judged by enumeration, and by the verifier.
func TestPersonsSoak(t *testing.T) {
	for _, a := range []anonymize.Algorithm{
		partition.LRA{Parts: 3}, partition.LRA{Parts: 4, KeepParts: true}, partition.Algorithm{},
	} {
		t.Run(a.Name(), func(t *testing.T) {
			conformance.Suite{
				New:       func() anonymize.Algorithm { return a },
				Instances: soak.Share(8_000, 20_000), Persons: true, NoNegative: true,
			}.Run(t)
		})
	}
}
