package measure

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// Worked by hand on terrovitis-2008, figures 1 and 2(a), at a support of 2 of 4. Original: level 0
// has a1 a2 b1 b2 {a1,b2} {a2,b1} {a2,b2} {b1,b2}, level 1 has A B {A,B}, level 2 has ALL: 12 in
// all.
func TestML2ByHand(t *testing.T) {
	h := figure1(t)
	data := figure2(t, h)
	for _, c := range []struct {
		cut               string
		missing, levelsUp int
	}{
		{"a1 a2 b1 b2", 0, 0},
		{"A b1 b2", 5, 5}, // all but b1 b2 {b1,b2} of level 0, each found at level 1
		{"A B", 8, 8},
		{"ALL", 11, 2*8 + 3},
	} {
		got, err := ML2(context.Background(), h, data,
			release.Global(data, cut(t, h, c.cut)).Published(),
			MiningOptions{Thresholds: []float64{0.5}})
		if err != nil {
			t.Fatal(err)
		}
		want := MiningLoss{
			Threshold: 0.5, Frequent: 12, Missing: c.missing, LevelsUp: c.levelsUp,
			ML2: float64(c.missing) / 12,
		}
		if c.missing > 0 {
			want.DML2 = float64(c.levelsUp) / float64(c.missing)
		}
		if d := cmp.Diff([]MiningLoss{want}, got); d != "" {
			t.Errorf("%s: %s", c.cut, d)
		}
	}
}

// A suppressed item is found at no level: it counts as found one level above the root.
func TestML2OfSuppressedItem(t *testing.T) {
	h := tree(t, "a *", "b *")
	data := lines(t, h.LeafDict(), "a", "a", "")
	got, err := ML2(context.Background(), h, data, lines(t, h.Dict(), "", "", ""),
		MiningOptions{Thresholds: []float64{0.5}})
	// a, then *
	want := []MiningLoss{{
		Threshold: 0.5, ML2: 1, DML2: 1.5, Frequent: 2, Missing: 2,
		LevelsUp: 2 + 1, Nowhere: 2,
	}}
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("%+v %v", got, err)
	}
}

// The losses are those of enumeration, level by level, over all itemsets.
func TestML2AgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		h, data := randomData(t, r)
		published := randomRelease(r, h, data).Published()
		thresholds := []float64{0.1, 0.3, 0.7}
		got, err := ML2(context.Background(), h, data, published,
			MiningOptions{Thresholds: thresholds})
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range thresholds {
			frequent, missing, up := enumerate(h, data, published, s)
			if got[i].Frequent != frequent || got[i].Missing != missing || got[i].LevelsUp != up {
				t.Fatalf("threshold %v: %+v, want %d frequent, %d missing, %d up", s, got[i],
					frequent, missing, up)
			}
		}
	}
}

// enumerate is ML2 from the definition: every set of nodes of a level is looked up by walking
// through the data.
func enumerate(h *hierarchy.Tree, data, published *dataset.Dataset, s float64) (frequent, missing,
	up int,
) {
	deepest := h.Height(h.Root())
	level := func(i int) (nodes []int32) { // the antichain of level i
		for u := range int32(h.Nodes()) {
			if d := h.Depth(u); d == deepest-i || d < deepest-i && h.IsLeaf(u) {
				nodes = append(nodes, u)
			}
		}
		return nodes
	}
	often := func(d *dataset.Dataset, c []int32) bool {
		n := 0
		for i := range d.Len() {
			all := true
			for _, u := range c {
				all = all && slices.ContainsFunc(d.Tx(i),
					func(v int32) bool { return slices.Contains(h.Path(v), u) })
			}
			if all {
				n++
			}
		}
		return n > 0 && float64(n) >= s*float64(data.Len())
	}
	for i := 0; i <= deepest; i++ {
		for _, c := range subsets(level(i)) {
			if !often(data, c) {
				continue
			}
			frequent++
			if often(published, c) {
				continue
			}
			missing++
			j := i + 1
			for ; j <= deepest; j++ {
				var form []int32
				for _, u := range level(j) {
					if slices.ContainsFunc(c, func(v int32) bool { return h.Covers(u, v) }) {
						form = append(form, u)
					}
				}
				if often(published, form) {
					break
				}
			}
			up += j - i
		}
	}
	return frequent, missing, up
}

func TestEclatAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		_, d := randomData(t, r)
		least := 1 + r.IntN(4)
		want := frequent{}
		for i := range d.Len() {
			for _, c := range subsets(d.Tx(i)) {
				want[key(c)]++
			}
		}
		for k, n := range want {
			if n < least {
				delete(want, k)
			}
		}
		got, err := mined(t, d, least, 1000, 1+r.IntN(2))
		if err != nil || !cmp.Equal(want, got) {
			t.Fatalf("support %d: %v", least, cmp.Diff(want, got))
		}
	}
}

func TestML2Refuses(t *testing.T) {
	h := figure1(t)
	data := figure2(t, h)
	published := data.Recode(h.Dict(), hierarchy.BottomCut(h).Map())
	for want, opts := range map[string]MiningOptions{
		"must be above 0":      {Thresholds: []float64{0}},
		"more than 3 itemsets": {Thresholds: []float64{0.5}, Limit: 3},
	} {
		if _, err := ML2(context.Background(), h, data, published, opts); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ML2(ctx, h, data, published, MiningOptions{}); err == nil {
		t.Error("went on after the end of its context")
	}
}
