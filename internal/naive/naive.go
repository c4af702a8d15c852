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
	if c.In.Persons != nil {
		s.Persons = c.In.PersonsWith(func(int) bool { return true })
	}
	met := map[[2]int32]bool{} // persons and nodes
	for i, tx := range d.All() {
		has := map[int32]bool{}
		for _, leaf := range tx {
			for _, u := range t.Path(leaf) {
				has[u] = true
			}
		}
		for u := range has {
			if c.In.Persons != nil {
				one := [2]int32{c.In.Persons[i], u}
				if one[0] < 0 || met[one] {
					continue
				}
				met[one] = true
			}
			s.Nodes[u]++
		}
	}
	if c.In.Sensitive == nil {
		return s, nil
	}
	s.Sensitive = make([]global.Sensitive, c.In.Sensitive.Dict().Len())
	for i, label := range c.In.Sensitive.Dict().Labels() {
		s.Sensitive[i].Item = label
	}
	for i, tx := range c.In.Sensitive.All() {
		for _, x := range tx {
			s.Sensitive[x].All++
			if len(d.Tx(i)) > 0 {
				s.Sensitive[x].Filled++
			}
		}
	}
	return s, nil
}

// Distinct implements exact.Counts.
func (c Counts) Distinct(context.Context) (int, error) {
	c.job()
	return c.merged(c.In.Data, c.In.Persons).Occurrences(), nil
}

// merged is some transactions merged as far as that leaves their supports as they are.
func (c Counts) merged(d *dataset.Dataset, persons []int32) *dataset.Merged {
	if persons == nil {
		return dataset.Merge(d)
	}
	return dataset.MergeUnits(d, persons)
}

// Rare implements global.Counts.
func (c Counts) Rare(ctx context.Context, w global.Walked) (global.RareSets, error) {
	c.job()
	sum := map[string]*rareSet{}
	for part := range c.Parts {
		for _, own := range c.part(part, w.L > 0) {
			if err := c.count(ctx, w, own, sum); err != nil {
				return nil, err
			}
		}
	}
	var out rareSets
	for _, s := range sum {
		if len(w.With) > 0 && !slices.ContainsFunc(s.ranks, func(r int32) bool {
			return slices.Contains(w.With, w.Order[r])
		}) {
			continue
		}
		told := false
		for _, n := range s.with {
			told = told || n*w.L > s.support
		}
		if s.support < w.K || told {
			out = append(out, *s)
		}
	}
	slices.SortFunc(out, func(a, b rareSet) int { return slices.Compare(a.ranks, b.ranks) })
	return out, nil
}

// with is some transactions that have a sensitive item; -1: any, or none.
type with struct {
	sensitive int32
	txs       []int32
}

// part is the transactions of a part, and those with each sensitive item. Those of a person are in
// one part.
func (c Counts) part(part int, sensitive bool) []with {
	out := []with{{sensitive: -1}}
	if sensitive {
		for x := range c.In.Sensitive.Dict().Len() {
			out = append(out, with{sensitive: int32(x)})
		}
	}
	for i := range c.In.Data.Len() {
		of := i
		if c.In.Persons != nil && c.In.Persons[i] >= 0 {
			of = int(c.In.Persons[i])
		}
		if of%c.Parts != part {
			continue
		}
		out[0].txs = append(out[0].txs, int32(i))
		if !sensitive {
			continue
		}
		for _, x := range c.In.Sensitive.Tx(i) {
			out[x+1].txs = append(out[x+1].txs, int32(i))
		}
	}
	return out
}

// count adds the counts of some transactions.
func (c Counts) count(
	ctx context.Context, w global.Walked, own with, sum map[string]*rareSet,
) error {
	t := c.In.Tree
	parent := make([]int32, t.Nodes())
	for u := range parent {
		parent[u] = t.Parent(int32(u))
	}
	p := itemset.Paths{
		Data: anonymize.Rows(c.merged(c.In.Data.Select(own.txs),
			anonymize.PersonsOf(c.In.Persons, own.txs))),
		Tree: itemset.NewTree(t.Leaves(), parent), To: w.Cut, Order: w.Order, Size: w.Size,
	}
	var last []int32
	return p.Each(ctx, func(ranks []int32, support int32) {
		if last != nil && slices.Compare(last, ranks) >= 0 {
			panic("the order is wrong")
		}
		last = slices.Clone(ranks)
		id := fmt.Sprint(ranks)
		if sum[id] == nil {
			sum[id] = &rareSet{ranks: last, with: map[int32]int{}}
		}
		if own.sensitive < 0 {
			sum[id].support += int(support)
		} else {
			sum[id].with[own.sensitive] += int(support)
		}
	})
}

type rareSet struct {
	ranks   []int32
	support int
	with    map[int32]int // by sensitive item
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
		return -1, nil
	}
	return r[i].support, nil
}

// Close implements global.RareSets.
func (r rareSets) Close() error { return nil }
