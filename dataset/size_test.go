package dataset

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// The last transaction and the last occurrence that fit are taken, the next are not; of packed data
// the occurrences do not matter.
func TestSizesAtTheBoundary(t *testing.T) {
	full := size{math.MaxInt32, math.MaxInt32}
	for _, c := range []struct {
		more             size
		plain, packedToo bool
	}{
		{size{0, 0}, true, true},
		{size{1, 0}, false, false},
		{size{0, 1}, false, true},
		{size{1, 1}, false, false},
		{size{1 << 31, 1 << 32}, false, false},
	} {
		got := full.plus(c.more.transactions, c.more.occurrences)
		if got.within(most, false) != c.plain || got.within(most, true) != c.packedToo {
			t.Errorf("%v: %v and %v", c.more, got.within(most, false), got.within(most, true))
		}
	}
	if !full.plus(-1, -1).plus(1, 1).within(most, false) {
		t.Error("the last do not fit")
	}
}

// A builder that is full says so, keeps saying so, and does not hand out part of the data.
func TestBuilderIsFull(t *testing.T) {
	dict := MustDictionary([]string{"a", "b"})
	for _, packed := range []bool{false, true} {
		for _, limit := range []size{{2, 100}, {100, 3}} {
			b := NewBuilder(dict)
			if packed {
				b = newPackedBuilder(dict)
			}
			b.most = limit
			b.Add([]int32{0})
			b.Add([]int32{0, 1})
			if b.Err() != nil || b.d.Len() != 2 {
				t.Fatalf("what fits is refused: %v", b.Err())
			}
			b.Add([]int32{1})
			if packed && limit.occurrences == 3 {
				if b.Err() != nil {
					t.Errorf("packed data has no such limit: %v", b.Err())
				}
				continue
			}
			b.Add(nil)
			if !errors.Is(b.Err(), ErrTooLarge) || b.d.Len() != 2 {
				t.Errorf("packed %v, %v: %v, %d transactions", packed, limit, b.Err(), b.d.Len())
			}
			if _, err := b.Finish(); !errors.Is(err, ErrTooLarge) {
				t.Errorf("packed %v, %v: it is finished: %v", packed, limit, err)
			}
			func() {
				defer func() {
					if fmt.Sprint(recover()) != ErrTooLarge.Error() {
						t.Error("part of the data was handed out")
					}
				}()
				b.Build()
			}()
		}
	}
}

// A reader refuses at the same places.
func TestCollectorIsFull(t *testing.T) {
	for _, c := range []struct {
		most size
		fits bool
	}{{size{3, 6}, true}, {size{2, 6}, false}, {size{3, 5}, false}} {
		opts := Options{Format: Fimi}
		col := newCollector(opts, opts.Format.kind().shape(nil, opts, &Faults{}))
		col.most = c.most
		p := &part{
			items: []int32{0, 1, 0}, ends: []uint32{2, 3}, labels: []string{"a", "b"}, count: 2,
		}
		err := col.add(p, []int32{0, 1}, 0)
		if err == nil {
			err = col.add(
				&part{items: []int32{0, 1, 1}, ends: []uint32{3}, count: 1}, []int32{0, 1}, 0,
			)
		}
		if c.fits != (err == nil) || err != nil && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%v: %v", c.most, err)
		}
	}
}

// Weights of merged transactions, added up by merging anew, come to the number of transactions and
// never over.
func TestWeightsAtTheBoundary(t *testing.T) {
	b := NewBuilder(MustDictionary([]string{"a", "b", "c"}))
	for _, tx := range [][]int32{{0}, {1}, {2}} {
		b.Add(tx)
	}
	m := Merge(b.Build())
	m.Weights = []int32{math.MaxInt32 - 2, 1, 1} // as of MaxTransactions lines
	again := m.Recode(MustDictionary([]string{"x"}), []int32{0, 0, 0})
	if again.Len() != 1 || again.Weight(0) != MaxTransactions {
		t.Errorf("%d lines, the first of weight %d", again.Len(), again.Weight(0))
	}
}
