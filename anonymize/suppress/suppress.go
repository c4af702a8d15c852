// Package suppress leaves out, within a budget, what is too dear to generalize: whole items, or whole transactions.
//
// Both are wrappers: they choose what is left out, let another algorithm anonymize the rest, and never publish anything that
// loses more than that algorithm by itself. The budget is a share of all item occurrences; each that is not published
// counts 1 in the loss, as much as one published as the root. docs/algorithms/suppress.md tells how they choose.
package suppress

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/release"
)

// attempt is a release and what it loses: NCP times |I| times all occurrences.
type attempt struct {
	g    *release.Generalized
	loss int64
}

// better is the attempt that loses less, a where they lose the same.
func better(a, b *attempt) *attempt {
	if b != nil && (a == nil || b.loss < a.loss) {
		return b
	}
	return a
}

// newAttempt measures a release.
func newAttempt(g *release.Generalized) *attempt {
	t := g.Tree
	a := &attempt{g: g}
	for pos := range g.Data.Items() {
		switch u := g.Node(pos); {
		case u == release.Suppressed:
			a.loss += int64(t.Leaves())
		case !t.IsLeaf(u):
			a.loss += int64(t.LeafCount(u))
		}
	}
	return a
}

// checkShare refuses budgets that are none.
func checkShare(who string, share float64) error {
	if !(0 <= share && share <= 1) {
		return fmt.Errorf("%s: the share that may be suppressed (%v) must be between 0 and 1", who, share)
	}
	return nil
}

// budget is the number of occurrences a share allows.
func budget(d *dataset.Dataset, share float64) int64 { return int64(share * float64(d.Occurrences())) }

// try anonymizes what is left of the data. It gives nil where nothing keeps the promise.
func try(ctx context.Context, inner anonymize.Algorithm, in anonymize.Input) (*release.Generalized, error) {
	g, err := inner.Anonymize(ctx, in)
	var infeasible *privacy.Infeasible
	if errors.As(err, &infeasible) {
		return nil, nil
	}
	return g, err
}

// restore makes a release of the original of one of data without some items.
func restore(in anonymize.Input, g *release.Generalized, gone []bool) *release.Generalized {
	out := &release.Generalized{Tree: in.Tree, Data: in.Data, Sensitive: in.Sensitive, Parts: g.Parts, Warnings: g.Warnings}
	if g.IsGlobal() {
		out.Map = slices.Clone(g.Map)
		for leaf, is := range gone {
			if is {
				out.Map[leaf] = release.Suppressed
			}
		}
		return out
	}
	next := 0
	out.Nodes = make([]int32, 0, in.Data.Occurrences())
	for _, leaf := range in.Data.Items() {
		u := release.Suppressed
		if !gone[leaf] {
			u = g.Nodes[next]
			next++
		}
		out.Nodes = append(out.Nodes, u)
	}
	return out
}
