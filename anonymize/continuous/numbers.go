package continuous

// numbers numbers bags of segments, as a trie does: a bag is another one and a segment that follows
// its last. The empty bag is 0, the others follow in the order in which they are first asked for.
// It is a hash table with open addressing: bags are looked up some hundred million times.
type numbers struct {
	keys []uint64 // bag and segment, and 1 added; 0: free
	ids  []int32
	bags int32 // numbered, without the empty one
	bits int   // of the length of keys
}

const fewestBits = 10

func newNumbers() *numbers {
	n := &numbers{}
	n.resize(fewestBits)
	return n
}

// forget makes all bags new again.
func (n *numbers) forget() {
	if n.bits > fewestBits && int(n.bags)<<4 < len(n.keys) {
		n.resize(n.bits - 1) // so that what was large once is not cleared each time
	} else {
		clear(n.keys)
	}
	n.bags = 0
}

func (n *numbers) resize(bits int) {
	n.bits = bits
	n.keys, n.ids = make([]uint64, 1<<bits), make([]int32, 1<<bits)
}

// with is the number of a bag with one more segment, and whether that is a new one.
func (n *numbers) with(bag, segment int32) (number int32, fresh bool) {
	key := uint64(uint32(bag))<<32 | uint64(uint32(segment)) + 1
	at := n.place(key)
	if n.keys[at] == key {
		return n.ids[at], false
	}
	n.bags++
	n.keys[at], n.ids[at] = key, n.bags
	if 2*int(n.bags) > len(n.keys) {
		n.grow()
	}
	return n.bags, true
}

// subBags appends the numbers of the distinct bags that are a bag and so many of some ascending
// segments more. It tells of new ones, as a bag and its last segment.
func (n *numbers) subBags(
	from []int32, bag int32, more int, out []int32, fresh func(bag, last int32),
) []int32 {
	if more == 0 {
		return append(out, bag)
	}
	for i, s := range from {
		if i > 0 && from[i-1] == s {
			continue
		}
		larger, isNew := n.with(bag, s)
		if isNew {
			fresh(bag, s)
		}
		out = n.subBags(from[i+1:], larger, more-1, out, fresh)
	}
	return out
}

// place is where a key stands or is to stand.
func (n *numbers) place(key uint64) int {
	at := int(key * 0x9e3779b97f4a7c15 >> (64 - n.bits))
	for n.keys[at] != 0 && n.keys[at] != key {
		if at++; at == len(n.keys) {
			at = 0
		}
	}
	return at
}

func (n *numbers) grow() {
	keys, ids := n.keys, n.ids
	n.resize(n.bits + 1)
	for i, key := range keys {
		if key != 0 {
			at := n.place(key)
			n.keys[at], n.ids[at] = key, ids[i]
		}
	}
}
