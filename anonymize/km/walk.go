package km

import (
	"context"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/count"
)

// walk makes one walk over the count tree to a depth and repairs what is rare.
func (s *state) walk(ctx context.Context, in anonymize.Input, merged *dataset.Merged, depth int) error {
	k := in.Promise.K
	at := merged.Recode(in.Tree.Dict(), s.cut.Map())
	w := count.NewWalk(at, in.Tree, s.index.NodeSupport)
	frequent := func(set []int32) bool { return s.index.AtLeast(set, k) }
	stage := fmt.Sprintf("itemsets of %d", depth)
	return w.Leaves(ctx, count.Visit{
		M: depth, K: k,
		Repair: func(path []int32) {
			l := s.repair(path, frequent)
			s.commit(l, path, w.Kill)
		},
		Progress: func(done, total int) { in.Report(stage, int64(done), int64(total)) },
	})
}

// commit lifts the cut as the repair of path says; kill is told every node that is below the cut from now on.
func (s *state) commit(l *lifting, path []int32, kill func(u int32)) {
	for _, u := range l.set {
		if !slices.Contains(path, u) {
			s.lift(u)
			s.bury(u, kill)
		}
	}
}

// bury marks everything below u as dead.
func (s *state) bury(u int32, kill func(u int32)) {
	for _, c := range s.tree.Children(u) {
		if !s.dead[c] {
			s.dead[c] = true
			kill(c)
			s.bury(c, kill)
		}
	}
}
