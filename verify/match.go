package verify

import (
	"cmp"
	"slices"

	"mingle/dataset"
	"mingle/release"
)

// Two indexes find what can match without trying all pairs; neither misses a match. The world of a
// published record are the items a matching record can have: the base and the uncertain items. Its
// core are those it must have: the base without the uncertain items.
//
// From a record to published ones: every item of the record is in the world of what it matches.
// Published records are filed under all items of their worlds, and a record is tried with what is
// filed under one of its items, the one with the shortest list. The empty record is tried with all
// that have no core.
//
// From a published record to records: what matches has each item of the core; and the rarest item
// of what matches is in the world. Records are filed under each of their items, and under their
// rarest. A published record is tried with what is filed under one item of its core, or else with
// what has its rarest item in the world, whichever is less.
type matchIndex struct {
	groups []matchGroup
	labels []string // of the published file, distinct

	cores  []uint64 // of each group: the marks of its core
	worlds []uint64 // and of its world
	wide   []wide   // of its world, too
	marks  []uint64 // of each record: its own

	original *dataset.Dataset // distinct records
	byWorld  [][]int32        // item: groups; see file
	noCore   []int32          // groups; see file
	byItem   [][]int32        // item: records
	byRarest [][]int32        // item: records
	empty    []int32          // the empty record, if there is one
}

// matchGroup are equal published records.
type matchGroup struct {
	base, uncertain []int32
	core, world     []int32
	mayDiffer       []uint64 // the uncertain items as a set of bits, where they are many
	threshold       int
	rows            []int32
	labels          []int32 // distinct, ascending
	carry           []int32 // how many of the rows carry each of them
}

func newMatchIndex(original *dataset.Dataset, p *release.Nonreciprocal) *matchIndex {
	items := p.Dict().Len()
	x := &matchIndex{
		original: original, byItem: make([][]int32, items), byRarest: make([][]int32, items),
	}
	x.merge(p)
	for _, group := range x.groups {
		x.cores, x.worlds = append(x.cores, marksOf(group.core)),
			append(x.worlds, marksOf(group.world))
		x.wide = append(x.wide, wideOf(group.world))
	}
	for r := range original.Len() {
		x.marks = append(x.marks, marksOf(original.Tx(r)))
		for _, it := range original.Tx(r) {
			x.byItem[it] = append(x.byItem[it], int32(r))
		}
	}
	for r := range original.Len() {
		if tx := original.Tx(r); len(tx) > 0 {
			at := shortest(x.byItem, tx)
			x.byRarest[at] = append(x.byRarest[at], int32(r))
		} else {
			x.empty = append(x.empty, int32(r))
		}
	}
	return x
}

// file files the groups but for those left out (nil: none), in place of what was filed before.
// [matchIndex.groupsOf] finds what is filed.
func (x *matchIndex) file(leftOut []bool) {
	x.byWorld, x.noCore = make([][]int32, len(x.byItem)), nil
	for g := range x.groups {
		if leftOut != nil && leftOut[g] {
			continue
		}
		if len(x.groups[g].core) == 0 {
			x.noCore = append(x.noCore, int32(g))
		}
		for _, it := range x.groups[g].world {
			x.byWorld[it] = append(x.byWorld[it], int32(g))
		}
	}
}

// marksOf sets one of 64 bits for each item. The marks of a subset are a subset of the marks, so
// that sets whose marks are not need not be compared item by item.
func marksOf(items []int32) uint64 {
	var marks uint64
	for _, it := range items {
		marks |= 1 << (uint32(it) * 0x9e3779b1 >> 26)
	}
	return marks
}

// wide are marks of 512 bits: a world of hundreds of items sets all of 64.
type wide [8]uint64

func wideOf(items []int32) (w wide) {
	for _, it := range items {
		word, bit := place(it)
		w[word] |= bit
	}
	return w
}

// mayHave tells whether all of some items may be among those of the marks.
func (w *wide) mayHave(items []int32) bool {
	for _, it := range items {
		if word, bit := place(it); w[word]&bit == 0 {
			return false
		}
	}
	return true
}

// place is the word and the bit of an item in wide marks.
func place(it int32) (word uint32, bit uint64) {
	h := uint32(it) * 0x9e3779b1 >> 23
	return h / 64, uint64(1) << (h % 64)
}

