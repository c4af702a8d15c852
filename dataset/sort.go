package dataset

import (
	"math/bits"
	"slices"
)

// setSorter translates the ids of sets and sorts them. Short sets are sorted by insertion; longer
// ones by marking their ids in a bitmap with a summary above it (bit w of the summary: word w is
// not zero), which takes time in proportion to the set and to one word in 4096 ids.
type setSorter struct {
	to      []int32
	words   []uint64
	summary []uint64
	out     []int32 // a set as it is read off the bitmap
	// how many ids were repeats; they are left in the set, beside what they repeat or, equal to the
	// last id, at the end
	repeats int
	falls   bool // some set had an id before a smaller one
}

const shortSet = 12

func newSetSorter(to []int32) *setSorter {
	words := (len(to) + 63) / 64
	return &setSorter{to: to, words: make([]uint64, words), summary: make([]uint64, (words+63)/64)}
}

// sort translates and sorts one set in place.
func (s *setSorter) sort(set []int32) {
	to, last, i := s.to, int32(-1), 0
	for ; i < len(set); i++ {
		it := to[set[i]]
		if it <= last {
			break
		}
		set[i], last = it, it
	}
	if i == len(set) {
		return
	}
	s.falls = s.falls || s.fall(set[i:], last)
	if len(set) > shortSet && len(s.summary) <= 2*len(set) {
		s.mark(set, i)
		return
	}
	for ; i < len(set); i++ {
		set[i] = to[set[i]]
	}
	if len(set) <= shortSet {
		insertionSort(set)
	} else {
		slices.Sort(set)
	}
	for i := 1; i < len(set); i++ {
		if set[i] == set[i-1] {
			s.repeats++
		}
	}
}

// mark sorts by the bitmap, and leaves it empty. The first ids of the set are translated.
func (s *setSorter) mark(set []int32, translated int) {
	to, words, summary := s.to, s.words, s.summary
	for _, it := range set[:translated] {
		words[it>>6] |= 1 << (it & 63)
		summary[it>>12] |= 1 << (it >> 6 & 63)
	}
	for _, it := range set[translated:] {
		it = to[it]
		words[it>>6] |= 1 << (it & 63)
		summary[it>>12] |= 1 << (it >> 6 & 63)
	}
	if len(s.out) < len(set)+2 {
		s.out = make([]int32, 2*len(set)+2)
	}
	n, out := 0, s.out
	for top, above := range summary {
		for ; above != 0; above &= above - 1 {
			w := top<<6 | bits.TrailingZeros64(above)
			word, base := words[w], int32(w<<6)
			words[w] = 0
			// two are written in any case: most words have one or two, and to ask takes longer
			end, two := n+bits.OnesCount64(word), out[n:n+2]
			two[0] = base + int32(bits.TrailingZeros64(word))
			word &= word - 1
			two[1] = base + int32(bits.TrailingZeros64(word))
			for n += 2; n < end; n++ {
				word &= word - 1
				out[n] = base + int32(bits.TrailingZeros64(word))
			}
			n = end
		}
		summary[top] = 0
	}
	copy(set, out[:n])
	s.repeats += len(set) - n
	for i := n; i < len(set); i++ {
		set[i] = set[n-1]
	}
}

// fall tells whether one of some ids that are not translated comes before a smaller one once they
// are, or is smaller than the one before them all.
func (s *setSorter) fall(ids []int32, last int32) bool {
	for _, it := range ids {
		it = s.to[it]
		if it < last {
			return true
		}
		last = it
	}
	return false
}

// ascends tells whether a set that is not translated is in order once it is.
func (s *setSorter) ascends(set []int32) bool {
	last := int32(-1)
	for _, it := range set {
		if it = s.to[it]; it <= last {
			return false
		}
		last = it
	}
	return true
}

func insertionSort(set []int32) {
	for i := 1; i < len(set); i++ {
		it, j := set[i], i
		for ; j > 0 && set[j-1] > it; j-- {
			set[j] = set[j-1]
		}
		set[j] = it
	}
}
