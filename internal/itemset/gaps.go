package itemset

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// gapLists are ascending lists as gaps in variable-length integers, one list after another. They
// are filled in two passes: one for the room each takes, one to put them there.
type gapLists struct {
	text  []byte
	start []int

	before []int32 // the last element of a list so far
	end    []int   // where its next gap goes
}

func (p *gapLists) measure(lists int) {
	p.start = make([]int, lists+1)
	p.before = slices.Repeat([]int32{-1}, lists)
}

// room makes room for the next element of a list.
func (p *gapLists) room(list, i int32) {
	p.start[list+1] += (bits.Len32(uint32(i-p.before[list]-1)|1) + 6) / 7
	p.before[list] = i
}

func (p *gapLists) allot() {
	for list := range p.before {
		p.start[list+1] += p.start[list]
		p.before[list] = -1
	}
	p.text = make([]byte, p.start[len(p.start)-1])
	p.end = slices.Clone(p.start)
}

func (p *gapLists) put(list, i int32) {
	p.end[list] += binary.PutUvarint(p.text[p.end[list]:], uint64(i-p.before[list]-1))
	p.before[list] = i
}

// filled gives back what is needed for filling only.
func (p *gapLists) filled() { p.before, p.end = nil, nil }

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
