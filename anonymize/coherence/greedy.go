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
	s, err := begin(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Scoring != Better {
		return s.suppress(ctx, in.Scoring)
	}
	return s.better(ctx)
}

// start is what all scorings begin with: the infrequent items are dropped, moles and nuggets
// counted.
type start struct {
	in             Input
	supports       []int
	public         []bool // public items that remain
	dropped        []int32
	moles, nuggets counter
}

// begin drops the infrequent items and counts moles and nuggets.
func begin(ctx context.Context, in Input) (*start, error) {
	in.Promise.P = min(in.Promise.P, max(1, in.Data.MaxLen())) // larger itemsets occur nowhere
	s := &start{in: in, supports: in.Data.Supports()}
	s.public = make([]bool, len(s.supports))
	for it, n := range s.supports {
		switch {
		case in.Private[it] || n == 0:
		case n < max(in.Promise.K, in.NuggetSupport):
			s.dropped = append(s.dropped, int32(it))
		default:
			s.public[it] = true
		}
	}
	slices.SortFunc(s.dropped, s.compareLabels)
	var err error
	if s.moles, err = newMoles(ctx, &problem{Input: in, most: in.most()}, s.public); err != nil {
		return nil, err
	}
	s.nuggets, err = newNuggets(ctx, in.Data, NuggetOptions{
		Support: in.NuggetSupport, Length: in.NuggetLen,
		Workers: in.Workers, Progress: in.Progress,
	}, s.left())
	return s, tooLarge(err)
}

// left marks the public items that remain, and the private ones.
func (s *start) left() []bool {
	out := slices.Clone(s.public)
	for it, is := range s.in.Private {
		out[it] = out[it] || is
	}
	return out
}

// better is the release, of both scorings, that keeps more nuggets.
func (s *start) better(ctx context.Context) (*Result, error) {
	paper, err := s.suppress(ctx, ByNuggets)
	if err != nil || len(paper.Rounds) == 0 {
		return paper, err
	}
	other, err := s.suppress(ctx, ByOccurrences)
	if err != nil || other.Nuggets.Cmp(paper.Nuggets) <= 0 {
		return paper, err
	}
	return other, nil
}

// suppress is figure 2.
func (s *start) suppress(ctx context.Context, scoring Scoring) (*Result, error) {
	g := s.greedy(scoring)
	for g.moles.total().Sign() > 0 {
		if err := g.round(ctx); err != nil {
			return nil, err
		}
	}
	return g.result(), nil
}

// greedy is the loop's state. A slice by item has an entry for every item of the data.
type greedy struct {
	start
	left []bool // the public items that remain, and the private ones
	out  *Result
}

// greedy begins a loop of its own.
func (s *start) greedy(scoring Scoring) *greedy {
	g := &greedy{start: *s, left: s.left(), out: &Result{Dropped: s.dropped}}
	if s.in.Promise.K <= s.in.NuggetSupport {
		g.out.All = s.nuggets.total()
	}
	g.in.Scoring, g.public = scoring, slices.Clone(s.public)
	g.moles, g.nuggets = s.moles.fresh(), s.nuggets.fresh()
	return g
}

func (s *start) compareLabels(a, b int32) int {
	return dataset.CompareLabels(s.in.Data.Dict().Label(a), s.in.Data.Dict().Label(b))
}

// round suppresses one item (figure 2, lines 3 to 5).
func (g *greedy) round(ctx context.Context) error {
	v := g.best()
	copied := func(n *big.Int) *big.Int { return new(big.Int).Set(n) }
	g.out.Rounds = append(g.out.Rounds, Round{
		Item: v, Moles: copied(g.moles.total()), Nuggets: copied(g.nuggets.total()),
		ItemMoles: copied(g.moles.of(v)), ItemNuggets: copied(g.nuggets.of(v)),
	})
	g.public[v], g.left[v] = false, false
	if err := g.moles.remove(ctx, v, g.public); err != nil {
		return err
	}
	if err := g.nuggets.remove(ctx, v, g.left); err != nil {
		return err
	}
	g.tell()
	return nil
}

// tell says how many of the moles are gone.
func (g *greedy) tell() {
	if g.in.Progress == nil {
		return
	}
	all := g.out.Rounds[0].Moles
	gone, scale := new(big.Int).Sub(all, g.moles.total()), uint(max(0, all.BitLen()-63))
	g.in.Progress(anonymize.Progress{
		Stage: "suppressing by " + g.in.Scoring.String(),
		Done:  gone.Rsh(gone, scale).Int64(), Total: new(big.Int).Rsh(all, scale).Int64(),
	})
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
	g.out.Release = &release.Suppression{Data: g.in.Data, Items: items}
	g.out.MoleCounting, g.out.NuggetCounting = g.moles.counting(), g.nuggets.counting()
	g.out.Scoring = g.in.Scoring
	g.out.Nuggets = g.nuggets.total()
	return g.out
}
