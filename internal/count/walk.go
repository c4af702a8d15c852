package count

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Walk visits the count tree of terrovitis-2008 (section 4.1) in preorder without building it: every set of pairwise
// unrelated nodes at or above a cut that occurs in the data is a path, its nodes ordered by support descending, ancestors
// before descendants on ties, then by label. Projections of the data take the place of the tree, so memory is that of
// the expanded data: 12 bytes for every pair of a transaction and a node above one of its items, and at most as much
// again for each node of the path being visited. With a bound on memory the data is expanded in ranges; see lean.go.
type Walk struct {
	Source
	nodes []int32 // rank -> node
	rank  []int32 // node -> rank, -1 for nodes that do not occur, and for the root
	alive []bool  // by rank
	txs   *dataset.Cursor

	mostPairs int64 // as many pairs can be expanded at once: their places are int32

	words, summary []uint64 // see appendRanks
}

// Source is what a walk goes through.
type Source struct {
	Data    *dataset.Merged
	Tree    *hierarchy.Tree
	To      []int32           // the node at the cut for every item of Data; nil: items are nodes at the cut
	Support func(u int32) int // of a node
	Bound   int64             // bytes of working space; 0: no bound
}

// NewWalk ranks the nodes at and above the cut as it stands when the walk begins. The root is left out: it cannot be
// combined with anything.
func NewWalk(s Source) *Walk {
	w := &Walk{Source: s, txs: s.Data.Cursor(), mostPairs: math.MaxInt32}
	w.rankNodes()
	w.alive = slices.Repeat([]bool{true}, len(w.nodes))
	w.words = make([]uint64, (len(w.nodes)+63)/64)
	w.summary = make([]uint64, (len(w.words)+63)/64)
	return w
}

// rankNodes puts the nodes that occur in the order of the tree.
func (w *Walk) rankNodes() {
	t := w.Tree
	w.rank = slices.Repeat([]int32{-1}, t.Nodes())
	for it, n := range w.Data.Supports() {
		if n == 0 {
			continue
		}
		for u := w.at(int32(it)); u != t.Root() && w.rank[u] < 0; u = t.Parent(u) {
			w.rank[u] = 0
			w.nodes = append(w.nodes, u)
		}
	}
	slices.SortFunc(w.nodes, func(a, b int32) int {
		if c := w.Support(b) - w.Support(a); c != 0 {
			return c
		}
		if c := t.Depth(a) - t.Depth(b); c != 0 {
			return c
		}
		return dataset.CompareLabels(t.Label(a), t.Label(b))
	})
	for r, u := range w.nodes {
		w.rank[u] = int32(r)
	}
}

// at is the node at the cut that an item is published as.
func (w *Walk) at(item int32) int32 {
	if w.To == nil {
		return item
	}
	return w.To[item]
}

// appendRanks appends the ranks, from least on, of all nodes of transaction i, ascending. They are sorted by marking them
// in a bitmap with a summary above it (bit b of the summary: word b is not zero), both zero between uses.
func (w *Walk) appendRanks(out []int32, i int, least int32) []int32 {
	root := w.Tree.Root()
	for _, it := range w.txs.Tx(i) {
		for u := w.at(it); u != root; u = w.Tree.Parent(u) {
			r := w.rank[u]
			word, bit := &w.words[r>>6], uint64(1)<<(r&63)
			if *word&bit != 0 {
				break
			}
			*word |= bit
			w.summary[r>>12] |= 1 << (r >> 6 & 63)
		}
	}
	for s, above := range w.summary {
		w.summary[s] = 0
		for ; above != 0; above &= above - 1 {
			at := s<<6 | bits.TrailingZeros64(above)
			for word := w.words[at]; word != 0; word &= word - 1 {
				if r := int32(at<<6 | bits.TrailingZeros64(word)); r >= least {
					out = append(out, r)
				}
			}
			w.words[at] = 0
		}
	}
	return out
}

// expanded is the number of pairs of a transaction and a node.
func (w *Walk) expanded() int64 {
	total := int64(0)
	var ranks []int32
	for i := range w.Data.Len() {
		ranks = w.appendRanks(ranks[:0], i, 0)
		total += int64(len(ranks))
	}
	return total
}

