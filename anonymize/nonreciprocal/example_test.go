package nonreciprocal

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize/order"
	"mingle/dataset"
	"mingle/privacy"
)

func table1() *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary(
		[]string{"Jogging", "Swimming", "Tennis", "Soccer"},
	))
	for _, bitmap := range []string{"1100", "0110", "1101", "0111", "1110", "1011"} {
		b.Add(itemsOf(bitmap))
	}
	return b.Build()
}

func itemsOf(bitmap string) []int32 {
	var tx []int32
	for i, c := range bitmap {
		if c == '1' {
			tx = append(tx, int32(i))
		}
	}
	return tx
}

// The worked example (xue-2012 tables 1, 3 and 4, figures 1 and 4), k = 3, to the last bit: order,
// graph, and what every slot publishes.
func TestWorkedExample(t *testing.T) {
	d := table1()
	in := Input{
		Data: d, Promise: privacy.Nonreciprocal{K: 3}, Graph: RingGraph, Items: DictionaryOrder,
	}.withDefaults()
	var stats Stats
	sequence, err := in.sequence(t.Context(), order.NewDistances(d), &stats)
	if err != nil {
		t.Fatal(err)
	}
	want := []int32{1, 3, 2, 0, 4, 5}
	if !slices.Equal(sequence, want) || stats.Gray != 12 || stats.Tour != 10 {
		t.Fatalf(
			"order %v, sums %d and %d, item order %q; the paper says r2 r4 r3 r1 r5 r6, 12 and 10",
			sequence, stats.Gray, stats.Tour, stats.ItemOrder,
		)
	}
	g := Ring(sequence, 3)
	slots, err := recode(t.Context(), d, structure{votes: g}, 2)
	if err != nil {
		t.Fatal(err)
	}
	pre := g.Preimages()
	for _, want := range []struct {
		slot            int32
		preimages       []int32
		base, uncertain string
		threshold       int32
	}{
		{1, []int32{1, 4, 5}, "1110", "1101", 2},
		{3, []int32{1, 3, 5}, "0111", "1101", 2},
		{2, []int32{1, 2, 3}, "0111", "1011", 2},
		{0, []int32{0, 2, 3}, "1101", "1011", 2},
		{4, []int32{0, 2, 4}, "1100", "0011", 1},
		{5, []int32{0, 4, 5}, "1110", "0111", 2},
	} {
		s := want.slot
		if !slices.Equal(pre.Slots(s), want.preimages) {
			t.Errorf(
				"r%d': preimages %v, the paper says %v (from 0)", s+1, pre.Slots(s),
				want.preimages,
			)
		}
		if !slices.Equal(slots.base[s], itemsOf(want.base)) || !slices.Equal(
			slots.uncertain[s], itemsOf(want.uncertain),
		) || slots.threshold[s] != want.threshold {
			t.Errorf(
				"r%d': base %v uncertain %v t %d, the paper says %s %s %d", s+1, slots.base[s],
				slots.uncertain[s], slots.threshold[s], want.base, want.uncertain, want.threshold,
			)
		}
	}
}

// Section 4: the vote of 1100, 1011 and 0101 is 1101; 1101 differs from them in 1, 2 and 1 places,
// and all but no bit is uncertain.
func TestBitVotingOfSection4(t *testing.T) {
	b := dataset.NewBuilder(table1().Dict())
	for _, bitmap := range []string{"1100", "1011", "0101"} {
		b.Add(itemsOf(bitmap))
	}
	v, all := newVoter(b.Build()), []int32{0, 1, 2}
	base := v.majority(all, 0)
	uncertain, threshold := v.differences(base, all, v.items(all))
	if !slices.Equal(base, itemsOf("1101")) || !slices.Equal(
		uncertain, itemsOf("1111"),
	) || threshold != 2 {
		t.Errorf("base %v uncertain %v t %d", base, uncertain, threshold)
	}
}

// Of two preimages every differing bit is a tie, and the slot's own record decides.
func TestTiesGoToTheOwnRecord(t *testing.T) {
	d := table1()
	v, both := newVoter(d), []int32{0, 1}
	base := v.majority(both, 1)
	_, threshold := v.differences(base, both, v.items(both))
	if !slices.Equal(base, d.Tx(1)) || threshold != 2 {
		t.Errorf("base %v t %d, want the own record's %v and 2", base, threshold, d.Tx(1))
	}
}

// By l the base is the vote of the graph, and whatever differs from it in the slot's block is
// uncertain, counted item by item; voters need not be in the block.
func TestBlocksDoNotVote(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	for range 100 {
		n, l := 4+rng.IntN(20), 2
		d := randomSets(rng, n, 9, 0.4)
		s := structure{votes: Ring(toInt32(rng.Perm(n)), l)}
		order := toInt32(rng.Perm(n))
		s.blocks = [][]int32{order[:n/2], order[n/2:]}
		got, err := recode(t.Context(), d, s, 2)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := recode(t.Context(), d, structure{votes: s.votes}, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range s.blocks {
			for _, u := range block {
				differs, farthest := map[int32]bool{}, 0
				for _, v := range block {
					distance := 0
					for it := range int32(9) {
						if has(d.Tx(int(v)), it) != has(got.base[u], it) {
							differs[it] = true
							distance++
						}
					}
					farthest = max(farthest, distance)
				}
				if want := slices.Sorted(maps.Keys(differs)); !slices.Equal(
					got.uncertain[u], want,
				) || int(got.threshold[u]) != farthest {
					t.Fatalf(
						"slot %d: uncertain %v, threshold %d; want %v and %d", u, got.uncertain[u],
						got.threshold[u], want, farthest,
					)
				}
				if !slices.Equal(got.base[u], alone.base[u]) {
					t.Fatalf("slot %d: base %v, without blocks %v", u, got.base[u], alone.base[u])
				}
			}
		}
	}
}
