package generate_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/generate"
	"mingle/hierarchy"
)

// Every group becomes an item below it, and each that it can become in a share of the seeds that is
// near to that of the others; what is published as itself stays; the seed decides alone.
func TestComplete(t *testing.T) {
	tree, err := hierarchy.Read(strings.NewReader("a1;A;*\na2;A;*\na3;A;*\nb;B;*\nc;*\n"),
		hierarchy.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	published := dataset.FromLabels([][]string{{"A", "a2", "flu"}, {"*", "A"}, {"B"}, {}, {"*", "c", "B", "A"}})
	count := map[string]int{}
	const seeds = 4000
	for seed := range uint64(seeds) {
		d, err := generate.Complete(tree, published, seed)
		if err != nil {
			t.Fatal(err)
		}
		again, err := generate.Complete(tree, published, seed)
		if err != nil || again.String() != d.String() {
			t.Fatal("the same seed gives something else", err)
		}
		first, second := d.Labels(0), d.Labels(1)
		if !slices.Contains(first, "a2") || !slices.Contains(first, "flu") || len(first) != 3 {
			t.Fatalf("a line became %v", first)
		}
		for _, label := range first {
			count["0 "+label]++
		}
		for _, label := range second {
			count["1 "+label]++
		}
		if len(second) != 2 || d.Labels(2)[0] != "b" || len(d.Labels(3)) != 0 {
			t.Fatalf("lines became %v", d)
		}
		for _, label := range []string{"c", "b"} { // nothing is free below *
			if !slices.Contains(d.Labels(4), label) {
				t.Fatalf("a line became %v", d.Labels(4))
			}
		}
	}
	for label, share := range map[string]float64{
		"0 a1": 1. / 2, "0 a3": 1. / 2, // not a2, which stands beside
		"1 a1": 1. / 3, "1 a2": 1. / 3, "1 a3": 1. / 3, "1 b": 1. / 2, "1 c": 1. / 2,
	} {
		if got := float64(count[label]) / seeds; got < share-0.05 || got > share+0.05 {
			t.Errorf("%s in a share of %.3f, want %.3f", label, got, share)
		}
	}
}

// Lines of labels drawn at random keep what they publish: each label of a line has an item of its
// completion at or below it, each item one of the labels at or above it.
func TestCompletionBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		tree, err := hierarchy.Fanout(generate.Labels(2+r.IntN(12)), 2+r.IntN(3))
		if err != nil {
			t.Fatal(err)
		}
		var lines [][]string
		for range 4 {
			var line []string
			for u := range int32(tree.Nodes()) {
				if r.IntN(4) == 0 {
					line = append(line, tree.Label(u))
				}
			}
			lines = append(lines, line)
		}
		d, err := generate.Complete(tree, dataset.FromLabels(lines), r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range lines {
			covers := func(label, item string) bool {
				u, _ := tree.Node(label)
				x, is := tree.Node(item)
				return is && tree.IsLeaf(x) && tree.Covers(u, x)
			}
			for _, label := range line {
				below := func(item string) bool { return covers(label, item) }
				if !slices.ContainsFunc(d.Labels(i), below) {
					t.Fatalf("%v became %v", line, d.Labels(i))
				}
			}
			for _, item := range d.Labels(i) {
				above := func(label string) bool { return covers(label, item) }
				if !slices.ContainsFunc(line, above) {
					t.Fatalf("%v became %v", line, d.Labels(i))
				}
			}
		}
	}
}
