package hierarchy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mingle/dataset"
)

// plainTree is the naive twin of Tree: labels and what is above them, nothing derived.
type plainTree struct {
	// as named, from the root down: a child stands behind its parent and its earlier siblings
	order []string
	up    map[string]string
}

// randomTree draws a tree of 1 to most nodes over labels; edges come in a random order, siblings by
// position.
func randomTree(t *rapid.T, most int, label func(i int) string) (plainTree, *Tree) {
	n := rapid.IntRange(1, most).Draw(t, "nodes")
	p := plainTree{up: map[string]string{}}
	b := NewBuilder()
	for i := range n {
		l := label(i)
		p.order = append(p.order, l)
		b.Add(l)
		if i > 0 {
			p.up[l] = p.order[rapid.IntRange(max(0, i-8), i-1).Draw(t, "parent")]
		}
	}
	edges := slices.Clone(p.order[1:])
	rand.New(rand.NewPCG(1, uint64(n))).
		Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	for _, child := range edges {
		if err := b.Edge(child, p.up[child], 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p, tree
}

func numbered(i int) string { return fmt.Sprintf("n%d", i) }

// path is label and everything above it.
func (p plainTree) path(label string) []string {
	out := []string{label}
	for up, ok := p.up[label]; ok; up, ok = p.up[up] {
		out = append(out, up)
	}
	return out
}

func (p plainTree) covers(a, u string) bool { return slices.Contains(p.path(u), a) }

func (p plainTree) children(label string) []string {
	var out []string
	for _, l := range p.order {
		if up, ok := p.up[l]; ok && up == label {
			out = append(out, l)
		}
	}
	return out
}

func (p plainTree) leavesBelow(label string) []string {
	children := p.children(label)
	if len(children) == 0 {
		return []string{label}
	}
	var out []string
	for _, c := range children {
		out = append(out, p.leavesBelow(c)...)
	}
	return out
}

func (p plainTree) height(label string) int {
	h := 0
	for _, c := range p.children(label) {
		h = max(h, 1+p.height(c))
	}
	return h
}

func labelsOf(t *Tree, nodes []int32) []string {
	var out []string
	for _, u := range nodes {
		out = append(out, t.Label(u))
	}
	return out
}

// TestTreeAgainstNaiveTwin holds every question a Tree answers against the same question asked of
// the bare edges.
func TestTreeAgainstNaiveTwin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, tree := randomTree(rt, 40, numbered)
		if tree.Nodes() != len(p.order) || tree.Leaves() != len(p.leavesBelow(p.order[0])) ||
			tree.Label(tree.Root()) != p.order[0] {
			rt.Fatalf(
				"%d nodes, %d leaves, root %s", tree.Nodes(), tree.Leaves(),
				tree.Label(tree.Root()),
			)
		}
		for u := range int32(tree.Nodes()) {
			label := tree.Label(u)
			checkNode(rt, p, tree, u)
			for v := range int32(tree.Nodes()) {
				other := tree.Label(v)
				if got, want := tree.Covers(u, v), p.covers(label, other); got != want {
					rt.Errorf("Covers(%s, %s) = %v", label, other, got)
				}
				want := p.covers(label, other) || p.covers(other, label)
				if got := tree.Related(u, v); got != want {
					rt.Errorf("Related(%s, %s) = %v", label, other, got)
				}
			}
		}
	})
}

func checkNode(t *rapid.T, p plainTree, tree *Tree, u int32) {
	label := tree.Label(u)
	if id, ok := tree.Node(label); !ok || id != u {
		t.Errorf("Node(%s) = %d, %v", label, id, ok)
	}
	lo, hi := tree.Range(u)
	var leaves []string
	for leaf := lo; leaf < hi; leaf++ {
		leaves = append(leaves, tree.LeafDict().Label(leaf))
	}
	for _, diff := range []string{
		cmp.Diff(p.leavesBelow(label), leaves),
		cmp.Diff(len(leaves), tree.LeafCount(u)),
		cmp.Diff(tree.Penalty(u), penalty(len(leaves), len(p.children(label)))),
		cmp.Diff(tree.Penalty(-1), int64(len(p.leavesBelow(p.order[0])))),
		cmp.Diff(p.children(label), labelsOf(tree, tree.Children(u))),
		cmp.Diff(p.path(label), labelsOf(tree, tree.Path(u))),
		cmp.Diff(len(p.path(label))-1, tree.Depth(u)),
		cmp.Diff(p.height(label), tree.Height(u)),
		cmp.Diff(len(p.children(label)) == 0, tree.IsLeaf(u)),
	} {
		if diff != "" {
			t.Errorf("%s: %s", label, diff)
		}
	}
	if up := tree.Parent(u); up >= 0 && (p.up[label] != tree.Label(up) || up <= u) ||
		up < 0 && u != tree.Root() {
		t.Errorf("Parent(%s) = %d", label, up)
	}
}

