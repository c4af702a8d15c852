package itemset

import "mingle/internal/lists"

// placeLists are the places of the ids of some rows.
type placeLists struct{ lists.Lists[Place] }

// fill lists the places of the ids of r by their numbers, which are below n.
func (l *placeLists) fill(r *rows, n int, number []int32) {
	l.Begin(n)
	for _, id := range r.ids {
		l.Count(number[id])
	}
	l.Room()
	for i := range uint32(r.len()) {
		for pos := r.start[i]; pos < r.start[i+1]; pos++ {
			l.Put(number[r.ids[pos]], Place{pos + 1, i})
		}
	}
}

// fillFrom lists the places of the ids from one on, each by itself; all ids are below n.
func (l *placeLists) fillFrom(r *rows, least int32, n int) {
	l.Begin(n)
	for _, id := range r.ids {
		if id >= least {
			l.Count(id)
		}
	}
	l.Room()
	for i := range uint32(r.len()) {
		for pos := r.start[i+1]; pos > r.start[i] && r.ids[pos-1] >= least; pos-- {
			l.Put(r.ids[pos-1], Place{pos, i})
		}
	}
}

// rowLists are the rows with every id of some rows, ascending.
type rowLists struct{ lists.Lists[int32] }

// fill lists the rows of r; ids are below n.
func (l *rowLists) fill(r *rows, n int) {
	l.Begin(n)
	for _, id := range r.ids {
		l.Count(id)
	}
	l.Room()
	for i := range r.len() {
		for _, id := range r.row(uint32(i)) {
			l.Put(id, int32(i))
		}
	}
}
