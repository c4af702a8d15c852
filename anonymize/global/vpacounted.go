package global

import (
	"context"
	"slices"

	"mingle/anonymize"
	"mingle/hierarchy"
	"mingle/privacy"
)

// Vertical partitioning of data that are counted elsewhere: the parts in turn, each as aa by counts
// of the items of its region; then all of it; then what is not needed is taken back. For that one
// count a size is made of what would be rare were all candidates of a pass replaced by their
// children: it has the sets that any of them would bring about, whichever others came down before.

// CutOf finds the cut that VPA finds for the same data.
func (a VPA) CutOf(
	ctx context.Context, t *hierarchy.Tree, p privacy.KM, c Counts,
	progress func(anonymize.Progress),
) (*hierarchy.Cut, error) {
	if err := a.fits(t); err != nil {
		return nil, err
	}
	w, err := newCountedWalk(ctx, t, p, c, progress)
	if err != nil {
		return nil, err
	}
	regions := Regions(t, a.parts(), a.PartitionLevel, w.leaves)
	for _, r := range regions {
		if len(regions) == 1 {
			break // that is aa on all of the data, which follows
		}
		cut, err := w.part(ctx, r)
		if err != nil {
			return nil, err
		}
		w.liftTo(cut)
	}
	if err := w.walks(ctx); err != nil {
		return nil, err
	}
	if p.BeyondSupports() { // a share may rise as nodes come down
		return w.cut, w.hideAll(ctx)
	}
	return w.cut, w.lower(ctx)
}

// part is the cut that aa finds in a region: none at all where even the root is rare there.
func (w *countedWalk) part(ctx context.Context, r Region) (*hierarchy.Cut, error) {
	c := w.counts.Part(r)
	s, err := c.Supports(ctx)
	if err != nil {
		return nil, err
	}
	p := &countedWalk{
		state: newCut(w.tree, w.loss), support: s.Nodes, leaves: s.Leaves, occurs: s.Occur(w.tree),
		longest: s.Longest, counts: c, promise: w.promise, progress: w.progress,
	}
	if s.Nodes[w.tree.Root()] < w.promise.K {
		return p.cut, nil
	}
	return p.cut, p.walks(ctx)
}

// lower is that of state.
func (w *countedWalk) lower(ctx context.Context) error {
	stays := make([]bool, w.tree.Nodes())
	for {
		w.progress(anonymize.Progress{Stage: "lowering"})
		var candidates []int32
		for _, u := range w.innerNodes() {
			if !stays[u] && w.childrenFrequent(u) {
				candidates = append(candidates, u)
			} else {
				stays[u] = true
			}
		}
		down := &downward{w: w, by: map[int32][]int{}}
		for size := 2; size <= min(w.promise.M, w.longest) && len(candidates) > 0; size++ {
			if err := down.count(ctx, candidates, size); err != nil {
				return err
			}
			candidates = slices.DeleteFunc(candidates, func(u int32) bool {
				stays[u] = !down.may(u) // and then must later
				return stays[u]
			})
		}
		lowered := 0
		for _, u := range candidates {
			if stays[u] = !down.may(u); !stays[u] {
				w.replaceByChildren(u)
				lowered++
			}
		}
		if lowered == 0 {
			return nil
		}
	}
}

// childrenFrequent tells whether those of a node's children that occur are frequent.
func (w *countedWalk) childrenFrequent(u int32) bool {
	return !slices.ContainsFunc(w.tree.Children(u), func(c int32) bool {
		return w.occurs[c] && w.support[c] < w.promise.K
	})
}

// downward is the rare sets that have children of candidates.
type downward struct {
	w    *countedWalk
	sets [][]int32
	by   map[int32][]int // by candidate: which of them have children of it
}

// count counts the sets of a size where candidates are replaced by their children.
func (d *downward) count(ctx context.Context, candidates []int32, size int) error {
	w, down := d.w, slices.Clone(d.w.cut.Map())
	is := make([]bool, w.tree.Nodes())
	for _, u := range candidates {
		is[u] = true
		for _, c := range w.tree.Children(u) {
			lo, hi := w.tree.Range(c)
			for leaf := lo; leaf < hi; leaf++ {
				down[leaf] = c
			}
		}
	}
	order := w.occurring(func(u int32) bool {
		return w.cut.Alive(u) || is[w.tree.Parent(u)]
	})
	rare, err := w.counts.Rare(ctx, Walked{
		Cut: down, Order: order, Size: size, K: w.promise.K,
	})
	if err != nil {
		return err
	}
	defer rare.Close()
	return rare.Each(func(ranks []int32) bool {
		var set, of []int32
		for _, r := range ranks {
			u := order[r]
			switch up := w.tree.Parent(u); {
			case is[up]:
				of = append(of, up)
			case !w.atCut(u):
				return true // above the cut: no set of published nodes
			}
			set = append(set, u)
		}
		slices.Sort(of)
		for _, u := range slices.Compact(of) {
			d.by[u] = append(d.by[u], len(d.sets))
		}
		d.sets = append(d.sets, set)
		return true
	})
}

// may tells whether no rare set comes about when a candidate is replaced by its children.
func (d *downward) may(u int32) bool {
	w := d.w
	return !slices.ContainsFunc(d.by[u], func(i int) bool {
		return !slices.ContainsFunc(d.sets[i], func(v int32) bool {
			return w.tree.Parent(v) != u && !w.atCut(v)
		})
	})
}

// atCut tells whether a node is at the cut.
func (w *countedWalk) atCut(u int32) bool {
	lo, _ := w.tree.Range(u)
	return w.cut.Of(lo) == u
}
