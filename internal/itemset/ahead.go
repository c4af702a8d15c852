package itemset

import (
	"context"
	"slices"

	"mingle/internal/par"
)

// A walk is sequential by definition: what one repair takes out of it, later paths do not meet. But
// to deactivate a node only takes paths out, and changes no count. So several workers can go
// through the subtrees of the next few first nodes at once, as things stand, and note the paths to
// be repaired; when these are then handed out in order, those with a node that was deactivated in
// the meantime are left out. That gives exactly the calls of the sequential walk. What was looked
// at for nodes deactivated within the same few is wasted.

// batch is how many first nodes a worker has in one round. Of 1, 4 and 16, 4 wasted little and kept
// two workers busy.
const batch = 4

// most is how many paths of one subtree are noted; a subtree with more is walked again when its
// turn comes.
const most = 1 << 16

// notes are the paths of one subtree that are to be repaired.
type notes struct {
	ranks    []int32
	ends     []int
	overflow bool
}

// visitAhead is visitChildren at the root for several workers.
func (r *run) visitAhead(at []Place, workers int) {
	p := &r.depth[0]
	p.countRows(r.rows, at)
	children := p.distribute(r.rows, at, r.extends(nil))
	pool := make(chan *run, workers)
	for range workers {
		pool <- newRun(r.ctx, r.Walk, r.Pass)
	}
	begin := func(i int) int32 {
		if i == 0 {
			return 0
		}
		return children[i-1].end
	}
	for from := 0; from < len(children); from += batch * workers {
		if r.Progress != nil {
			r.Progress(from, len(children))
		}
		next := children[from:min(len(children), from+batch*workers)]
		found := make([]notes, len(next))
		err := par.Each(r.ctx, workers, len(next), func(_ context.Context, i int) error {
			if r.active[next[i].id] {
				w := <-pool
				w.note(&found[i], r.rows, next[i].id, p.places[begin(from+i):next[i].end])
				pool <- w
			}
			return nil
		})
		if err != nil {
			return
		}
		for i := range found {
			if found[i].overflow && r.active[next[i].id] {
				r.extend([]int32{next[i].id}, p.places[begin(from+i):next[i].end])
			} else {
				r.handOut(&found[i])
			}
		}
	}
}

// note walks through the subtree of a first node, but notes what is to be repaired.
func (r *run) note(n *notes, e *rows, first int32, at []Place) {
	r.rows = e
	r.repair = func(path []int32) {
		if len(n.ends) == most {
			n.overflow = true
			return
		}
		n.ranks = append(n.ranks, path...)
		n.ends = append(n.ends, len(n.ranks))
	}
	r.extend([]int32{first}, at)
}

// handOut hands noted paths out whose nodes are all active still.
func (r *run) handOut(n *notes) {
	begin := 0
	for _, end := range n.ends {
		if path := n.ranks[begin:end]; r.allActive(path) && r.ctx.Err() == nil {
			r.repair(slices.Clone(path))
		}
		begin = end
	}
}
