package attack

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// The counts are those of looking at every leaf of every label.
func TestDecided(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	some := Decided{}
	for range 3000 {
		tree := decidedTree(t, r)
		b := dataset.NewBuilder(tree.Dict())
		apart, used := r.IntN(3) == 0, make([]int, tree.Nodes()) // apart: no label is above another
		for range 1 + r.IntN(6) {
			var line []int32
			for u := range int32(tree.Nodes()) {
				if r.IntN(3) > 0 {
					continue
				}
				if used[u]++; apart && !tree.Antichain(used) {
					used[u]--
					continue
				}
				line = append(line, u)
			}
			b.Add(line)
		}
		published := b.Build()
		want := Decided{}
		got, err := DecidedLabels(tree, published)
		if err != nil {
			t.Fatal(err)
		}
		for i := range published.Len() {
			line := published.Tx(i)
			for _, u := range line {
				if tree.IsLeaf(u) {
					continue
				}
				want.Labels++
				lowest, child := 0, 0
				for x := range int32(tree.Leaves()) {
					path := tree.Path(x)
					at := slices.Index(path, u)
					if at < 0 {
						continue
					}
					below := func(top int32) bool {
						return slices.ContainsFunc(line,
							func(v int32) bool { return v != u && tree.Covers(top, v) })
					}
					if !slices.ContainsFunc(path[:at],
						func(v int32) bool { return slices.Contains(line, v) }) {
						lowest++
					}
					if !below(path[at-1]) {
						child++
					}
				}
				if lowest == 1 {
					want.ByLowestNode++
				}
				if child == 1 {
					want.ChildByChild++
				}
			}
		}
		if *got != want {
			t.Fatalf("%+v, by looking at every leaf %+v", *got, want)
		}
		some.ByLowestNode += got.ByLowestNode
		some.ChildByChild += got.ChildByChild
	}
	if some.ByLowestNode < 100 || some.ChildByChild < 100 {
		t.Errorf("one-sided: %+v", some)
	}
}

func decidedTree(t *testing.T, r *rand.Rand) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for i := range 3 + r.IntN(6) {
		leaf := string(rune('a' + i))
		path := []string{leaf, "A" + string(rune('0'+i/2)), "B" + string(rune('0'+i/4)), "*"}
		if err := b.Path(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// An original that publishes everything as it is has nothing to decide.
func TestDecidedOfTheOriginal(t *testing.T) {
	tree := decidedTree(t, rand.New(rand.NewPCG(1, 1)))
	leaves := make([]int32, tree.Leaves())
	for x := range leaves {
		leaves[x] = int32(x)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	b.Add(leaves)
	g := release.Local(tree, b.Build(), leaves)
	if got, err := DecidedLabels(tree, g.Published()); err != nil || *got != (Decided{}) {
		t.Errorf("%+v, %v", got, err)
	}
}
