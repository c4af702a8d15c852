package itemset

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Walk visits the count tree of terrovitis-2008 (section 4.1) in preorder without building it:
// every set of pairwise unrelated nodes at or above a cut that occurs in the data is a path, its
// nodes ordered by support descending, ties as the caller says. Projections of the data take the
// place of the tree, so memory is that of the expanded data: 12 bytes for every pair of a
// transaction and a node above one of its items, and at most as much again for each node of the
// path being visited. With a bound on memory the data is expanded in ranges; see bounded.go.
type Walk struct {
	Source
	tree   *Tree
	nodes  []int32 // rank -> node
	rank   []int32 // node -> rank, -1 for nodes that do not occur, and for the root
	active []bool  // by rank

	mostPairs int64 // as many pairs can be expanded at once: their places are int32
	mostCells int64 // of a table, see supportTable
	segment   int64 // occurrences, see segment

	seen marks // see appendRanks
}

// Source is what a walk goes through.
type Source struct {
	Data  Data
	Index *Index // of the same records
	// the node at the cut for every item of Data; nil: items are nodes at the cut
	To    []int32
	Ties  func(a, b int32) int // the order of nodes of equal support
	Bound int64                // bytes of working space; 0: no bound
	// the nodes with the most leaves below come first, and the support is what orders equal ones
	ByLeaves bool
}

// NewWalk ranks the nodes at and above the cut as it stands when the walk begins. The root is left
// out: it cannot be combined with anything.
func NewWalk(s Source) *Walk {
	w := &Walk{
		Source: s, tree: s.Index.tree, mostPairs: math.MaxInt32, mostCells: mostCells,
		segment: segmentOccurrences,
	}
	w.rankNodes()
	w.active = slices.Repeat([]bool{true}, len(w.nodes))
	w.seen = newMarks(len(w.nodes))
	return w
}

// rankNodes puts the nodes that occur in the order of the tree.
func (w *Walk) rankNodes() {
	w.rank = slices.Repeat([]int32{-1}, w.tree.nodes())
	for it, occurs := range w.Data.occurring() {
		if !occurs {
			continue
		}
		for u := w.at(int32(it)); u != w.tree.root() && w.rank[u] < 0; u = w.tree.parent[u] {
			w.rank[u] = 0
			w.nodes = append(w.nodes, u)
		}
	}
	TreeOrder(w.nodes, w.Index.support, w.Ties)
	if w.ByLeaves {
		slices.SortStableFunc(w.nodes, func(a, b int32) int {
			return cmp.Compare(w.tree.leavesBelow(b), w.tree.leavesBelow(a))
		})
	}
	for r, u := range w.nodes {
		w.rank[u] = int32(r)
	}
}

// TreeOrder puts nodes in the order of the count tree: by support, descending, then as ties says.
func TreeOrder(nodes []int32, support []int, ties func(a, b int32) int) {
	slices.SortFunc(nodes, func(a, b int32) int {
		if c := cmp.Compare(support[b], support[a]); c != 0 {
			return c
		}
		return ties(a, b)
	})
}

// at is the node at the cut that an item is published as.
func (w *Walk) at(item int32) int32 {
	if w.To == nil {
		return item
	}
	return w.To[item]
}

// appendRanks appends the ranks, from least on, of all nodes of transaction i, ascending.
func (w *Walk) appendRanks(out []int32, i int, least int32) []int32 {
	root := w.tree.root()
	for _, it := range w.Data.Tx(i) {
		for u := w.at(it); u != root && w.seen.add(w.rank[u]); u = w.tree.parent[u] {
		}
	}
	return w.seen.drain(out, least)
}

// expanded is the number of pairs of a transaction and a node.
func (w *Walk) expanded() int64 {
	total := int64(0)
	var ranks []int32
	for i := range w.Data.Len {
		ranks = w.appendRanks(ranks[:0], i, 0)
		total += int64(len(ranks))
	}
	return total
}

// expand makes the transactions as ranks. It is good for nothing once ctx has ended.
func (w *Walk) expand(ctx context.Context, pairs int64) *rows {
	e := &rows{make([]uint32, w.Data.Len+1), make([]int32, 0, pairs), w.Data.Weights, w.Data.Units}
	if e.weights == nil {
		e.weights = slices.Repeat([]int32{1}, w.Data.Len)
	}
	for i := range w.Data.Len {
		if ended(ctx, i) {
			break
		}
		e.ids = w.appendRanks(e.ids, i, 0)
		e.start[i+1] = uint32(len(e.ids))
	}
	return e
}

// Deactivate takes node u out of the walk: paths that contain it are not visited any more.
func (w *Walk) Deactivate(u int32) {
	if r := w.rank[u]; r >= 0 {
		w.active[r] = false
	}
}

// Pass is what a walk does with the tree's leaves.
type Pass struct {
	M, K int
	// Repair is called, in preorder, for every path that ends in a leaf of the count tree (a path
	// of length M, or one that no transaction extends) and has a support under K. It must not keep
	// the path. It may deactivate nodes: the walk then goes back to the longest prefix whose nodes
	// are all active.
	Repair func(path []int32)
	// Passed says that every set of fewer than M nodes is frequent: smaller ones are not looked at.
	Passed bool
	// Workers is how many goroutines may count at once; Repair and Progress are called from that of
	// the caller.
	Workers int
	// Progress is told how many of the nodes have been the first of a path.
	Progress func(done, total int)
}

