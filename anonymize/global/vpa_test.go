package global_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/release"
)

func TestVPASoak(t *testing.T) {
	for parts := 1; parts <= 8; parts++ {
		for level := range 2 {
			if quick := parts == 1+2*level || parts == 8; !quick && !soak.All() {
				continue
			}
			t.Run(fmt.Sprintf("parts=%d level=%d", parts, level), func(t *testing.T) {
				conformance.Suite{
					Instances: 500,
					New: func() anonymize.Algorithm {
						return global.VPA{
							Parts:          parts,
							PartitionLevel: level,
						}
					},
					Check: func(t *testing.T, in anonymize.Input,
						g *release.Generalized,
					) {
						nearOptimum(t, in, g)
					},
				}.Run(t)
			})
		}
	}
}

// vpa with one part is aa, with what is not needed taken back.
func TestVPAWithOnePartIsAALowered(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	less := 0
	for range soak.Rounds(t, soak.Share(1000, 20_000)) {
		in := brute.Random(rng)
		aa, err := global.AA{}.Anonymize(t.Context(), in)
		if err != nil {
			continue // it cannot be reached
		}
		p, err := anonymize.NewProblem(in)
		if err != nil {
			t.Fatal(err)
		}
		want, err := global.Lower(t.Context(), p, aa.Map)
		if err != nil {
			t.Fatal(err)
		}
		got, err := global.VPA{Parts: 1}.Anonymize(t.Context(), in)
		if err != nil || !slices.Equal(got.Map, want) {
			t.Fatalf("%v: %v, not %v\n%s", err, got, want, conformance.Describe(in))
		}
		if !slices.Equal(aa.Map, want) {
			less++
		}
	}
	t.Logf("something was taken back in %d instances", less)
	if less == 0 {
		t.Error("nothing was ever taken back")
	}
}

// Regions of ragged and of regular trees: consecutive, not empty, at most n, none through a subtree
// of the level, and none further from an equal share than the largest such subtree.
func TestRegions(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	trees := []*hierarchy.Tree{conformance.Medium(1).Tree}
	for range 300 {
		trees = append(trees, brute.Random(rng).Tree)
	}
	for _, tree := range trees {
		for n := 1; n <= 8; n++ {
			for level := range tree.Height(tree.Root()) + 1 {
				checkRegions(t, tree, n, level, nil)
				weights := make([]int, tree.Leaves())
				for leaf := range weights {
					weights[leaf] = rng.IntN(10)
				}
				checkRegions(t, tree, n, level, weights)
			}
		}
	}
}

func checkRegions(t *testing.T, tree *hierarchy.Tree, n, level int, weights []int) {
	t.Helper()
	regions := global.Regions(tree, n, level, weights)
	if len(regions) > n {
		t.Fatalf("%d regions, %d asked for", len(regions), n)
	}
	weight := func(from, to int32) int {
		if weights == nil {
			return int(to - from)
		}
		total := 0
		for _, w := range weights[from:to] {
			total += w
		}
		return total
	}
	at, largest, all := int32(0), 1, int32(tree.Leaves())
	for u := range int32(tree.Nodes()) {
		if tree.Height(u) <= level {
			largest = max(largest, weight(tree.Range(u)))
		}
	}
	for i, r := range regions {
		if r.From != at || r.To <= r.From {
			t.Fatalf("region %d is %v and must begin at %d", i, r, at)
		}
		at = r.To
		for u := range int32(tree.Nodes()) {
			if lo, hi := tree.Range(u); tree.Height(u) <= level && lo < r.To && r.To < hi {
				t.Fatalf("the border at %d goes through %q, of height %d", r.To, tree.Label(u),
					tree.Height(u))
			}
		}
		if len(regions) == n && n > 1 && (weights == nil || largest*n <= weight(0, all)) {
			if d := weight(0, r.To) - weight(0, all)*(i+1)/n; d > largest || -d > largest {
				t.Fatalf("border %d of %d is at %d of %d, and the largest subtree weighs %d", i+1,
					n, weight(0, r.To), weight(0, all), largest)
			}
		}
	}
	if int(at) != tree.Leaves() {
		t.Fatalf("regions end at %d of %d leaves", at, tree.Leaves())
	}
}

func TestRegionsOfARegularTree(t *testing.T) {
	tree := conformance.Medium(1).Tree // 27 leaves, fan-out 3
	for _, c := range []struct {
		n, level int
		want     string
	}{
		{1, 0, "[{0 27}]"},
		{3, 0, "[{0 9} {9 18} {18 27}]"},
		{4, 0, "[{0 6} {6 13} {13 20} {20 27}]"},
		{4, 1, "[{0 6} {6 12} {12 21} {21 27}]"},
		{2, 2, "[{0 9} {9 27}]"},
		{8, 2, "[{0 9} {9 18} {18 27}]"},
		{8, 3, "[{0 27}]"},
	} {
		if got := fmt.Sprint(global.Regions(tree, c.n, c.level, nil)); got != c.want {
			t.Errorf("%d parts at level %d: %s, want %s", c.n, c.level, got, c.want)
		}
	}
}

func TestVPARefusesParameters(t *testing.T) {
	for _, a := range []global.VPA{{Parts: -1}, {PartitionLevel: -1}, {PartitionLevel: 4}} {
		if _, err := a.Anonymize(t.Context(), conformance.Medium(1)); err == nil {
			t.Errorf("%+v is accepted", a)
		}
	}
}
