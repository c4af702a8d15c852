package measure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/measure"
)

// boundsTree has a group of two, one of one leaf, and a leaf right below the root.
func boundsTree(t *testing.T) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, p := range [][]string{{"a1", "A", "*"}, {"a2", "A", "*"}, {"b1", "B", "*"}, {"c", "*"}} {
		if err := b.Path(p, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// originals are all sets of leaves that can be published as the line, items at the lowest node of
// the line at or above them.
func originals(t *hierarchy.Tree, line []int32) [][]int32 {
	on := map[int32]bool{}
	for _, u := range line {
		on[u] = true
	}
	var out [][]int32
	for set := 1; set < 1<<t.Leaves(); set++ {
		var items []int32
		used, fits := map[int32]bool{}, true
		for x := range int32(t.Leaves()) {
			if set>>x&1 == 0 {
				continue
			}
			u := x
			for u >= 0 && !on[u] {
				u = t.Parent(u)
			}
			fits = fits && u >= 0
			used[u] = true
			items = append(items, x)
		}
		if fits && len(used) == len(line) {
			out = append(out, items)
		}
	}
	return out
}

// The bounds are the least and the greatest NCP over all originals, found by enumeration.
func TestPublishedNCPAgainstEnumeration(t *testing.T) {
	tree := boundsTree(t)
	var lines [][]int32 // that some original can be published as
	for set := 1; set < 1<<tree.Nodes(); set++ {
		var line []int32
		for u := range int32(tree.Nodes()) {
			if set>>u&1 == 1 {
				line = append(line, u)
			}
		}
		if len(originals(tree, line)) > 0 {
			lines = append(lines, line)
		}
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		release := [][]int32{lines[rng.IntN(len(lines))], lines[rng.IntN(len(lines))]}
		published := bound(t, tree, release, tree.EncodePublished)
		got, err := measure.PublishedNCP(tree, published)
		if err != nil {
			t.Fatal(err)
		}
		least, most, one := math.Inf(1), 0.0, false
		for _, first := range originals(tree, release[0]) {
			for _, second := range originals(tree, release[1]) {
				loss, err := measure.NCPOf(t.Context(), tree,
					bound(t, tree, [][]int32{first, second}, tree.Encode), published, 1)
				if err != nil {
					t.Fatal(err)
				}
				least, most = min(least, loss.NCP), max(most, loss.NCP)
				one = one || len(first) == len(release[0]) && len(second) == len(release[1]) &&
					math.Abs(loss.NCP-got.Labels) < 1e-12
			}
		}
		if math.Abs(got.Least-least) > 1e-12 || math.Abs(got.Most-most) > 1e-12 || !one {
			t.Fatalf("%v: %+v, want %v to %v, and the mean over the labels", release, got, least,
				most)
		}
	}
}

// bound makes lines of nodes into data bound to the tree.
func bound(t *testing.T, tree *hierarchy.Tree, lines [][]int32,
	bind func(*dataset.Dataset) (*dataset.Dataset, error),
) *dataset.Dataset {
	t.Helper()
	var text [][]string
	for _, line := range lines {
		var labels []string
		for _, u := range line {
			labels = append(labels, tree.Label(u))
		}
		text = append(text, labels)
	}
	d, err := bind(dataset.FromLabels(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPublishedNCPOfNothing(t *testing.T) {
	tree := boundsTree(t)
	got, err := measure.PublishedNCP(tree,
		bound(t, tree, [][]int32{{}, {}}, tree.EncodePublished))
	if err != nil || got != (measure.PublishedLoss{}) {
		t.Errorf("%+v, %v", got, err)
	}
}
