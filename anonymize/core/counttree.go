package core

// countTree counts sets of items, each once: terrovitis-2008's count tree, with its edges in one
// hash table. A node stands for an ascending set; the root, 0, for the empty one. Not more than a
// bound of nodes are made.
type countTree struct {
	keys  []uint64 // open addressing: parent and item, plus one; 0: free
	child []int32
	count []int32 // by node: the transactions that certainly have the set
}

// maxSets bounds the sets that are counted, 12 to 36 bytes each.
const maxSets = 1 << 23

func newCountTree() *countTree {
	return &countTree{keys: make([]uint64, 1<<10), child: make([]int32, 1<<10),
		count: make([]int32, 1)}
}

// slot is where an edge is, or would be put.
func (c *countTree) slot(key uint64) uint64 {
	mask := uint64(len(c.keys) - 1)
	h := key * 0x9e3779b97f4a7c15
	at := (h ^ h>>29) & mask
	for c.keys[at] != 0 && c.keys[at] != key {
		at = (at + 1) & mask
	}
	return at
}

func edge(node, item int32) uint64 { return uint64(node)<<32 | uint64(item) + 1 }

// find is the node of a set with one item more; -1: it has none.
func (c *countTree) find(node, item int32) int32 {
	at := c.slot(edge(node, item))
	if c.keys[at] == 0 {
		return -1
	}
	return c.child[at]
}

// add is find, but makes the node; -1: there are too many.
func (c *countTree) add(node, item int32) int32 {
	at := c.slot(edge(node, item))
	if c.keys[at] != 0 {
		return c.child[at]
	}
	if len(c.count) > maxSets {
		return -1
	}
	c.keys[at], c.child[at] = edge(node, item), int32(len(c.count))
	c.count = append(c.count, 0)
	if 2*len(c.count) > len(c.keys) {
		c.grow()
	}
	return int32(len(c.count) - 1)
}

func (c *countTree) grow() {
	keys, child := c.keys, c.child
	c.keys, c.child = make([]uint64, 2*len(keys)), make([]int32, 2*len(keys))
	for i, key := range keys {
		if key != 0 {
			at := c.slot(key)
			c.keys[at], c.child[at] = key, child[i]
		}
	}
}

// each calls do with the node of every set of 1 to m items, and -1 for a set that has none, until
// it says no; then it returns false. What contains a set without a node is passed over.
func (c *countTree) each(items []int32, m int, do func(node int32) bool) bool {
	return c.below(0, items, m, do)
}

func (c *countTree) below(node int32, items []int32, m int, do func(node int32) bool) bool {
	if m == 0 {
		return true
	}
	for i, x := range items {
		n := c.find(node, x)
		if !do(n) || n >= 0 && !c.below(n, items[i+1:], m-1, do) {
			return false
		}
	}
	return true
}

// level calls do with the parent and the last item of every set of just m items whose smaller
// prefixes have nodes.
func (c *countTree) level(node int32, items []int32, m int, do func(node, item int32) bool) bool {
	for i, x := range items {
		if m == 1 {
			if !do(node, x) {
				return false
			}
		} else if n := c.find(node, x); n >= 0 && !c.level(n, items[i+1:], m-1, do) {
			return false
		}
	}
	return true
}

// bump adds to the counts of the sets of 1 to m items that have nodes.
func (c *countTree) bump(items []int32, m int, by int32) {
	c.each(items, m, func(node int32) bool {
		if node >= 0 {
			c.count[node] += by
		}
		return true
	})
}