// expansion is transactions as ranks: transaction i is ranks[start[i]:start[i+1]], ascending.
type expansion struct {
	start   []uint32
	ranks   []int32
	weights []int32
}

// expand is good for nothing once ctx has ended.
func (w *Walk) expand(ctx context.Context, pairs int64) *expansion {
	e := &expansion{make([]uint32, w.Data.Len()+1), make([]int32, 0, pairs), w.Data.Weights}
	if e.weights == nil {
		e.weights = slices.Repeat([]int32{1}, w.Data.Len())
	}
	for i := range w.Data.Len() {
		if i%4096 == 0 && ctx.Err() != nil {
			break
		}
		e.ranks = w.appendRanks(e.ranks, i, 0)
		e.start[i+1] = uint32(len(e.ranks))
	}
	return e
}

// Kill takes node u out of the walk: paths that contain it are not visited any more.
func (w *Walk) Kill(u int32) {
	if r := w.rank[u]; r >= 0 {
		w.alive[r] = false
	}
}

// Visit is what a walk does with the tree's leaves.
type Visit struct {
	M, K int
	// Repair is called, in preorder, for every path that ends in a leaf of the count tree (a path of length M, or one that no
	// transaction extends) and has a support under K. It must not keep the path. It may Kill nodes: the walk then goes
	// back to the longest prefix whose nodes are all alive.
	Repair func(path []int32)
	// Workers is how many goroutines may count at once; Repair and Progress are called from that of the caller.
	Workers int
	// Progress is told how many of the nodes have been the first of a path.
	Progress func(done, total int)
}

// Leaves makes one walk. It ends early, with the cause, when ctx does.
func (w *Walk) Leaves(ctx context.Context, v Visit) error {
	if v.M == 1 {
		w.singles(ctx, v)
		return context.Cause(ctx)
	}
	pairs := w.expanded()
	if need := pairs * bytesAPair(v.M); pairs > w.mostPairs || w.Bound > 0 && need > w.Bound {
		newLean(ctx, w, v).visit(nil)
		return context.Cause(ctx)
	}
	r := newRun(ctx, w, v)
	if r.expansion = w.expand(ctx, pairs); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	whole := make([]occurrence, w.Data.Len())
	for i := range whole {
		whole[i] = occurrence{r.start[i], uint32(i)}
	}
	if v.Workers > 1 {
		r.visitAhead(whole, v.Workers)
	} else {
		r.extend(make([]int32, 0, v.M), whole)
	}
	return context.Cause(ctx)
}

// bytesAPair is what a walk holds for every pair of a transaction and a node: the rank, and a place for each node of a
// path but the last.
func bytesAPair(m int) int64 { return 4 + 8*int64(m-1) }