// penalty is leaves(u), 0 of a node without children.
func penalty(leaves, children int) int64 {
	if children == 0 {
		return 0
	}
	return int64(leaves)
}

func TestSeekAgainstNaiveTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 30 {
		b := NewBuilder()
		for u := range 1 + rng.IntN(60) { // below the root, of one to three items
			group := fmt.Sprint("group ", u)
			for i := range 1 + rng.IntN(3) {
				check(b.Edge(fmt.Sprint(u, ".", i), group, 1))
			}
			check(b.Edge(group, "*", 1))
		}
		tree, err := b.Build(BuildOptions{})
		check(err)
		children := tree.Children(tree.Root())
		for from := range len(children) + 1 {
			for leaf := range int32(tree.Leaves()) {
				want := from
				for want < len(children) && tree.hi[children[want]] <= leaf {
					want++
				}
				if got := tree.Seek(children, from, leaf); got != want {
					t.Fatalf("leaf %d from %d of %v: %d, want %d", leaf, from, children, got, want)
				}
			}
		}
	}
}

// The way up a deep tree is the one that goes from parent to parent.
func TestAboveInDeepTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 10 {
		b := NewBuilder()
		for u := range 1 + rng.IntN(200) { // an item and a group below each of most groups
			for _, below := range []string{fmt.Sprint("item ", u), fmt.Sprint(u + 1)} {
				if err := b.Edge(below, fmt.Sprint(max(0, u-rng.IntN(3))), 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		tree, err := b.Build(BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for u := range int32(tree.Nodes()) {
			for _, v := range tree.Path(u) {
				if got := tree.Above(u, tree.Depth(v)); got != v {
					t.Fatalf("%d at depth %d: %d, want %d", u, tree.Depth(v), got, v)
				}
			}
			if got := tree.Above(u, tree.Depth(u)+3); got != u {
				t.Fatalf("below %d: %d", u, got)
			}
		}
	}
}

func TestWithoutAgainstNaiveTwin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, tree := randomTree(rt, 30, numbered)
		labels := p.leavesBelow(p.order[0])
		if rapid.IntRange(0, 9).Draw(rt, "groups too") == 0 {
			labels = slices.Clone(p.order)
		}
		drop := rapid.SliceOf(rapid.SampledFrom(append(labels, "unknown"))).Draw(rt, "drop")
		kept := func(label string) bool {
			return slices.ContainsFunc(
				p.leavesBelow(label), func(l string) bool { return !slices.Contains(drop, l) },
			)
		}
		group := slices.ContainsFunc(drop, func(l string) bool { return len(p.children(l)) > 0 })
		got, err := tree.Without(drop)
		if group {
			if err == nil || !strings.Contains(err.Error(), "is a group of the hierarchy") {
				rt.Fatalf("a group was taken out: %v", err)
			}
			return
		}
		if !kept(p.order[0]) {
			if err == nil {
				rt.Fatal("a tree without leaves was built")
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		var want []string
		for leaf := range int32(tree.Leaves()) {
			if kept(tree.Label(leaf)) {
				want = append(want, strings.Join(p.path(tree.Label(leaf)), ";"))
			}
		}
		if diff := cmp.Diff(want, paths(got)); diff != "" {
			rt.Error(diff)
		}
	})
}

// paths are the paths from every leaf to the root: two trees are the same if these are.
func paths(t *Tree) []string {
	var out []string
	for leaf := range int32(t.Leaves()) {
		out = append(out, strings.Join(labelsOf(t, t.Path(leaf)), ";"))
	}
	return out
}

// TestCutAgainstNaiveTwin lifts at random and holds the cut against a map of labels.
func TestCutAgainstNaiveTwin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, tree := randomTree(rt, 30, numbered)
		cut, of := BottomCut(tree), map[string]string{}
		for leaf := range int32(tree.Leaves()) {
			of[tree.Label(leaf)] = tree.Label(leaf)
		}
		for range rapid.IntRange(0, 6).Draw(rt, "lifts") {
			// only nodes at the cut or above it are lifted to, as the algorithms do
			u := rapid.Int32Range(0, int32(tree.Nodes())-1).Draw(rt, "to")
			if !cut.Alive(u) {
				continue
			}
			cut.Lift(u)
			for _, l := range p.leavesBelow(tree.Label(u)) {
				of[l] = tree.Label(u)
			}
		}
		checkCut(rt, p, cut, of)
	})
}

