package exact_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/exact"
	"mingle/release"
	"mingle/verify"
)

func TestCertificates(t *testing.T) {
	steps, longest := 0, 0
	conformance.Suite{
		Instances: 4000, NoDiversity: true, NoNegative: true,
		New: func() anonymize.Algorithm { return exact.Algorithm{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			f, err := verify.Certificate(t.Context(), in.Data, in.Tree, in.Promise.K, in.Promise.M, g.Bound.Certificate)
			if err != nil || !f.Holds || f.NCP != g.Bound.NCP {
				t.Fatalf("%v, %+v, NCP %v\n%s", err, f, g.Bound.NCP, conformance.Describe(in))
			}
			steps += f.Steps
			longest = max(longest, f.Steps)
		},
	}.Run(t)
	t.Logf("%d steps, at most %d a proof", steps, longest)
}

func TestPublishedCertificates(t *testing.T) {
	for _, row := range published {
		if row.long && testing.Short() {
			continue
		}
		in := load(t, row.file, row.m)
		g, err := exact.Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		f, err := verify.Certificate(t.Context(), in.Data, in.Tree, in.Promise.K, in.Promise.M, g.Bound.Certificate)
		if err != nil || !f.Holds || f.NCP != g.Bound.NCP {
			t.Fatalf("%s, m=%d: %v, %+v, NCP %v", row.file, row.m, err, f, g.Bound.NCP)
		}
		t.Logf("%s, m=%d: %d steps", row.file, row.m, f.Steps)
	}
}
