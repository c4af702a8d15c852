package itemset

import "slices"

// answers are what an index has said of sets that were lifted: how many records have them, or that
// k at least have. They are kept, for sets with the same parents are lifted to the same ones.
type answers struct {
	index *Index
	k     int
	told  map[string]int32
	most  int     // that are kept
	set   []int32 // working space
	key   []byte  // the same
}

// mostAnswers is how many are kept: 10 MB, of about so many bytes each. Where the lists of the
// index have a bound it is an eighth of that.
const (
	mostAnswers = 1 << 17
	anAnswer    = 80
)

func newAnswers(x *Index, k int) *answers {
	a := &answers{index: x, k: k, told: map[string]int32{}, most: mostAnswers}
	if x.bound > 0 {
		a.most = int(min(mostAnswers, x.bound/8/anAnswer))
	}
	return a
}

// upTo is how many records have a set, but not more than k.
func (a *answers) upTo(set []int32) int {
	a.set = append(a.set[:0], set...) // nodes in any order
	slices.Sort(a.set)
	a.key = a.key[:0]
	for _, u := range a.set {
		a.key = append(a.key, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	if n, known := a.told[string(a.key)]; known {
		return int(n)
	}
	n := min(a.index.upTo(set, a.k), a.k)
	if len(a.told) >= a.most {
		clear(a.told)
	}
	a.told[string(a.key)] = int32(n)
	return n
}
