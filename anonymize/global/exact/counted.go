package exact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/hierarchy"
	"mingle/internal/itemset"
	"mingle/privacy"
	"mingle/release"
)

// The optimum of data that lie elsewhere and are counted there.
//
// A search asks for the rare itemsets at a cut of the smallest size that has any, and lifts them.
// The sets of that size at and above the cut that are rare tell both: where all sets of fewer nodes
// are frequent at the cut, they are above it, and a lifted set is rare exactly if it is among those
// that were counted. So each round is one count a size, of what occurs at and above its cut. Where
// a cut is below one that was counted, only the sets with a new node are: the others stay as they
// were. A cut that is nowhere below needs no count.

// Counts is data that are counted elsewhere.
type Counts interface {
	global.Counts
	// Distinct is how many items the distinct transactions have.
	Distinct(ctx context.Context) (occurrences int, err error)
}

// CutOf finds the cut that Algorithm finds for the same data, and its bound. With m of 3 or more,
// and thousands of nodes at a cut, clauses may be found in another order: then the loss and the
// bound are the same, and of several optimal cuts it may be another one.
func CutOf(
	ctx context.Context, t *hierarchy.Tree, p privacy.KM, c Counts,
	progress func(anonymize.Progress),
) (*hierarchy.Cut, *release.Bound, error) {
	supports, err := c.Supports(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := supports.Check(t, p); err != nil {
		return nil, nil, err
	}
	data := newCounted(t, p, c, supports)
	s := &search{
		data: data, tree: t, k: p.K,
		m:    min(p.M, max(1, supports.Longest)),
		loss: anonymize.LossesOf(t, supports.Leaves),
		report: func(stage string, done, total int64) {
			if progress != nil {
				progress(anonymize.Progress{Stage: stage, Done: done, Total: total})
			}
		},
	}
	for _, n := range supports.Leaves {
		s.items += n
	}
	if err := errors.Join(s.begin().run(ctx), data.close()); err != nil {
		return nil, nil, err
	}
	of := s.cut(s.best, 0)
	cut, err := hierarchy.NewCut(t, slices.Compact(slices.Clone(of)))
	if err == nil && p.BeyondSupports() {
		cut, err = supports.Hide(ctx, t, p, c, cut, progress)
	}
	if err != nil {
		return nil, nil, err
	}
	return cut, s.bound(s.costOf(cut.Map())), nil
}

// counted is data that are counted elsewhere, as a source.
type counted struct {
	Counts
	tree       *hierarchy.Tree
	shape      *itemset.Tree
	supports   global.Supports
	occurs     []bool // by node
	m, k       int
	limit      func(nodes int) int
	above      map[int]*counting // by size: what was counted
	last       *counting         // of the sets that were listed last; nil: single nodes
	rankOfView []int32
}

// counting is the sets of one size at and above a cut that are rare.
type counting struct {
	cut    []int32 // the lowest that was counted, by leaf
	since  []int32 // by node: the count, by place, since which it is counted; -1: none
	counts []one
}

// one is a count: the rare sets with a node that was not counted before.
type one struct {
	order, rank []int32
	sets        global.RareSets
}

func newCounted(t *hierarchy.Tree, p privacy.KM, c Counts, s global.Supports) *counted {
	parent := make([]int32, t.Nodes())
	for u := range parent {
		parent[u] = t.Parent(int32(u))
	}
	return &counted{
		Counts: c, tree: t, shape: itemset.NewTree(t.Leaves(), parent), supports: s,
		occurs: s.Occur(t),
		m:      min(p.M, max(1, s.Longest)), k: p.K, limit: rareLimit, above: map[int]*counting{},
		rankOfView: make([]int32, t.Nodes()),
	}
}

// close gives back what the sets that were counted take.
func (c *counted) close() error {
	var err error
	for _, n := range c.above {
		for _, own := range n.counts {
			err = errors.Join(err, own.sets.Close())
		}
	}
	return err
}

// occurrences implements source.
func (c *counted) occurrences(ctx context.Context) (int, error) { return c.Distinct(ctx) }

// rare implements source.
func (c *counted) rare(ctx context.Context, cut []int32) (*itemset.Rare, error) {
	nodes := c.view(cut)
	rare := &itemset.Rare{Size: 1}
	for _, u := range nodes {
		if c.supports.Nodes[u] < c.k {
			rare.Sets = append(rare.Sets, u)
		}
	}
	c.last = nil
	for size := 2; size <= c.m && rare.Len() == 0; size++ {
		var err error
		if c.last, err = c.count(ctx, size, cut); err != nil {
			return nil, err
		}
		if rare, err = c.list(ctx, c.last, size, nodes); err != nil {
			return nil, err
		}
	}
	return rare, nil
}

// view is the nodes of a cut that occur in the order of itemset.View.
func (c *counted) view(cut []int32) []int32 {
	nodes := slices.DeleteFunc(slices.Compact(slices.Clone(cut)), func(u int32) bool {
		return !c.occurs[u]
	})
	slices.SortFunc(nodes, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.supports.Nodes[a], c.supports.Nodes[b]), cmp.Compare(a, b))
	})
	return nodes
}

