package global_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/release"
	"mingle/verify/bound"
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
					best := nearOptimum(t, in, g)
					_, oa := a.(global.OA)
					_, is := a.(exact.Algorithm)
					if !best && (oa || is && !in.Promise.BeyondSupports()) {
						t.Fatalf("not the optimum\n%s", conformance.Describe(in))
					}
					proven(t, in, g)
				},
			}.Run(t)
		})
	}
}

// proven checks the bound, where there is one: every clause is of fewer than k persons.
func proven(t *testing.T, in anonymize.Input, g *release.Generalized) {
	t.Helper()
	if g.Bound == nil {
		return
	}
	f, err := bound.Certificate(t.Context(), bound.Input{
		Data: in.Data, Tree: in.Tree, Persons: in.Persons, K: in.Promise.K, M: in.Promise.M,
	}, g.Bound.Certificate)
	if err != nil || !f.Holds {
		t.Fatalf("the certificate is refused: %v %+v\n%s", err, f, conformance.Describe(in))
	}
}
