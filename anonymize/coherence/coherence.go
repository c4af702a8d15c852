// Package coherence makes set-valued data (h,k,p)-coherent by deleting public items: the moles go, and as many nuggets as
// possible stay. It is the greedy of
//
//	Xu, Fung, Wang, Fu, Pei: Publishing Sensitive Transactions for Itemset Utility, ICDM 2008 (figure 2, sections 4 to 6).
//
// A mole is a set of at most p public items that occurs, and that fewer than k transactions contain or that implies, itself or
// by a subset, a private item with a probability above h. A nugget is a set of at most p' items, public or private, that
// at least k' transactions contain.
//
// First every public item in fewer than max(k,k') transactions is dropped. Then, while moles remain, the public item
// in the most moles for each nugget it is in is suppressed (ties: in more moles, then the smaller label). Suppressing an
// item changes no support of what remains, so moles and nuggets only ever disappear: the counts are initialised once and
// lowered round by round.
//
// How moles and nuggets are counted does not change the result, only what it costs; see [Counting]. Deviations from the
// paper are said where they are made: edge.go, project.go, diagram.go.
package coherence

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/release"
)

// Input is what is made coherent.
type Input struct {
	Data    *dataset.Dataset
	Private []bool // by item; the others are public
	Promise privacy.Coherence

	NuggetSupport int // k': transactions that contain a nugget; at least 1
	NuggetLen     int // p': items of a nugget; 0: any number

	Scoring Scoring
	Moles   Counting // how moles are counted
	Nuggets Counting // how nuggets are counted

	Workers  int                            // at most this many goroutines; 0: one a processor
	Progress func(stage anonymize.Progress) // called from one goroutine at a time; nil: nobody listens
}

// Scoring is what the moles of an item are held against.
type Scoring int

const (
	// ByNuggets is the paper's: the nuggets that contain the item.
	ByNuggets Scoring = iota
	// ByOccurrences is the simpler measure of the method before it, for comparison: the transactions that contain the item.
	ByOccurrences
)

// Round is one item suppressed, and what was counted before it was.
type Round struct {
	Item           int32
	Moles, Nuggets *big.Int // all that remain
	// ItemMoles and ItemNuggets are those that contain the item, and go with it.
	ItemMoles, ItemNuggets *big.Int
}

// Result is a release and how it came about.
type Result struct {
	Release *release.Suppression
	Dropped []int32 // the public items in too few transactions, in the order of their labels
	Rounds  []Round

	// NuggetsBefore counts the nuggets of the original, NuggetsAfter those of the release.
	NuggetsBefore, NuggetsAfter *big.Int
	// MoleCounting and NuggetCounting are the representations in use at the end.
	MoleCounting, NuggetCounting Counting
}

