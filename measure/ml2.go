package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/par"
	"mingle/privacy"
)

// Multiple level mining loss (terrovitis-2011, sections 3.3 and 6.2.1).
//
//	ML2  = 1 - sum over levels i of |FI_i(published) ∩ FI_i(original)|
//	           / sum over levels i of |FI_i(original)|
//	dML2 = average, over the itemsets of the numerator's complement, of how many levels up their
//	       form is first found
//
// FI_i are the frequent itemsets whose items are all at level i. Level 0 is that of the deepest
// leaves, level h that of the root. A leaf that is not as deep stands for itself on the levels
// below its own, as in a table of paths in which it is repeated. The original is lifted to level i
// item by item; a published node at or below level i is lifted, one above it takes no part.
//
// The paper's formula (2) divides by all frequent itemsets; its section 6.2.1 averages over those
// not found ("the theoretical minimum is 1"), and so do we. The form of an itemset at a higher
// level is the set of its items' ancestors there and may be smaller. An itemset found at no level
// counts as found one level above the root; that happens only where occurrences are suppressed.

// MiningLoss is the loss of one release at one support threshold (terrovitis-2011, sections 3.3 and
// 6.2.1). ML2 is the share, from 0 to 1, of the frequent itemsets of the original, each at its
// level of the hierarchy, that are not frequent in the release; DML2 is how many levels up these
// are found, on average.
type MiningLoss struct {
	Threshold float64 `json:"threshold"` // share of the transactions
	ML2       float64 `json:"ml2"`
	DML2      float64 `json:"dml2"` // 0 where nothing is missing
	Frequent  int     `json:"frequent"`
	Missing   int     `json:"missing"`   // frequent itemsets not found at their level
	LevelsUp  int     `json:"levels_up"` // over all missing ones
	// of the missing ones: found at no level, which counts as one above the root
	Nowhere int `json:"nowhere,omitempty"`
}

// MiningOptions say what is mined.
type MiningOptions struct {
	// shares of the transactions, above 0 to 1; none: 1 %, 2 % and 3 %, as in the paper
	Thresholds []float64
	Limit      int // at most this many frequent itemsets a level; 0: a million
	Workers    int // at most this many goroutines; 0: one a processor; the result is the same
	// Progress is called from one goroutine at a time; nil: nobody listens.
	Progress func(done, total int64)
}

// ML2 measures the mining loss at each threshold, in the order given. Line i of the published data
// is line i of the original.
func ML2(ctx context.Context, t *hierarchy.Tree, original, published *dataset.Dataset,
	opts MiningOptions,
) ([]MiningLoss, error) {
	m, err := Mine(ctx, t, original, opts)
	if err != nil {
		return nil, err
	}
	return m.ML2(ctx, published)
}

// Mined is what is frequent in an original, to measure several releases of it.
type Mined struct {
	levels *levels
	opts   MiningOptions
	least  []int // support of each threshold
	before []frequent
}

// Mine mines the original for [Mined.ML2].
func Mine(ctx context.Context, t *hierarchy.Tree, original *dataset.Dataset,
	opts MiningOptions,
) (*Mined, error) {
	if err := cmp.Or(t.CheckBound(original), par.CheckWorkers(opts.Workers)); err != nil {
		return nil, err
	}
	if len(opts.Thresholds) == 0 {
		opts.Thresholds = []float64{0.01, 0.02, 0.03}
	}
	if opts.Limit <= 0 {
		opts.Limit = 1_000_000
	}
	m := &Mined{levels: newLevels(t), opts: opts, least: make([]int, len(opts.Thresholds))}
	for i, s := range opts.Thresholds {
		if !(0 < s && s <= 1) {
			return nil, fmt.Errorf("support threshold (%v) must be above 0 and at most 1", s)
		}
		m.least[i] = max(1, privacy.LeastOf(s, original.Len()))
	}
	var err error
	m.before, err = m.levels.mine(ctx, original, slices.Min(m.least), opts, 0)
	return m, err
}

