package global

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"mingle/anonymize"
	"mingle/hierarchy"
	"mingle/privacy"
)

// l^m-diversity of data that are counted elsewhere: the passes of beyond.
//
// One count a size finds, of the sets of nodes at and above the cut, those that tell a sensitive
// item. What a set tells does not depend on the cut, and the nodes of a cut that was lifted were
// above it before: so these sets serve all passes. A pass goes through those of the cut in the
// order in which beyond comes by them, and a lifting hides if it is not among them.

// Hide lifts a cut that keeps k^m-anonymity as Lift does, until it keeps l^m-diversity. The
// supports are those of the data.
func (s Supports) Hide(
	ctx context.Context, t *hierarchy.Tree, p privacy.KM, c Counts, from *hierarchy.Cut,
	progress func(anonymize.Progress),
) (*hierarchy.Cut, error) {
	w := walkOf(t, p, c, s, progress)
	w.liftTo(from)
	return w.cut, w.hideAll(ctx)
}

// telling is the sets that tell a sensitive item, by their size, from 1.
type telling struct {
	*countedWalk
	order, rank []int32 // nodes at and above the cut when the sets were counted
	sets        []RareSets
}

// hideAll lifts the cut until no set tells a sensitive item.
func (w *countedWalk) hideAll(ctx context.Context) (err error) {
	t := &telling{countedWalk: w, order: w.occurring(w.cut.Alive)}
	slices.Sort(t.order) // as beyond goes through them
	t.rank = ranking(t.order, w.tree.Nodes())
	defer func() {
		for _, s := range t.sets {
			err = errors.Join(err, s.Close())
		}
	}()
	for size := 1; size <= min(w.promise.M, max(1, w.longest)); size++ {
		w.progress(anonymize.Progress{Stage: fmt.Sprintf("itemsets of %d that tell too much", size)})
		s, err := w.counts.Rare(ctx, Walked{
			Cut: w.cut.Map(), Order: t.order, Size: size, K: w.promise.K, L: w.promise.L,
			Share: w.promise.PersonShare,
		})
		if err != nil {
			return err
		}
		t.sets = append(t.sets, s)
	}
	for changed := true; changed; {
		if changed, err = t.pass(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pass lifts the cut for every set at it that tells a sensitive item, and says whether there was
// any.
func (t *telling) pass(ctx context.Context) (changed bool, err error) {
	begun := make([]bool, t.tree.Nodes()) // at the cut as the pass begins
	for _, u := range t.cut.Nodes() {
		begun[u] = true
	}
	var path []int32
	var fault error
	err = inOrder(t.sets, func(ranks []int32) bool {
		path = path[:0]
		for _, r := range ranks {
			if !begun[t.order[r]] {
				return true
			}
			path = append(path, t.order[r])
		}
		if t.anyInactive(path) {
			return true
		}
		l := t.repair(path, func(l *lifting) bool {
			hides, err := t.hides(l.set)
			fault = errors.Join(fault, err)
			return hides || fault != nil
		})
		if fault == nil {
			fault = context.Cause(ctx)
		}
		if fault == nil && l == nil {
			fault = errors.New("a sensitive item is told even at the root: the counts contradict " +
				"each other")
		}
		if fault != nil {
			return false
		}
		t.commit(l, path, func(int32) {})
		changed = true
		return true
	})
	return changed, errors.Join(fault, err)
}

// hides tells whether a set of nodes at or above the cut tells nothing. That the root does not was
// made sure of before (Supports.Check).
func (t *telling) hides(set []int32) (bool, error) {
	if set[0] == t.tree.Root() {
		return true, nil
	}
	n, err := t.sets[len(set)-1].Support(ranksOf(t.rank, set))
	return n < 0, err
}

// inOrder goes through sets of several sizes in lexicographic order, until do returns false. A set
// comes before those that begin with it.
func inOrder(sizes []RareSets, do func(ranks []int32) bool) (fault error) {
	heads, next := make([][]int32, len(sizes)), make([]func() ([]int32, bool), len(sizes))
	for i, sets := range sizes {
		more, stop := iter.Pull(func(yield func([]int32) bool) {
			fault = errors.Join(fault, sets.Each(yield))
		})
		defer stop()
		next[i] = more
		heads[i], _ = more()
	}
	for fault == nil {
		least := -1
		for i, set := range heads {
			if set != nil && (least < 0 || slices.Compare(set, heads[least]) < 0) {
				least = i
			}
		}
		if least < 0 || !do(heads[least]) {
			break
		}
		heads[least], _ = next[least]()
	}
	return fault
}

// ranking is the place of each node in an order.
func ranking(order []int32, nodes int) []int32 {
	rank := make([]int32, nodes)
	for r, u := range order {
		rank[u] = int32(r)
	}
	return rank
}
