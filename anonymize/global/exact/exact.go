// Package exact finds the cut that loses least among all that keep k^m-anonymity, and proves it, on
// real domains.
package exact

// Implicit hitting set over rare itemsets. Not from a paper: docs/algorithms/exact.md has the
// proof. In short:
//
//   - Let x_v say that the cut is at inner node v or above. Cuts are the x closed downwards, and
//     NCP is linear in x.
//   - An itemset J of at most m nodes with 0 < support(J) < k is a clause: every cut that keeps the
//     promise lifts one of J's nodes, OR over u in J of x_parent(u).
//   - The cheapest x under the clauses known so far is a lower bound. Publish at it, count, turn
//     rare itemsets into clauses, repeat. When nothing is rare the bound is reached.
//
// What makes it fast: clauses are sought from coarse to fine, on the data generalized to each
// height of the hierarchy in turn, where few nodes and few distinct transactions are left and
// clauses are strong, so that the detailed data is counted only near the optimum; at each height
// sizes 1 to m in turn; each rare itemset is lifted as long as it stays rare; those that a known
// clause rules out are passed over; the programs are solved by package cover.
//
// Time is the number of rounds (some tens) times one count of the itemsets of size at most m at a
// cut that is nearly the result, and, where the programs are hard, the branch and bound of package
// cover, which is exponential in the worst case. Memory is the index of supports, 4 bytes for each
// pair of a transaction and a node above one of its items; 24 MB a worker of transactions that are
// read; 16 MB, or 2 bytes an occurrence, for each of three tables of cells; where sets are not
// counted in cells, the data at the cut, 32 bytes an occurrence; 10 MB of what the index has said;
// the clauses; and a proof, 800 MB at most. With Input.Memory the lists of the index, the cells,
// and the data at the cut take an eighth of it each, what the index has said a 64th, and a proof
// two fifths.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/hierarchy"
	"mingle/internal/itemset"
	"mingle/release"
)

// Algorithm is the exact optimum of global recoding. The zero value runs until it is proven.
//
// Of several cuts with the least loss it publishes the one that generalizes the fewest leaves; of
// these, the one that is lower at the first leaf, in leaf order, where they differ, as long as
// telling them apart takes little (ties.go).
//
// With l^m-diversity or negative knowledge, clauses cover only the supports of published items. The
// bound is then only a bound, and the result, lifted further until it keeps the whole promise, need
// not be optimal.
//
// When its time is over it publishes the best cut found that keeps the promise, with the bound
// proven so far; and so where a proof takes too much memory. It has an end of its own, so no effort
// multiplies it.
type Algorithm struct {
	anonymize.Budget
	// Work, if positive, bounds the search for a proof: nodes of search trees times clauses, of
	// some ten nanoseconds each. Where it does not do, the best cut found is published, with the
	// bound proven so far. The result does not depend on the machine.
	Work int64
	// Room bounds the bytes of a proof, about, in the same manner; 0: it takes two fifths of
	// Input.Memory, or 800 MB.
	Room int64
}

// Name is "exact".
func (Algorithm) Name() string { return "exact" }

// Traits implements anonymize.Algorithm.
func (Algorithm) Traits() anonymize.Traits {
	return anonymize.Traits{Packed: true, Persons: true, KeepsBest: true, Need: need}
}

// need is what it holds. An occurrence stands in the merged transactions (4 bytes)
// and their index (2), a transaction is as in AA. Cells take 16 MB, or 2 bytes an occurrence, in
// each of three tables, and less where there are few sets. Lists of the transactions of a node take
// 4 bytes a pair, and rows that are projected 32 an occurrence, which is four or more pairs: both
// are bounded by Input.Memory.
func need(in anonymize.Input) (all, alone anonymize.Need) {
	const tables = 3
	n := anonymize.Need{Each: 70, Walk: 12}
	if in.Promise.M > 1 {
		sets := slices.Max(anonymize.Sets(in.Data, in.Promise.M))
		n.Tables = tables * min(16<<20, itemset.MostTable(sets))
	}
	return n, n
}

// Anonymize implements anonymize.Algorithm. The release has a Bound with its certificate.
func (a Algorithm) Anonymize(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	return anonymize.Solve(ctx, in, a)
}

// Solve implements anonymize.Solver.
func (a Algorithm) Solve(ctx context.Context, p *anonymize.Problem) (*release.Generalized, error) {
	in := p.Input
	beyond := in.Promise.BeyondSupports()
	whole, cancel := a.Within(ctx)
	defer cancel()
	share := a.TimeLimit
	if beyond {
		share -= share / 4 // the rest is for lifting the result further
	}
	within, cancel := anonymize.Limited(whole, share)
	defer cancel()
	s := newSearch(p)
	s.limit, s.room = a.Work, cmp.Or(a.Room, in.Memory*2/5, mostProof)
	ended := s.run(within)
	bounded := errors.Is(ended, errWork) || errors.Is(ended, errRoom)
	if err := a.Fault(ctx, ended); err != nil && !bounded {
		return nil, err
	}
	cut := s.cut(s.best, 0)
	if beyond {
		lifted, err := global.Lift(whole, p, cut)
		if fault := a.Fault(ctx, err); fault != nil {
			return nil, fault
		}
		if err != nil { // the root keeps every promise that Check lets pass
			lifted, ended = slices.Repeat([]int32{in.Tree.Root()}, in.Tree.Leaves()), err
		}
		cut = lifted
	}
	g, err := s.release(in, cut)
	if err != nil {
		return nil, err
	}
	if beyond {
		g.Warnings = append(g.Warnings, "The lower bound of exact covers the supports of published items only; what else is promised may make the true optimum higher.")
	}
	if ended != nil {
		g.Warnings = append(
			g.Warnings, fmt.Sprintf("The search for the optimum was ended early: %v.", ended),
		)
	}
	return g, nil
}

// release makes the release of a cut, given the node of every leaf, with the bound that was proven.
func (s *search) release(in anonymize.Input, cut []int32) (*release.Generalized, error) {
	nodes, err := hierarchy.NewCut(s.tree, slices.Compact(slices.Clone(cut)))
	if err != nil {
		return nil, err
	}
	g := release.Global(in.Data, nodes)
	g.Sensitive = in.Sensitive
	g.Bound = s.bound(s.costOf(cut))
	return g, nil
}

// bound states what was proven, for a release of the given cost.
func (s *search) bound(cost int64) *release.Bound {
	c := &release.Certificate{
		K: s.k, M: s.m, Scale: s.scale, Bound: s.lower,
		Clauses: s.learned(s.lowerClauses), Proof: s.certify(s.proof),
	}
	b := &release.Bound{Optimal: cost/s.scale == c.Loss(), Clauses: c.Clauses, Certificate: c}
	if all := float64(s.items) * float64(s.tree.Leaves()); all > 0 {
		b.NCP = float64(c.Loss()) / all
	}
	return b
}
