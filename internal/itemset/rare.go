package itemset

import (
	"context"
	"sync/atomic"

	"mingle/internal/par"
)

// Rare lists itemsets of one size that occur in fewer than k transactions.
type Rare struct {
	Size int
	Sets []int32 // Size nodes a set, one set after another
	// by set; 0: not known. nil: none is
	Supports []int32
}

// Support is that of set i; -1: it is not known.
func (r *Rare) Support(i int) int {
	if i < len(r.Supports) && r.Supports[i] > 0 {
		return int(r.Supports[i])
	}
	return -1
}

// found are the rare sets with one rarest node, as ranks, and their supports.
type found struct{ sets, supports []int32 }

// Len is the number of sets.
func (r *Rare) Len() int { return len(r.Sets) / max(1, r.Size) }

// Set is set i.
func (r *Rare) Set(i int) []int32 { return r.Sets[i*r.Size : (i+1)*r.Size : (i+1)*r.Size] }

// Search is what to look for in a view.
type Search struct {
	Size, K int
	Limit   int // at most so many sets that have the same rarest item; 0: all
	Workers int
}

// Rare lists the sets of exactly s.Size nodes of the view that occur in more than 0 and fewer than
// s.K transactions, those with the same rarest node one after another, in an order that is the same
// whatever the number of workers.
//
// Where few nodes are at the cut every set has a cell (rarecells.go). Else each set is found in the
// projection on its rarest nodes, in which equal transactions are merged again; the last two levels
// are counted in a dense triangle. Projections in which every distinct transaction is frequent by
// itself hold nothing rare and are left. Time is at most that of touching every occurrence of every
// itemset of the size once. Memory, beside the view and the sets found: at most maxTriangle
// counters a worker, and the rows of one projection a level.
func (v *View) Rare(ctx context.Context, s Search) (*Rare, error) {
	if v.fitsCells(s.Size) {
		return v.rareByCells(ctx, s)
	}
	return v.rareByProjection(ctx, s)
}

// rareByProjection is Rare where they do not.
func (v *View) rareByProjection(ctx context.Context, s Search) (*Rare, error) {
	if s.Size > 1 {
		v.project()
	}
	found := make([]found, len(v.nodes))
	if v.find(ctx, s, 0, len(v.nodes), found); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return v.list(s.Size, found), nil
}

// find finds the sets whose rarest node has a rank from one on, before another, as ranks, by the
// rank of that node. The view must be ready to be projected. When the context ends it leaves the
// rest.
func (v *View) find(ctx context.Context, s Search, from, to int, found []found) {
	var next atomic.Int64
	next.Store(int64(from))
	var group par.Group
	for range max(1, s.Workers) {
		group.Go(func() {
			f := newFinder(v, s)
			for ctx.Err() == nil {
				r := int(next.Add(1)) - 1
				if r >= to {
					break
				}
				f.from(ctx, int32(r))
				found[r].sets = append([]int32(nil), f.sets...)
				found[r].supports = append([]int32(nil), f.supports...)
			}
		})
	}
	group.Wait()
}

// list lists what was found, as nodes.
func (v *View) list(size int, found []found) *Rare {
	out := &Rare{Size: size}
	for _, f := range found {
		out.Sets = append(out.Sets, f.sets...)
		out.Supports = append(out.Supports, f.supports...)
	}
	for i, r := range out.Sets {
		out.Sets[i] = v.nodes[r]
	}
	return out
}
