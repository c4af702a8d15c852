package continuous

import (
	"math/bits"
	"slices"
)

// records is a set of records, a bit for each.
type records []uint64

func (r records) has(rec int32) bool { return r[rec>>6]>>(rec&63)&1 == 1 }

// holders are the records that hold a value of a span, and those that hold at least two.
type holders struct {
	span       span
	one, twice records
}

// isFrequent tells whether a span has so many postings that its holders are worth their memory, a
// quarter of a byte a record. There are only so many postings, so all holders together take at
// most 64 bytes for each.
func (p *postings) isFrequent(sp span) bool { return frequent*len(p.of(sp)) >= p.data.Len() }

const frequent = 256

// holdersOf looks up the holders of a frequent segment. Those it had before it grew are extended.
func (p *postings) holdersOf(sp span) *holders {
	h := p.held[sp.lo]
	if h == nil {
		words := (p.data.Len() + 63) / 64
		h = &holders{
			one: make(records, words), twice: make(records, words), span: span{sp.lo, sp.lo - 1},
		}
		p.held[sp.lo] = h
	}
	if h.span.lo < sp.lo || h.span.hi > sp.hi {
		clear(h.one)
		clear(h.twice)
		h.span = span{sp.lo, sp.lo - 1}
	}
	h.add(p.rec[p.start[sp.lo]:p.start[h.span.lo]])
	h.add(p.rec[p.start[h.span.hi+1]:p.start[sp.hi+1]])
	h.span = sp
	return h
}

// add notes that the records hold one value more of the span.
func (h *holders) add(recs []int32) {
	for _, rec := range recs {
		bit := uint64(1) << (rec & 63)
		h.twice[rec>>6] |= h.one[rec>>6] & bit
		h.one[rec>>6] |= bit
	}
}

// inherit keeps the holders of the more frequent segment when two merge.
func (p *postings) inherit(from, into int32) {
	if old := p.held[from]; old != nil && (p.held[into] == nil || len(p.of(old.span)) > len(
		p.of(p.held[into].span),
	)) {
		p.held[into] = old
	}
	delete(p.held, from)
}

// inAll counts the records that are in every set and, where box is given, contain it, up to limit.
func (p *postings) inAll(sets []records, box []span, limit int) int {
	n := 0
	first, second := sets[0], sets[min(1, len(sets)-1)]
	for i := range first {
		word := first[i] & second[i]
		if word == 0 {
			continue
		}
		for _, s := range sets[min(2, len(sets)):] {
			word &= s[i]
		}
		if box == nil {
			n += bits.OnesCount64(word)
		}
		for ; box != nil && word != 0; word &= word - 1 {
			if p.contains(int32(i*64+bits.TrailingZeros64(word)), box) {
				n++
			}
		}
		if n >= limit {
			return limit
		}
	}
	return n
}

// meeting are the values of all records with a value in a span, in ascending order, each with its
// record.
func (p *postings) meeting(sp span) (values, recs []int32) {
	var met []uint64
	p.forget()
	for _, rec := range p.of(sp) {
		if p.once(rec) {
			for _, v := range p.data.Record(int(rec)) {
				met = append(met, uint64(v)<<32|uint64(rec))
			}
		}
	}
	p.forget()
	slices.Sort(met)
	for _, m := range met {
		values, recs = append(values, int32(m>>32)), append(recs, int32(m))
	}
	return values, recs
}
