package core_test

import (
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/core"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
)

func TestCore(t *testing.T) {
	conformance.Suite{
		New:        func() anonymize.Algorithm { return core.Algorithm{} },
		NoNegative: true, NoDiversity: true, Knows: privacy.OfAlgorithm,
		Check: withstands,
	}.Run(t)
}

// withstands lets the verifier judge a release against an adversary with the algorithm in mind.
func withstands(t *testing.T, in anonymize.Input, g *release.Generalized) {
	t.Helper()
	if f := conformance.Judge(t, in, g.Published()); !f.Holds {
		t.Fatalf("refused: %+v\n%s\npublished %v", f.Breaches[0], conformance.Describe(in),
			conformance.Spell(g.Published()))
	}
}

// Somebody who runs core in mind keeps k candidates, each the person with at most 1/k: all
// originals of 4 and 5 lines.
func TestSoakInMind(t *testing.T) {
	conformance.InMind{
		New:       func() anonymize.Algorithm { return core.Algorithm{} },
		Posterior: true,
	}.Run(t)
}

func TestCoreRefuses(t *testing.T) {
	for _, p := range []privacy.KM{
		{K: 2, M: 2},
		{K: 2, M: 2, NegativeKnowledge: true, Knows: privacy.OfAlgorithm},
		{K: 2, M: 2, L: 2, Knows: privacy.OfAlgorithm},
	} {
		in := conformance.Medium(1)
		in.Promise, in.Sensitive = p, dataset.FromLabels(make([][]string, in.Data.Len()))
		if _, err := (core.Algorithm{}).Anonymize(t.Context(), in); err == nil {
			t.Errorf("%v is not refused", p)
		}
	}
}

// The lines of a core stay as they are, and a single rare line takes those with it that are most
// like it.
func TestCoreWorkedExample(t *testing.T) {
	tree, err := hierarchy.Fanout([]string{"a", "b", "c", "d", "e", "f"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	data, err := tree.Encode(dataset.FromLabels([][]string{
		{"a", "c"},
		{"a", "c"},
		{"a", "c"},
		{"e"},
		{"e"},
		{"e"},
		{"a", "d"},
		{"e", "f"},
		{"f"},
		{"f"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	in := anonymize.Input{
		Data: data, Tree: tree,
		Promise: privacy.KM{K: 2, M: 2, Knows: privacy.OfAlgorithm},
	}
	g, err := core.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	conformance.Verified(t, in, g)
	published := g.Published()
	for _, i := range []int{0, 3, 8} {
		if !slices.Equal(published.Labels(i), in.Data.Labels(i)) {
			t.Errorf("line %d is published as %v", i, published.Labels(i))
		}
	}
}

// On real data, whole: what the verifier finds, and the loss is at most what partition loses
// (docs/algorithms/core.md).
func TestRealData(t *testing.T) {
	for _, c := range []struct {
		name  string
		m     int
		worse float64
	}{{"groceries", 2, 0.2007}, {"chess", 2, 0.0170}, {"mushroom", 2, 0.0044}} {
		if testing.Short() && c.name != "mushroom" {
			continue // the race detector sees the same goroutines
		}
		in := conformance.Real(t, c.name, privacy.KM{K: 5, M: c.m, Knows: privacy.OfAlgorithm})
		g, err := core.Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		conformance.Verified(t, in, g)
		if ncp := measure.NCP(g).NCP; ncp > c.worse {
			t.Errorf("%s, m=%d: %.4f, more than partition's %.4f", c.name, c.m, ncp, c.worse)
		}
	}
}
