package coherence

import (
	"context"
	"math/big"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/release"
)

// Anonymize makes the data coherent. The same input gives the same release for any number of
// workers and any order of the transactions. It stops within a second of ctx's end, with ctx's
// cause as its error. A *privacy.Infeasible error says that no suppression of public items keeps
// the promise.
func Anonymize(ctx context.Context, in Input) (*Result, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := in.feasible(); err != nil {
		return nil, err
	}
	if in.Scoring == Better {
		return better(ctx, in)
	}
	return suppress(ctx, in)
}

// better is the release, of both scorings, that keeps more nuggets.
func better(ctx context.Context, in Input) (*Result, error) {
	in.Scoring = ByNuggets
	paper, err := suppress(ctx, in)
	if err != nil || len(paper.Rounds) == 0 {
		return paper, err
	}
	in.Scoring = ByOccurrences
	other, err := suppress(ctx, in)
	if err != nil || other.Nuggets.Cmp(paper.Nuggets) <= 0 {
		return paper, err
	}
	return other, nil
}

// suppress is figure 2.
func suppress(ctx context.Context, in Input) (*Result, error) {
	g, err := begin(ctx, in)
	if err != nil {
		return nil, err
	}
	for g.moles.total().Sign() > 0 {
		if err := g.round(ctx); err != nil {
			return nil, err
		}
	}
	return g.result(), nil
}

// greedy is the loop's state. A slice by item has an entry for every item of the data.
type greedy struct {
	in       Input
	supports []int
	public   []bool // public items that remain
	out      *Result

	moles, nuggets counter
}

// begin drops the infrequent items and counts moles and nuggets.
func begin(ctx context.Context, in Input) (*greedy, error) {
	g := &greedy{in: in, supports: in.Data.Supports(), out: &Result{}}
	g.public = make([]bool, len(g.supports))
	for it, n := range g.supports {
		switch {
		case in.Private[it] || n == 0:
		case n < max(in.Promise.K, in.NuggetSupport):
			g.out.Dropped = append(g.out.Dropped, int32(it))
		default:
			g.public[it] = true
		}
	}
	slices.SortFunc(g.out.Dropped, g.compareLabels)
	p := &problem{Input: in, most: in.most()}
	var err error
	if g.moles, err = newMoles(ctx, p, g.public); err != nil {
		return nil, err
	}
	g.nuggets, err = newNuggets(ctx, p, g.public)
	return g, err
}

func (g *greedy) compareLabels(a, b int32) int {
	return dataset.CompareLabels(g.in.Data.Dict().Label(a), g.in.Data.Dict().Label(b))
}

// round suppresses one item (figure 2, lines 3 to 5).
func (g *greedy) round(ctx context.Context) error {
	v := g.best()
	copied := func(n *big.Int) *big.Int { return new(big.Int).Set(n) }
	g.out.Rounds = append(g.out.Rounds, Round{
		Item: v, Moles: copied(g.moles.total()), Nuggets: copied(g.nuggets.total()),
		ItemMoles: copied(g.moles.of(v)), ItemNuggets: copied(g.nuggets.of(v)),
	})
	g.public[v] = false
	if err := g.moles.remove(ctx, v, g.public); err != nil {
		return err
	}
	if err := g.nuggets.remove(ctx, v, g.public); err != nil {
		return err
	}
	if g.in.Progress != nil {
		g.in.Progress(anonymize.Progress{Stage: "suppressing", Done: int64(len(g.out.Rounds))})
	}
	return nil
}

// best is the remaining item of the largest score. Scores are compared exactly, by multiplying
// crosswise; an item in no nugget has an infinite one.
func (g *greedy) best() int32 {
	best := int32(-1)
	var left, right big.Int
	for it := range int32(len(g.public)) {
		if !g.public[it] || g.moles.of(it).Sign() == 0 {
			continue
		}
		if best < 0 {
			best = it
			continue
		}
		left.Mul(g.moles.of(it), g.penalty(best))
		right.Mul(g.moles.of(best), g.penalty(it))
		c := left.Cmp(&right)
		if c == 0 {
			c = g.moles.of(it).Cmp(g.moles.of(best))
		}
		if c > 0 || c == 0 && g.compareLabels(it, best) < 0 {
			best = it
		}
	}
	return best
}

// penalty is what suppressing an item takes away.
func (g *greedy) penalty(it int32) *big.Int {
	if g.in.Scoring == ByOccurrences {
		return big.NewInt(int64(g.supports[it]))
	}
	return g.nuggets.of(it)
}

func (g *greedy) result() *Result {
	items := slices.Clone(g.out.Dropped)
	for _, r := range g.out.Rounds {
		items = append(items, r.Item)
	}
	g.out.Release = &release.Suppression{Data: g.in.Data, Private: g.in.Private, Items: items}
	g.out.MoleCounting, g.out.Scoring = g.moles.counting(), g.in.Scoring
	g.out.Nuggets = g.nuggets.total()
	return g.out
}
