package judge

import "mingle/hierarchy"

// reading is one published line, read by the definition: an item may be at a label above it if no
// label of the line is at or below the child of that label which leads to the item; or it is a
// label itself.
type reading struct {
	tree      *hierarchy.Tree
	labels    []int32
	now       int64 // of the line; what has another number is of a line before
	is        []int64
	atOrBelow []int64 // by node: a label is at or below it
	below     []int64 // by node: a label is below it
}

func newReading(t *hierarchy.Tree) *reading {
	n := t.Nodes()
	return &reading{
		tree: t, is: make([]int64, n), atOrBelow: make([]int64, n), below: make([]int64, n),
	}
}

// read goes to a line.
func (v *reading) read(labels []int32) {
	v.labels = labels
	v.now++
	for _, u := range labels {
		v.is[u], v.atOrBelow[u] = v.now, v.now
		for a := v.tree.Parent(u); a >= 0 && v.below[a] != v.now; a = v.tree.Parent(a) {
			v.below[a], v.atOrBelow[a] = v.now, v.now
		}
	}
}

// place is the lowest label at or above a node, or -1, and the child of it that leads to the node,
// or the label itself.
func (v *reading) place(x int32) (u, child int32) {
	for u, child = x, x; u >= 0; u, child = v.tree.Parent(u), u {
		if v.is[u] == v.now {
			return u, child
		}
	}
	return -1, -1
}

// may tells whether an item may be in the line.
func (v *reading) may(x int32) bool {
	u, child := v.place(x)
	return u >= 0 && (u == x || v.atOrBelow[child] != v.now)
}

// extent is how many of the items below a node may be in a line.
type extent int

const (
	none extent = iota
	some        // of an item nobody says so
	all
)

// of is that of a node. Where a label is at or below it, some may be; but a label with nothing
// below it stands for all of them.
func (v *reading) of(x int32) extent {
	switch {
	case v.below[x] == v.now:
		return some
	case v.may(x): // a label, or a node below one with no label at or below the child between
		return all
	}
	return none
}

// extent is that of a node, read plainly or child by child.
func (v *reading) extent(x int32, plainly bool) extent {
	if plainly {
		return v.plainly(x)
	}
	return v.of(x)
}

// plainly is how many of the items below a node the line has an item or a label above of.
func (v *reading) plainly(x int32) extent {
	switch {
	case v.is[x] == v.now || v.lower(x):
		return all
	case v.below[x] == v.now:
		return some
	}
	return none
}

// torn calls do with each child of a label that has a label at or below it, but for a label with
// nothing below it: what may be at such a child is not the same in all lines that publish the label
// above.
func (v *reading) torn(do func(child int32)) {
	for _, w := range v.labels {
		child := w
		for u := v.tree.Parent(w); u >= 0; child, u = u, v.tree.Parent(u) {
			if v.is[u] == v.now {
				if child != w || v.below[w] == v.now {
					do(child)
				}
				break
			}
		}
	}
}

// split calls do with each child of a label that has a label at or below it, perhaps several times.
func (v *reading) split(do func(child int32)) {
	for _, w := range v.labels {
		for child, u := w, v.tree.Parent(w); u >= 0; child, u = u, v.tree.Parent(u) {
			if v.is[u] == v.now {
				do(child)
			}
		}
	}
}

// lower tells whether a label is below another.
func (v *reading) lower(u int32) bool {
	for u = v.tree.Parent(u); u >= 0; u = v.tree.Parent(u) {
		if v.is[u] == v.now {
			return true
		}
	}
	return false
}

// nested tells whether some label is above another.
func (v *reading) nested() bool {
	for _, u := range v.labels {
		if v.below[u] == v.now {
			return true
		}
	}
	return false
}

// impossible is a label that no item may be at; -1: there is none.
func (v *reading) impossible() int32 {
	for _, u := range v.labels {
		free := v.tree.IsLeaf(u)
		for _, c := range v.tree.Children(u) {
			free = free || v.atOrBelow[c] != v.now
		}
		if !free {
			return u
		}
	}
	return -1
}

// levels tells whether labels that were seen are above one another.
type levels struct {
	tree      *hierarchy.Tree
	is, below []bool
	nest      bool
}

func newLevels(t *hierarchy.Tree) *levels {
	return &levels{tree: t, is: make([]bool, t.Nodes()), below: make([]bool, t.Nodes())}
}

// see takes a label.
func (l *levels) see(u int32) {
	if l.is[u] {
		return
	}
	l.is[u] = true
	l.nest = l.nest || l.below[u]
	for a := l.tree.Parent(u); a >= 0; a = l.tree.Parent(a) {
		l.below[a] = true
		l.nest = l.nest || l.is[a]
	}
}