// singles is the walk for M=1, for which the supports of the nodes are all there is to know.
func (w *Walk) singles(ctx context.Context, v Visit) {
	for r, u := range w.nodes {
		if ctx.Err() != nil {
			return
		}
		if w.alive[r] && w.Support(u) < v.K {
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
	*expansion
	Visit
	ctx    context.Context
	depth  []projection       // one a path length
	repair func(path []int32) // what is done about a path of ranks: Repair, or see ahead.go
}

func newRun(ctx context.Context, w *Walk, v Visit) *run {
	r := &run{Walk: w, Visit: v, ctx: ctx, depth: make([]projection, v.M)}
	r.repair = func(path []int32) { v.Repair(w.named(path)) }
	for d := range r.depth {
		r.depth[d].count = make([]int32, len(w.nodes))
	}
	return r
}

// occurrence is one place of a path in a transaction: what stands at pos and after extends it.
type occurrence struct{ pos, tx uint32 }

// projection is the working space of one path length.
type projection struct {
	count   []int32 // by rank; all zero between uses
	touched []int32
	occs    []occurrence
}

// extend visits the subtree below a path of ranks, given all its occurrences.
func (r *run) extend(path []int32, occs []occurrence) {
	p := &r.depth[len(path)]
	p.touched = p.touched[:0]
	if len(path)+1 == r.M {
		r.countWeights(p, occs)
		r.leafCheck(path, p, func() int { return r.weigh(occs) })
		r.visitLeaves(path, p)
		return
	}
	r.countPlaces(p, occs)
	r.leafCheck(path, p, func() int { return r.weigh(occs) })
	r.visitChildren(path, p, occs)
}

// countWeights counts the supports of all extensions by one.
func (r *run) countWeights(p *projection, occs []occurrence) {
	for _, o := range occs {
		weight := r.weights[o.tx]
		for _, e := range r.ranks[o.pos:r.start[o.tx+1]] {
			if p.count[e] == 0 {
				p.touched = append(p.touched, e)
			}
			p.count[e] += weight
		}
	}
}

// countPlaces counts the occurrences of all extensions by one.
func (r *run) countPlaces(p *projection, occs []occurrence) {
	for _, o := range occs {
		for _, e := range r.ranks[o.pos:r.start[o.tx+1]] {
			if p.count[e] == 0 {
				p.touched = append(p.touched, e)
			}
			p.count[e]++
		}
	}
}

// leafCheck repairs the path itself if nothing extends it. Dead nodes extend it too: the tree holds them.
func (r *run) leafCheck(path []int32, p *projection, support func() int) {
	if len(path) == 0 || slices.ContainsFunc(p.touched, func(e int32) bool { return r.unrelated(path, e) }) {
		return
	}
	if support() < r.K {
		r.repair(path)
	}
}

// weigh is the support of a path.
func (r *run) weigh(occs []occurrence) int {
	total := 0
	for _, o := range occs {
		total += int(r.weights[o.tx])
	}
	return total
}

// visitLeaves repairs the rare ones among the extensions counted in p.
func (r *run) visitLeaves(path []int32, p *projection) {
	rare := p.touched[:0]
	for _, e := range p.touched {
		if int(p.count[e]) < r.K && r.alive[e] && r.unrelated(path, e) {
			rare = append(rare, e)
		}
		p.count[e] = 0
	}
	slices.Sort(rare)
	for _, e := range rare {
		if !r.allAlive(path) {
			return
		}
		if r.alive[e] {
			r.repair(append(path, e))
		}
	}
}

// visitChildren sorts the occurrences by extension and goes down into each.
func (r *run) visitChildren(path []int32, p *projection, occs []occurrence) {
	children := r.distribute(path, p, occs)
	begin := int32(0)
	for i, c := range children {
		if len(path) == 0 && r.Progress != nil {
			r.Progress(i, len(children))
		}
		if r.ctx.Err() != nil || !r.allAlive(path) {
			return
		}
		if r.alive[c.rank] {
			r.extend(append(path, c.rank), p.occs[begin:c.end])
		}
		begin = c.end
	}
}

// child is an extension and where its occurrences end in the projection's list.
type child struct{ rank, end int32 }

// distribute sorts occurrences by extension into p.occs; p.count holds how many each has, and is zero afterwards.
func (r *run) distribute(path []int32, p *projection, occs []occurrence) []child {
	slices.Sort(p.touched)
	children := make([]child, 0, len(p.touched))
	total := int32(0)
	for _, e := range p.touched {
		n := p.count[e]
		p.count[e] = skip
		if r.alive[e] && r.unrelated(path, e) {
			p.count[e] = total
			total += n
			children = append(children, child{e, total})
		}
	}
	p.occs = slices.Grow(p.occs[:0], int(total))[:total]
	for _, o := range occs {
		for pos := o.pos; pos < r.start[o.tx+1]; pos++ {
			e := r.ranks[pos]
			if at := p.count[e]; at != skip {
				p.occs[at] = occurrence{pos + 1, o.tx}
				p.count[e]++
			}
		}
	}
	for _, e := range p.touched {
		p.count[e] = 0
	}
	return children
}

// skip marks extensions that are not visited.
const skip = -1

// unrelated tells whether rank e is neither above nor below any node of the path.
func (w *Walk) unrelated(path []int32, e int32) bool {
	for _, f := range path {
		if w.Tree.Related(w.nodes[f], w.nodes[e]) {
			return false
		}
	}
	return true
}

func (w *Walk) allAlive(path []int32) bool {
	for _, e := range path {
		if !w.alive[e] {
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
