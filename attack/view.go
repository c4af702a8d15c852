package attack

import (
	"encoding/binary"
	"slices"

	"mingle/dataset"
)

// View is what an adversary sees of data: for every item of the original, the records that may have
// it and, among these, those that surely have it. The constructors of [Case] make one for each kind
// of release.
type View struct {
	records   int
	lists     []list
	may, sure []int32 // by item: a list; sure is -1 where there is none
	// by item: the probability that a record which may have it, not surely, has it
	chance []float64
	plain  []float64 // by item: the share of all transactions that have it

	// fits says what tells whether a record that may have each of some items may have them
	// together. Nil, as what it returns: always.
	fits    func(items []int32) func(record int32) bool
	byLists bool // that depends on the lists of the items alone, each as often as it is there

	copies []int32 // by item: the first of equal ones, the j-th of which is j behind; nil: none are
	value  []int32 // by item: those that are equal have one; nil: its list is its value

	sensitive []int32 // by sensitive item: the list of records that carry it

	person []int32 // of each record, -1: of nobody known; nil: candidates are records
}

func newView(records, items int) *View {
	return &View{
		records: records, may: slices.Repeat([]int32{-1}, items),
		sure: slices.Repeat([]int32{-1}, items),
	}
}

// add files a list of ascending records.
func (v *View) add(ids []int32) int32 {
	v.lists = append(v.lists, newList(ids, v.records))
	return int32(len(v.lists) - 1)
}

// size is the length of a list; that of none is 0.
func (v *View) size(l int32) int {
	if l < 0 {
		return 0
	}
	return v.lists[l].n
}

// fill makes items that no record may have match every record: they are not published at all, and
// knowing them is of no use. It then sets the chances such that each item is expected as often as
// it is in the original. It returns the number of items that are not published.
func (v *View) fill(supports []int) int {
	hidden, all := 0, int32(-1)
	v.chance, v.plain = make([]float64, len(supports)), make([]float64, len(supports))
	for x, support := range supports {
		if support > 0 && v.size(v.may[x]) == 0 {
			if all < 0 {
				v.lists = append(v.lists, allRecords(v.records))
				all = int32(len(v.lists) - 1)
			}
			v.may[x] = all
			hidden++
		}
		sure, may := v.size(v.sure[x]), v.size(v.may[x])
		if may > sure {
			v.chance[x] = min(1, max(0, float64(support-sure)/float64(may-sure)))
		}
		v.plain[x] = float64(support) / float64(v.records)
	}
	return hidden
}

// original is the view of one who sees the data as they are.
func original(d *dataset.Dataset) *View {
	v := newView(d.Len(), d.Dict().Len())
	for x, txs := range postings(d) {
		if len(txs) > 0 {
			v.may[x] = v.add(txs)
			v.sure[x] = v.may[x]
		}
	}
	v.chance, v.plain = make([]float64, d.Dict().Len()), make([]float64, d.Dict().Len())
	return v
}

// withSensitive lets the records carry sensitive items.
func (v *View) withSensitive(d *dataset.Dataset) {
	for _, txs := range postings(d) {
		v.sensitive = append(v.sensitive, v.add(txs))
	}
}

// postings lists the transactions of every item.
func postings(d *dataset.Dataset) [][]int32 {
	out := make([][]int32, d.Dict().Len())
	for x, n := range d.Supports() {
		out[x] = make([]int32, 0, n)
	}
	for i, tx := range d.All() {
		for _, x := range tx {
			out[x] = append(out[x], int32(i))
		}
	}
	return out
}

// mostCounted bounds the answers a counter remembers.
const mostCounted = 1 << 19

// counter counts the matches of a view; each goroutine has its own.
type counter struct {
	v     *View
	known map[string]int32
	lists []int32
	items []int32 // first copies
	each  []int32 // lists
	key   []byte
	ptrs  []*list
	room  []int32
	met   met
	first marked
}

func newCounter(v *View) *counter { return &counter{v: v, known: map[string]int32{}} }

// matches counts the records that may have all items and, where extra is a list, that are in it.
func (c *counter) matches(items []int32, extra int32) int {
	if !c.listsOf(items, extra) {
		return 0
	}
	var fits func(record int32) bool
	if c.v.fits != nil {
		fits = c.v.fits(items)
	}
	if fits == nil && len(c.lists) == 1 {
		return c.v.size(c.lists[0])
	}
	if fits != nil && !c.v.byLists {
		return c.count(fits)
	}
	key := c.keyOf()
	if fits != nil {
		key = c.keyOfEach(items, extra)
	}
	n, ok := c.known[string(key)]
	if !ok {
		n = int32(c.count(fits))
		if len(c.known) == mostCounted {
			clear(c.known)
		}
		c.known[string(key)] = n
	}
	return int(n)
}

