package itemset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/itemset"
)

// counted is a random count of sets at and above a random cut.
func counted(rng *rand.Rand, d *dataset.Dataset, t *hierarchy.Tree) itemset.Paths {
	parent := make([]int32, t.Nodes())
	for u := range parent {
		parent[u] = t.Parent(int32(u))
	}
	cut := hierarchy.BottomCut(t)
	for range rng.IntN(3) {
		cut.Lift(int32(rng.IntN(t.Nodes())))
	}
	p := itemset.Paths{
		Tree: itemset.NewTree(t.Leaves(), parent), To: cut.Map(), Size: 1 + rng.IntN(4),
		Data: itemset.Data{Len: d.Len(), Items: d.Dict().Len(), Tx: d.Tx},
	}
	above := map[int32]bool{}
	for _, u := range p.To {
		for ; u != t.Root() && !above[u]; u = t.Parent(u) {
			above[u] = true
			p.Order = append(p.Order, u)
		}
	}
	rng.Shuffle(len(p.Order), func(i, j int) { p.Order[i], p.Order[j] = p.Order[j], p.Order[i] })
	if rng.IntN(2) == 0 {
		p.With = p.Order[:rng.IntN(len(p.Order)+1)]
	}
	return p
}

// enumerated is the naive twin: the sets of unrelated nodes of each transaction one by one.
func enumerated(p itemset.Paths, d *dataset.Dataset, t *hierarchy.Tree) map[string]int32 {
	rank := map[int32]int32{}
	for r, u := range p.Order {
		rank[u] = int32(r)
	}
	out := map[string]int32{}
	for i := range d.Len() {
		var nodes []int32
		for _, leaf := range d.Tx(i) {
			for u := p.To[leaf]; u != t.Root(); u = t.Parent(u) {
				nodes = append(nodes, u)
			}
		}
		slices.Sort(nodes)
		brute.Sets(slices.Compact(nodes), p.Size, func(set []int32) {
			with := func(u int32) bool { return slices.Contains(p.With, u) }
			if len(p.With) > 0 && !slices.ContainsFunc(set, with) {
				return
			}
			if len(set) == p.Size && unrelated(t, set) {
				var ranks []int32
				for _, u := range set {
					ranks = append(ranks, rank[u])
				}
				slices.Sort(ranks)
				out[fmt.Sprint(ranks)]++
			}
		})
	}
	return out
}

func TestTallyCountsWhatEnumerationFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 9))
	for range 1500 {
		in := brute.Random(rng)
		p := counted(rng, in.Data, in.Tree)
		tally := itemset.NewTally(p)
		for range 2 { // the second time it has to be empty again
			want := enumerated(p, in.Data, in.Tree)
			for i := range in.Data.Len() {
				if err := tally.Add(in.Data.Tx(i)); err != nil {
					t.Fatal(err)
				}
			}
			var told []string
			look := func(ranks []int32, n int32) { told = append(told, fmt.Sprint(ranks, n)) }
			if err := p.Each(t.Context(), look); err != nil {
				t.Fatal(err)
			}
			var before []int32
			tally.Drain(func(ranks []int32, n int32) {
				ascend := before == nil || slices.Compare(before, ranks) < 0
				if want[fmt.Sprint(ranks)] != n || !ascend {
					t.Fatalf("%v after %v: %d, want %d", ranks, before, n, want[fmt.Sprint(ranks)])
				}
				if len(told) == 0 || fmt.Sprint(ranks, n) != told[0] {
					t.Fatalf("%v %d, by Paths %v", ranks, n, told)
				}
				before, told = slices.Clone(ranks), told[1:]
				delete(want, fmt.Sprint(ranks))
			})
			if len(want) > 0 || len(told) > 0 {
				t.Fatalf("sets were not counted: %v, %v", want, told)
			}
		}
	}
}

// Nodes without a rank are refused: the data are not those that were ranked.
func TestTallyRefusesWhatWasNotRanked(t *testing.T) {
	in := brute.Figure2()
	rng := rand.New(rand.NewPCG(1, 1))
	p := counted(rng, in.Data, in.Tree)
	for len(p.Order) == 0 {
		p = counted(rng, in.Data, in.Tree)
	}
	missing := p.Order[0]
	p.Order = p.Order[1:]
	tally := itemset.NewTally(p)
	faults := 0
	for i := range in.Data.Len() {
		has := false
		for _, leaf := range in.Data.Tx(i) {
			for u := p.To[leaf]; u != in.Tree.Root(); u = in.Tree.Parent(u) {
				has = has || u == missing
			}
		}
		if err := tally.Add(in.Data.Tx(i)); (err != nil) != has {
			t.Fatalf("transaction %d has it: %v, and the error is %v", i, has, err)
		}
		if has {
			faults++
		}
	}
	if faults == 0 {
		t.Fatal("node without a rank does not occur")
	}
}

// A table of more than 64 MB is not made.
func TestTallyIsBounded(t *testing.T) {
	n := 6000
	parent := slices.Repeat([]int32{int32(n)}, n+1)
	parent[n] = -1
	p := itemset.Paths{Tree: itemset.NewTree(n, parent), Size: 2}
	for u := range n {
		p.To, p.Order = append(p.To, int32(u)), append(p.Order, int32(u))
	}
	if itemset.NewTally(p) != nil {
		t.Fatal("18 million cells")
	}
	if p.Order = p.Order[:5000]; itemset.NewTally(p) == nil {
		t.Fatal("12 million cells are not to be had")
	}
	if p.Size = 1; itemset.NewTally(p).Cells() != 5000 {
		t.Fatal("the cells of single nodes")
	}
}
