package itemset

import "context"

// answers are what an index has said of sets of nodes: whether fewer than k records have them. Some
// are kept, for a search asks for nearly the same sets at one cut after another.
type answers struct {
	index      *Index
	k, workers int
	rare       map[string]bool
	key        []byte // working space
}

// mostAnswers is how many are kept: of sets of three about 8 MB.
const mostAnswers = 1 << 17

func newAnswers(x *Index, k, workers int) *answers {
	return &answers{index: x, k: k, workers: workers, rare: map[string]bool{}}
}

// known tells what has been said of a set, given in the order in which it was asked for.
func (a *answers) known(set []int32) (rare, known bool) {
	rare, known = a.rare[string(a.keyOf(set))]
	return rare, known
}

func (a *answers) keyOf(set []int32) []byte {
	a.key = a.key[:0]
	for _, u := range set {
		a.key = append(a.key, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return a.key
}

// ask asks for some sets, and calls do with each, one after the other. It ends early, with the
// cause, when ctx does.
func (a *answers) ask(ctx context.Context, sets [][]int32, do func(i int, rare bool)) error {
	if len(a.rare)+len(sets) > mostAnswers {
		clear(a.rare)
	}
	return a.index.ask(ctx, sets, a.k, a.workers, func(i, n int) {
		rare := n < a.k
		a.rare[string(a.keyOf(sets[i]))] = rare
		do(i, rare)
	})
}
