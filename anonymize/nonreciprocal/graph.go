package nonreciprocal

import "slices"

// Graph is a generalization graph (xue-2012, definition 3): the slots that every record matches.
// There is one slot, a published record to be, for every record; slot u is the one built for
// record u. In every graph made here a record matches as many slots as match its own slot, and in
// a regular graph that number is the same everywhere.
type Graph struct {
	offsets []int   // record u matches slots[offsets[u]:offsets[u+1]]
	slots   []int32 // distinct within a record
}

// Len is the number of records, and of slots.
func (g *Graph) Len() int { return len(g.offsets) - 1 }

// Slots are the slots that record u matches. The caller must not change it.
func (g *Graph) Slots(u int32) []int32 { return g.slots[g.offsets[u]:g.offsets[u+1]] }

// Preimages turns the graph around: Slots(v) of the result are the records that match slot v,
// ascending.
func (g *Graph) Preimages() *Graph {
	out := &Graph{offsets: make([]int, len(g.offsets)), slots: make([]int32, len(g.slots))}
	for _, v := range g.slots {
		out.offsets[v+1]++
	}
	for v := range g.Len() {
		out.offsets[v+1] += out.offsets[v]
	}
	at := slices.Clone(out.offsets)
	for u := range int32(g.Len()) {
		for _, v := range g.Slots(u) {
			out.slots[at[v]] = u
			at[v]++
		}
	}
	return out
}

// regular makes the graph of n records with the given degree; slots[u*degree:(u+1)*degree] are
// those of record u.
func regular(n, degree int, slots []int32) *Graph {
	g := &Graph{offsets: make([]int, n+1), slots: slots}
	for u := range n {
		g.offsets[u+1] = g.offsets[u] + degree
	}
	return g
}

// Ring is the ring generalization graph over a cyclic order (xue-2012 section 2.2, figure 1):
// every record matches its own slot and those of the degree-1 records after it. degree must not be
// more than the number of records.
func Ring(order []int32, degree int) *Graph {
	n := len(order)
	slots := make([]int32, n*degree)
	for p, u := range order {
		row := slots[int(u)*degree : (int(u)+1)*degree]
		for j := range row {
			row[j] = order[(p+j)%n]
		}
	}
	return regular(n, degree, slots)
}
