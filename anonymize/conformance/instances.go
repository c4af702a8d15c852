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
