package attack

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset/bag"
)

// However few pieces are listed in a walk over the bags, their records are the same: those with a
// term that contains a value of the piece.
func TestPiecesOfSeveralWalks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var numbers [][]int64
		var texts [][]string
		for range 1 + rng.IntN(30) {
			lo := rng.Int64N(20)
			hi := lo + rng.Int64N(6)
			numbers = append(numbers, []int64{lo, lo, hi})
			texts = append(texts, []string{
				bag.Term{Lo: bag.Int(lo), Hi: bag.Int(hi)}.String(),
				bag.Term{Lo: bag.Int(lo - 1), Hi: bag.Int(lo)}.String(),
				bag.Term{Lo: bag.Int(hi), Hi: bag.Int(hi)}.String(),
			})
		}
		published, err := bag.FromFields(bag.Numbers(), texts)
		if err != nil {
			t.Fatal(err)
		}
		r := newRanged(encodeBags(bag.FromInts(numbers)), published)
		var got [][][]int32
		for _, r.most = range []int{1, 10, 1 << 20} {
			v := r.view()
			records := make([][]int32, len(v.may))
			for x, l := range v.may {
				if l >= 0 {
					v.lists[l].each(func(i int32) { records[x] = append(records[x], i) })
				}
			}
			got = append(got, records)
		}
		want := make([][]int32, len(r.values.value))
		for x, value := range r.values.value {
			for i := range published.Len() {
				for _, id := range published.Record(i) {
					if published.Terms()[id].Contains(r.values.terms[value].Lo) {
						want[x] = appendNew(want[x], int32(i))
					}
				}
			}
		}
		for _, records := range got {
			if d := cmp.Diff(want, records); d != "" {
				t.Fatal(d)
			}
		}
	}
}

// A value that no term contains is of no use: every record matches it, alone and with others.
func TestValuesThatAreNotPublished(t *testing.T) {
	values := bag.FromInts([][]int64{{1, 2}, {1, 3}, {3}})
	published, err := bag.FromFields(bag.Numbers(), [][]string{{"1"}, {"1", "3"}, {"3"}})
	if err != nil {
		t.Fatal(err)
	}
	e := encodeBags(values)
	v := newRanged(e, published).view()
	if hidden := v.fill(e.data.Supports()); hidden != 1 {
		t.Errorf("%d values are hidden, want that of 2", hidden)
	}
	c := newCounter(v)
	for _, q := range []struct {
		items []int32
		want  int
	}{{[]int32{1}, 3}, {[]int32{0, 1}, 2}, {[]int32{0, 1, 2}, 1}, {[]int32{0, 2}, 1}} {
		if got := c.matches(q.items, -1); got != q.want {
			t.Errorf("%d records match %v, want %d", got, q.items, q.want)
		}
	}
}
