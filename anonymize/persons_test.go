package anonymize

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"mingle/dataset"
)

// Persons with each sensitive item, counted at once, are those that are found one item after the
// other.
func TestCountPersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		var items [][]string
		var in Input
		for range 1 + rng.IntN(30) {
			var tx []string
			for range rng.IntN(4) {
				tx = append(tx, strconv.Itoa(rng.IntN(6)))
			}
			items = append(items, tx)
			in.Persons = append(in.Persons, int32(rng.IntN(6)-1))
		}
		in.Sensitive = dataset.FromLabels(items)
		in.Data = in.Sensitive
		meant := make([]bool, len(items))
		for i := range meant {
			meant[i] = rng.IntN(4) > 0
		}
		is := func(i int) bool { return meant[i] }
		total, counts := in.countPersons(in.byPerson(), is)
		if want := in.PersonsWith(is); total != want {
			t.Fatalf("%d persons, want %d", total, want)
		}
		for s, n := range counts {
			want := in.PersonsWith(func(i int) bool {
				return is(i) && slices.Contains(in.Sensitive.Tx(i), int32(s))
			})
			if n != want {
				t.Fatalf("%d persons with %d, want %d", n, s, want)
			}
		}
	}
}
