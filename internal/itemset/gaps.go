package itemset

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// gapLists are ascending lists as gaps in variable-length integers, one list after another. They
// are filled in two passes: one for the room each takes, one to put them there. Several goroutines
// may have a share each, one after the other in the lists.
type gapLists struct {
	text  []byte
	start []int
}

// gapShare is what is known of a range of the elements. In the first pass, by list: the first one
// of the range, the last one so far, and the bytes that the gaps between them take. In the second,
// the last one before, and where the next gap goes.
type gapShare struct {
	first, last []int32 // -1: none
	bytes       []int
}

func (s *gapShare) begin(lists int) {
	s.first, s.last = slices.Repeat([]int32{-1}, lists), slices.Repeat([]int32{-1}, lists)
	s.bytes = make([]int, lists)
}

// gapBytes is how many bytes the gap between two elements takes.
func gapBytes(before, i int32) int { return (bits.Len32(uint32(i-before-1)|1) + 6) / 7 }

// room makes room for the next element of a list.
func (s *gapShare) room(list, i int32) {
	if before := s.last[list]; before >= 0 {
		s.bytes[list] += gapBytes(before, i)
	} else {
		s.first[list] = i
	}
	s.last[list] = i
}

// allot lays so many lists out, once room has been made for all.
func (p *gapLists) allot(lists int, shares []*gapShare) {
	p.start = make([]int, lists+1)
	at := 0
	for list := range lists {
		p.start[list] = at
		before := int32(-1)
		for _, s := range shares {
			first, last, bytes := s.first[list], s.last[list], s.bytes[list]
			s.last[list], s.bytes[list] = before, at
			if first >= 0 {
				at += gapBytes(before, first) + bytes
				before = last
			}
		}
	}
	p.start[lists] = at
	p.text = make([]byte, at)
}

// put puts the next element into a list.
func (s *gapShare) put(p *gapLists, list, i int32) {
	s.bytes[list] += binary.PutUvarint(p.text[s.bytes[list]:], uint64(i-s.last[list]-1))
	s.last[list] = i
}

// each calls f with the elements of a list.
func (p *gapLists) each(list int32, f func(i int32)) {
	i := int32(-1)
	for text := p.text[p.start[list]:p.start[list+1]]; len(text) > 0; {
		gap, n := uint64(text[0]), 1
		if gap >= 0x80 {
			gap, n = binary.Uvarint(text)
		}
		i += int32(gap) + 1
		f(i)
		text = text[n:]
	}
}
