// Package global holds the algorithms of terrovitis-2008 and terrovitis-2011: k^m-anonymity, and
// l^m-diversity, by generalization over a hierarchy.
package global

// Apriori-based anonymization: terrovitis-2008, Algorithm 4; direct anonymization: Algorithm 3.
//
// Deviations. The count tree is not built: package itemset projects the data in the tree's order
// instead, which visits the same paths in the same order. Each size is counted on the data as the
// sizes before it left it, identical transactions merged; the paper scans D each time.
//
// Time is that of counting the itemsets of each size once at the cut, and of going through a table
// of those above it (package itemset, fromcut.go); memory some copies of the data, and the table.

import (
	"context"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
	"mingle/release"
)

// AA is apriori-based anonymization: direct anonymization for sizes 1 to m in turn, each over what
// survives the cut so far. It is the papers' default heuristic.
type AA struct {
	// ByLeaves orders the count tree by the number of items below a node in place of its support,
	// which section 4.1 of the paper leaves free. The result is another one, no less right.
	ByLeaves bool
}

// Name is "aa".
func (AA) Name() string { return "aa" }

// Traits implements anonymize.Algorithm. An occurrence stands in the merged transactions (4 bytes)
// and their index (2), at the cut (4), in the rows of a walk and their places (4 + 8), and in those
// of its table (4 + 8): 34 bytes. (A table that is filled while the transactions are read takes 16
// in place of the last 24.) A transaction has a place in a deal and a sort key (4 + 12 at most),
// five offsets (4 to 8 each), four weights (4 each) and the number of its merged one (4): some 70
// bytes, for two occurrences or more.
func (AA) Traits() anonymize.Traits {
	return anonymize.Traits{Packed: true, Persons: true, Need: needOfWalks(70)}
}

// Anonymize implements anonymize.Algorithm.
func (a AA) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	return anonymize.Solve(ctx, in, a)
}

// Solve implements anonymize.Solver.
func (a AA) Solve(ctx context.Context, p *anonymize.Problem) (*release.Generalized, error) {
	s, err := newState(p)
	if err != nil {
		return nil, err
	}
	s.byLeaves = a.ByLeaves
	return s.release(ctx, p, 1)
}

// DA is direct anonymization: one walk over the whole count tree. It loses about what AA loses and
// takes longer.
type DA struct{}

// Name is "da".
func (DA) Name() string { return "da" }

// Traits implements anonymize.Algorithm.
func (DA) Traits() anonymize.Traits { return AA{}.Traits() }

// Anonymize implements anonymize.Algorithm.
func (a DA) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	return anonymize.Solve(ctx, in, a)
}

// Solve implements anonymize.Solver.
func (DA) Solve(ctx context.Context, p *anonymize.Problem) (*release.Generalized, error) {
	s, err := newState(p)
	if err != nil {
		return nil, err
	}
	return s.release(ctx, p, p.Promise.M)
}

// needOfWalks is what walks need, and something for each occurrence besides. Walk is for those that
// go through the expanded data: of da, of persons, and where no table fits.
func needOfWalks(each int) func(anonymize.Input) (all, alone anonymize.Need) {
	return func(in anonymize.Input) (all, alone anonymize.Need) {
		n := anonymize.Need{Each: each, Walk: anonymize.WalkOf(in.Promise.M, in.Data)}
		if in.Promise.M > 1 {
			sets := slices.Max(anonymize.Sets(in.Data, in.Promise.M))
			n.Tables = itemset.MostTable(sets)
		}
		return n, n
	}
}

// release walks the count tree to the depths from first to m in turn.
func (s *state) release(
	ctx context.Context, p *anonymize.Problem, first int,
) (*release.Generalized, error) {
	if err := s.anonymize(ctx, p.Input, first); err != nil {
		return nil, err
	}
	return release.Global(p.Data, s.cut), nil
}

