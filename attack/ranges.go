package attack

import (
	"slices"
	"strconv"

	"mingle/dataset"
	"mingle/dataset/bag"
)

// Ranges is a release of bags of numbers as values and ranges (gkountouna-2014): an adversary knows
// i of a person's values, of equal ones as many as are drawn. A record matches if each known value
// can be given a term of its own that contains it.
//
// What is inferred is whether a person has a value at all, not how often.
func Ranges(values, published *bag.Bags) (*Case, error) {
	e := encodeBags(values)
	c := &Case{
		kind: "ranges", data: e.data,
		label:   func(x int32) string { return values.Terms()[e.value[x]].String() },
		targets: e.first,
	}
	c.before = e.view(values)
	c.after = e.view(published)
	supports := e.data.Supports()
	c.before.fill(supports)
	c.finish(c.after.fill(supports))
	return c, nil
}

// bagItems are the values of bags as items: the j-th of equal values of a record is an item of its
// own.
type bagItems struct {
	data  *dataset.Dataset
	value []int32 // of an item: a term of the original
	first []bool  // whether it is the first of equal values
	terms []bag.Term
}

func encodeBags(values *bag.Bags) *bagItems {
	e := &bagItems{terms: values.Terms()}
	most := make([]int32, len(e.terms)) // how often a value is in one record
	for i := range values.Len() {
		eachRun(values.Record(i), func(v, n int32) { most[v] = max(most[v], n) })
	}
	start := make([]int32, len(e.terms))
	var labels []string
	for v, n := range most {
		start[v] = int32(len(e.value))
		for j := range n {
			e.value, e.first = append(e.value, int32(v)), append(e.first, j == 0)
			labels = append(labels, strconv.Itoa(len(labels)))
		}
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for i := range values.Len() {
		var tx []int32
		eachRun(values.Record(i), func(v, n int32) {
			for j := range n {
				tx = append(tx, start[v]+j)
			}
		})
		b.Add(tx)
	}
	e.data = b.Build()
	return e
}

// eachRun calls f with every distinct id of an ascending list and how often it is there.
func eachRun(ids []int32, f func(id, n int32)) {
	for from := 0; from < len(ids); {
		to := from
		for to < len(ids) && ids[to] == ids[from] {
			to++
		}
		f(ids[from], int32(to-from))
		from = to
	}
}

// view is that of bags whose terms are values or ranges.
func (e *bagItems) view(b *bag.Bags) *View {
	v := newView(b.Len(), len(e.value))
	span := e.spans(b.Terms())
	may, sure := make([][]int32, len(e.terms)), make([][]int32, len(e.terms))
	for i := range b.Len() {
		eachRun(b.Record(i), func(id, _ int32) {
			for x := span[id].lo; x < span[id].hi; x++ {
				may[x] = appendNew(may[x], int32(i))
			}
			if b.Terms()[id].IsPoint() && span[id].lo < span[id].hi {
				sure[span[id].lo] = appendNew(sure[span[id].lo], int32(i))
			}
		})
	}
	e.fileLists(v, may, sure)
	v.fits = func(record int32, items []int32) bool {
		return e.fit(items, b.Record(int(record)),
			span)
	}
	return v
}

func (e *bagItems) fileLists(v *View, may, sure [][]int32) {
	for x, value := range e.value {
		if !e.first[x] {
			v.may[x], v.sure[x] = v.may[x-1], v.sure[x-1]
			continue
		}
		if len(may[value]) > 0 {
			v.may[x] = v.add(may[value])
		}
		if len(sure[value]) > 0 {
			v.sure[x] = v.add(sure[value])
		}
	}
}

func appendNew(ids []int32, r int32) []int32 {
	if len(ids) > 0 && ids[len(ids)-1] == r {
		return ids
	}
	return append(ids, r)
}

// span is the values of the original that a term contains: lo ≤ value < hi.
type span struct{ lo, hi int32 }

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

// fit gives the known values, ascending, each the free term that contains it and ends first: that
// succeeds if anything does, because a term that ends later can serve whatever comes later at least
// as well.
func (e *bagItems) fit(items, record []int32, spans []span) bool {
	known := slices.Sorted(slices.Values(items))
	taken := make([]bool, len(record))
	for _, x := range known {
		value, best := e.value[x], -1
		for n, id := range record {
			s := spans[id]
			if !taken[n] && s.lo <= value && value < s.hi &&
				(best < 0 || s.hi < spans[record[best]].hi) {
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
