package brute

import (
	"math"
	"testing"

	"mingle/privacy"
)

// Where everything is published as the root nothing is learned; where everything is published as it
// is, whoever has an item alone is found; and both ways to enumerate agree on what does not look at
// the order.
func TestWorlds(t *testing.T) {
	tree := SmallTrees()[0]
	w := Worlds{Tree: tree, Lines: 3, Promise: privacy.KM{K: 2, M: 1}}
	root := func(d Original) []Outcome {
		nodes := make([]int32, tree.Leaves())
		for i := range nodes {
			nodes[i] = tree.Root()
		}
		return []Outcome{{Published: d.Recode(tree.Dict(), nodes), Probability: 1}}
	}
	plain := func(d Original) []Outcome { return []Outcome{{Published: d.Dataset, Probability: 1}} }
	if e := w.Expose(root); e.Originals != 343 || e.Releases != 1 || e.Short != 0 ||
		math.Abs(e.Posterior-1./3) > 1e-9 {
		t.Errorf("the root alone: %v", e)
	}
	// By itself: an original is safe if no item is in one line alone.
	e := w.Expose(plain)
	safe := 0
	w.Each(func(lines [][]int32, _ []bool, orders int) {
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
	for _, publish := range []Publisher{root, plain, func(d Original) []Outcome {
		a, b := root(d)[0], plain(d)[0]
		a.Probability, b.Probability = 0.25, 0.75
		return []Outcome{a, b}
	}} {
		for _, secret := range []bool{false, true} {
			w.Secret, w.Promise.L = secret, 2
			ordered := w
			ordered.Ordered = true
			a, b := w.Expose(publish), ordered.Expose(publish)
			if a.Originals != b.Originals || math.Abs(a.Short-b.Short) > 1e-9 ||
				math.Abs(a.Over-b.Over) > 1e-9 || math.Abs(a.Posterior-b.Posterior) > 1e-9 {
				t.Errorf("%v\n%v", a, b)
			}
		}
	}
}

// Where everything is published as the root too many have the sensitive item where too many lines
// do.
func TestWorldsWithASecret(t *testing.T) {
	tree := SmallTrees()[0]
	w := Worlds{Tree: tree, Lines: 3, Promise: privacy.KM{K: 2, M: 1, L: 2}, Secret: true}
	e := w.Expose(func(d Original) []Outcome {
		nodes := make([]int32, tree.Leaves())
		for i := range nodes {
			nodes[i] = tree.Root()
		}
		return []Outcome{{Published: d.Recode(tree.Dict(), nodes), Probability: 1}}
	})
	// two and three of three lines: half of the eight ways
	if e.Originals != 343*8 || e.Releases != 4 || e.Short != 0 || math.Abs(e.Over-0.5) > 1e-9 {
		t.Errorf("%v", e)
	}
}
