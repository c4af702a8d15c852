package core

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/privacy"
)

// lossAs is the loss of transactions that publish a set of nodes, -1 if they cannot: every item has
// a node above it, and every node an item at it in each transaction.
func (s *state) lossAs(txs []int32, labels []int32) int64 {
	loss := int64(0)
	for _, t := range txs {
		used := map[int32]bool{}
		for _, x := range s.tx(t) {
			u := x
			for u >= 0 && !slices.Contains(labels, u) {
				u = s.tree.Parent(u)
			}
			if u < 0 {
				return -1
			}
			used[u] = true
			loss += s.penalty[u] * int64(s.weight(t))
		}
		if len(used) != len(labels) {
			return -1
		}
	}
	return loss
}

// What a group publishes can be published by all of it, loses what it says, and is mostly the best
// there is by trying all sets of nodes.
func TestLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	best, all := 0, 0
	for range 1500 {
		in := brute.Random(rng)
		in.Promise = privacy.KM{K: 2, M: 1}
		if in.Tree.Nodes() > 11 {
			continue
		}
		s := newState(in)
		var txs []int32
		for i := range int32(s.merged.Len()) {
			if len(s.tx(i)) > 0 && len(txs) < 1+rng.IntN(5) {
				txs = append(txs, i)
			}
		}
		if len(txs) == 0 {
			continue
		}
		g := s.form(s.labeller(), txs)
		if got := s.lossAs(txs, g.labels); got != g.loss {
			t.Fatalf("the labels %v lose %d, not %d: %v", g.labels, got, g.loss, s.merged)
		}
		least := int64(-1)
		for set := 1; set < 1<<in.Tree.Nodes(); set++ {
			var labels []int32
			for u := range int32(in.Tree.Nodes()) {
				if set>>u&1 == 1 {
					labels = append(labels, u)
				}
			}
			if got := s.lossAs(txs, labels); got >= 0 && (least < 0 || got < least) {
				least = got
			}
		}
		if least > g.loss {
			t.Fatalf("less than the least is lost: %d, %d", g.loss, least)
		}
		if all++; least == g.loss {
			best++
		}
	}
	t.Logf("%d of %d are the best", best, all)
	if best*10 < all*9 {
		t.Error("less than nine tenths of the groups publish the best set")
	}
}

// The core is the largest set of transactions in which every set of at most m items of one is in k:
// taking away whoever has a rare one, until nobody has, leaves the same.
func TestPeel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for range 1500 {
		in := brute.Random(rng)
		s := newState(in)
		if err := s.peel(t.Context()); err != nil {
			t.Fatal(err)
		}
		in2 := slices.Repeat([]bool{true}, in.Data.Len())
		for again := true; again; {
			again = false
			for i := range in.Data.Len() {
				if in2[i] && !frequentIn(in.Data, in2, i, in.Promise) {
					in2[i], again = false, true
				}
			}
		}
		for i, want := range in2 {
			if got := s.of[s.merged.Of[i]] == inCore; got != want {
				t.Fatalf("%v: transaction %d is in the core: %v, want %v\n%v", in.Promise, i, got,
					want, in.Data)
			}
		}
	}
}

func frequentIn(d *dataset.Dataset, in []bool, i int, p privacy.KM) bool {
	ok := true
	brute.Sets(d.Tx(i), p.M, func(set []int32) {
		n := 0
		for j := range d.Len() {
			has := in[j]
			for _, x := range set {
				has = has && slices.Contains(d.Tx(j), x)
			}
			if has {
				n++
			}
		}
		ok = ok && (len(set) == 0 || n >= p.K)
	})
	return ok
}
