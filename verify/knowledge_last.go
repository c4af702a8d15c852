package verify

import "math/bits"

// onlySupports tells whether nothing but the support of what is known is looked at. Where all is
// there, all statements are about items that a person has (see adversary).
func (s *seeker) onlySupports() bool {
	return s.all != nil && s.sensitive == nil && s.person == nil
}

// last is add for the last statements of knowledge, from statement i on, where only supports are
// looked at. Nearly all knowledge is this. It looks no further than to tell that somebody knows it
// and that k lines match.
func (s *seeker) last(knowledge []int32, truth, match []uint64, i int) {
	if s.ctx.Err() != nil {
		return
	}
	s.some = s.some[:0]
	for n, w := range truth {
		if w != 0 {
			s.some = append(s.some, int32(n))
		}
	}
	for ; i < len(s.statements); i++ {
		st := &s.statements[i]
		if !meetIn(s.some, truth, st.true_) {
			continue // nobody knows this
		}
		n := meetUpTo(s.promise.K, match, st.match)
		if n == 0 && s.mayBeNone {
			continue
		}
		s.counted++
		if n < s.promise.K {
			s.found.add(append(knowledge, int32(st.claim)), -1, n, s.promise.K)
		}
	}
}

// meetIn tells whether two sets meet in some of the words.
func meetIn(words []int32, a, b []uint64) bool {
	for _, n := range words {
		if a[n]&b[n] != 0 {
			return true
		}
	}
	return false
}

// meetUpTo is the size of the intersection, or as much as is enough at least.
func meetUpTo(enough int, a, b []uint64) (n int) {
	for i, w := range a {
		if w &= b[i]; w != 0 {
			if n += bits.OnesCount64(w); n >= enough {
				break
			}
		}
	}
	return n
}
