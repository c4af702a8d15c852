package attack

import (
	"math/rand/v2"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Candidates of singling out are persons: counted here one by one, for all sets of two items.
func TestCandidatesArePersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		labels := [][]string{}
		for range 4 + rng.IntN(12) {
			tx := []string{}
			for item := range 5 {
				if rng.IntN(2) == 0 {
					tx = append(tx, string(rune('a'+item)))
				}
			}
			labels = append(labels, tx)
		}
		d := dataset.FromLabels(append(labels, []string{"a", "b", "c", "d", "e"}))
		tree, err := hierarchy.Fanout(d.Dict().Labels(), 2)
		if err != nil {
			t.Fatal(err)
		}
		data, err := tree.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		published, err := tree.EncodePublished(d)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Generalized(tree, data, published)
		if err != nil {
			t.Fatal(err)
		}
		person := make([]int32, data.Len())
		for i := range person {
			person[i] = int32(rng.IntN(len(person)/2+1)) - 1
		}
		if err := c.ByPersons(person); err != nil {
			t.Fatal(err)
		}
		judgeCandidates(t, c, person)
		if c.ByPersons(person[1:]) == nil {
			t.Fatal("persons of other data are taken")
		}
	}
}

func judgeCandidates(t *testing.T, c *Case, person []int32) {
	t.Helper()
	fewest := len(person)
	known := 0
	for x := range int32(c.data.Dict().Len()) {
		for y := range x {
			met, lines := map[int32]bool{}, 0
			for i := range c.data.Len() {
				has := 0
				for _, z := range c.data.Tx(i) {
					if z == x || z == y {
						has++
					}
				}
				if has == 2 {
					lines++
					if person[i] >= 0 {
						met[person[i]] = true
					}
				}
			}
			if lines == 0 {
				continue
			}
			known++
			want := max(1, len(met))
			fewest = min(fewest, want)
			if got := newCounter(c.after).candidates([]int32{x, y}); got != want {
				t.Fatalf("%d candidates, want %d", got, want)
			}
		}
	}
	s, err := c.SingleOut(t.Context(), Options{M: 2, K: 3})
	if err != nil {
		t.Fatal(err)
	}
	if s.Before.Fewest != fewest || s.After.Fewest != fewest || int(s.Combinations) != known {
		t.Fatalf("%+v, want %d candidates at least, of %d", s, fewest, known)
	}
}
