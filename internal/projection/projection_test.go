package projection

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
)

// Items that so many have are ranked by support, and what follows an item are the more frequent
// ones of its row.
func TestRowsByDefinition(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		d := random(rng)
		least := rng.IntN(4)
		r, items := New(d, least)
		supports := d.Supports()
		if !slices.IsSortedFunc(items, func(a, b int32) int { return supports[a] - supports[b] }) {
			t.Fatalf("seed %d: %v are not by support", seed, items)
		}
		for it, n := range supports {
			if ranked := slices.Contains(items, int32(it)); ranked != (n > 0 && n >= least) {
				t.Fatalf("seed %d: item %d of %d, and %d are asked for", seed, it, n, least)
			}
		}
		for i := range d.Len() {
			var row []int32
			for rank, it := range items {
				if slices.Contains(d.Tx(i), it) {
					row = append(row, int32(rank))
				}
			}
			if !slices.Equal(row, r.Row(i)) {
				t.Fatalf("seed %d: row %d is %v, want %v", seed, i, r.Row(i), row)
			}
		}
		for rank, rests := range r.After(len(items)) {
			if len(rests) != supports[items[rank]] {
				t.Fatalf("seed %d: %d rests of %d", seed, len(rests), supports[items[rank]])
			}
			for _, s := range rests {
				if r.Row(int(s.Row))[s.From-1] != int32(rank) {
					t.Fatalf("seed %d: %v is not behind %d", seed, s, rank)
				}
			}
		}
	}
}

// However many rests are gathered at once, each item comes with those that have enough behind them,
// and only items that are asked for do.
func TestEachByDefinition(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		r, items := New(random(rng), 1)
		l := &Level{}
		l.Clear()
		for i := range r.Len() {
			l.Add(r.Row(i), slices.Repeat([]bool{true}, len(items)), 0)
		}
		behind, only := rng.IntN(3), []bool(nil)
		if seed%2 == 0 {
			only = make([]bool, len(items))
			for it := range only {
				only[it] = rng.IntN(2) == 0
			}
		}
		want := map[int32][]Rest{}
		for i := range l.Len() {
			for at, it := range l.Row(i) {
				if at+behind < len(l.Row(i)) && (only == nil || only[it]) {
					want[it] = append(want[it], Rest{int32(i), int32(at) + 1})
				}
			}
		}
		space := NewSpace(len(items), 1+rng.IntN(30))
		for range 2 { // what is used is left as it was
			got := map[int32][]Rest{}
			space.Each(l, behind, only, func(it int32, rests []Rest) error {
				got[it] = append(got[it], rests...)
				return nil
			})
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("seed %d: %s", seed, d)
			}
		}
	}
}

func random(rng *rand.Rand) *dataset.Dataset {
	txs := make([][]string, 1+rng.IntN(20))
	for i := range txs {
		for it := range 10 {
			if rng.IntN(2+it) == 0 {
				txs[i] = append(txs[i], strconv.Itoa(it))
			}
		}
	}
	return dataset.FromLabels(txs)
}
