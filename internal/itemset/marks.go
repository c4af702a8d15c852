package itemset

import "math/bits"

// marks is a set of small numbers, as a bitmap with a summary above it: bit b of the summary says
// that word b is not zero.
type marks struct{ words, summary []uint64 }

// newMarks is an empty set of numbers below n.
func newMarks(n int) marks {
	words := (n + 63) / 64
	return marks{make([]uint64, words), make([]uint64, (words+63)/64)}
}

// add tells whether x was not there.
func (m *marks) add(x int32) bool {
	word, bit := &m.words[x>>6], uint64(1)<<(x&63)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	m.summary[x>>12] |= 1 << (x >> 6 & 63)
	return true
}

// drain appends the numbers from least on, ascending, and leaves the set empty.
func (m *marks) drain(out []int32, least int32) []int32 {
	for s, above := range m.summary {
		m.summary[s] = 0
		for ; above != 0; above &= above - 1 {
			at := s<<6 | bits.TrailingZeros64(above)
			for word := m.words[at]; word != 0; word &= word - 1 {
				if x := int32(at<<6 | bits.TrailingZeros64(word)); x >= least {
					out = append(out, x)
				}
			}
			m.words[at] = 0
		}
	}
	return out
}
