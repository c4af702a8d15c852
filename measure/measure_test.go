package measure

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// figure1 is the hierarchy of terrovitis-2008, figure 1.
func figure1(t testing.TB) *hierarchy.Tree {
	return tree(t, "a1 A ALL", "a2 A ALL", "b1 B ALL", "b2 B ALL")
}

func tree(t testing.TB, paths ...string) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, p := range paths {
		if err := b.Path(strings.Fields(p), 0); err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lines are transactions over the nodes of a tree, one word an item.
func lines(t testing.TB, dict *dataset.Dictionary, txs ...string) *dataset.Dataset {
	t.Helper()
	b := dataset.NewBuilder(dict)
	for _, tx := range txs {
		var ids []int32
		for _, l := range strings.Fields(tx) {
			id, ok := dict.ID(l)
			if !ok {
				t.Fatalf("no item %q", l)
			}
			ids = append(ids, id)
		}
		b.Add(ids)
	}
	return b.Build()
}

// figure2 is the data of terrovitis-2008, figure 2(a).
func figure2(t testing.TB, h *hierarchy.Tree) *dataset.Dataset {
	return lines(t, h.LeafDict(), "a1 b1 b2", "a2 b1", "a2 b1 b2", "a1 a2 b2")
}

func cut(t testing.TB, h *hierarchy.Tree, nodes string) *hierarchy.Cut {
	t.Helper()
	c, err := hierarchy.NewCut(h, lines(t, h.Dict(), nodes).Items())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// NCP of the five cuts of terrovitis-2008, figure 3, on figure 2(a), in memory and from the
// published data.
func TestNCPOfWorkedExample(t *testing.T) {
	h := figure1(t)
	data := figure2(t, h)
	for _, c := range []struct {
		cut     string
		penalty int64 // of 4·11
		ncp     float64
		rules   []Rule
	}{
		{"a1 a2 b1 b2", 0, 0, nil},
		{"A b1 b2", 10, 2.5 / 11, []Rule{{"A", []string{"a1", "a2"}}}},
		{"a1 a2 B", 12, 3.0 / 11, []Rule{{"B", []string{"b1", "b2"}}}},
		{"A B", 22, 0.5, []Rule{{"A", []string{"a1", "a2"}}, {"B", []string{"b1", "b2"}}}},
		{"ALL", 44, 1, []Rule{{"ALL", []string{"a1", "a2", "b1", "b2"}}}},
	} {
		g := release.Global(data, cut(t, h, c.cut))
		got := NCP(g)
		if got.Penalty != c.penalty || got.NCP != c.ncp || got.Occurrences != 11 ||
			got.Domain != 4 || !cmp.Equal(got.Rules, c.rules) {
			t.Errorf("%s: %+v", c.cut, got)
		}
		of, err := NCPOf(t.Context(), h, data, g.Published(), 1)
		if err != nil || !cmp.Equal(got, of) {
			t.Errorf("%s: from the published data %+v (%v), in memory %+v", c.cut, of, err, got)
		}
	}
}

// A hand-worked local recoding with a suppressed occurrence: a1 as itself (0), a1 as ALL (4), b1 as
// B (2), b2 not at all (4): 10 of 4·4.
func TestNCPOfLocalRecoding(t *testing.T) {
	h := figure1(t)
	data := lines(t, h.LeafDict(), "a1 b1", "a1 b2")
	id := func(l string) int32 { u, _ := h.Node(l); return u }
	g := release.Local(h, data, []int32{id("a1"), id("B"), id("ALL"), release.Suppressed})
	got := NCP(g)
	want := Loss{
		NCP: 10.0 / 16, Penalty: 10, Domain: 4, Occurrences: 4, Suppressed: 1,
		Levels: []Level{{0, 1, 1, 0}, {1, 1, 1, 2}, {2, 1, 1, 4}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// in the file, ALL of the second line covers b2 as well: nothing looks suppressed
	of, err := NCPOf(t.Context(), h, data, g.Published(), 1)
	if err != nil || of.Penalty != 10 || of.Suppressed != 0 {
		t.Errorf("%+v %v", of, err)
	}
	if _, err := NCPOf(t.Context(), h, data, data.Select([]int32{0}), 1); err == nil {
		t.Error("files of different length are measured")
	}
}

func TestNCPOfNothing(t *testing.T) {
	h := figure1(t)
	if got := NCP(release.Global(lines(t, h.LeafDict(), "", ""),
		cut(t, h, "ALL"))); got.NCP != 0 || got.Occurrences != 0 {
		t.Errorf("%+v", got)
	}
}

// NCP against a sum over occurrences in floating point, and the same from memory and from files
// where every occurrence is published and no line has a node beside its ancestor.
func TestNCPAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		h, data := randomData(t, r)
		g := randomRelease(r, h, data)
		sum := 0.0
		for pos := range data.Items() {
			if u := g.Node(pos); u == release.Suppressed {
				sum++
			} else if !h.IsLeaf(u) {
				sum += float64(h.LeafCount(u)) / float64(h.Leaves())
			}
		}
		got := NCP(g)
		if want := sum / float64(max(1, data.Occurrences())); !near(got.NCP, want) {
			t.Fatalf("NCP %v, want %v", got.NCP, want)
		}
		n := got.Suppressed
		for _, lv := range got.Levels {
			n += lv.Occurrences
		}
		if n != data.Occurrences() {
			t.Fatalf("levels hold %d of %d occurrences", n, data.Occurrences())
		}
		of, err := NCPOf(t.Context(), h, data, g.Published(), 1)
		if err != nil || of.Penalty > got.Penalty || g.IsGlobal() && !cmp.Equal(of, got) {
			t.Fatalf("from the published data %+v (%v), in memory %+v", of, err, got)
		}
	}
}

func TestGap(t *testing.T) {
	for _, c := range []struct {
		loss, bound, gap float64
		ok               bool
	}{{0.3, 0.2, 0.5, true}, {0.2, 0.2, 0, true}, {0, 0, 0, true}, {0.1, 0, 0, false}} {
		if gap, ok := Gap(c.loss, c.bound); !near(gap, c.gap) || ok != c.ok {
			t.Errorf("gap of %v over %v: %v %v", c.loss, c.bound, gap, ok)
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

func randomData(t testing.TB, r *rand.Rand) (*hierarchy.Tree, *dataset.Dataset) {
	h := []*hierarchy.Tree{
		figure1(t),
		tree(t, "a A X *", "b A X *", "c X *", "d *", "e B *", "f B *"), // ragged
		tree(t, "a P Q *", "b Q *", "c R *", "d R *"),                   // with a chain
	}[r.IntN(3)]
	b := dataset.NewBuilder(h.LeafDict())
	for range 1 + r.IntN(12) {
		var tx []int32
		for x := range int32(h.Leaves()) {
			if r.IntN(2) == 0 {
				tx = append(tx, x)
			}
		}
		b.Add(tx)
	}
	return h, b.Build()
}

// randomRelease is global or local, the latter with suppression now and then.
func randomRelease(r *rand.Rand, h *hierarchy.Tree, data *dataset.Dataset) *release.Generalized {
	if r.IntN(2) == 0 {
		c := hierarchy.BottomCut(h)
		for range r.IntN(3) {
			if u := int32(r.IntN(h.Nodes())); c.Alive(u) {
				c.Lift(u)
			} else if v := c.Of(int32(r.IntN(h.Leaves()))); h.Parent(v) >= 0 {
				c.Lift(h.Parent(v))
			}
		}
		return release.Global(data, c)
	}
	nodes := make([]int32, data.Occurrences())
	for pos, x := range data.Items() {
		path := append(h.Path(x), x, x)
		if r.IntN(3) == 0 {
			path = append(path, release.Suppressed)
		}
		nodes[pos] = path[r.IntN(len(path))]
	}
	return release.Local(h, data, nodes)
}

func subsets(items []int32) (out [][]int32) {
	for bits := 1; bits < 1<<len(items); bits++ {
		var c []int32
		for i, x := range items {
			if bits>>i&1 == 1 {
				c = append(c, x)
			}
		}
		out = append(out, slices.Clip(c))
	}
	return out
}

// The loss is the same for any number of goroutines; that a recoding is not global may show between
// the lines of two of them alone.
func TestNCPOfManyLines(t *testing.T) {
	h := figure1(t)
	node := func(label string) int32 { u, _ := h.Node(label); return u }
	var text []string
	for range 2 * fewLines {
		text = append(text, "a1", "a1 b2")
	}
	data := lines(t, h.LeafDict(), text...)
	for what, second := range map[string]int32{"global": node("A"), "local": node("ALL")} {
		var nodes []int32
		for i, n := 0, data.Occurrences(); i < n; i++ {
			switch {
			case i%3 == 2:
				nodes = append(nodes, node("b2"))
			case i < n/2:
				nodes = append(nodes, node("A"))
			default:
				nodes = append(nodes, second)
			}
		}
		published := release.Local(h, data, nodes).Published()
		one, err := NCPOf(t.Context(), h, data, published, 1)
		if err != nil || (one.Rules != nil) != (what == "global") {
			t.Fatalf("%s: %+v, %v", what, one, err)
		}
		for workers := 2; workers <= 4; workers++ {
			several, err := NCPOf(t.Context(), h, data, published, workers)
			if err != nil || !cmp.Equal(one, several) {
				t.Errorf("%s, %d goroutines: %+v, want %+v (%v)", what, workers, several, one, err)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := NCPOf(ended, h, data, published, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, after the end of the context: %v", what, err)
		}
	}
}
