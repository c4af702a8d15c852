package itemset

import (
	"context"
	"slices"
)

// answers are what an index has said of sets of nodes: how many records have them, or that k at
// least have. Some are kept, for a search asks for the same sets at one cut after another, and when
// it lifts sets with the same parents.
type answers struct {
	index      *Index
	k, workers int
	told       map[string]int32
	most       int     // that may be kept
	set        []int32 // working space
	key        []byte  // the same
}

// mostAnswers is how many are kept: 10 MB, of about so many bytes each. Where the lists of the
// index have a bound it is an eighth of that.
const (
	mostAnswers = 1 << 17
	anAnswer    = 80
)

func newAnswers(x *Index, k, workers int) *answers {
	a := &answers{index: x, k: k, workers: workers, told: map[string]int32{}, most: mostAnswers}
	if x.bound > 0 {
		a.most = int(min(mostAnswers, x.bound/8/anAnswer))
	}
	return a
}

// known tells what has been said of a set.
func (a *answers) known(set []int32) (n int, known bool) {
	told, known := a.told[string(a.keyOf(set))]
	return int(told), known
}

// keyOf is the same for the same nodes in any order.
func (a *answers) keyOf(set []int32) []byte {
	a.set = append(a.set[:0], set...)
	slices.Sort(a.set)
	a.key = a.key[:0]
	for _, u := range a.set {
		a.key = append(a.key, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return a.key
}

// tell keeps what is said of a set.
func (a *answers) tell(set []int32, n int) {
	if len(a.told) >= a.most {
		clear(a.told)
	}
	a.told[string(a.keyOf(set))] = int32(min(n, a.k))
}

// upTo is [Index.upTo] of a set.
func (a *answers) upTo(set []int32) int {
	n, known := a.known(set)
	if !known {
		n = a.index.upTo(set, a.k)
		a.tell(set, n)
	}
	return n
}

// ask asks for some sets, and calls do with each, one after the other. It ends early, with the
// cause, when ctx does.
func (a *answers) ask(ctx context.Context, sets [][]int32, do func(i, n int)) error {
	return a.index.ask(ctx, sets, a.k, a.workers, func(i, n int) {
		a.tell(sets[i], n)
		do(i, n)
	})
}