// ML2 measures the mining loss of a release at each threshold, in the order given.
func (m *Mined) ML2(ctx context.Context, published *dataset.Dataset) ([]MiningLoss, error) {
	if err := m.levels.tree.CheckBoundPublished(published); err != nil {
		return nil, err
	}
	after, err := m.levels.mine(ctx, published, slices.Min(m.least), m.opts, 1)
	if err != nil {
		return nil, err
	}
	out := make([]MiningLoss, len(m.least))
	for i := range m.least {
		out[i] = m.levels.compare(m.before, after, m.least[i])
		out[i].Threshold = m.opts.Thresholds[i]
	}
	return out, nil
}

// MeanMiningLoss averages over thresholds, as the paper's figures do.
func MeanMiningLoss(losses []MiningLoss) (ml2, dml2 float64) {
	for _, l := range losses {
		ml2 += l.ML2 / float64(len(losses))
		dml2 += l.DML2 / float64(len(losses))
	}
	return ml2, dml2
}

// levels lifts nodes to the levels of a tree.
type levels struct {
	tree   *hierarchy.Tree
	height int
	to     [][]int32 // level, node -> node at that level; -1: the node is above it
}

func newLevels(t *hierarchy.Tree) *levels {
	deepest := 0
	for x := range int32(t.Leaves()) {
		deepest = max(deepest, t.Depth(x))
	}
	lv := &levels{tree: t, height: deepest, to: make([][]int32, deepest+1)}
	for i := range lv.to {
		lv.to[i] = make([]int32, t.Nodes())
		for u := range int32(t.Nodes()) {
			lv.to[i][u] = lv.lift(u, deepest-i)
		}
	}
	return lv
}

// lift is the ancestor of u at a depth; u itself if it is a leaf above that, and -1 if it is an
// inner node above that.
func (lv *levels) lift(u int32, depth int) int32 {
	if lv.tree.Depth(u) < depth && !lv.tree.IsLeaf(u) {
		return -1
	}
	for lv.tree.Depth(u) > depth {
		u = lv.tree.Parent(u)
	}
	return u
}

// mine finds the frequent itemsets of every level. d is over the leaves or over all nodes: a leaf's
// id is the same. It is the first data set or the second one of two.
func (lv *levels) mine(
	ctx context.Context, d *dataset.Dataset, least int, o MiningOptions, nth int,
) ([]frequent, error) {
	out := make([]frequent, lv.height+1)
	for i := range out {
		m := &mining{least: least, limit: o.Limit, workers: par.Workers(o.Workers)}
		if o.Progress != nil {
			m.progress = func(share float64) {
				const whole = 1000
				before := float64(nth*len(out) + i)
				o.Progress(int64(whole*(before+share)), int64(whole*2*len(out)))
			}
		}
		var err error
		out[i], err = m.run(ctx, d.Recode(lv.tree.Dict(), lv.to[i]))
		if err != nil {
			return nil, fmt.Errorf("mining at level %d of the hierarchy: %w", i, err)
		}
	}
	return out, nil
}

// compare looks the frequent itemsets of the original up in what was mined from the published data.
func (lv *levels) compare(before, after []frequent, least int) MiningLoss {
	var l MiningLoss
	for i, sets := range before {
		for k, support := range sets {
			if support < least {
				continue
			}
			l.Frequent++
			if after[i][k] < least {
				l.Missing++
				up := lv.levelsUp(i, itemsOf(k), after, least)
				l.LevelsUp += up
				if i+up > lv.height {
					l.Nowhere++
				}
			}
		}
	}
	if l.Missing > 0 {
		l.ML2 = float64(l.Missing) / float64(l.Frequent)
		l.DML2 = float64(l.LevelsUp) / float64(l.Missing)
	}
	return l
}

// levelsUp is how many levels above i the form of an itemset is first found.
func (lv *levels) levelsUp(i int, items []int32, after []frequent, least int) int {
	up := make([]int32, len(items))
	for j := i + 1; j <= lv.height; j++ {
		for n, u := range items {
			up[n] = lv.to[j][u]
		}
		slices.Sort(up)
		if after[j][key(slices.Compact(slices.Clone(up)))] >= least {
			return j - i
		}
	}
	return lv.height + 1 - i
}