func checkCut(t *rapid.T, p plainTree, cut *Cut, of map[string]string) {
	tree := cut.Tree()
	for leaf := range int32(tree.Leaves()) {
		if got := tree.Label(cut.Of(leaf)); got != of[tree.Label(leaf)] {
			t.Errorf("Of(%s) = %s, want %s", tree.Label(leaf), got, of[tree.Label(leaf)])
		}
	}
	for u := range int32(tree.Nodes()) {
		label := tree.Label(u)
		alive := true // every leaf below is published as label or lower
		for _, l := range p.leavesBelow(label) {
			alive = alive && p.covers(label, of[l])
		}
		if cut.Alive(u) != alive {
			t.Errorf("Alive(%s) = %v", label, cut.Alive(u))
		}
	}
	again, err := NewCut(tree, cut.Nodes())
	if err != nil || !slices.Equal(again.Map(), cut.Map()) {
		t.Errorf("NewCut of the cut's own nodes: %v", err)
	}
}

// TestTopmostIsTheLastOnTheWayUp looks at all nodes from each leaf up.
func TestTopmostIsTheLastOnTheWayUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, tree := randomTree(rt, 30, numbered)
		is := make([]bool, tree.Nodes())
		for u := range is {
			is[u] = rapid.Bool().Draw(rt, "is")
		}
		for leaf, got := range tree.Topmost(func(u int32) bool { return is[u] }) {
			want := int32(leaf)
			for u := want; u >= 0; u = tree.Parent(u) {
				if is[u] {
					want = u
				}
			}
			if got != want {
				rt.Errorf("%s: %s, want %s", tree.Label(int32(leaf)), tree.Label(got), tree.Label(want))
			}
		}
	})
}

// TestNewCutRefuses holds NewCut against the definition: every leaf has exactly one of the nodes at
// or above it.
func TestNewCutRefuses(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, tree := randomTree(rt, 12, numbered)
		nodes := rapid.SliceOfDistinct(rapid.Int32Range(0, int32(tree.Nodes())-1), rapid.ID).
			Draw(rt, "nodes")
		good := true
		for leaf := range int32(tree.Leaves()) {
			n := 0
			for _, u := range nodes {
				if p.covers(tree.Label(u), tree.Label(leaf)) {
					n++
				}
			}
			good = good && n == 1
		}
		if _, err := NewCut(tree, nodes); (err == nil) != good {
			rt.Errorf("nodes %v: %v", labelsOf(tree, nodes), err)
		}
	})
}

// TestEncodeAgainstNaiveTwin encodes by label.
func TestEncodeAgainstNaiveTwin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, tree := randomTree(rt, 20, numbered)
		pool := append(slices.Clone(p.order), "x", "y")
		txs := rapid.SliceOfN(rapid.SliceOfDistinct(rapid.SampledFrom(pool), rapid.ID), 0, 8).
			Draw(rt, "data")
		d := dataset.FromLabels(txs)
		count, first := map[string]int{}, map[string]int{}
		for i, tx := range txs {
			for _, l := range tx {
				if _, ok := p.up[l]; !ok && l != p.order[0] || len(p.children(l)) > 0 {
					if count[l]++; count[l] == 1 {
						first[l] = i + 1
					}
				}
			}
		}
		got, err := tree.Encode(d)
		if len(count) == 0 {
			if err != nil {
				rt.Fatal(err)
			}
			checkSameSets(rt, d, got)
			return
		}
		missing, ok := err.(*MissingItemsError)
		if !ok || len(missing.Items) != len(count) {
			rt.Fatalf("%d items are missing: %v", len(count), err)
		}
		for _, m := range missing.Items {
			if m.Count != count[m.Label] || m.FirstLine != first[m.Label] ||
				m.Group != slices.Contains(p.order, m.Label) {
				rt.Errorf("%+v", m)
			}
		}
		if diff := cmp.Diff(missing.Items, Check(tree, d).Missing); diff != "" {
			rt.Errorf("Check and Encode differ: %s", diff)
		}
	})
}

func checkSameSets(t *rapid.T, want, got *dataset.Dataset) {
	for i := range want.Len() {
		a, b := want.Labels(i), got.Labels(i)
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("transaction %d: %v became %v", i, a, b)
		}
	}
}

func TestEncodePublishedKnowsGroups(t *testing.T) {
	tree := mustRead(t, "a;A;*\nb;A;*\nc;B;*\n")
	d, err := tree.EncodePublished(dataset.FromLabels([][]string{{"A", "c"}, {"*"}}))
	if err != nil {
		t.Fatal(err)
	}
	if got := [][]string{d.Labels(0), d.Labels(1)}; !cmp.Equal(got, [][]string{{"c", "A"}, {"*"}}) {
		t.Error(got)
	}
}
