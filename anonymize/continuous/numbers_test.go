package continuous

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/generate"
	"mingle/privacy"
)

// Bags have one number each, in the order in which they are asked for, however often they were
// forgotten.
func TestNumbers(t *testing.T) {
	n := newNumbers()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, bags := range []int{10, 30_000, 5, 5, 5, 5, 5, 5, 5, 100, 2_000} {
		n.forget()
		want := map[string]int32{}
		for range bags {
			bag, key := int32(0), ""
			for range 1 + rng.IntN(3) {
				segment := rng.Int32N(50)
				key += fmt.Sprint(segment, " ")
				got, fresh := n.with(bag, segment)
				number, known := want[key]
				if !known {
					number = int32(len(want) + 1)
					want[key] = number
				}
				if got != number || fresh == known {
					t.Fatalf("%s: number %d (new: %t), want %d (%t)", key, got, fresh, number, !known)
				}
				bag = got
			}
		}
	}
}

// What is known of bags is what was added, under the segments that there are, or nothing.
func TestKnownBags(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int{1 << 20, 5} {
		const ranks = 70
		k := newKnownBags(ranks, 0)
		k.most = most
		rankOf, groups := make([]int32, ranks), make([]span, ranks)
		for r := range int32(ranks) {
			rankOf[r], groups[r] = r, span{r, r}
		}
		want, hits := map[string]bool{}, 0
		name := func(ranks []int32, last int32) string {
			var bag []int32
			for _, r := range ranks {
				bag = append(bag, k.now[r])
			}
			slices.Sort(bag)
			return fmt.Sprint(bag, k.now[last])
		}
		for range 20_000 {
			others := []int32{rng.Int32N(4), rng.Int32N(4)}
			row, last := k.row(others), rng.Int32N(ranks)
			switch {
			case rng.IntN(4000) == 0:
				lo := rng.Int32N(ranks - 1)
				k.merge([]span{{k.now[lo], lo + 1}}, groups, rankOf)
			case rng.IntN(2) == 0:
				k.add(row, last)
				want[name(others, last)] = true
			case k.has(row, last):
				hits++
				if !want[name(others, last)] {
					t.Fatalf("%v %d is known and was not added", others, last)
				}
			case most > 5 && want[name(others, last)]:
				t.Fatalf("%v %d was added and is not known", others, last)
			}
		}
		if hits == 0 {
			t.Error("nothing was ever known")
		}
	}
}

// Local says how far it is: forward alone, and all in the end.
func TestLocalTellsHowFarItIs(t *testing.T) {
	in := Input{
		Data:    generate.Income{Records: 500, Seed: 1}.Bags(),
		Promise: privacy.Continuous{K: 3, M: 2}, Algorithm: Local,
	}
	last, total := int64(0), int64(0)
	in.Progress = func(p anonymize.Progress) {
		if p.Done < last || p.Done > p.Total {
			t.Errorf("%d of %d after %d", p.Done, p.Total, last)
		}
		last, total = p.Done, p.Total
	}
	top := newSegments(in.Data)
	top.merge(span{0, top.values() - 1})
	l := newLocal(in, top)
	if err := l.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if l.done != l.levels*len(l.node) || total != int64(l.done) {
		t.Errorf("%d of %d in the end, told of %d", l.done, l.levels*len(l.node), total)
	}
}
