package global_test

import (
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/partition"
	"mingle/internal/brute"
	"mingle/release"
)

func TestAASoak(t *testing.T) {
	equal, all := 0, 0
	conformance.Suite{
		New: func() anonymize.Algorithm { return global.AA{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			if nearOptimum(t, in, g) {
				equal++
			}
			all++
		},
	}.Run(t)
	// Public implementations of aa met the optimum in 93 to 97 % of random instances of this kind.
	if equal*100 < all*90 {
		t.Errorf("aa meets the optimum in %d of %d instances", equal, all)
	}
	t.Logf("aa meets the optimum in %d of %d instances", equal, all)
}

// The other order of the count tree that the paper leaves free.
func TestAAByLeavesSoak(t *testing.T) {
	conformance.Suite{
		Instances: 1000,
		New:       func() anonymize.Algorithm { return global.AA{ByLeaves: true} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			nearOptimum(t, in, g)
		},
	}.Run(t)
}

// Every algorithm of the package, on all small originals against negative knowledge.
func TestNegativeKnowledgeSoak(t *testing.T) {
	for _, a := range []anonymize.Algorithm{
		global.AA{},
		global.DA{},
		global.OA{},
		global.VPA{},
		partition.LRA{Parts: 2},
	} {
		t.Run(a.Name(), func(t *testing.T) { conformance.Worlds(t, a, true) })
	}
}

func TestDASoak(t *testing.T) {
	conformance.Suite{
		New: func() anonymize.Algorithm { return global.DA{} },
		Check: func(t *testing.T, in anonymize.Input,
			g *release.Generalized,
		) {
			nearOptimum(t, in, g)
		},
	}.Run(t)
}

func TestOASoak(t *testing.T) {
	conformance.Suite{
		New: func() anonymize.Algorithm { return global.OA{MaxCuts: 1 << 40} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			if !nearOptimum(t, in, g) {
				t.Fatalf("oa is not optimal\n%s", conformance.Describe(in))
			}
		},
	}.Run(t)
}

// nearOptimum tells whether a release reaches the optimum found by enumeration, and fails the test
// if it beats it.
func nearOptimum(t *testing.T, in anonymize.Input, g *release.Generalized) bool {
	t.Helper()
	best, ok := brute.Optimum(in)
	if !ok {
		t.Fatalf("a release where enumeration finds none\n%s", conformance.Describe(in))
	}
	cost := int64(0)
	for pos, leaf := range in.Data.Items() {
		if u := g.Node(pos); u != leaf {
			cost += int64(in.Tree.LeafCount(u))
		}
	}
	if cost < best {
		t.Fatalf("cost %d is below the optimum %d\n%s", cost, best, conformance.Describe(in))
	}
	return cost == best
}
