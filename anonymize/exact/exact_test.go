package exact_test

import (
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/exact"
	"mingle/anonymize/km"
	"mingle/internal/brute"
	"mingle/release"
)

func costOf(in anonymize.Input, g *release.Generalized) int64 {
	cost := int64(0)
	for pos, leaf := range in.Data.Items() {
		if u := g.Node(pos); u != leaf {
			cost += int64(in.Tree.LeafCount(u))
		}
	}
	return cost
}

func TestExact(t *testing.T) {
	plain, beyond := 0, 0
	conformance.Suite{
		New: func() anonymize.Algorithm { return exact.Algorithm{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			best, ok := brute.Optimum(in)
			if !ok {
				t.Fatalf("a release where enumeration finds none\n%s", conformance.Describe(in))
			}
			cost, bound := costOf(in, g), g.Bound.Certificate.Loss()
			if bound > best || cost < best {
				t.Fatalf("cost %d, bound %d, optimum %d\n%s", cost, bound, best, conformance.Describe(in))
			}
			if g.Bound.Optimal != (cost == bound) {
				t.Fatalf("cost %d, bound %d, said to be optimal: %v", cost, bound, g.Bound.Optimal)
			}
			if in.Promise.Diverse() || in.Promise.NegativeKnowledge {
				beyond++
				return
			}
			plain++
			if cost != best || !g.Bound.Optimal {
				t.Fatalf("cost %d, bound %d, optimum %d\n%s", cost, bound, best, conformance.Describe(in))
			}
		},
	}.Run(t)
	if plain < 500 || beyond < 100 {
		t.Fatalf("%d plain instances and %d others test too little", plain, beyond)
	}
}

// Of several optimal cuts exact and oa publish the same one.
func TestTies(t *testing.T) {
	conformance.Suite{
		Instances: 3000, NoDiversity: true, NoNegative: true,
		New: func() anonymize.Algorithm { return exact.Algorithm{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			o, err := km.OA{MaxCuts: 1 << 40}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(o.Map, g.Map) {
				t.Fatalf("oa publishes %v, exact %v\n%s", o.Map, g.Map, conformance.Describe(in))
			}
		},
	}.Run(t)
}
