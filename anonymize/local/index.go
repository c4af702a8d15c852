package local

import "mingle/dataset"

// index lists the transactions that have an item, for every leaf.
type index struct {
	start []int32 // by leaf; one more at the end
	tx    []int32
	place []int32 // of the item, among the occurrences of all transactions
}

func newIndex(d *dataset.Dataset, leaves int) *index {
	x := &index{
		start: make([]int32, leaves+2),
		tx:    make([]int32, d.Occurrences()), place: make([]int32, d.Occurrences()),
	}
	for _, leaf := range d.Items() {
		x.start[leaf+2]++
	}
	for leaf := range leaves {
		x.start[leaf+2] += x.start[leaf+1]
	}
	place := int32(0)
	for i := range d.Len() {
		for _, leaf := range d.Tx(i) {
			at := x.start[leaf+1]
			x.tx[at], x.place[at] = int32(i), place
			x.start[leaf+1]++
			place++
		}
	}
	return x
}

// have are the transactions that have a leaf, ascending.
func (x *index) have(leaf int32) []int32 { return x.tx[x.start[leaf]:x.start[leaf+1]] }

// places are those of the leaf in these transactions.
func (x *index) places(leaf int32) []int32 { return x.place[x.start[leaf]:x.start[leaf+1]] }

// count is the number of occurrences of the leaves from lo to hi, hi not included.
func (x *index) count(lo, hi int32) int { return int(x.start[hi] - x.start[lo]) }