// count counts the sets of a size at and above a cut, as far as they were not. Where both the cut
// and the lowest so far are lower somewhere it counts below both, for a search soon returns to
// where it was.
func (c *counted) count(ctx context.Context, size int, cut []int32) (*counting, error) {
	n := c.above[size]
	if n == nil {
		n = &counting{cut: slices.Clone(cut), since: slices.Repeat([]int32{-1}, c.tree.Nodes())}
		c.above[size] = n
	}
	fresh := c.lower(n, cut)
	if len(fresh) == 0 {
		return n, nil
	}
	own := one{rank: make([]int32, c.tree.Nodes())}
	for u, since := range n.since {
		if since >= 0 {
			own.order = append(own.order, int32(u))
		}
	}
	itemset.TreeOrder(own.order, c.supports.Nodes, anonymize.NodeOrder(c.tree))
	for r, u := range own.order {
		own.rank[u] = int32(r)
	}
	w := global.Walked{Cut: n.cut, Order: own.order, Size: size, K: c.k}
	if len(n.counts) > 0 {
		w.With = fresh
	}
	var err error
	if own.sets, err = c.Rare(ctx, w); err == nil {
		n.counts = append(n.counts, own)
	}
	return n, err
}

// lower takes the lowest cut below another one too, and returns the nodes that are new, ascending.
func (c *counted) lower(n *counting, cut []int32) (fresh []int32) {
	for leaf, u := range cut {
		n.cut[leaf] = min(u, n.cut[leaf]) // every node comes before those above it
		if !c.occurs[leaf] {
			continue
		}
		for u := n.cut[leaf]; u != c.tree.Root() && n.since[u] < 0; u = c.tree.Parent(u) {
			n.since[u] = int32(len(n.counts))
			fresh = append(fresh, u)
		}
	}
	slices.Sort(fresh)
	return fresh
}

// support is that of a rare set; -1: it is not rare.
func (n *counting) support(set []int32) (int, error) {
	last := int32(0)
	for _, u := range set {
		last = max(last, n.since[u])
	}
	ranks := make([]int32, len(set))
	for i, u := range set {
		ranks[i] = n.counts[last].rank[u]
	}
	slices.Sort(ranks)
	return n.counts[last].sets.Support(ranks)
}

// list lists the sets that have no nodes but those of a cut. A view lists them by their first node,
// and behind that, of three nodes or more, the last before the one before it. Where there are many
// nodes, those sets are listed whose first node is in the first of the parts that has any.
func (c *counted) list(
	ctx context.Context, n *counting, size int, nodes []int32,
) (*itemset.Rare, error) {
	parts, err := c.firstParts(ctx, nodes, size)
	if err != nil {
		return nil, err
	}
	for i := range c.rankOfView {
		c.rankOfView[i] = -1
	}
	for r, u := range nodes {
		c.rankOfView[u] = int32(r)
	}
	limit := c.limit(len(nodes))
	behind := make([][][]int32, len(nodes)) // by the first node
	err = n.each(func(nodes []int32) {
		set := make([]int32, 0, size)
		for _, u := range nodes {
			v := c.rankOfView[u]
			if v < 0 {
				return
			}
			set = append(set, v)
		}
		slices.Sort(set)
		turn(set)
		own := append(behind[set[0]], set)
		if len(own) >= 2*limit {
			own = least(own, limit)
		}
		behind[set[0]] = own
	})
	out := &itemset.Rare{Size: size}
	for first, own := range behind {
		if out.Len() > 0 && slices.Contains(parts, first) {
			break
		}
		for _, set := range least(own, limit) {
			turn(set)
			for _, v := range set {
				out.Sets = append(out.Sets, nodes[v])
			}
		}
	}
	return out, err
}

// firstParts is [itemset.FirstParts] of the nodes of a cut.
func (c *counted) firstParts(ctx context.Context, nodes []int32, size int) ([]int, error) {
	supports := make([]int, len(nodes))
	for i, u := range nodes {
		supports[i] = c.supports.Nodes[u]
	}
	if itemset.FirstParts(supports, size, 0) == nil { // whatever occurs
		return nil, nil
	}
	occurrences, err := c.occurrences(ctx)
	if err != nil {
		return nil, err
	}
	return itemset.FirstParts(supports, size, occurrences), nil
}

// each goes through all sets, as nodes.
func (n *counting) each(do func(set []int32)) error {
	var err error
	var set []int32
	for _, own := range n.counts {
		err = errors.Join(err, own.sets.Each(func(ranks []int32) bool {
			set = set[:0]
			for _, r := range ranks {
				set = append(set, own.order[r])
			}
			do(set)
			return true
		}))
	}
	return err
}

// least is the first so many sets in order.
func least(sets [][]int32, limit int) [][]int32 {
	slices.SortFunc(sets, slices.Compare)
	return sets[:min(limit, len(sets))]
}

// turn exchanges the last two ranks of three or more.
func turn(set []int32) {
	if n := len(set); n > 2 {
		set[n-2], set[n-1] = set[n-1], set[n-2]
	}
}

// lift implements source.
func (c *counted) lift(set []int32, support, first int) (lifted []int32, of int, err error) {
	lifted = c.shape.Lift(set, first, func(try []int32) bool {
		n, fault := c.rareSupport(try, len(set))
		if err = cmp.Or(err, fault); n < 0 || err != nil {
			return true
		}
		support = n
		return false
	})
	return lifted, support, err
}

// supportsOf implements source.
func (c *counted) supportsOf(_ context.Context, sets [][]int32) ([]int, error) {
	out := make([]int, len(sets))
	for i, set := range sets {
		n, err := c.rareSupport(set, len(set))
		if err == nil && n < 0 {
			err = fmt.Errorf("a set of %d nodes was rare, and is not: the counts contradict each other",
				len(set))
		}
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// rareSupport is the support of a set that is rare, -1 of one that is not, where those listed last
// were of a size.
func (c *counted) rareSupport(set []int32, size int) (int, error) {
	if len(set) < size {
		return -1, nil
	}
	if size > 1 {
		return c.last.support(set)
	}
	if n := c.supports.Nodes[set[0]]; n < c.k {
		return n, nil
	}
	return -1, nil
}
