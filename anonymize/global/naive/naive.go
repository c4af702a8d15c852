// Package naive counts data as they would be counted elsewhere, plainly, for tests of what asks for
// such counts.
package naive

import (
	"context"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/internal/itemset"
)

// Counts counts the data of an input in parts, and adds up. It implements what package cluster does
// for data that lie on many machines.
type Counts struct {
	In    anonymize.Input
	Parts int
	Jobs  *int // how many counts there were
}

// Part implements global.Counts.
func (c Counts) Part(r global.Region) global.Counts {
	to := make([]int32, c.In.Tree.Leaves())
	for leaf := range to {
		to[leaf] = -1
		if r.From <= int32(leaf) && int32(leaf) < r.To {
			to[leaf] = int32(leaf)
		}
	}
	c.In.Data = c.In.Data.Recode(c.In.Data.Dict(), to)
	return c
}

func (c Counts) job() {
	if c.Jobs != nil {
		*c.Jobs++
	}
}

// Supports implements global.Counts.
func (c Counts) Supports(context.Context) (global.Supports, error) {
	c.job()
	d, t := c.In.Data, c.In.Tree
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

// Distinct implements exact.Counts.
func (c Counts) Distinct(context.Context) (int, error) {
	c.job()
	return dataset.Merge(c.In.Data).Occurrences(), nil
}

// Rare implements global.Counts.
func (c Counts) Rare(ctx context.Context, w global.Walked) (global.RareSets, error) {
	c.job()
	t, sum := c.In.Tree, map[string]*rareSet{}
	parent := make([]int32, t.Nodes())
	for u := range parent {
		parent[u] = t.Parent(int32(u))
	}
	for part := range c.Parts {
		var own []int32
		for i := part; i < c.In.Data.Len(); i += c.Parts {
			own = append(own, int32(i))
		}
		p := itemset.Paths{
			Data: anonymize.Rows(dataset.Merge(c.In.Data.Select(own))),
			Tree: itemset.NewTree(t.Leaves(), parent), To: w.Cut, Order: w.Order, Size: w.Size,
		}
		var last []int32
		err := p.Each(ctx, func(ranks []int32, support int32) {
			if last != nil && slices.Compare(last, ranks) >= 0 {
				panic("the order is wrong")
			}
			last = slices.Clone(ranks)
			id := fmt.Sprint(ranks)
			if sum[id] == nil {
				sum[id] = &rareSet{ranks: last}
			}
			sum[id].support += int(support)
		})
		if err != nil {
			return nil, err
		}
	}
	var out rareSets
	for _, s := range sum {
		if s.support < w.K {
			out = append(out, *s)
		}
	}
	slices.SortFunc(out, func(a, b rareSet) int { return slices.Compare(a.ranks, b.ranks) })
	return out, nil
}

type rareSet struct {
	ranks   []int32
	support int
}

type rareSets []rareSet

// Each implements global.RareSets.
func (r rareSets) Each(do func([]int32) bool) error {
	for _, s := range r {
		if !do(s.ranks) {
			break
		}
	}
	return nil
}

// Support implements global.RareSets.
func (r rareSets) Support(ranks []int32) (int, error) {
	i, has := slices.BinarySearchFunc(r, ranks, func(s rareSet, ranks []int32) int {
		return slices.Compare(s.ranks, ranks)
	})
	if !has {
		return 0, nil
	}
	return r[i].support, nil
}

// Close implements global.RareSets.
func (r rareSets) Close() error { return nil }
