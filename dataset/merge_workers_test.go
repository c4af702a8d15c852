package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Several goroutines recode merged data as one does.
func TestRecodeBySeveralIsThatByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 4))
	b := NewBuilder(Unnamed(60))
	for range 3 * fewTransactions {
		var tx []int32
		for range rng.IntN(6) {
			tx = append(tx, rng.Int32N(60))
		}
		b.Add(tx)
	}
	to := make([]int32, 60)
	for it := range to {
		to[it] = rng.Int32N(31) - 1 // some are left out
	}
	m := Merge(b.Build())
	want := m.Recode(Unnamed(30), to)
	for _, workers := range []int{2, 3, 7} {
		got := m.RecodeBy(Unnamed(30), to, workers)
		if !slices.Equal(got.items, want.items) || !slices.Equal(got.offsets, want.offsets) ||
			!slices.Equal(got.Weights, want.Weights) || !slices.Equal(got.Of, want.Of) {
			t.Fatalf("%d goroutines recode otherwise than one", workers)
		}
	}
}

// Transactions that agree for longer than a sort key holds items are told apart.
func TestMergeOfLongAlike(t *testing.T) {
	const wide = 1 << 17 // items: three or fewer in a key
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(19, seed))
		b := NewBuilder(Unnamed(wide))
		txs := make(map[string]int32)
		for range 300 {
			var tx []int32
			for at := range int32(rng.IntN(14)) {
				tx = append(tx, at*wide/14+rng.Int32N(2)*rng.Int32N(2)*rng.Int32N(2))
			}
			b.Add(slices.Clone(tx))
			txs[fmt.Sprint(tx)]++
		}
		d := b.Build()
		m := Merge(d)
		if m.Len() != len(txs) {
			t.Fatalf("%d transactions, want %d", m.Len(), len(txs))
		}
		for i := range m.Len() {
			if m.Weights[i] != txs[fmt.Sprint(m.Tx(i))] {
				t.Errorf("%v is there %d times, want %d", m.Tx(i), m.Weights[i],
					txs[fmt.Sprint(m.Tx(i))])
			}
			if i > 0 && slices.Compare(m.Tx(i-1), m.Tx(i)) >= 0 {
				t.Errorf("%v comes before %v", m.Tx(i-1), m.Tx(i))
			}
		}
	}
}

// Two transactions of all items, which differ in the last one: no stack of the length of a
// transaction is needed.
func TestMergeOfVeryLong(t *testing.T) {
	const items = 1 << 20
	b := NewBuilder(Unnamed(items))
	tx := make([]int32, items)
	for it := range tx {
		tx[it] = int32(it)
	}
	for _, n := range []int{items, items - 1, items, items - 1} {
		b.Add(slices.Clone(tx[:n]))
	}
	m := Merge(b.Build())
	if m.Len() != 2 || m.Weights[0] != 2 || m.Weights[1] != 2 || len(m.Tx(0)) != items-1 {
		t.Errorf("%d transactions of weights %v", m.Len(), m.Weights)
	}
}
