package levels

// withItem counts lines by node and sensitive item: in a table, if there is room.
type withItem struct {
	items  int
	table  []int32            // cell node*items + item
	counts map[nodeItem]int32 // where there is no table
}

// nodeItem is a node and a sensitive item.
type nodeItem struct{ node, item int32 }

func newWithItem(nodes, items, room int) (w withItem) {
	if w.items = items; 4*nodes*items <= room {
		w.table = make([]int32, nodes*items)
	}
	return w
}

// begin begins with no lines; those in a table have been forgotten.
func (w *withItem) begin() {
	if w.table == nil {
		w.counts = map[nodeItem]int32{}
	}
}

// more counts one more line, and returns how many there are.
func (w *withItem) more(node, item int32) int32 {
	if w.table == nil {
		key := nodeItem{node, item}
		n := w.counts[key] + 1
		w.counts[key] = n
		return n
	}
	at := int(node)*w.items + int(item)
	w.table[at]++
	return w.table[at]
}

// forget forgets the lines of a node.
func (w *withItem) forget(node int32) {
	if w.table != nil {
		clear(w.table[int(node)*w.items : (int(node)+1)*w.items])
	}
}
