package local_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/local"
	"mingle/anonymize/peel"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

// population is persons with 2 to 10 transactions each, in part of things that the person likes.
type population struct {
	persons, items, length int
	loyal                  float64 // the share of what is liked
}

// Of generated persons local loses no more than peel does.
func TestLosesNoMoreThanPeel(t *testing.T) {
	if testing.Short() {
		t.Skip("losses: nothing for the race detector")
	}
	for _, s := range []population{{400, 100, 3, 0.5}, {300, 200, 6, 0.4}, {200, 50, 8, 0.2}} {
		for _, m := range []int{2, 3} {
			in := s.input(t)
			in.Promise = privacy.KM{K: 5, M: m, Persons: true}
			of := func(a anonymize.Algorithm) float64 {
				g, err := a.Anonymize(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				return ncp(g)
			}
			one, other := of(local.Algorithm{}), of(peel.Algorithm{})
			t.Logf("%+v, m=%d: local %.4f, peel %.4f", s, m, one, other)
			if one > other {
				t.Errorf("%+v, m=%d: local loses %v, peel %v", s, m, one, other)
			}
		}
	}
}

// input is its transactions, in a tree of fan-out 4.
func (s population) input(t *testing.T) anonymize.Input {
	rng := rand.New(rand.NewPCG(75, 76))
	var labels []string
	for i := range s.items {
		labels = append(labels, fmt.Sprintf("%03d", i))
	}
	tree, err := hierarchy.Fanout(labels, 4)
	if err != nil {
		t.Fatal(err)
	}
	any := func() int32 { return int32(float64(s.items) * rng.Float64() * rng.Float64()) }
	in, b := anonymize.Input{Tree: tree}, dataset.NewBuilder(tree.LeafDict())
	for p := range int32(s.persons) {
		var likes []int32
		for range 6 {
			likes = append(likes, any())
		}
		for range 2 + rng.IntN(9) {
			var tx []int32
			for range 1 + rng.IntN(2*s.length-1) {
				if rng.Float64() < s.loyal {
					tx = append(tx, likes[rng.IntN(len(likes))])
				} else {
					tx = append(tx, any())
				}
			}
			b.Add(tx)
			in.Persons = append(in.Persons, p)
		}
	}
	in.Data = b.Build()
	return in
}

// ncp is what a release loses.
func ncp(g *release.Generalized) float64 {
	loss := 0
	g.Each(func(_, u int32) {
		if !g.Tree.IsLeaf(u) {
			loss += g.Tree.LeafCount(u)
		}
	})
	return float64(loss) / float64(g.Tree.Leaves()) / float64(g.Data.Occurrences())
}