// Check refuses, before any work, parameters that are wrong and data for which no suppression of public items keeps the
// promise: what the empty set of items shows is shown by every release.
func (in *Input) Check() error {
	var faults []error
	if in.Data == nil {
		return errors.New("coherence: no data is given")
	}
	faults = append(faults, in.Promise.Validate())
	if len(in.Private) != in.Data.Dict().Len() {
		faults = append(faults, fmt.Errorf("coherence: %d items are marked private or public, the data has %d", len(in.Private), in.Data.Dict().Len()))
	}
	if in.NuggetSupport < 1 {
		faults = append(faults, fmt.Errorf("the support of nuggets, k' (%d), must be at least 1", in.NuggetSupport))
	}
	if in.NuggetLen < 0 {
		faults = append(faults, fmt.Errorf("the longest nugget, p' (%d), must not be negative; 0 means any length", in.NuggetLen))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return in.feasible()
}

// feasible looks at the empty set.
func (in *Input) feasible() error {
	n := in.Data.Len()
	if n > 0 && n < in.Promise.K {
		return privacy.Infeasiblef("k (%d) is more than the number of transactions (%d): even the empty set of items is in fewer than k", in.Promise.K, n)
	}
	most := in.most()
	var worst []int32
	supports := in.Data.Supports()
	for it, c := range supports {
		if in.Private[it] && c > int(most[n]) {
			worst = append(worst, int32(it))
		}
	}
	if len(worst) == 0 {
		return nil
	}
	slices.SortFunc(worst, func(a, b int32) int {
		if supports[a] != supports[b] {
			return supports[b] - supports[a]
		}
		return dataset.CompareLabels(in.Data.Dict().Label(a), in.Data.Dict().Label(b))
	})
	top := supports[worst[0]]
	more := ""
	if len(worst) > 1 {
		more = fmt.Sprintf(" (and %d more private items above h)", len(worst)-1)
	}
	return privacy.Infeasiblef("h (%v) cannot be reached: private item %q is in %d of %d transactions, %.4g %% of them%s; suppressing public items does not change that. Choose h of at least %s, or do not publish the item",
		in.Promise.H, in.Data.Dict().Label(worst[0]), top, n, 100*float64(top)/float64(n), more, roundUp(top, n))
}

// roundUp is part/whole as a decimal fraction that is not smaller.
func roundUp(part, whole int) string {
	return fmt.Sprintf("%.4f", float64((part*10000+whole-1)/whole)/10000)
}

// most is, for every number of transactions, how many of them may contain one private item.
func (in *Input) most() []int32 {
	share := in.Promise.Share()
	out := make([]int32, in.Data.Len()+1)
	n := new(big.Int)
	for i := range out {
		n.Mul(n.SetInt64(int64(i)), share.Num())
		out[i] = int32(n.Quo(n, share.Denom()).Int64())
	}
	return out
}

func (in *Input) workers() int {
	if in.Workers > 0 {
		return in.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Anonymize makes the data coherent. The same input gives the same release for any number of workers and any order of
// the transactions. It stops within a second of ctx's end, with ctx's cause as its error.
func Anonymize(ctx context.Context, in Input) (*Result, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
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
	alive    []bool // public items that remain
	out      *Result

	moles, nuggets *switching
}

// begin drops the infrequent items and counts moles and nuggets.
func begin(ctx context.Context, in Input) (*greedy, error) {
	g := &greedy{in: in, supports: in.Data.Supports(), alive: make([]bool, in.Data.Dict().Len()), out: &Result{}}
	for it, n := range g.supports {
		switch {
		case in.Private[it] || n == 0:
		case n < max(in.Promise.K, in.NuggetSupport):
			g.out.Dropped = append(g.out.Dropped, int32(it))
		default:
			g.alive[it] = true
		}
	}
	slices.SortFunc(g.out.Dropped, g.compareLabels)
	p := &problem{Input: in, most: in.most()}
	var err error
	if g.moles, err = newSwitching(ctx, p, moleWays(p), g.alive); err != nil {
		return nil, err
	}
	if g.nuggets, err = newSwitching(ctx, p, nuggetWays(p), g.alive); err != nil {
		return nil, err
	}
	g.out.NuggetsBefore, err = nuggetsBefore(ctx, p, g)
	return g, err
}

func (g *greedy) compareLabels(a, b int32) int {
	return dataset.CompareLabels(g.in.Data.Dict().Label(a), g.in.Data.Dict().Label(b))
}

// nuggetsBefore counts the nuggets of the original. They are more than those of what remains only if items were dropped
// that have support k'.
func nuggetsBefore(ctx context.Context, p *problem, g *greedy) (*big.Int, error) {
	all := slices.Clone(g.alive)
	same := true
	for _, it := range g.out.Dropped {
		if g.supports[it] >= p.NuggetSupport {
			all[it], same = true, false
		}
	}
	if same {
		return new(big.Int).Set(g.nuggets.total()), nil
	}
	c, err := newSwitching(ctx, p, nuggetWays(p), all)
	if err != nil {
		return nil, err
	}
	return new(big.Int).Set(c.total()), nil
}

// round suppresses one item (figure 2, lines 3 to 5).
func (g *greedy) round(ctx context.Context) error {
	v := g.best()
	r := Round{
		Item:  v,
		Moles: new(big.Int).Set(g.moles.total()), Nuggets: new(big.Int).Set(g.nuggets.total()),
		ItemMoles: new(big.Int).Set(g.moles.of(v)), ItemNuggets: new(big.Int).Set(g.nuggets.of(v)),
	}
	g.out.Rounds = append(g.out.Rounds, r)
	g.alive[v] = false
	if err := g.moles.remove(ctx, v); err != nil {
		return err
	}
	if err := g.nuggets.remove(ctx, v); err != nil {
		return err
	}
	if g.in.Progress != nil {
		g.in.Progress(anonymize.Progress{Stage: "suppressing", Done: int64(len(g.out.Rounds))})
	}
	return nil
}

// best is the remaining item of the largest score. Scores are compared exactly, by multiplying crosswise; an item in no
// nugget has an infinite one.
func (g *greedy) best() int32 {
	best := int32(-1)
	var left, right big.Int
	for it := range int32(len(g.alive)) {
		if !g.alive[it] || g.moles.of(it).Sign() == 0 {
			continue
		}
		if best < 0 {
			best = it
			continue
		}
		left.Mul(g.moles.of(it), g.worth(best))
		right.Mul(g.moles.of(best), g.worth(it))
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

// worth is what is lost with an item.
func (g *greedy) worth(it int32) *big.Int {
	if g.in.Scoring == ByOccurrences {
		return big.NewInt(int64(g.supports[it]))
	}
	return g.nuggets.of(it)
}

func (g *greedy) result() *Result {
	out := g.out
	items := slices.Clone(out.Dropped)
	for _, r := range out.Rounds {
		items = append(items, r.Item)
	}
	out.Release = &release.Suppression{Data: g.in.Data, Private: g.in.Private, Items: items}
	out.NuggetsAfter = new(big.Int).Set(g.nuggets.total())
	out.MoleCounting, out.NuggetCounting = g.moles.counting(), g.nuggets.counting()
	return out
}
