package global_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/brute"
	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/internal/itemset"
	"mingle/privacy"
)

// counted counts naively what CutOf asks for, in parts of the data.
type counted struct {
	in    anonymize.Input
	parts int
}

func (c counted) Supports(context.Context) (global.Supports, error) {
	d, t := c.in.Data, c.in.Tree
	s := global.Supports{
		Transactions: d.Len(), Longest: d.MaxLen(), Nodes: make([]int, t.Nodes()),
		Leaves: d.Supports(),
	}
	for _, tx := range d.All() {
		has := map[int32]bool{}
		for _, leaf := range tx {
			for _, u := range t.Path(leaf) {
				has[u] = true
			}
		}
		for u := range has {
			s.Nodes[u]++
		}
	}
	return s, nil
}

func (c counted) Rare(ctx context.Context, w global.Walked) (global.RareSets, error) {
	t, sum := c.in.Tree, map[string]int{}
	sets := map[string][]int32{}
	parent := make([]int32, t.Nodes())
	for u := range parent {
		parent[u] = t.Parent(int32(u))
	}
	for part := range c.parts {
		var own []int32
		for i := part; i < c.in.Data.Len(); i += c.parts {
			own = append(own, int32(i))
		}
		p := itemset.Paths{
			Data: anonymize.Rows(dataset.Merge(c.in.Data.Select(own))),
			Tree: itemset.NewTree(t.Leaves(), parent), To: w.Cut, Order: w.Order, Size: w.Size,
		}
		var last []int32
		err := p.Each(ctx, func(ranks []int32, support int32) {
			if last != nil && slices.Compare(last, ranks) >= 0 {
				panic("the order is wrong")
			}
			last = slices.Clone(ranks)
			sum[fmt.Sprint(ranks)] += int(support)
			sets[fmt.Sprint(ranks)] = last
		})
		if err != nil {
			return nil, err
		}
	}
	var out rareList
	for id, n := range sum {
		if n < w.K {
			out = append(out, sets[id])
		}
	}
	slices.SortFunc(out, slices.Compare)
	return out, nil
}

type rareList [][]int32

func (r rareList) Each(do func([]int32) bool) error {
	for _, s := range r {
		if !do(s) {
			break
		}
	}
	return nil
}

func (r rareList) Has(s []int32) (bool, error) {
	_, has := slices.BinarySearchFunc(r, s, slices.Compare)
	return has, nil
}

func (r rareList) Close() error { return nil }

// The cut of counts made elsewhere is the cut of aa, and where there is none both say why.
func TestCutOfCountsIsThatOfAA(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 23))
	for range 1500 {
		in := brute.Random(rng)
		in.Promise = privacy.KM{K: 2 + rng.IntN(4), M: 1 + rng.IntN(4)}
		want, wrong := global.AA{}.Anonymize(t.Context(), in)
		cut, err := global.CutOf(t.Context(), in.Tree, in.Promise,
			counted{in, 1 + rng.IntN(3)}, nil)
		if wrong != nil || err != nil {
			if fmt.Sprint(wrong) != fmt.Sprint(err) {
				t.Fatalf("aa says %v, the counts %v", wrong, err)
			}
			continue
		}
		if !slices.Equal(want.Map, cut.Map()) {
			t.Fatalf("aa has the cut %v, the counts %v", want.Map, cut.Map())
		}
	}
}
