// Package coherence makes set-valued data (h,k,p)-coherent by deleting public items: the moles go,
// and as many nuggets as possible stay. It is the greedy algorithm of
//
//	Xu, Fung, Wang, Fu, Pei: Publishing Sensitive Transactions for Itemset Utility, ICDM 2008
//	(figure 2, sections 4 to 6).
//
// A mole is a set of at most p public items that occurs, and that fewer than k transactions contain
// or that implies, itself or by a subset, a private item with a probability above h. A nugget is a
// set of at most p' items, public or private, that at least k' transactions contain.
//
// First every public item in fewer than max(k,k') transactions is dropped. Then, while moles
// remain, the public item in the most moles for each nugget it is in is suppressed (ties: in more
// moles, then the smaller label). Suppressing an item changes no support of what remains, so moles
// and nuggets only ever disappear: the counts are initialised once and lowered round by round.
//
// Deviation from the paper: moles and nuggets are not counted on a border and differences of its
// edges (sections 5 and 6), which was slower on everything that was tried and often did not end,
// but as what occurs less what is safe (projection.go) and on decision diagrams (diagrams.go). The
// numbers, and so the release, are the same. Neither way to score items is always the better one:
// [Better] makes both releases.
//
// Complexity: one count of all moles and nuggets, then for each suppressed item a count of the
// moles with it, or a pass over a diagram. The costs of these counts are told where they are made.
package coherence

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/par"
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

	Workers int // at most this many goroutines; 0: one a processor

	// Progress is called from one goroutine at a time; nil: nobody listens.
	Progress func(anonymize.Progress)
}

// Scoring is what the moles of an item are held against.
type Scoring int

const (
	// ByNuggets is the paper's: the nuggets that contain the item.
	ByNuggets Scoring = iota
	// ByOccurrences is the simpler measure of the method before it, for comparison: the
	// transactions that contain the item.
	ByOccurrences
	// Better makes both releases and takes the one that keeps more nuggets; if they keep as many,
	// the paper's. Moles and nuggets are counted once for both.
	Better
)

func (s Scoring) String() string {
	return [...]string{"nuggets", "transactions", "nuggets and transactions"}[s]
}

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

	// MoleCounting and NuggetCounting are the representations that were used.
	MoleCounting, NuggetCounting Counting

	Scoring Scoring  // that was used; never Better
	Nuggets *big.Int // that remain
	// All is the nuggets of the data; nil: where k is more than k' they were not counted, since
	// what occurs fewer times than k was dropped first.
	All *big.Int
}

// Validate returns every fault of the parameters at once.
func (in *Input) Validate() error {
	if in.Data == nil {
		return errors.New("coherence: no data is given")
	}
	faults := []error{in.Promise.Validate(), par.CheckWorkers(in.Workers)}
	if items := in.Data.Dict().Len(); len(in.Private) != items {
		faults = append(faults, fmt.Errorf(
			"coherence: %d items are marked private or public, the data has %d",
			len(in.Private), items))
	}
	if in.NuggetSupport < 1 {
		faults = append(faults, fmt.Errorf(
			"the support of nuggets, k' (%d), must be at least 1", in.NuggetSupport))
	}
	if in.NuggetLen < 0 {
		faults = append(faults, fmt.Errorf(
			"the longest nugget, p' (%d), must not be negative; 0 means any length", in.NuggetLen))
	}
	return errors.Join(faults...)
}

// feasible refuses, before any work, data for which no suppression of public items keeps the
// promise: what the empty set of items shows is shown by every release.
func (in *Input) feasible() error {
	n := in.Data.Len()
	if n > 0 && n < in.Promise.K {
		return privacy.Infeasiblef("k (%d) is more than the number of transactions (%d): "+
			"even the empty set of items is in fewer than k", in.Promise.K, n)
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
	return privacy.Infeasiblef("h (%v) cannot be reached: private item %q is in %d of %d "+
		"transactions, %.4g %% of them%s; suppressing public items does not change that. "+
		"Choose h of at least %s, or do not publish the item",
		in.Promise.H, in.Data.Dict().Label(worst[0]), top, n,
		100*float64(top)/float64(n), more, roundUp(top, n))
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

func (in *Input) workers() int { return par.Workers(in.Workers) }
