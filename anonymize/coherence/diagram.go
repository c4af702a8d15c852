package coherence

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// diagram is a family of itemsets that contains the subsets of its members, as a zero-suppressed decision diagram
// (Minato, Zero-suppressed BDDs for set manipulation in combinatorial problems, 1993): a node of item x stands for the
// sets below hi, each with x added, and the sets below lo. Every set is one path; equal parts of the family are one node.
//
// It is made from the maximal sets: first the diagram of just these, then of all their subsets. Counting by item is one
// pass up and one pass down; an item is removed by not taking its hi branch, so that nothing has to be rebuilt.
//
// It is not in the paper. It is small where itemsets are long and alike (dense data), where differences of edges explode.
type diagram struct {
	items  []int32 // position -> item; nodes are ordered by position
	x      []int32 // node -> position. Nodes 0 and 1 are the terminals: no set, and the empty set only
	lo, hi []int32
	root   int32
}

// maxNodes bounds a diagram under construction: about 1 GB with its tables.
const maxNodes = 24 << 20

// maker builds a diagram.
type maker struct {
	diagram
	ctx      context.Context
	position map[int32]int32
	unique   []int32  // open addressing: node, 0: free
	cache    []triple // of union, lossy
	below    []int32  // node -> node of all subsets; 0: not yet known
	avoided  map[[2]int32]int32
	err      error
}

type triple struct{ f, g, result int32 }

// newDiagram makes the diagram of all subsets of the maximal sets that contain none of the forbidden ones. No maximal set
// lies in another, no forbidden one in another, and each forbidden one lies in a maximal one.
func newDiagram(ctx context.Context, maximal, forbidden [][]int32) (*diagram, error) {
	m := &maker{ctx: ctx, unique: make([]int32, 1<<12), cache: make([]triple, 1<<12), avoided: map[[2]int32]int32{}}
	m.x, m.lo, m.hi = []int32{math.MaxInt32, math.MaxInt32}, []int32{0, 0}, []int32{0, 0}
	m.rank(maximal)
	m.root = 1
	if len(maximal) > 0 {
		m.root = m.avoid(m.subsets(m.just(m.sorted(maximal), 0)), m.just(m.sorted(forbidden), 0))
	}
	if m.err != nil {
		return nil, m.err
	}
	return m.compact(), nil
}

// rank gives the items their positions, those in the fewest maximal sets first: on chess that made 7 times fewer nodes than
// the other way round, 25 times faster.
func (m *maker) rank(maximal [][]int32) {
	n := map[int32]int{}
	for _, s := range maximal {
		for _, it := range s {
			if n[it]++; n[it] == 1 {
				m.items = append(m.items, it)
			}
		}
	}
	slices.SortFunc(m.items, func(a, b int32) int { return cmp.Or(cmp.Compare(n[a], n[b]), cmp.Compare(a, b)) })
	m.position = make(map[int32]int32, len(m.items))
	for i, it := range m.items {
		m.position[it] = int32(i)
	}
}

