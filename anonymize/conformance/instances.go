package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// Medium is a random instance of 600 transactions over 27 items of uneven popularity under a tree
// of fan-out 3.
func Medium(seed uint64) anonymize.Input {
	rng := rand.New(rand.NewPCG(seed, 0))
	labels := make([]string, 27)
	for i := range labels {
		labels[i] = fmt.Sprintf("item%02d", i)
	}
	t, err := hierarchy.Fanout(labels, 3)
	if err != nil {
		panic(err)
	}
	b := dataset.NewBuilder(t.LeafDict())
	for range 600 {
		var tx []int32
		for range 1 + rng.IntN(6) {
			tx = append(tx, int32(float64(t.Leaves())*rng.Float64()*rng.Float64()))
		}
		b.Add(tx)
	}
	return anonymize.Input{Data: b.Build(), Tree: t, Promise: privacy.KM{K: 5, M: 3}}
}

// Uneven is records of some attributes, most of which are alike, under a random tree: a node has
// items and groups as children, in any order.
func Uneven(seed uint64) anonymize.Input {
	rng := rand.New(rand.NewPCG(seed, 3))
	attributes, values := 4+rng.IntN(8), 2+rng.IntN(3)
	t := unevenTree(rng, attributes*values)
	usual := make([]int, 3*attributes)
	for i := range usual {
		usual[i] = rng.IntN(values)
	}
	of := rng.Perm(attributes * values) // which item a value is
	b := dataset.NewBuilder(t.LeafDict())
	for range 200 + rng.IntN(400) {
		var tx []int32
		class := rng.IntN(3)
		for a := range attributes {
			v := usual[class*attributes+a]
			if rng.IntN(4) == 0 {
				v = rng.IntN(values)
			}
			tx = append(tx, int32(of[a*values+v]))
		}
		b.Add(tx)
	}
	return anonymize.Input{Data: b.Build(), Tree: t, Promise: privacy.KM{K: 3 + rng.IntN(4), M: 3}}
}

// unevenTree is a random tree of so many items.
func unevenTree(rng *rand.Rand, items int) *hierarchy.Tree {
	b := hierarchy.NewBuilder()
	groups := 0
	var grow func(from, to int, above []string)
	grow = func(from, to int, above []string) {
		if from+1 == to {
			path := append([]string{fmt.Sprintf("item%03d", from)}, above...)
			if err := b.Path(path, 0); err != nil {
				panic(err)
			}
			return
		}
		name := "*"
		if len(above) > 0 {
			name = fmt.Sprintf("group%d", groups)
		}
		groups++
		above = append([]string{name}, above...)
		for from < to {
			next := to
			if n := rng.IntN(3); n > 0 || from+1 < to {
				next = min(to, from+1+n*rng.IntN(1+(to-from)/2))
			}
			if next == to && len(above) > 8 {
				next = from + 1
			}
			grow(from, next, above)
			from = next
		}
	}
	grow(0, items, nil)
	t, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		panic(err)
	}
	return t
}

// Describe spells out an instance, so that a failure can be repeated by hand.
func Describe(in anonymize.Input) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%v\ntree:", in.Promise)
	for leaf := range int32(in.Tree.Leaves()) {
		for i, u := range in.Tree.Path(leaf) {
			s.WriteString([]string{" ", "<"}[min(i, 1)] + in.Tree.Label(u))
		}
	}
	s.WriteString("\ndata: " + Spell(in.Data))
	if in.Promise.Persons {
		fmt.Fprintf(&s, "\npersons: %v", in.Persons)
	}
	if in.Sensitive != nil {
		s.WriteString("\nsensitive: " + Spell(in.Sensitive))
	}
	return s.String()
}

// Spell writes data in a line.
func Spell(d *dataset.Dataset) string {
	var s strings.Builder
	for i := range d.Len() {
		fmt.Fprintf(&s, "{%s} ", strings.Join(d.Labels(i), " "))
	}
	return s.String()
}
