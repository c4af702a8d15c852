package suppress

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/partition"
)

// Suppression keeps promises of persons where the inner algorithm does.
func TestPersonsSoak(t *testing.T) {
	for _, inner := range []anonymize.Algorithm{global.AA{}, partition.LRA{}} {
		_, lra := inner.(partition.LRA)
		for _, a := range []anonymize.Algorithm{
			Items{Inner: inner, Max: 0.3}, Transactions{Inner: inner, Max: 0.3},
		} {
			t.Run(a.Name(), func(t *testing.T) {
				conformance.Suite{
					New:     func() anonymize.Algorithm { return a },
					Persons: true, NoDiversity: lra, Instances: 1500, Suppresses: true,
				}.Run(t)
			})
		}
	}
}