// Leaves makes one walk. It ends early, with the cause, when ctx does.
func (w *Walk) Leaves(ctx context.Context, v Pass) error {
	if v.M == 1 {
		w.singles(ctx, v)
		return context.Cause(ctx)
	}
	if v.Passed {
		if c := newFromCut(ctx, w, v); c != nil {
			c.walk()
			return context.Cause(ctx)
		}
	}
	pairs := w.expanded()
	need := pairs * bytesAPair(v.M)
	if pairs > w.mostPairs || w.Bound > 0 && need > w.Bound {
		newBounded(ctx, w, v).visit(nil)
		return context.Cause(ctx)
	}
	r := newRun(ctx, w, v)
	if r.rows = w.expand(ctx, pairs); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if v.Workers > 1 {
		r.visitAhead(r.whole(), v.Workers)
	} else {
		r.extend(make([]int32, 0, v.M), r.whole())
	}
	return context.Cause(ctx)
}

// bytesAPair is what a walk holds for every pair of a transaction and a node: the rank, and a place
// for each node of a path but the last.
func bytesAPair(m int) int64 { return 4 + 8*int64(m-1) }

// singles is the walk for M=1, for which the supports of the nodes are all there is to know.
func (w *Walk) singles(ctx context.Context, v Pass) {
	for r, u := range w.nodes {
		if ctx.Err() != nil {
			return
		}
		if w.active[r] && w.Index.support[u] < v.K {
			v.Repair([]int32{u})
		}
		if v.Progress != nil && r%1024 == 0 {
			v.Progress(r, len(w.nodes))
		}
	}
}

// run is one walk under way.
type run struct {
	*Walk
	*rows
	Pass
	ctx    context.Context
	depth  []projection       // one a path length
	repair func(path []int32) // what is done about a path of ranks: Repair, or see ahead.go
}

func newRun(ctx context.Context, w *Walk, v Pass) *run {
	r := &run{Walk: w, Pass: v, ctx: ctx, depth: make([]projection, v.M)}
	r.repair = func(path []int32) { v.Repair(w.named(path)) }
	for d := range r.depth {
		r.depth[d].count = make([]int32, len(w.nodes))
	}
	return r
}

// extend visits the subtree below a path of ranks, given all its places.
func (r *run) extend(path []int32, at []Place) {
	p := &r.depth[len(path)]
	if len(path)+1 == r.M {
		p.countWeights(r.rows, at)
		r.leafCheck(path, p, func() int { return r.weigh(at) })
		r.visitLeaves(path, p)
		return
	}
	p.countRows(r.rows, at)
	r.leafCheck(path, p, func() int { return r.weigh(at) })
	r.visitChildren(path, p, at)
}

// leafCheck repairs the path itself if nothing extends it. Nodes that are not active extend it too:
// the tree holds them.
func (r *run) leafCheck(path []int32, p *projection, support func() int) {
	if len(path) == 0 || slices.ContainsFunc(p.touched, r.unrelated(path)) {
		return
	}
	if support() < r.K {
		r.repair(path)
	}
}

// visitLeaves repairs the rare ones among the extensions counted in p.
func (r *run) visitLeaves(path []int32, p *projection) {
	for _, e := range p.below(int32(r.K), r.extends(path)) {
		if !r.allActive(path) {
			return
		}
		if r.active[e] {
			r.repair(append(path, e))
		}
	}
}

// visitChildren goes down into each extension.
func (r *run) visitChildren(path []int32, p *projection, at []Place) {
	children := p.distribute(r.rows, at, r.extends(path))
	begin := int32(0)
	for i, c := range children {
		if len(path) == 0 && r.Progress != nil {
			r.Progress(i, len(children))
		}
		if r.ctx.Err() != nil || !r.allActive(path) {
			return
		}
		if r.active[c.id] {
			r.extend(append(path, c.id), p.places[begin:c.end])
		}
		begin = c.end
	}
}

// extends tells of a rank whether it is active and unrelated to a path.
func (w *Walk) extends(path []int32) func(e int32) bool {
	unrelated := w.unrelated(path)
	return func(e int32) bool { return w.active[e] && unrelated(e) }
}

// unrelated tells of a rank whether it is neither above nor below any node of the path.
func (w *Walk) unrelated(path []int32) func(e int32) bool {
	return func(e int32) bool {
		for _, f := range path {
			if w.tree.related(w.nodes[f], w.nodes[e]) {
				return false
			}
		}
		return true
	}
}

func (w *Walk) allActive(path []int32) bool {
	for _, e := range path {
		if !w.active[e] {
			return false
		}
	}
	return true
}

// named is a path of ranks as nodes.
func (w *Walk) named(path []int32) []int32 {
	nodes := make([]int32, len(path))
	for i, e := range path {
		nodes[i] = w.nodes[e]
	}
	return nodes
}