// sorted spells sets as positions, in order.
func (m *maker) sorted(sets [][]int32) [][]int32 {
	out := make([][]int32, 0, len(sets))
	for _, s := range sets {
		set := make([]int32, 0, len(s))
		for _, it := range s {
			set = append(set, m.position[it])
		}
		slices.Sort(set)
		out = append(out, set)
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

// just is the family of sorted sets that agree on what is before the given depth, seen from there.
func (m *maker) just(sets [][]int32, depth int) int32 {
	out := int32(0)
	end := len(sets)
	for end > 0 && len(sets[end-1]) > depth {
		x := sets[end-1][depth]
		from := end - 1
		for from > 0 && len(sets[from-1]) > depth && sets[from-1][depth] == x {
			from--
		}
		out = m.node(x, out, m.just(sets[from:end], depth+1))
		end = from
	}
	if end > 0 {
		return 1 // a set ends here; no longer one does, since none lies in another
	}
	return out
}

// subsets is the family of all subsets of the sets of f.
func (m *maker) subsets(f int32) int32 {
	if f <= 1 {
		return f
	}
	m.below = append(m.below, make([]int32, max(0, int(f)+1-len(m.below)))...)
	if r := m.below[f]; r > 0 {
		return r
	}
	hi := m.subsets(m.hi[f])
	r := m.node(m.x[f], m.union(m.subsets(m.lo[f]), hi), hi)
	m.below[f] = r
	return r
}

// union is the family of the sets of f and of g.
func (m *maker) union(f, g int32) int32 {
	switch {
	case f == g || g == 0:
		return f
	case f == 0:
		return g
	case f > g:
		f, g = g, f
	}
	slot := &m.cache[hash(f, g, 0)&uint64(len(m.cache)-1)]
	if slot.f == f && slot.g == g {
		return slot.result
	}
	var r int32
	switch {
	case m.x[f] < m.x[g]:
		r = m.node(m.x[f], m.union(m.lo[f], g), m.hi[f])
	case m.x[f] > m.x[g]:
		r = m.node(m.x[g], m.union(f, m.lo[g]), m.hi[g])
	default:
		r = m.node(m.x[f], m.union(m.lo[f], m.lo[g]), m.union(m.hi[f], m.hi[g]))
	}
	m.cache[hash(f, g, 0)&uint64(len(m.cache)-1)] = triple{f, g, r}
	return r
}

// avoid is the family of the sets of f that contain no set of g.
func (m *maker) avoid(f, g int32) int32 {
	switch {
	case f == 0 || g == 0:
		return f
	case m.hasEmpty(g):
		return 0
	case f == 1:
		return 1
	case m.x[g] < m.x[f]:
		return m.avoid(f, m.lo[g])
	}
	if r, known := m.avoided[[2]int32{f, g}]; known {
		return r
	}
	var r int32
	if m.x[f] < m.x[g] {
		r = m.node(m.x[f], m.avoid(m.lo[f], g), m.avoid(m.hi[f], g))
	} else {
		r = m.node(m.x[f], m.avoid(m.lo[f], m.lo[g]), m.avoid(m.hi[f], m.union(m.lo[g], m.hi[g])))
	}
	m.avoided[[2]int32{f, g}] = r
	return r
}

// hasEmpty tells whether the empty set is in a family.
func (m *maker) hasEmpty(f int32) bool {
	for f > 1 {
		f = m.lo[f]
	}
	return f == 1
}

// node is the one node with these parts.
func (m *maker) node(x, lo, hi int32) int32 {
	if hi == 0 || m.err != nil {
		return lo
	}
	at := hash(x, lo, hi) & uint64(len(m.unique)-1)
	for m.unique[at] != 0 {
		if n := m.unique[at]; m.x[n] == x && m.lo[n] == lo && m.hi[n] == hi {
			return n
		}
		at = (at + 1) & uint64(len(m.unique)-1)
	}
	n := int32(len(m.x))
	m.x, m.lo, m.hi = append(m.x, x), append(m.lo, lo), append(m.hi, hi)
	m.unique[at] = n
	if 2*len(m.x) > len(m.unique) {
		m.grow()
	}
	if n&0xffff == 0 && m.ctx.Err() != nil {
		m.err = context.Cause(m.ctx)
	}
	if n > maxNodes {
		m.err = errTooLarge
	}
	return n
}

// grow doubles the tables.
func (m *maker) grow() {
	m.unique = make([]int32, 2*len(m.unique))
	mask := uint64(len(m.unique) - 1)
	for n := int32(2); n < int32(len(m.x)); n++ {
		at := hash(m.x[n], m.lo[n], m.hi[n]) & mask
		for m.unique[at] != 0 {
			at = (at + 1) & mask
		}
		m.unique[at] = n
	}
	old := m.cache
	m.cache = make([]triple, 2*len(old))
	for _, t := range old {
		if t.g != 0 {
			m.cache[hash(t.f, t.g, 0)&uint64(len(m.cache)-1)] = t
		}
	}
}

func hash(a, b, c int32) uint64 {
	h := uint64(uint32(a))*0x9e3779b97f4a7c15 ^ uint64(uint32(b))*0xc2b2ae3d27d4eb4f ^ uint64(uint32(c))*0x165667b19e3779f9
	return h ^ h>>29 ^ h>>47
}

// compact keeps the nodes below the root, parts before wholes.
func (m *maker) compact() *diagram {
	used := make([]bool, len(m.x))
	used[m.root], used[0], used[1] = true, true, true
	for n := m.root; n > 1; n-- {
		if used[n] {
			used[m.lo[n]], used[m.hi[n]] = true, true
		}
	}
	d := &diagram{items: m.items}
	number := make([]int32, m.root+1)
	for n := range m.root + 1 {
		if used[n] {
			number[n] = int32(len(d.x))
			d.x, d.lo, d.hi = append(d.x, m.x[n]), append(d.lo, number[m.lo[n]]), append(d.hi, number[m.hi[n]])
		}
	}
	if m.root == 1 {
		return &diagram{items: m.items, x: m.x[:2], lo: m.lo[:2], hi: m.hi[:2], root: 1}
	}
	d.root = int32(len(d.x) - 1)
	return d
}

// count counts, by item, the sets of at most length items (0: any) that have no dead item, and all of them but the empty
// one.
func (d *diagram) count(alive func(item int32) bool, length, items int) totals {
	takes := make([]bool, len(d.items))
	for i, it := range d.items {
		takes[i] = alive(it)
	}
	if length >= len(d.items) {
		length = 0
	}
	if t, ok := d.countSmall(takes, length, items); ok {
		return t
	}
	return d.countBig(takes, length, items)
}

// countSmall counts in 64 bits. It fails where the sets in all are more: then so may be every other number here, each of
// which counts some of them.
func (d *diagram) countSmall(takes []bool, length, items int) (totals, bool) {
	w := length + 1 // numbers a node: sets of 0 to length items; or just one, of sets of any size
	down, ok := d.down(takes, w)
	if !ok {
		return totals{}, false
	}
	up := make([]uint64, len(d.x)*w)
	up[int(d.root)*w] = 1
	byItem := make([]uint64, items)
	for n := d.root; n > 1; n-- {
		own := up[int(n)*w : int(n+1)*w]
		for i, c := range own {
			up[int(d.lo[n])*w+i] += c
		}
		if !takes[d.x[n]] {
			continue
		}
		hi := int(d.hi[n]) * w
		if w == 1 {
			up[hi] += own[0]
			byItem[d.items[d.x[n]]] += own[0] * down[hi]
			continue
		}
		room := uint64(0) // sets below hi that leave room for the rest
		for i := length - 1; i >= 0; i-- {
			up[hi+i+1] += own[i]
			room += down[hi+length-1-i]
			byItem[d.items[d.x[n]]] += own[i] * room
		}
	}
	t := newTotals(items)
	all := uint64(0)
	for _, c := range down[int(d.root)*w : int(d.root+1)*w] {
		all += c
	}
	t.add(byItem, all-1, 1)
	return t, true
}

// down counts the sets below each node, by size if there are several numbers a node.
func (d *diagram) down(takes []bool, w int) ([]uint64, bool) {
	down := make([]uint64, len(d.x)*w)
	down[w] = 1
	over := uint64(0)
	for n := 2; n < len(d.x); n++ {
		lo, hi := int(d.lo[n])*w, int(d.hi[n])*w
		copy(down[n*w:(n+1)*w], down[lo:lo+w])
		if !takes[d.x[n]] {
			continue
		}
		shift := min(1, w-1)
		for i := shift; i < w; i++ {
			sum, carry := bits.Add64(down[n*w+i], down[hi+i-shift], 0)
			down[n*w+i] = sum
			over |= carry
		}
	}
	sum := uint64(0)
	for _, c := range down[int(d.root)*w : int(d.root+1)*w] {
		var carry uint64
		sum, carry = bits.Add64(sum, c, 0)
		over |= carry
	}
	return down, over == 0
}

// countBig is countSmall in numbers of any size, one size of sets after the other where the size is bounded.
func (d *diagram) countBig(takes []bool, length, items int) totals {
	w := length + 1
	shift := min(1, length)
	down, up := make([]big.Int, len(d.x)*w), make([]big.Int, len(d.x)*w)
	down[w].SetInt64(1)
	for n := 2; n < len(d.x); n++ {
		lo, hi := int(d.lo[n])*w, int(d.hi[n])*w
		for i := range w {
			down[n*w+i].Set(&down[lo+i])
			if takes[d.x[n]] && i >= shift {
				down[n*w+i].Add(&down[n*w+i], &down[hi+i-shift])
			}
		}
	}
	t := newTotals(items)
	up[int(d.root)*w].SetInt64(1)
	var x big.Int
	for n := int(d.root); n > 1; n-- {
		lo, hi := int(d.lo[n])*w, int(d.hi[n])*w
		for i := range w {
			up[lo+i].Add(&up[lo+i], &up[n*w+i])
			if !takes[d.x[n]] || i+shift >= w {
				continue
			}
			up[hi+i+shift].Add(&up[hi+i+shift], &up[n*w+i])
			item := &t.byItem[d.items[d.x[n]]]
			for j := range w - i - shift {
				item.Add(item, x.Mul(&up[n*w+i], &down[hi+j]))
			}
		}
	}
	for i := range w {
		t.all.Add(&t.all, &down[int(d.root)*w+i])
	}
	t.all.Sub(&t.all, big.NewInt(1))
	return t
}
