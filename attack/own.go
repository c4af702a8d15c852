package attack

import (
	"cmp"
	"encoding/binary"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// own finds, for every published node, its own leaves in its line: those below it and below no
// lower node of the line. An item is published as the lowest node of its line above it, so a node
// stands for some of its own leaves, and for one at least.
type own struct {
	tree  *hierarchy.Tree
	nodes []int32 // of a line, from left to right, a node before what is below it
}

// arrange takes the nodes of a line.
func (o *own) arrange(published []int32) {
	o.nodes = append(o.nodes[:0], published...)
	slices.SortFunc(o.nodes, func(a, b int32) int {
		left, _ := o.tree.Range(a)
		right, _ := o.tree.Range(b)
		// an ancestor has the larger number
		return cmp.Or(cmp.Compare(left, right), cmp.Compare(b, a))
	})
}

// each calls do, line by line, with the own leaves of every node that has at most most of them.
func (o *own) each(published *dataset.Dataset, most int, do func(line int32, leaves []int32)) {
	var leaves []int32
	lines := published.Cursor()
	for i := range published.Len() {
		o.arrange(lines.Tx(i))
		for at := range o.nodes {
			leaves = o.leaves(at, most, false, leaves[:0])
			if 0 < len(leaves) && len(leaves) <= most {
				do(int32(i), leaves)
			}
		}
	}
}

// leaves appends own leaves of a node, at most one more than asked for. Child by child it leaves
// out all that is below a child of the node with a node of the line at or below it.
func (o *own) leaves(at, most int, childByChild bool, out []int32) []int32 {
	x, end := o.tree.Range(o.nodes[at])
	for next := at + 1; len(out) <= most && x < end; next++ {
		from, to := end, end
		if next < len(o.nodes) && o.tree.Covers(o.nodes[at], o.nodes[next]) {
			u := o.nodes[next]
			for childByChild && o.tree.Parent(u) != o.nodes[at] {
				u = o.tree.Parent(u)
			}
			from, to = o.tree.Range(u)
		}
		for ; x < from && len(out) <= most; x++ {
			out = append(out, x)
		}
		x = max(x, to)
	}
	return out
}

// needs are the records that need an item of a set, by set: who lacks all of them is none of these
// records.
type needs map[string][]int32

// add files that a record needs one of some items, ascending.
func (n needs) add(record int32, items []int32) {
	id := string(idOf(nil, items))
	if list := n[id]; len(list) == 0 || list[len(list)-1] != record {
		n[id] = append(list, record)
	}
}

func idOf(b []byte, items []int32) []byte {
	for _, x := range items {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

// excluded are the records that need one of the lacked items, which are ascending, and nothing
// else; ascending.
func (n needs) excluded(lacked []int32) []int32 {
	var out, some []int32
	var id []byte
	sets := 0
	for bits := 1; bits < 1<<len(lacked); bits++ {
		some = some[:0]
		for i, x := range lacked {
			if bits>>i&1 == 1 {
				some = append(some, x)
			}
		}
		id = idOf(id[:0], some)
		if list := n[string(id)]; len(list) > 0 {
			out = append(out, list...)
			sets++
		}
	}
	if sets > 1 {
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out
}
