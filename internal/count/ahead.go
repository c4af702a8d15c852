package count

import (
	"context"
	"slices"

	"mingle/internal/par"
)

// A walk is sequential by definition: what one repair takes out of it, later paths do not meet. But a kill only ever
// takes paths out, and changes no count. So several workers can go through the subtrees of the next few first nodes at
// once, as things stand, and note the paths to be repaired; when these are then handed out in order, those with a node that
// died in the meantime are left out. That gives exactly the calls of the sequential walk. What was looked at for nodes that
// died within the same few is wasted.

// batch is how many first nodes a worker has in one round. Of 1, 4 and 16, 4 wasted little and kept two workers busy.
const batch = 4

// most is how many paths of one subtree are noted; a subtree with more is walked again when its turn comes.
const most = 1 << 16

// notes are the paths of one subtree that are to be repaired.
type notes struct {
	ranks    []int32
	ends     []int
	overflow bool
}

// visitAhead is visitChildren at the root for several workers.
func (r *run) visitAhead(occs []occurrence, workers int) {
	p := &r.depth[0]
	r.countPlaces(p, occs)
	children := r.distribute(nil, p, occs)
	crew := make(chan *run, workers)
	for range workers {
		crew <- newRun(r.ctx, r.Walk, r.Visit)
	}
	begin := func(i int) int32 {
		if i == 0 {
			return 0
		}
		return children[i-1].end
	}
	for at := 0; at < len(children); at += batch * workers {
		if r.Progress != nil {
			r.Progress(at, len(children))
		}
		next := children[at:min(len(children), at+batch*workers)]
		found := make([]notes, len(next))
		err := par.Each(r.ctx, workers, len(next), func(_ context.Context, i int) error {
			if r.alive[next[i].rank] {
				w := <-crew
				w.note(&found[i], r.expansion, next[i].rank, p.occs[begin(at+i):next[i].end])
				crew <- w
			}
			return nil
		})
		if err != nil {
			return
		}
		for i := range found {
			if found[i].overflow && r.alive[next[i].rank] {
				r.extend([]int32{next[i].rank}, p.occs[begin(at+i):next[i].end])
			} else {
				r.handOut(&found[i])
			}
		}
	}
}

// note walks through the subtree of a first node, but notes what is to be repaired.
func (r *run) note(n *notes, e *expansion, first int32, occs []occurrence) {
	r.expansion = e
	r.repair = func(path []int32) {
		if len(n.ends) == most {
			n.overflow = true
			return
		}
		n.ranks = append(n.ranks, path...)
		n.ends = append(n.ends, len(n.ranks))
	}
	r.extend([]int32{first}, occs)
}

// handOut hands noted paths out whose nodes are all alive still.
func (r *run) handOut(n *notes) {
	begin := 0
	for _, end := range n.ends {
		if path := n.ranks[begin:end]; r.allAlive(path) && r.ctx.Err() == nil {
			r.repair(slices.Clone(path))
		}
		begin = end
	}
}
