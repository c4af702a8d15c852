package brute

import (
	"math"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// Where everything is published as the root nothing is learned; where everything is published as it
// is, whoever has an item alone is found; and both ways to enumerate agree on what does not look at
// the order.
func TestWorlds(t *testing.T) {
	tree := SmallTrees()[0]
	w := Worlds{Tree: tree, Lines: 3, Promise: privacy.KM{K: 2, M: 1}}
	root := func(d *dataset.Dataset) []Outcome {
		nodes := make([]int32, tree.Leaves())
		for i := range nodes {
			nodes[i] = tree.Root()
		}
		return []Outcome{{d.Recode(tree.Dict(), nodes), 1}}
	}
	plain := func(d *dataset.Dataset) []Outcome { return []Outcome{{d, 1}} }
	if e := w.Expose(root); e.Originals != 343 || e.Releases != 1 || e.Short != 0 ||
		math.Abs(e.Posterior-1./3) > 1e-9 {
		t.Errorf("the root alone: %v", e)
	}
	// By itself: an original is safe if no item is in one line alone.
	e := w.Expose(plain)
	safe := 0
	w.Each(func(lines [][]int32, orders int) {
		alone := false
		for leaf := range int32(tree.Leaves()) {
			alone = alone || count(lines, []int32{leaf}) == 1
		}
		if !alone {
			safe += orders
		}
	})
	if math.Abs(e.Short-float64(343-safe)/343) > 1e-9 || e.Posterior != 1 {
		t.Errorf("as it is: %v, %d are safe", e, safe)
	}
	for _, publish := range []Publisher{root, plain, func(d *dataset.Dataset) []Outcome {
		a, b := root(d)[0], plain(d)[0]
		a.Probability, b.Probability = 0.25, 0.75
		return []Outcome{a, b}
	}} {
		ordered := w
		ordered.Ordered = true
		a, b := w.Expose(publish), ordered.Expose(publish)
		if a.Originals != b.Originals || math.Abs(a.Short-b.Short) > 1e-9 ||
			math.Abs(a.Posterior-b.Posterior) > 1e-9 {
			t.Errorf("%v\n%v", a, b)
		}
	}
}
