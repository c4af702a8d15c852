package attack

import (
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
		targets: e.first,
	}
	c.before, c.after = e.original(), newRanged(e, published).view()
	c.hidden = c.after.fill(e.data.Supports())
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

// original is the view of one who sees the values.
func (e *bagItems) original() *View {
	v := original(e.data)
	v.value = e.value
	if len(e.value) == len(e.terms) { // no values are equal
		return v
	}
	v.copies = make([]int32, len(e.value))
	for x, first := range e.first {
		v.copies[x] = int32(x)
		if !first {
			v.copies[x] = v.copies[x-1]
		}
	}
	return v
}
