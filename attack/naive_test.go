package attack_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"mingle/attack"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

var approx = cmpopts.EquateApprox(0, 1e-9)

// figures are the figures of singling out.
type figures struct {
	Unique, Under, Success, None float64
	Fewest                       int
}

func brief(c attack.Candidates) figures {
	return figures{c.Unique.Value, c.UnderK.Value, c.Success.Value, c.None.Value, c.Fewest}
}

// naive looks at every person and every combination, and counts matches one by one.
func naive(t *hierarchy.Tree, data, published *dataset.Dataset, size, k int) (before,
	after figures,
) {
	persons := 0.0
	for i := range data.Len() {
		sets := subsets(data.Tx(i), size)
		if len(sets) > 0 {
			persons++
		}
		for _, known := range sets {
			w := 1 / float64(len(sets))
			before.add(len(having(data, nil, known)), w, k)
			after.add(len(having(published, t, known)), w, k)
		}
	}
	for _, f := range []*figures{&before, &after} {
		f.Unique /= persons
		f.Under /= persons
		f.Success /= persons
		f.None /= persons
	}
	return before, after
}

func (f *figures) add(matches int, w float64, k int) {
	switch {
	case matches == 0:
		f.None += w
		return
	case matches == 1:
		f.Unique += w
	}
	if matches < k {
		f.Under += w
	}
	f.Success += w / float64(matches)
	if f.Fewest == 0 || matches < f.Fewest {
		f.Fewest = matches
	}
}

// having lists the records that have all known items, or ancestors of them. An item that nothing
// published covers is not taken into account.
func having(d *dataset.Dataset, t *hierarchy.Tree, known []int32) []int {
	var out []int
	for i := range d.Len() {
		if !slices.ContainsFunc(known, func(x int32) bool {
			return coverIn(d, t, i, x) == nil &&
				anywhere(d, t, x)
		}) {
			out = append(out, i)
		}
	}
	return out
}

// coverIn lists what record i publishes at or above x.
func coverIn(d *dataset.Dataset, t *hierarchy.Tree, i int, x int32) []int32 {
	var out []int32
	for _, u := range d.Tx(i) {
		if u == x || t != nil && t.Covers(u, x) {
			out = append(out, u)
		}
	}
	return out
}

func anywhere(d *dataset.Dataset, t *hierarchy.Tree, x int32) bool {
	for i := range d.Len() {
		if coverIn(d, t, i, x) != nil {
			return true
		}
	}
	return false
}

func naiveInference(t *hierarchy.Tree, data, published *dataset.Dataset, size int) (before, after,
	baseline float64,
) {
	persons, n := 0.0, float64(data.Len())
	supports := data.Supports()
	for i := range data.Len() {
		sets := subsets(data.Tx(i), size+1)
		if len(sets) > 0 {
			persons++
		}
		for _, set := range sets {
			for at, y := range set {
				known := slices.Delete(slices.Clone(set), at, at+1)
				w := 1 / float64(len(sets)*len(set))
				before += w * float64(len(having(data, nil, set))) / float64(len(having(data, nil,
					known)))
				after += w * naiveBelief(t, data, published, known, y)
				baseline += w * float64(supports[y]) / n
			}
		}
	}
	return before / persons, after / persons, baseline / persons
}

func naiveBelief(t *hierarchy.Tree, data, published *dataset.Dataset, known []int32,
	y int32,
) float64 {
	sure := func(i int) bool { return surely(t, published.Tx(i), y) }
	may := func(i int) bool {
		return coverIn(published, t, i, y) != nil ||
			!anywhere(published, t, y)
	}
	nSure, nMay := 0, 0
	for i := range published.Len() {
		if sure(i) {
			nSure++
		} else if may(i) {
			nMay++
		}
	}
	chance := 0.0
	if nMay > 0 {
		chance = min(1, max(0, float64(data.Supports()[y]-nSure)/float64(nMay)))
	}
	if slices.ContainsFunc(known, func(x int32) bool {
		return lowest(published, t,
			x) == lowest(published, t, y)
	}) {
		chance = min(chance, float64(data.Supports()[y])/float64(published.Len()))
	}
	matching := having(published, t, known)
	belief := 0.0
	for _, i := range matching {
		switch {
		case sure(i):
			belief++
		case may(i):
			belief += chance
		}
	}
	if len(matching) == 0 {
		return 0
	}
	return belief / float64(len(matching))
}

