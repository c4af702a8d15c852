package attack

import (
	"slices"

	"mingle/dataset/bag"
)

// ranged is a release of bags whose terms are values or ranges. Values that the same terms contain
// are one piece: the same records may have them.
type ranged struct {
	values *bagItems
	bags   *bag.Bags
	spans  []span  // by term
	piece  []int32 // by value
	reach  []int32 // by value: the end of the term that contains it and ends last; 0: none does
	most   int     // records of pieces that are listed in one walk over the bags
}

// span is the values of the original that a term contains: lo ≤ value < hi.
type span struct{ lo, hi int32 }

func newRanged(e *bagItems, b *bag.Bags) *ranged {
	r := &ranged{
		values: e, bags: b, spans: e.spans(b.Terms()), piece: make([]int32, len(e.terms)),
		reach: make([]int32, len(e.terms)), most: 1 << 24,
	}
	begins := make([]bool, len(e.terms)+1)
	for _, s := range r.spans {
		if s.lo < s.hi {
			begins[s.lo], begins[s.hi] = true, true
			r.reach[s.lo] = max(r.reach[s.lo], s.hi)
		}
	}
	furthest := int32(0)
	for x := range r.piece {
		if x > 0 {
			r.piece[x] = r.piece[x-1]
			if begins[x] {
				r.piece[x]++
			}
		}
		furthest = max(furthest, r.reach[x])
		r.reach[x] = furthest
		if furthest <= int32(x) {
			r.reach[x] = 0
		}
	}
	return r
}

func (e *bagItems) spans(terms []bag.Term) []span {
	out := make([]span, len(terms))
	for i, t := range terms {
		lo, _ := slices.BinarySearchFunc(e.terms, t.Lo,
			func(a bag.Term, n bag.Number) int { return a.Lo.Compare(n) })
		hi, found := slices.BinarySearchFunc(e.terms, t.Hi,
			func(a bag.Term, n bag.Number) int { return a.Lo.Compare(n) })
		if found {
			hi++
		}
		out[i] = span{int32(lo), int32(hi)}
	}
	return out
}

// view lists the records of every piece. Memory: as much as these lists.
func (r *ranged) view() *View {
	v := newView(r.bags.Len(), len(r.values.value))
	lists := r.listPieces(v)
	sure := make([][]int32, len(r.values.terms))
	for i := range r.bags.Len() {
		eachRun(r.bags.Record(i), func(id, _ int32) {
			if s := r.spans[id]; r.bags.Terms()[id].IsPoint() && s.lo < s.hi {
				sure[s.lo] = append(sure[s.lo], int32(i))
			}
		})
	}
	for x, value := range r.values.value {
		v.may[x] = lists[r.piece[value]]
		switch {
		case !r.values.first[x]:
			v.sure[x] = v.sure[x-1]
		case len(sure[value]) > 0:
			v.sure[x] = v.add(sure[value])
		}
	}
	v.value, v.fits, v.byLists = r.values.value, r.fits, true
	return v
}

// listPieces files the records of each piece; -1: of one that no term contains.
func (r *ranged) listPieces(v *View) []int32 {
	size := r.sizes()
	lists := slices.Repeat([]int32{-1}, len(size))
	for from := 0; from < len(size); {
		to, sum := from, 0
		for to < len(size) && (to == from || sum+size[to] <= r.most) {
			sum += size[to]
			to++
		}
		records := make([][]int32, to-from)
		for p := range records {
			records[p] = make([]int32, 0, size[from+p])
		}
		for i := range r.bags.Len() {
			eachRun(r.bags.Record(i), func(id, _ int32) {
				if s := r.spans[id]; s.lo < s.hi {
					last := min(r.piece[s.hi-1], int32(to)-1)
					for p := max(r.piece[s.lo], int32(from)); p <= last; p++ {
						records[p-int32(from)] = appendNew(records[p-int32(from)], int32(i))
					}
				}
			})
		}
		for p, ids := range records {
			if len(ids) > 0 {
				lists[from+p] = v.add(ids)
			}
		}
		from = to
	}
	return lists
}

// sizes is at least the number of records of each piece.
func (r *ranged) sizes() []int {
	if len(r.piece) == 0 {
		return nil
	}
	size := make([]int, r.piece[len(r.piece)-1]+2)
	for i := range r.bags.Len() {
		eachRun(r.bags.Record(i), func(id, _ int32) {
			if s := r.spans[id]; s.lo < s.hi {
				size[r.piece[s.lo]]++
				size[r.piece[s.hi-1]+1]--
			}
		})
	}
	for p := 1; p < len(size); p++ {
		size[p] += size[p-1]
	}
	return size[:len(size)-1]
}

func appendNew(ids []int32, r int32) []int32 {
	if len(ids) > 0 && ids[len(ids)-1] == r {
		return ids
	}
	return append(ids, r)
}

// fits is nil where no term contains two of the values: then each has a term of its own in any
// record that may have it.
func (r *ranged) fits(items []int32) func(record int32) bool {
	var known []int32 // values, ascending
	for _, x := range items {
		if value := r.values.value[x]; r.reach[value] > 0 { // else it is not published
			known = append(known, value)
		}
	}
	slices.Sort(known)
	apart := true
	for i := 1; i < len(known); i++ {
		apart = apart && r.reach[known[i-1]] <= known[i]
	}
	if apart {
		return nil
	}
	var taken []bool
	return func(record int32) bool {
		terms := r.bags.Record(int(record))
		taken = append(taken[:0], make([]bool, len(terms))...)
		return r.fit(known, terms, taken)
	}
}

// fit gives the known values, ascending, each the free term that contains it and ends first: that
// succeeds if anything does, because a term that ends later can serve whatever comes later at least
// as well.
func (r *ranged) fit(known, terms []int32, taken []bool) bool {
	for _, value := range known {
		best := -1
		for n, id := range terms {
			s := r.spans[id]
			if !taken[n] && s.lo <= value && value < s.hi &&
				(best < 0 || s.hi < r.spans[terms[best]].hi) {
				best = n
			}
		}
		if best < 0 {
			return false
		}
		taken[best] = true
	}
	return true
}
