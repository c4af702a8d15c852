package itemset

import "slices"

// lists are as many lists as there are numbers, one after the other. They are filled in two passes:
// begin, a count of the elements of each number, and room; then put with every element.
type lists[T any] struct {
	first []uint32 // list x is all[first[x]:first[x+1]]
	next  []uint32
	all   []T
}

// of is the list of a number; not to be changed.
func (l *lists[T]) of(x int) []T { return l.all[l.first[x]:l.first[x+1]] }

// begin begins anew with lists of the numbers below n. The caller counts the elements of x in
// first[x+1].
func (l *lists[T]) begin(n int) { l.first = append(l.first[:0], make([]uint32, n+1)...) }

// room makes room for what has been counted.
func (l *lists[T]) room() {
	for x, n := range l.first[:len(l.first)-1] {
		l.first[x+1] += n
	}
	all := int(l.first[len(l.first)-1])
	l.all = slices.Grow(l.all[:0], all)[:all]
	l.next = append(l.next[:0], l.first...)
}

func (l *lists[T]) put(x int32, element T) {
	at := &l.next[x]
	l.all[*at] = element
	*at++
}

// placeLists are the places of the ids of some rows.
type placeLists struct{ lists[Place] }

// fill lists the places of the ids of r by their numbers, which are below n.
func (l *placeLists) fill(r *rows, n int, number []int32) {
	l.begin(n)
	for _, id := range r.ids {
		l.first[number[id]+1]++
	}
	l.room()
	for i := range uint32(r.len()) {
		for pos := r.start[i]; pos < r.start[i+1]; pos++ {
			l.put(number[r.ids[pos]], Place{pos + 1, i})
		}
	}
}

// fillFrom lists the places of the ids from one on, each by itself; all ids are below n.
func (l *placeLists) fillFrom(r *rows, least int32, n int) {
	l.begin(n)
	for _, id := range r.ids {
		if id >= least {
			l.first[id+1]++
		}
	}
	l.room()
	for i := range uint32(r.len()) {
		for pos := r.start[i+1]; pos > r.start[i] && r.ids[pos-1] >= least; pos-- {
			l.put(r.ids[pos-1], Place{pos, i})
		}
	}
}

// rowLists are the rows with every id of some rows, ascending.
type rowLists struct{ lists[int32] }

// fill lists the rows of r; ids are below n.
func (l *rowLists) fill(r *rows, n int) {
	l.begin(n)
	for _, id := range r.ids {
		l.first[id+1]++
	}
	l.room()
	for i := range r.len() {
		for _, id := range r.row(uint32(i)) {
			l.put(id, int32(i))
		}
	}
}
