package local

import (
	"iter"
	"maps"
	"math"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// state is a local recoding that keeps the promise, between two steps.
type state struct {
	tree   *hierarchy.Tree
	merged *dataset.Merged
	k, m   int
	known  int        // items of a person that may be known: more than m where lines are short
	lines  []int32    // by transaction: how many of the original it stands for
	div    *diversity // nil: none asked

	at []uint16 // by occurrence: the depth of the node it is published as
	// published sets, ascending, laid out as the items are: a set is never larger than its
	// transaction
	pub []int32
	txs []transaction
	who [][]int32
	// who[u] are the transactions that publish u, in no particular order but the same in every run;
	// ascending where persons are counted, so that those of a person follow each other, and while
	// faults are looked for

	refused *refusals // nil: nothing is
	restrictions

	loss  int64 // NCP(D) times |I| times all occurrences
	work  int64 // in units of about 10 ns
	limit int64 // of the work, after which no step is begun
	index *index
}

// transaction is what is asked of a merged transaction again and again, side by side.
type transaction struct {
	from, end int32 // where its items are among all
	len       int32 // how many nodes it publishes
	weight    int32 // see weight
}

// restrictions are on who may take which node, so that what failed does not fail again (see mend).
type restrictions struct {
	// by node: only transactions that publish nothing at its parent then may take it; nil: none is
	whole  []bool
	closed []bool       // by node: no transaction may take it; nil: none is
	bars   map[bar]bool // who may not take what; nil: nobody is barred
	had    map[bar]bool // who alone may take what; nil: everybody may
}

// clone are the same on any of so many nodes, to be added to.
func (r restrictions) clone(nodes int) restrictions {
	r.bars = maps.Clone(r.bars)
	if r.bars == nil {
		r.bars = map[bar]bool{}
		r.whole, r.closed = make([]bool, nodes), make([]bool, nodes)
	}
	r.whole, r.closed = slices.Clone(r.whole), slices.Clone(r.closed)
	return r
}

// keepWhole lets transactions take a node only that publish nothing at its parent then; the second
// time it lets none.
func (r *restrictions) keepWhole(b int32) {
	r.whole[b], r.closed[b] = true, r.whole[b]
}

func newState(in anonymize.Input, merged *dataset.Merged, div *diversity, x *index) *state {
	s := &state{
		index: x, tree: in.Tree, merged: merged, div: div, lines: linesOf(merged),
		k: in.Promise.K, m: in.MostAtOnce(), known: in.Promise.M,
		at:    make([]uint16, merged.Occurrences()),
		pub:   make([]int32, merged.Occurrences()),
		txs:   make([]transaction, merged.Len()),
		who:   make([][]int32, in.Tree.Nodes()),
		limit: math.MaxInt64,
	}
	for i := range int32(merged.Len()) {
		s.txs[i] = transaction{x.from[i], x.from[i+1], 0, s.weight(i)}
	}
	return s
}

// clone is the same, to be changed for itself.
func (s *state) clone() *state {
	c := *s
	c.div = s.div.clone() // its working space is of one goroutine
	c.at, c.pub, c.txs = slices.Clone(s.at), slices.Clone(s.pub), slices.Clone(s.txs)
	c.who = make([][]int32, len(s.who))
	for u, txs := range s.who {
		c.who[u] = slices.Clone(txs)
	}
	return &c
}

// begin publishes every transaction that has an item as one node.
func (s *state) begin(root int32) {
	for j := range s.at {
		s.at[j] = s.depthOf(root)
	}
	for i := range int32(s.merged.Len()) {
		if len(s.merged.Tx(int(i))) > 0 {
			s.publish(i, []int32{root})
			s.who[root] = append(s.who[root], i)
			s.loss += s.tree.Penalty(root) * int64(len(s.merged.Tx(int(i)))) * int64(s.lines[i])
		}
	}
}

// published is the set that transaction i publishes.
func (s *state) published(i int32) []int32 {
	t := &s.txs[i]
	return s.pub[t.from : t.from+t.len]
}

// fetched is how many published sets are fetched at once.
const fetched = 32

// sideBySide goes through some things after fetching what is asked of them: what a few need comes
// from memory side by side. A loop over the nodes of their published sets would wait for one set
// after the other, since it cannot foresee where each ends.
func sideBySide[E any](all []E, fetch func(some []E) int32) iter.Seq[E] {
	return func(yield func(E) bool) {
		for some := range slices.Chunk(all, fetched) {
			fetch(some)
			for _, e := range some {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// fetch looks at the published sets of some transactions. The sum keeps the compiler from leaving
// it out.
//
//go:noinline
func (s *state) fetch(some []int32) (sum int32) {
	for _, i := range some {
		t := &s.txs[i]
		sum += s.pub[t.from] + s.pub[t.from+t.len-1]
	}
	return sum
}

// spot is an item of a transaction, by its place among all.
type spot struct{ tx, place int32 }

// spots goes side by side through those that are asked for of the occurrences of a leaf.
func (s *state) spots(leaf int32, asked func(o spot) bool) iter.Seq[spot] {
	return func(yield func(spot) bool) {
		places := s.index.places(leaf)
		some := make([]spot, 0, fetched)
		for n, i := range s.index.have(leaf) {
			if o := (spot{i, places[n]}); asked(o) {
				some = append(some, o)
			}
			if len(some) < fetched && n < len(places)-1 {
				continue
			}
			for o := range sideBySide(some, s.fetchAt) {
				if !yield(o) {
					return
				}
			}
			some = some[:0]
		}
	}
}

// fetchAt is fetch for what transactions publish and the items that they have at some places.
//
//go:noinline
func (s *state) fetchAt(some []spot) (sum int32) {
	for _, o := range some {
		sum += s.pub[s.txs[o.tx].from] + s.index.items[o.place]
	}
	return sum
}

// publish replaces the set that transaction i publishes.
func (s *state) publish(i int32, set []int32) {
	t := &s.txs[i]
	t.len = int32(copy(s.pub[t.from:t.end], set))
}

// include publishes a node besides what transaction i publishes.
func (s *state) include(i, v int32) {
	t := &s.txs[i]
	set := s.pub[t.from:t.end]
	at := t.len
	t.len++
	for ; at > 0 && set[at-1] > v; at-- {
		set[at] = set[at-1]
	}
	set[at] = v
}

// exclude publishes u no longer in transaction i.
func (s *state) exclude(i, u int32) {
	set := s.published(i)
	at := len(set) - 1
	for carry := set[at]; carry != u; {
		at--
		set[at], carry = carry, set[at]
	}
	s.txs[i].len--
}

// publishes tells whether transaction i publishes u.
func (s *state) publishes(i, u int32) bool {
	_, is := slices.BinarySearch(s.published(i), u)
	return is
}

// depthOf is that of a node. Trees are no deeper than [hierarchy.MaxHeight].
func (s *state) depthOf(u int32) uint16 { return uint16(s.tree.Depth(u)) }

// nodeAt is what the occurrence of an item at a place is published as.
func (s *state) nodeAt(item int32, at uint16) int32 { return s.tree.Above(item, int(at)) }

// below are the items of transaction i that are below u, and how deep the nodes are that they are
// published as: u itself, where that is the depth of u.
func (s *state) below(i, u int32) (items []int32, at []uint16) {
	from, to := s.placesBelow(i, u)
	return s.index.items[from:to], s.at[from:to]
}

// placesBelow is where the items of transaction i that are below u are, among all.
func (s *state) placesBelow(i, u int32) (from, to int32) {
	lo, hi := s.tree.Range(u)
	from, to = s.txs[i].from, s.txs[i].end
	end := to
	for to-from > 8 {
		if half := int32(uint32(from+to) / 2); s.index.items[half] < lo {
			from = half + 1
		} else {
			to = half
		}
	}
	for from < to && s.index.items[from] < lo {
		from++
	}
	for to = from; to < end && s.index.items[to] < hi; to++ {
	}
	return from, to
}

// specialisation is to a node below a node u whose items, in some transaction, are published as u.
type specialisation struct {
	node  int32
	child int32 // which of the nodes asked about it is
	items int32 // how many
	place int32 // of the first of them, among all items
	at    int32 // the place of the row in the counter of the node
	spec  bool  // they are published as the node now
}

// open appends those of the nodes below u, given from left to right, that have items which
// transaction i publishes as u, with their number, ascending; others tells whether it publishes
// further items as u.
func (s *state) open(
	i, u int32, nodes []int32, out []specialisation,
) (opened []specialisation, others bool) {
	from, to := s.placesBelow(i, u)
	first, c, at := len(out), 0, s.depthOf(u)
	for j := from; j < to; j++ {
		leaf := s.index.items[j]
		if s.at[j] != at {
			continue
		}
		if c < len(nodes) && s.ends(nodes[c]) <= leaf {
			c = s.tree.Seek(nodes, c, leaf)
		}
		switch {
		case c == len(nodes) || !s.tree.Covers(nodes[c], leaf):
			others = true
		case len(out) > first && out[len(out)-1].node == nodes[c]:
			out[len(out)-1].items++
		default:
			out = append(out, specialisation{
				node: nodes[c], child: int32(c), items: 1, place: j, spec: true,
			})
		}
	}
	ascend(out[first:])
	return out, others
}

// ascend sorts specialisations by their nodes, as published sets are. From left to right they are
// in another order only where items stand beside groups: items have the lower numbers.
func ascend(all []specialisation) {
	for j := 1; j < len(all); j++ {
		if all[j].node < all[j-1].node {
			slices.SortFunc(all, func(a, b specialisation) int { return int(a.node - b.node) })
			return
		}
	}
}

// ends is the leaf after the last below a node.
func (s *state) ends(u int32) int32 {
	_, hi := s.tree.Range(u)
	return hi
}

// items is how many items below c transaction i publishes as u.
func (s *state) items(i, u, c int32) int32 {
	n, depth := int32(0), s.depthOf(u)
	_, at := s.below(i, c)
	for _, d := range at {
		if d == depth {
			n++
		}
	}
	return n
}

func (s *state) release(in anonymize.Input) *release.Generalized {
	nodes := make([]int32, 0, in.Data.Occurrences())
	for _, of := range s.merged.Of {
		at := s.at[s.merged.Start(int(of)):]
		for j, item := range s.merged.Tx(int(of)) {
			nodes = append(nodes, s.nodeAt(item, at[j]))
		}
	}
	return release.Local(in.Tree, in.Data, nodes)
}
