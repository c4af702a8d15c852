package profile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
)

func TestProfileOfASmallFile(t *testing.T) {
	d := dataset.FromLabels([][]string{{"a", "b"}, {"a", "c"}, {"a", "b"}, {}, {"b", "c"}})
	p, err := Of(context.Background(), d, 2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Profile{
		Transactions: 5, Empty: 1, Items: 3, Occurrences: 8, MeanLength: 1.6,
		Lengths: Spread{0, 2, 2, 2, 2, 2}, Supports: Spread{2, 3, 3, 3, 3, 3},
		Top:    []Item{{"a", 3}, {"b", 3}, {"c", 2}},
		Unique: []int{0, 2}, UniqueWhole: 2, // {a,c} and {b,c}
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
}

func TestProfileOfNothing(t *testing.T) {
	p, err := Of(context.Background(), dataset.FromLabels(nil), 2, Options{})
	if err != nil || p.Transactions != 0 || p.Items != 0 || p.Top == nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// The counts agree with the definition: for every transaction, every combination of at most i items
// against every other transaction.
func TestUniquenessByDefinition(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		txs, one := make([][]string, 1+rnd.IntN(12)), 2+rnd.IntN(3)
		if seed%4 == 0 {
			txs = make([][]string, 60+rnd.IntN(90)) // sets of more than a word
		}
		for i := range txs {
			for it := range 8 {
				if rnd.IntN(one) == 0 {
					txs[i] = append(txs[i], fmt.Sprint(it))
				}
			}
		}
		d := dataset.FromLabels(txs)
		o := Options{Workers: 1 + int(seed%3)}
		if seed%5 > 0 {
			o.room = room{rests: 1 + rnd.IntN(20), inSets: 1 + rnd.IntN(20)}
		}
		p, err := Of(context.Background(), d, 4, o)
		if err != nil {
			t.Fatal(err)
		}
		if most := max(1, d.MaxLen()); len(p.Unique) != min(4, most) {
			t.Fatalf("seed %d: %d sizes, the longest transaction has %d items", seed, len(p.Unique),
				most)
		}
		for m := 1; m <= len(p.Unique); m++ {
			if want := bySubsets(d, m); p.Unique[m-1] != want {
				t.Fatalf("seed %d, m=%d: %d unique, want %d", seed, m, p.Unique[m-1], want)
			}
		}
		if want := bySubsets(d, 8); p.UniqueWhole != want {
			t.Fatalf("seed %d: %d unique as a whole, want %d", seed, p.UniqueWhole, want)
		}
	}
}

func bySubsets(d *dataset.Dataset, m int) int {
	unique := 0
	for i := range d.Len() {
		tx := d.Tx(i)
		for bits := 1; bits < 1<<len(tx); bits++ {
			var set []int32
			for j, it := range tx {
				if bits>>j&1 == 1 {
					set = append(set, it)
				}
			}
			if len(set) <= m && matches(d, set) == 1 {
				unique++
				break
			}
		}
	}
	return unique
}

func matches(d *dataset.Dataset, set []int32) int {
	n := 0
	for i := range d.Len() {
		if containsAll(d.Tx(i), set) {
			n++
		}
	}
	return n
}

func containsAll(tx, set []int32) bool {
	for _, it := range set {
		if !slices.Contains(tx, it) {
			return false
		}
	}
	return true
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d := dataset.FromLabels([][]string{{"a", "b"}, {"a", "c"}})
	if _, err := Of(ctx, d, 2, Options{}); err == nil {
		t.Error("a cancelled call goes on")
	}
}
