package levels

import (
	"math"
	"math/bits"
)

// few are the rows of sets in few lines, by cell: linked lists, of each worker the rows that it
// looked at.
type few struct {
	listed []bool // by cell
	// of each worker and cell: the place of its last entry in the lists of the child, from 1
	first [][]int32
	lists [][]list // of each worker and child
}

// list is the rows of a child's sets.
type list struct {
	rows []int32 // of each entry
	next []int32 // the entry before, counted from 1
}

// entryBytes is how many bytes an entry takes while lists grow.
const entryBytes = 16

// newFew has room for the sets of so many children, which have so many cells together.
func newFew(workers, children, cells int) few {
	f := few{
		listed: make([]bool, cells), first: make([][]int32, workers),
		lists: make([][]list, workers),
	}
	for worker := range f.first {
		f.first[worker], f.lists[worker] = make([]int32, cells), make([]list, children)
	}
	return f
}

// forget ends the lists of so many cells.
func (f *few) forget(cells int) { clear(f.listed[:cells]) }

// begin starts the lists of a child anew. Sets are in few lines if they are in less than k times a
// power of two, the largest for which there are no more entries than there may be.
func (f *few) begin(child, at int, column []int32, k int32, most int) {
	var entries [32]int // by the power of two
	for _, n := range column {
		if n >= k {
			entries[bits.Len32(uint32(n/k))-1] += int(n)
		}
	}
	below := k
	for _, n := range entries {
		if most -= n; most < 0 || below > math.MaxInt32/2 {
			break
		}
		below *= 2
	}
	for y, n := range column {
		f.listed[at+y] = k <= n && n < below
	}
	for worker, own := range f.first {
		clear(own[at : at+len(column)])
		l := &f.lists[worker][child]
		l.rows, l.next = l.rows[:0], l.next[:0]
	}
}

// more lists the first of some cells besides, as long as there are no more entries than there may
// be.
func (f *few) more(cells, table []int32, most int) {
	for _, cell := range cells {
		if most -= int(table[cell]); most < 0 {
			return
		}
		f.listed[cell] = true
	}
}

// add adds a row to a list.
func (f *few) add(worker, child int, cell, row int32) {
	l, first := &f.lists[worker][child], &f.first[worker][cell]
	l.rows, l.next = append(l.rows, row), append(l.next, *first)
	*first = int32(len(l.rows))
}

// each calls do with the rows of a list.
func (f *few) each(child int, cell int32, do func(row int32)) {
	for worker, own := range f.lists {
		l := own[child]
		for at := f.first[worker][cell]; at > 0; at = l.next[at-1] {
			do(l.rows[at-1])
		}
	}
}