// surely tells whether a line has a node that stands for an item and no other: items are published
// as the lowest node of their line above them.
func surely(t *hierarchy.Tree, line []int32, y int32) bool {
	lowest := func(x int32) int32 {
		for u := x; u >= 0; u = t.Parent(u) {
			if slices.Contains(line, u) {
				return u
			}
		}
		return -1
	}
	for x := range int32(t.Leaves()) {
		if x != y && lowest(x) == lowest(y) {
			return false
		}
	}
	return lowest(y) >= 0
}

// lowest is the lowest node at or above x that is published anywhere; -1: none.
func lowest(d *dataset.Dataset, t *hierarchy.Tree, x int32) int32 {
	for u := x; u >= 0; u = t.Parent(u) {
		if d.Supports()[u] > 0 {
			return u
		}
	}
	return -1
}

// subsets are all subsets of size elements.
func subsets(tx []int32, size int) [][]int32 {
	if size == 0 {
		return [][]int32{nil}
	}
	var out [][]int32
	for i := range tx {
		for _, rest := range subsets(tx[i+1:], size-1) {
			out = append(out, append([]int32{tx[i]}, rest...))
		}
	}
	return out
}

func run(t *testing.T, tree *hierarchy.Tree, data, published *dataset.Dataset,
	o attack.Options,
) *attack.Result {
	t.Helper()
	if o.Draws == 0 {
		o.Draws = 1000
	}
	c, err := attack.Generalized(tree, data, published)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tree is a1 a2 under A, b1 b2 under B, both under ALL.
func tree(t *testing.T) *hierarchy.Tree {
	b := hierarchy.NewBuilder()
	for _, edge := range []string{"a1 A", "a2 A", "b1 B", "b2 B", "A ALL", "B ALL"} {
		child, parent, _ := strings.Cut(edge, " ")
		if err := b.Edge(child, parent, 0); err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func nodes(t *hierarchy.Tree, labels ...string) []int32 {
	var out []int32
	for _, l := range labels {
		u, _ := t.Node(l)
		out = append(out, u)
	}
	return out
}

func lines(t *testing.T, tree *hierarchy.Tree, text string) *dataset.Dataset {
	var txs [][]string
	for _, line := range strings.Split(text, "|") {
		txs = append(txs, strings.Fields(line))
	}
	d, err := tree.Encode(dataset.FromLabels(txs))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func randomTree(t *testing.T, rng *rand.Rand) *hierarchy.Tree {
	var labels []string
	for i := range 4 + rng.IntN(5) {
		labels = append(labels, fmt.Sprintf("i%d", i))
	}
	tree, err := hierarchy.Fanout(labels, 2+rng.IntN(2))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func randomData(rng *rand.Rand, t *hierarchy.Tree) *dataset.Dataset {
	b := dataset.NewBuilder(t.LeafDict())
	for range 3 + rng.IntN(40) {
		tx := []int32{int32(rng.IntN(t.Leaves()))}
		for range rng.IntN(4) {
			tx = append(tx, int32(rng.IntN(t.Leaves())))
		}
		b.Add(tx)
	}
	return b.Build()
}

// randomRelease publishes each occurrence at random at or above it, as other occurrences of the
// item or not; now and then not at all.
func randomRelease(rng *rand.Rand, t *hierarchy.Tree, d *dataset.Dataset) *dataset.Dataset {
	up := func(u int32) int32 {
		for t.Parent(u) >= 0 && rng.IntN(3) == 0 {
			u = t.Parent(u)
		}
		return u
	}
	suppress := rng.IntN(4) == 0
	global := make([]int32, t.Leaves())
	for x := range global {
		if global[x] = up(int32(x)); suppress && rng.IntN(5) == 0 {
			global[x] = release.Suppressed
		}
	}
	local := rng.IntN(2) == 0
	at := slices.Clone(d.Items())
	for pos, x := range at {
		if at[pos] = global[x]; local {
			at[pos] = up(x)
		}
	}
	return release.Local(t, d, at).Published()
}
