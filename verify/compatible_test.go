package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// compatible is condition (c), word by word.
func (t twin) compatible() bool {
	leaves := make([]int32, t.Tree.Leaves())
	for x := range leaves {
		leaves[x] = int32(x)
	}
	for _, set := range subsets(leaves, t.Promise.M) {
		n := 0
		for i := range t.Published.Len() {
			if !slices.ContainsFunc(set,
				func(x int32) bool { return !t.mayBe(x, t.Published.Tx(i)) }) {
				n++
			}
		}
		if len(set) > 0 && n > 0 && n < t.Promise.K {
			return false
		}
	}
	return t.obeys(0, 0)
}

// readable tells, without the original, whether every label of every line is above an item that may
// be at it.
func (t twin) readable() bool {
	if t.Original != nil {
		return true
	}
	for i := range t.Published.Len() {
		labels := t.Published.Tx(i)
		for _, u := range labels {
			if !slices.ContainsFunc(leavesOf(t.Tree), func(x int32) bool {
				path := t.Tree.Path(x)
				at := slices.Index(path, u)
				return at == 0 || at > 0 &&
					!slices.ContainsFunc(labels,
						func(v int32) bool { return t.Tree.Covers(path[at-1], v) })
			}) {
				return false
			}
		}
	}
	return true
}

// obeys tells whether published lines from i on come, in order, from original lines from at on
// whose items may all be there.
func (t twin) obeys(i, at int) bool {
	if t.Original == nil || i == t.Published.Len() || t.Original.Len() < t.Published.Len() {
		return true
	}
	if at == t.Original.Len() {
		return false
	}
	outside := slices.ContainsFunc(t.Original.Tx(at), func(x int32) bool {
		above := slices.ContainsFunc(t.Published.Tx(i),
			func(u int32) bool { return t.Tree.Covers(u, x) })
		return above && !t.mayBe(x, t.Published.Tx(i))
	})
	if t.Original.Len() == t.Published.Len() {
		return !outside && t.obeys(i+1, at+1)
	}
	return !outside && t.comes(t.Original.Tx(at), t.Published.Tx(i), t.MaySuppress) &&
		t.obeys(i+1, at+1) || t.obeys(i, at+1)
}

// mayBe tells whether an item may be at some label of a line: no label is at or below the child of
// that label above it.
func (t twin) mayBe(x int32, labels []int32) bool {
	return slices.ContainsFunc(labels, func(u int32) bool {
		path := t.Tree.Path(x)
		at := slices.Index(path, u)
		return at == 0 || at > 0 && !slices.ContainsFunc(labels,
			func(v int32) bool { return t.Tree.Covers(path[at-1], v) })
	})
}

