package local

import (
	"slices"

	"mingle/dataset"
)

// diversity is what l^m-diversity needs to know.
//
// Somebody who knows some items of a person matches the lines that publish each of them or a node
// above it. In each of these lines one topmost node, one that stands below no other of its line, is
// above each of the items. So the lines that match are a disjoint union over sets of topmost nodes,
// and where a sensitive item is in at most 1/l of the lines of each, it is in at most 1/l of the
// union. So two kinds of sets of at most m nodes are looked at: those that lines publish, and those
// that are topmost in a line, with the lines that they are topmost in.
type diversity struct {
	l   int64
	by  [][]int32 // sensitive item: the transactions that have it, ascending
	has []bool    // by transaction: it has a sensitive item

	sensitive *dataset.Dataset
}

func newDiversity(l int, sensitive *dataset.Dataset) *diversity {
	d := &diversity{
		l: int64(l), by: make([][]int32, sensitive.Dict().Len()),
		has:       make([]bool, sensitive.Len()),
		sensitive: sensitive,
	}
	for i := range sensitive.Len() {
		for _, x := range sensitive.Tx(i) {
			d.by[x] = append(d.by[x], int32(i))
			d.has[i] = true
		}
	}
	return d
}

// noDiversity is that of so many transactions without sensitive items.
func noDiversity(transactions int) *diversity {
	return &diversity{has: make([]bool, transactions)}
}

// breach is a set of nodes beside which a sensitive item is in more than 1/l of the transactions.
type breach struct {
	nodes   []int32
	topmost bool    // they are topmost in the transactions that are counted
	rows    []int32 // the transactions with the set and the sensitive item, ascending
	excess  int64   // how many of these, by weight, have to publish something else
	missing int64   // or how many others have to publish the set
}

// region is where a release may have changed: what is published at or below top, or as to. What is
// topmost may have changed below to.
type region struct{ to, top int32 }

// touches tells whether a set with the node may have changed.
func (s *state) touches(r region, v int32, topmost bool) bool {
	return s.tree.Covers(r.top, v) || v == r.to || topmost && s.tree.Covers(r.to, v)
}

// touchedBy tells whether a breach may have changed.
func (s *state) touchedBy(r region, b breach) bool {
	return slices.ContainsFunc(b.nodes, func(v int32) bool { return s.touches(r, v, b.topmost) })
}

// finder looks for breaches in a state.
type finder struct {
	*state
	*diversity
	region  region
	topmost bool // these sets are looked at now

	rows   []int32   // transactions with one sensitive item
	sets   [][]int32 // by place in rows: what they publish, nodes of the region first
	within []int     // by place in rows: how many nodes of the set are in the region
	prefix []int32
	counts []map[int32]int64 // by size of the prefix
	found  []breach
}

func newFinder(s *state, d *diversity) *finder {
	f := &finder{state: s, diversity: d, counts: make([]map[int32]int64, s.m)}
	for i := range f.counts {
		f.counts[i] = map[int32]int64{}
	}
	return f
}

// all lists all breaches.
func (f *finder) all() []breach {
	return f.in(region{f.tree.Root(), f.tree.Root()})
}

// in lists the breaches of sets with a node of a region.
func (f *finder) in(r region) []breach {
	f.region, f.found = r, nil
	for _, with := range f.by {
		for _, f.topmost = range []bool{false, true} {
			f.load(with)
			f.extend(nil)
		}
	}
	return f.found
}

// load takes what transactions publish.
func (f *finder) load(with []int32) {
	f.sets, f.within, f.rows = f.sets[:0], f.within[:0], f.rows[:0]
	for _, i := range with {
		var within, without []int32
		for _, v := range f.published(i) {
			switch {
			case f.topmost && !f.isTopmost(i, v):
			case f.touches(f.region, v, f.topmost):
				within = append(within, v)
			default:
				without = append(without, v)
			}
		}
		if len(within) > 0 {
			f.rows, f.within = append(f.rows, i), append(f.within, len(within))
			f.sets = append(f.sets, append(within, without...))
		}
	}
	f.work += int64(len(with))
}

// isTopmost tells whether a transaction that publishes a node publishes none above it.
func (s *state) isTopmost(i, v int32) bool {
	for a := s.tree.Parent(v); a >= 0; a = s.tree.Parent(a) {
		if s.publishes(i, a) {
			return false
		}
	}
	return true
}

// holder is a transaction that publishes the prefix, and where in its set what follows begins.
type holder struct{ row, next int }

// extend looks at the sets that have one node more than the prefix, and at those beyond. Sets of
// transactions with the sensitive item that are too few to break the promise are left out, with
// all that contain them.
func (f *finder) extend(holders []holder) {
	size := len(f.prefix)
	counts := f.counts[size]
	clear(counts)
	f.each(holders, func(row, at int) {
		counts[f.sets[row][at]] += int64(f.merged.Weights[f.rows[row]])
		f.work++
	})
	least := int64(f.k)
	if f.topmost {
		least = 1
	}
	next := map[int32][]holder{}
	var nodes []int32
	for v, n := range counts {
		if n*f.l > least {
			nodes = append(nodes, v)
			next[v] = nil
		}
	}
	slices.Sort(nodes)
	f.each(holders, func(row, at int) {
		if list, is := next[f.sets[row][at]]; is {
			next[f.sets[row][at]] = append(list, holder{row, at + 1})
		}
	})
	for _, v := range nodes {
		f.prefix = append(f.prefix, v)
		f.judge(next[v])
		if len(f.prefix) < f.m {
			f.extend(next[v])
		}
		f.prefix = f.prefix[:size]
	}
}

// each calls do with the places of the nodes that may follow the prefix.
func (f *finder) each(holders []holder, do func(row, at int)) {
	if len(f.prefix) == 0 {
		for row, n := range f.within {
			for at := range n {
				do(row, at)
			}
		}
		return
	}
	for _, h := range holders {
		for at := h.next; at < len(f.sets[h.row]); at++ {
			do(h.row, at)
		}
	}
}

// judge notes a breach if the prefix is one; holders are the transactions with the sensitive item.
func (f *finder) judge(holders []holder) {
	with := int64(0)
	for _, h := range holders {
		with += int64(f.merged.Weights[f.rows[h.row]])
	}
	all := f.support(with * f.l)
	if all >= with*f.l {
		return
	}
	b := breach{nodes: slices.Clone(f.prefix), topmost: f.topmost, missing: with*f.l - all}
	b.excess = (b.missing + f.l - 2) / (f.l - 1)
	for _, h := range holders {
		b.rows = append(b.rows, f.rows[h.row])
	}
	f.found = append(f.found, b)
}

// support counts the transactions that have the prefix, up to a number.
func (f *finder) support(most int64) int64 {
	few := f.who[f.prefix[0]]
	for _, v := range f.prefix[1:] {
		if len(f.who[v]) < len(few) {
			few = f.who[v]
		}
	}
	all := int64(0)
	for _, i := range few {
		f.work++
		if f.holds(i, f.prefix, f.topmost) {
			if all += int64(f.merged.Weights[i]); all >= most {
				break
			}
		}
	}
	return all
}

// holds tells whether a transaction publishes a set, as topmost nodes or at all.
func (s *state) holds(i int32, set []int32, topmost bool) bool {
	for _, v := range set {
		if !s.publishes(i, v) || topmost && !s.isTopmost(i, v) {
			return false
		}
	}
	return true
}