// merge puts equal published records together.
func (x *matchIndex) merge(p *release.Nonreciprocal) {
	rows := make([]int32, p.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	compare := func(a, b int32) int {
		return cmp.Or(
			slices.Compare(p.Base.Tx(int(a)), p.Base.Tx(int(b))),
			slices.Compare(p.Uncertain.Tx(int(a)), p.Uncertain.Tx(int(b))),
			cmp.Compare(p.Threshold[a], p.Threshold[b]))
	}
	slices.SortStableFunc(rows, compare)
	ids := map[string]int32{}
	for begin := 0; begin < len(rows); {
		end := begin + 1
		for end < len(rows) && compare(rows[begin], rows[end]) == 0 {
			end++
		}
		first := int(rows[begin])
		g := matchGroup{
			base: p.Base.Tx(first), uncertain: p.Uncertain.Tx(first),
			threshold: int(p.Threshold[first]), rows: rows[begin:end],
		}
		g.core = without(g.base, g.uncertain)
		g.mayDiffer = bitsOf(g.uncertain, p.Dict().Len())
		g.world = append(slices.Clone(g.core), g.uncertain...)
		if p.Labels != nil {
			for _, row := range g.rows {
				id, known := ids[p.Labels[row]]
				if !known {
					id = int32(len(x.labels))
					ids[p.Labels[row]] = id
					x.labels = append(x.labels, p.Labels[row])
				}
				g.labels = append(g.labels, id)
			}
			g.labels, g.carry = counted(g.labels)
		}
		x.groups = append(x.groups, g)
		begin = end
	}
}

// counted are the distinct ids in ascending order, and how often each was there. ids is used up.
func counted(ids []int32) (distinct, often []int32) {
	slices.Sort(ids)
	for i, id := range ids {
		if i == 0 || id != ids[i-1] {
			distinct, often = append(distinct, id), append(often, 0)
		}
		often[len(often)-1]++
	}
	return distinct, often
}

// shortest is the item with the shortest list; there must be an item.
func shortest(lists [][]int32, items []int32) int32 {
	best := items[0]
	for _, it := range items {
		if len(lists[it]) < len(lists[best]) {
			best = it
		}
	}
	return best
}

// groupsOf calls found with the groups of published records that a record matches, until it returns
// false.
func (x *matchIndex) groupsOf(tx []int32, found func(g int32) bool) {
	candidates := x.noCore
	if len(tx) > 0 {
		candidates = x.byWorld[shortest(x.byWorld, tx)]
	}
	marks := marksOf(tx)
	for _, g := range candidates {
		if x.cores[g]&^marks|marks&^x.worlds[g] == 0 && x.wide[g].mayHave(tx) &&
			x.groups[g].matches(tx) && !found(g) {
			return
		}
	}
}

// recordsOf calls found with the distinct records that match a group, until it returns false.
func (x *matchIndex) recordsOf(g int32, found func(r int32) bool) {
	group := &x.groups[g]
	lists, _ := x.filed(g)
	for _, list := range lists {
		for _, r := range list {
			tx := x.original.Tx(int(r))
			if x.cores[g]&^x.marks[r]|x.marks[r]&^x.worlds[g] == 0 && x.wide[g].mayHave(tx) &&
				group.matches(tx) && !found(r) {
				return
			}
		}
	}
}

// filed lists the records that may match a group, and says how many these are.
func (x *matchIndex) filed(g int32) (lists [][]int32, count int) {
	group := &x.groups[g]
	lists, count = [][]int32{x.empty}, len(x.empty)
	for _, it := range group.world {
		lists = append(lists, x.byRarest[it])
		count += len(x.byRarest[it])
	}
	if len(group.core) > 0 {
		if list := x.byItem[shortest(x.byItem, group.core)]; len(list) < count {
			return [][]int32{list}, len(list)
		}
	}
	return lists, count
}

// bitsOf sets a bit for each item of an ascending list, where that takes no more memory than the
// list; else there are none.
func bitsOf(items []int32, of int) []uint64 {
	words := (of + 63) / 64
	if 2*words > len(items) {
		return nil
	}
	bits := make([]uint64, words)
	for _, it := range items {
		bits[it>>6] |= 1 << (it & 63)
	}
	return bits
}

// matches is the definition: the record differs from the base in at most threshold places, all
// uncertain.
func (g *matchGroup) matches(tx []int32) bool {
	base, uncertain, left := g.base, g.uncertain, g.threshold
	if len(tx)-len(base) > left || len(base)-len(tx) > left {
		return false
	}
	for len(base) > 0 || len(tx) > 0 {
		var differs int32
		switch {
		case len(base) > 0 && len(tx) > 0 && base[0] == tx[0]:
			base, tx = base[1:], tx[1:]
			continue
		case len(tx) == 0 || len(base) > 0 && base[0] < tx[0]:
			differs, base = base[0], base[1:]
		default:
			differs, tx = tx[0], tx[1:]
		}
		if left--; left < 0 {
			return false
		}
		if g.mayDiffer != nil {
			if g.mayDiffer[differs>>6]>>(differs&63)&1 == 0 {
				return false
			}
			continue
		}
		for len(uncertain) > 0 && uncertain[0] < differs {
			uncertain = uncertain[1:]
		}
		if len(uncertain) == 0 || uncertain[0] != differs {
			return false
		}
	}
	return true
}

// without are the items of a that are not in b; both ascending.
func without(a, b []int32) []int32 {
	var out []int32
	for _, it := range a {
		for len(b) > 0 && b[0] < it {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != it {
			out = append(out, it)
		}
	}
	return out
}