// listsOf finds the lists of some items and, where extra is one, that; false: some item has none.
func (c *counter) listsOf(items []int32, extra int32) bool {
	c.lists = c.lists[:0]
	if c.v.copies != nil {
		items = c.firstCopies(items)
	}
	for _, x := range items {
		if c.v.may[x] < 0 {
			return false
		}
		c.lists = append(c.lists, c.v.may[x])
	}
	if extra >= 0 {
		c.lists = append(c.lists, extra)
	}
	slices.Sort(c.lists)
	c.lists = slices.Compact(c.lists)
	return true
}

// firstCopies are as many of equal items as there are, the first ones: whoever knows the second
// knows one.
func (c *counter) firstCopies(items []int32) []int32 {
	c.items = c.items[:0]
	for _, x := range items {
		c.items = append(c.items, c.v.copies[x])
	}
	slices.Sort(c.items)
	for i := 1; i < len(c.items); i++ {
		if c.v.copies[c.items[i-1]] == c.items[i] {
			c.items[i] = c.items[i-1] + 1
		}
	}
	return c.items
}

// keyOfEach is the key of the lists of all items, each as often as it is there, and of extra.
func (c *counter) keyOfEach(items []int32, extra int32) []byte {
	c.each = c.each[:0]
	for _, x := range items {
		c.each = append(c.each, c.v.may[x])
	}
	slices.Sort(c.each)
	c.each = append(c.each, -1, extra) // no list is -1: a key of keyOf is another
	return c.keyed(c.each)
}

// keyOf is the key of the lists, good until the next one.
func (c *counter) keyOf() []byte { return c.keyed(c.lists) }

func (c *counter) keyed(lists []int32) []byte {
	c.key = c.key[:0]
	for _, l := range lists {
		c.key = binary.LittleEndian.AppendUint32(c.key, uint32(l))
	}
	return c.key
}

func (c *counter) count(keep func(r int32) bool) int {
	c.ptrs = c.ptrs[:0]
	for _, l := range c.lists {
		c.ptrs = append(c.ptrs, &c.v.lists[l])
	}
	if len(c.ptrs) > 1 && c.ptrs[0].meets(c.ptrs[1]) { // the first is often that of the last time
		first := list{n: c.ptrs[0].n, bits: c.first.mark(c.ptrs[0], c.v.records)}
		c.room = slices.Grow(c.room[:0], c.ptrs[1].n)
		both := first.among(c.ptrs[1].ids, c.room[:c.ptrs[1].n])
		if len(c.ptrs) == 2 && keep == nil {
			return len(both)
		}
		return narrow(both, c.ptrs[2:], keep, &c.room)
	}
	return intersect(c.ptrs, keep, &c.room)
}

// belief is the probability with which knowing some items implies another: over the matching
// records, the average of 1 where it surely is, and of its chance where it may be.
func (c *counter) belief(known []int32, y int32) float64 {
	matching := c.matches(known, -1)
	if matching == 0 {
		return 0
	}
	sure := 0
	if l := c.v.sure[y]; l >= 0 {
		sure = c.matches(known, l)
	}
	may := sure
	if c.v.chance[y] > 0 {
		may = c.matches(append(known[:len(known):len(known)], y), -1)
	}
	chance := c.v.chance[y]
	for _, x := range known {
		if c.v.alike(x, y) {
			chance = min(chance, c.v.plain[y])
		}
	}
	return (float64(sure) + float64(chance*float64(max(0, may-sure)))) / float64(matching)
}

// alike tells whether two items are one to who sees the release.
func (v *View) alike(x, y int32) bool {
	if v.value != nil {
		return v.value[x] == v.value[y]
	}
	return v.may[x] == v.may[y]
}

// beliefSensitive is the share of the matching records that carry a sensitive item; of one that no
// record carries, as of a hidden item, how frequent it is.
func (c *counter) beliefSensitive(known []int32, s int32, frequency float64) float64 {
	matching := c.matches(known, -1)
	if matching == 0 {
		return 0
	}
	if c.v.size(c.v.sensitive[s]) == 0 {
		return frequency
	}
	return float64(c.matches(known, c.v.sensitive[s])) / float64(matching)
}