// anonymize lifts the cut until it keeps the promise: first the supports, by walks to the depths
// from first to m, then what is asked beyond them. Lifting for the one may break the other, so they
// take turns.
func (s *state) anonymize(ctx context.Context, in anonymize.Input, first int) error {
	m := in.MostAtOnce()
	for depth := min(first, m); depth <= m; depth++ {
		if err := s.walk(ctx, in, depth, first < depth); err != nil {
			return err
		}
	}
	s.recoded = nil // it has done its work
	for changed := asksBeyond(in.Promise); changed; {
		var err error
		if changed, err = s.beyond(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// walk makes one walk over the count tree to a depth and repairs what is rare. passed says that
// there have been walks to all smaller depths.
func (s *state) walk(ctx context.Context, in anonymize.Input, depth int, passed bool) error {
	if err := s.countable(depth); err != nil {
		return err
	}
	w := itemset.NewWalk(s.source(in, depth))
	frequent := func(l *lifting) bool { return s.index.AtLeast(l.set, in.Promise.K) }
	stage := fmt.Sprintf("itemsets of %d", depth)
	return w.Leaves(ctx, itemset.Pass{
		M: depth, K: in.Promise.K, Passed: passed, Workers: in.WorkerCount(),
		Repair: func(path []int32) {
			// nil only where a part of the data has too little in it
			if l := s.repair(path, frequent); l != nil {
				s.commit(l, path, w.Deactivate)
			}
		},
		Progress: func(done, total int) { in.Report(stage, int64(done), int64(total)) },
	})
}

// countable refuses, before the work, what would take more than a day to count at the cut.
func (s *state) countable(size int) error {
	longest := s.merged.MaxLen()
	if float64(s.merged.Len())*anonymize.Choose(longest, size) <= anonymize.MostSets {
		return nil
	}
	s.merge()
	total, most := 0.0, 0
	seen := slices.Repeat([]int{-1}, s.tree.Nodes())
	lines := s.merged.Cursor()
	for i := range s.merged.Len() {
		n := 0
		for _, leaf := range lines.Tx(i) {
			if u := s.cut.Of(leaf); seen[u] != i {
				seen[u] = i
				n++
			}
		}
		total, most = total+anonymize.Choose(n, size), max(most, n)
	}
	if total > anonymize.MostSets {
		return &anonymize.TooMuch{Size: size, Sets: total, Longest: most}
	}
	return nil
}

// source is the data at the cut as it stands. Recoding merges what became identical, which makes
// walks faster; with a bound on memory there is no room for a copy.
func (s *state) source(in anonymize.Input, depth int) itemset.Source {
	src := itemset.Source{
		Index: s.index, Ties: anonymize.NodeOrder(s.tree), Bound: in.Memory / 4,
		ByLeaves: s.byLeaves,
	}
	if depth > 1 && in.Memory == 0 {
		src.Data = anonymize.Rows(s.recode(in.WorkerCount()))
	} else {
		src.Data, src.To = anonymize.Rows(s.merged), slices.Clone(s.cut.Map())
	}
	return src
}

// recode is the data at the cut, equal transactions merged. It is made of what a walk had before,
// which is less than all of the data: what is published now is above what was published then.
func (s *state) recode(workers int) *dataset.Merged {
	of := s.cut.Map()
	if s.recoded == nil || s.merged.Units != nil {
		plain := *s.merged
		plain.Of = nil // nobody asks
		s.recoded = plain.RecodeBy(s.tree.Dict(), of, workers)
	} else if !slices.Equal(of, s.recodedTo) {
		to := make([]int32, s.tree.Nodes())
		for leaf, u := range s.recodedTo {
			to[u] = of[leaf]
		}
		s.recoded = s.recoded.RecodeBy(s.tree.Dict(), to, workers)
	}
	s.recoded.Of = nil
	s.recodedTo = slices.Clone(of)
	return s.recoded
}
