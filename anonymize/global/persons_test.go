package global_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/release"
)

// Every global algorithm keeps promises of persons: judged by enumeration, and by the verifier.
func TestPersonsSoak(t *testing.T) {
	for _, a := range []anonymize.Algorithm{
		global.AA{}, global.DA{}, global.OA{}, global.VPA{Parts: 2}, exact.Algorithm{},
	} {
		t.Run(a.Name(), func(t *testing.T) {
			conformance.Suite{
				New: func() anonymize.Algorithm { return a }, Persons: true,
				Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
					nearOptimum(t, in, g)
				},
			}.Run(t)
		})
	}
}
