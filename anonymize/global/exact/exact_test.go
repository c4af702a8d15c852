package exact_test

import (
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify/bound"
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

func TestExactSoak(t *testing.T) {
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
				t.Fatalf("cost %d, bound %d, optimum %d\n%s", cost, bound, best,
					conformance.Describe(in))
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
				t.Fatalf("cost %d, bound %d, optimum %d\n%s", cost, bound, best,
					conformance.Describe(in))
			}
		},
	}.Run(t)
	t.Logf("%d plain instances and %d others", plain, beyond)
	if !testing.Short() && (plain < 500 || beyond < 100) {
		t.Fatalf("%d plain instances and %d others test too little", plain, beyond)
	}
}

// The worked example: publishing A, b1, b2 costs 2.5/11, and nothing that keeps 2^2-anonymity costs
// less.
func TestWorkedExample(t *testing.T) {
	b := hierarchy.NewBuilder()
	for _, path := range [][]string{
		{"a1", "A", "ALL"},
		{"a2", "A", "ALL"},
		{"b1", "B", "ALL"},
		{"b2", "B", "ALL"},
	} {
		if err := b.Path(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := tree.Encode(dataset.FromLabels([][]string{
		{"a1", "b1", "b2"},
		{"a2", "b1"},
		{"a2", "b1", "b2"},
		{"a1", "a2", "b2"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	in := anonymize.Input{Data: data, Tree: tree, Promise: privacy.KM{K: 2, M: 2}}
	g, err := exact.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var published []string
	for _, u := range g.Map {
		published = append(published, tree.Label(u))
	}
	if want := []string{"A", "A", "b1", "b2"}; !slices.Equal(published, want) ||
		g.Bound.NCP != 2.5/11 || !g.Bound.Optimal {
		t.Fatalf("published %v, bound %v, optimal %v", published, g.Bound.NCP, g.Bound.Optimal)
	}
	about := bound.Input{Data: data, Tree: tree, K: 2, M: 2}
	f, err := bound.Certificate(t.Context(), about, g.Bound.Certificate)
	if err != nil || !f.Holds {
		t.Fatalf("%v, %+v", err, f)
	}
}

// Of several optimal cuts exact and oa publish the same one.
func TestTies(t *testing.T) {
	conformance.Suite{
		Instances: 3000, NoDiversity: true, NoNegative: true,
		New: func() anonymize.Algorithm { return exact.Algorithm{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			o, err := global.OA{MaxCuts: 1 << 40}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(o.Map, g.Map) {
				t.Fatalf("oa publishes %v, exact %v\n%s", o.Map, g.Map, conformance.Describe(in))
			}
		},
	}.Run(t)
}

// Where there are many clauses the cut is raised between two solutions. The optimum is the same.
func TestRaisedBetweenSolutions(t *testing.T) {
	conformance.Suite{
		Instances: 3000, NoDiversity: true, NoNegative: true,
		New: func() anonymize.Algorithm { return exact.Algorithm{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			raised, err := exact.Raised(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(raised, g.Map) {
				t.Fatalf("%v and %v\n%s", raised, g.Map, conformance.Describe(in))
			}
		},
	}.Run(t)
}

// A search that ends at once still publishes what keeps the whole promise.
func TestEndedAtOnce(t *testing.T) {
	conformance.Suite{
		Instances: 1500,
		New: func() anonymize.Algorithm {
			return exact.Algorithm{Budget: anonymize.Budget{TimeLimit: 1}}
		},
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			if best, ok := brute.Optimum(in); !ok || g.Bound.Certificate.Loss() > best {
				t.Fatalf("bound %d, optimum %d\n%s", g.Bound.Certificate.Loss(), best,
					conformance.Describe(in))
			}
		},
	}.Run(t)
}

// All small originals against negative knowledge.
func TestNegativeKnowledgeSoak(t *testing.T) { conformance.Worlds(t, exact.Algorithm{}, true) }
