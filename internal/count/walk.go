package count

import (
	"context"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Walk visits the count tree of terrovitis-2008 (section 4.1) in preorder without building it: every set of pairwise
// unrelated nodes at or above a cut that occurs in the data is a path, its nodes ordered by support descending, ancestors
// before descendants on ties, then by label. Projections of the data take the place of the tree, so memory is that of
// the expanded data: 12 bytes for every pair of a transaction and a node above one of its items, and at most as much
// again for each node of the path being visited.
type Walk struct {
	tree    *hierarchy.Tree
	nodes   []int32  // rank -> node
	rank    []int32  // node -> rank, -1 for nodes that do not occur, and for the root
	start   []uint32 // transaction i is ranks[start[i]:start[i+1]], ascending
	ranks   []int32
	weights []int32
	alive   []bool // by rank
}

// NewWalk expands merged data by the ancestors of its items. Items are nodes of t: the cut as it stands when the walk
// begins. The root is left out: it cannot be combined with anything. support gives the support of a node.
func NewWalk(m *dataset.Merged, t *hierarchy.Tree, support func(u int32) int) *Walk {
	w := &Walk{tree: t, weights: m.Weights}
	w.rankNodes(m, support)
	w.expand(m)
	w.alive = slices.Repeat([]bool{true}, len(w.nodes))
	return w
}

// rankNodes puts the nodes that occur in the order of the tree.
func (w *Walk) rankNodes(m *dataset.Merged, support func(u int32) int) {
	t := w.tree
	w.rank = slices.Repeat([]int32{-1}, t.Nodes())
	for _, it := range m.Items() {
		for u := it; u != t.Root() && w.rank[u] < 0; u = t.Parent(u) {
			w.rank[u] = 0
			w.nodes = append(w.nodes, u)
		}
	}
	slices.SortFunc(w.nodes, func(a, b int32) int {
		if c := support(b) - support(a); c != 0 {
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

func (w *Walk) expand(m *dataset.Merged) {
	w.start = make([]uint32, m.Len()+1)
	w.ranks = make([]int32, 0, 2*m.Occurrences())
	seen := slices.Repeat([]int32{-1}, w.tree.Nodes())
	for i := range m.Len() {
		for _, it := range m.Tx(i) {
			for u := it; u != w.tree.Root() && seen[u] != int32(i); u = w.tree.Parent(u) {
				seen[u] = int32(i)
				w.ranks = append(w.ranks, w.rank[u])
			}
		}
		slices.Sort(w.ranks[w.start[i]:])
		w.start[i+1] = uint32(len(w.ranks))
	}
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
	// Progress is told how many of the nodes have been the first of a path.
	Progress func(done, total int)
}

// Leaves makes one walk. It ends early, with the cause, when ctx does.
func (w *Walk) Leaves(ctx context.Context, v Visit) error {
	r := &run{Walk: w, Visit: v, ctx: ctx, depth: make([]projection, v.M)}
	for d := range r.depth {
		r.depth[d].count = make([]int32, len(w.nodes))
	}
	whole := make([]occurrence, len(w.weights))
	for i := range whole {
		whole[i] = occurrence{w.start[i], uint32(i)}
	}
	r.extend(make([]int32, 0, v.M), whole)
	return context.Cause(ctx)
}

// run is one walk under way.
type run struct {
	*Walk
	Visit
	ctx   context.Context
	depth []projection // one a path length
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
		r.leafCheck(path, p, occs)
		r.visitLeaves(path, p)
		return
	}
	r.countPlaces(p, occs)
	r.leafCheck(path, p, occs)
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
func (r *run) leafCheck(path []int32, p *projection, occs []occurrence) {
	if len(path) == 0 || slices.ContainsFunc(p.touched, func(e int32) bool { return r.unrelated(path, e) }) {
		return
	}
	support := 0
	for _, o := range occs {
		support += int(r.weights[o.tx])
	}
	if support < r.K {
		r.repair(path)
	}
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
func (r *run) unrelated(path []int32, e int32) bool {
	for _, f := range path {
		if r.tree.Related(r.nodes[f], r.nodes[e]) {
			return false
		}
	}
	return true
}

func (r *run) allAlive(path []int32) bool {
	for _, e := range path {
		if !r.alive[e] {
			return false
		}
	}
	return true
}

// repair hands a path of ranks out as nodes.
func (r *run) repair(path []int32) {
	nodes := make([]int32, len(path))
	for i, e := range path {
		nodes[i] = r.nodes[e]
	}
	r.Repair(nodes)
}