func leafTree(t *testing.T, paths ...[]string) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, p := range paths {
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

// By example, *(A(a1,a2), b), lines a1, a1, *, "a1 *", k=2, m=1. Whoever runs the
// algorithm in mind leaves a2 to the third line alone, since the fourth would have published A.
func TestCompatibleExample(t *testing.T) {
	tree := leafTree(t, []string{"a1", "A", "*"}, []string{"a2", "A", "*"}, []string{"b", "B", "*"})
	published, err := tree.EncodePublished(dataset.FromLabels([][]string{
		{"a1"},
		{"a1"},
		{"*"},
		{"a1", "*"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	in := KMInput{Tree: tree, Published: published, Promise: privacy.KM{K: 2, M: 1}}
	f, err := KM(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if f.Holds || len(f.Breaches) != 1 || f.Breaches[0].Kind != KindCompatible ||
		!slices.Equal(f.Breaches[0].Itemset, []string{"a2"}) ||
		!slices.Equal(f.Breaches[0].Lines, []int{3}) || f.Breaches[0].Support != 1 {
		t.Errorf("%+v", f)
	}
	if in.Original, err = tree.Encode(dataset.FromLabels([][]string{
		{"a1"},
		{"a1"},
		{"b"},
		{"a1", "a2"},
	})); err != nil {
		t.Fatal(err)
	}
	if f, err = KM(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if f.BreachCount != 2 || f.Breaches[0].Lines[0] != 4 || f.Breaches[0].Itemset[0] != "a2" {
		t.Errorf("a2 at * beside a1: %+v", f)
	}
}

// Lines with labels on all levels, as likely to break the condition as to keep it: the same verdict
// as word by word, on what keeps condition (a).
func TestSoakCompatible(t *testing.T) {
	rng := soak.Rand(91, 92)
	held, broken := 0, 0
	for range soak.Rounds(t, soak.Share(short(20_000, 2_000), 500_000)) {
		tree := randomLevels(t, rng)
		in := KMInput{
			Tree: tree, Published: randomRelease(rng, tree),
			Promise: privacy.KM{K: 2 + rng.IntN(2), M: 1 + rng.IntN(3)},
		}
		v := newReading(tree, in.Published)
		found, err := v.check(t.Context(), newPool(1+rng.IntN(3), nil), in.Promise.K, in.Promise.M)
		if err != nil {
			t.Fatal(err)
		}
		tw := twin{in}
		if !tw.published() {
			continue // what the proof rests on
		}
		want := tw.compatible()
		if want != (found.count == 0) {
			t.Fatalf("%v: by definition %v, found %v", in.Promise, want, found.kept)
		}
		if want {
			held++
		} else {
			broken++
		}
	}
	if least := short(100, 10); held < least || broken < least {
		t.Errorf("%d kept it, %d broke it", held, broken)
	}
}

// By example, several items below one torn child: a at *, e and h below E, which is torn, can be in
// two lines only, though each of e and h with a can be in six.
func TestCompatibleTwoItemsBelowOneChild(t *testing.T) {
	tree := eightLeaves(t)
	published, err := tree.EncodePublished(dataset.FromLabels([][]string{
		{"g", "EF", "*"},
		{"g", "EF", "*"},
		{"CD", "E"},
		{"CD", "E"},
		{"*"},
		{"*"},
		{"CD"},
		{"CD"},
		{"f", "GH", "A"},
		{"f", "GH", "A"},
		{"f", "GH", "A"},
		{"f", "GH", "A"},
		{"g", "EF", "*"},
		{"E"},
		{"CD", "E"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	in := KMInput{Tree: tree, Published: published, Promise: privacy.KM{K: 3, M: 3}}
	f, err := KM(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "e", "h"}
	if f.Holds || !slices.ContainsFunc(f.Breaches, func(b Breach) bool {
		return slices.Equal(b.Itemset, want) && b.Support == 2 && slices.Equal(b.Lines, []int{5, 6})
	}) {
		t.Errorf("%+v", f)
	}
	if in.Promise.M = 2; !(twin{in}).compatible() {
		t.Error("two items were thought to be enough to tell")
	}
}

// eightLeaves is a binary tree: *(A(AB(a,b),CD(c,d)),E(EF(e,f),GH(g,h))).
func eightLeaves(t *testing.T) *hierarchy.Tree {
	return leafTree(t, []string{"a", "AB", "A", "*"}, []string{"b", "AB", "A", "*"},
		[]string{"c", "CD", "A", "*"}, []string{"d", "CD", "A", "*"},
		[]string{"e", "EF", "E", "*"}, []string{"f", "EF", "E", "*"},
		[]string{"g", "GH", "E", "*"}, []string{"h", "GH", "E", "*"})
}

// Releases with labels on all levels that break the condition for two or three items below one torn
// child, if at all: few and general labels, and each line as often as condition (a) needs.
func TestSoakCompatibleFurtherItems(t *testing.T) {
	rng := soak.Rand(93, 94)
	tree := eightLeaves(t)
	held, broken, further := 0, 0, 0
	for range soak.Rounds(t, soak.Share(short(20_000, 4_000), 400_000)) {
		b := dataset.NewBuilder(tree.Dict())
		for range 2 + rng.IntN(4) {
			var line []int32
			for range 1 + rng.IntN(3) {
				u := int32(rng.IntN(tree.Nodes()))
				if rng.IntN(2) == 0 {
					u = tree.Root()
				}
				line = append(line, u)
			}
			for range 1 + rng.IntN(3) {
				b.Add(slices.Clone(line))
			}
		}
		in := KMInput{
			Tree: tree, Published: b.Build(),
			Promise: privacy.KM{K: 2 + rng.IntN(2), M: 1 + rng.IntN(3)},
		}
		if tw := (twin{in}); !tw.published() {
			continue
		}
		v := newReading(tree, in.Published)
		found, err := v.check(t.Context(), newPool(1, nil), in.Promise.K, in.Promise.M)
		if err != nil {
			t.Fatal(err)
		}
		want := (twin{in}).compatible()
		if want != (found.count == 0) {
			t.Fatalf("%v: by definition %v, found %v", in.Promise, want, found.kept)
		}
		switch {
		case want:
			held++
		case in.Promise.M > 1 && len(found.kept[0].nodes) > 1:
			further++
		default:
			broken++
		}
	}
	if least := short(50, 5); held < least || broken < least || further < least {
		t.Errorf("%d held, %d broken by one item, %d by more", held, broken, further)
	}
}

// randomLevels is a tree of two or three levels with up to eight leaves.
func randomLevels(t *testing.T, rng *rand.Rand) *hierarchy.Tree {
	var paths [][]string
	for i := range 2 + rng.IntN(7) {
		leaf := string(rune('a' + i))
		path := []string{leaf, "A" + string(rune('0'+i/2)), "B" + string(rune('0'+i/4)), "*"}
		paths = append(paths, path)
	}
	return leafTree(t, paths...)
}

// randomRelease is a few different lines, each some times.
func randomRelease(rng *rand.Rand, tree *hierarchy.Tree) *dataset.Dataset {
	b := dataset.NewBuilder(tree.Dict())
	for range 1 + rng.IntN(4) {
		var line []int32
		for range 1 + rng.IntN(4) {
			line = append(line, int32(rng.IntN(tree.Nodes())))
		}
		for range 1 + rng.IntN(3) {
			b.Add(slices.Clone(line))
		}
		if rng.IntN(2) == 0 { // one of it and the root besides
			b.Add(append(slices.Clone(line), tree.Root()))
		}
	}
	return b.Build()
}
