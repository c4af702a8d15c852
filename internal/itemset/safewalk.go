package itemset

import (
	"context"
	"slices"
	"sync/atomic"

	"mingle/internal/par"
)

// The verdicts on an itemset that occurs.
const (
	safe = iota
	rare // too few transactions
	leaky
)

// extension is a prefix's next item, the support of the two, and the verdict.
type extension struct {
	item    int32
	support int32
	verdict int
}

// walker goes through safe itemsets that begin with one item. It belongs to one goroutine.
type walker struct {
	s    *Safe
	scan *scanner
	min  int32
	size int // itemsets of this size are judged, smaller ones looked up
	// see is called for smaller sizes too, and with the safe extensions only
	all bool
	see func(ext []extension) // the extensions of the prefix; items of the prefix are in w.prefix

	stopped func() bool
	prefix  []int32 // ranks, ascending but for the first
	set     []int32
	ext     []extension
	side    []int32 // count by side item
	sideRow []int32
	sideSet []int32
	nodes   []*node
}

// node is the projection on a prefix: the items behind it that are safe with it, and the side items
// that are in so many of its rows that they matter, both over the same rows.
type node struct {
	items vertical
	sides vertical
	rows  []int32
}

func newWalker(s *Safe, size int) *walker {
	w := &walker{s: s, scan: newScanner(s.t), min: int32(s.in.MinSupport), size: size}
	if s.side != nil {
		w.side = make([]int32, s.side.n)
	}
	return w
}

func (w *walker) node(depth int) *node {
	for len(w.nodes) <= depth {
		w.nodes = append(w.nodes, &node{})
	}
	return w.nodes[depth]
}

// start begins with one item: wanted are the ranks that may follow it, all behind after. Where
// there is more to do it returns the projection, to be gone through by descend.
func (w *walker) start(first, after int32, wanted []int32) *node {
	w.prefix = append(w.prefix[:0], first)
	rows := w.s.t.rowsOf(first)
	if w.size == 2 {
		w.judgeRows(rows, after, wanted)
		return nil
	}
	nd := w.node(0)
	w.scan.project(&nd.items, rows, after, wanted, func(n int32) bool { return n >= w.min })
	w.dropUnsafe(&nd.items)
	w.projectSides(nd, rows)
	w.tell(&nd.items)
	return nd
}

// descend goes through the extensions from the i-th item of nd on that begin with it.
func (w *walker) descend(nd *node, i, depth int) {
	if w.stopped() {
		return
	}
	w.prefix = append(w.prefix, nd.items.items[i])
	if len(w.prefix)+1 == w.size {
		w.judge(nd, i, depth)
	} else if child := w.child(nd, i, depth); len(child.items.items) > 0 {
		w.tell(&child.items)
		for j := range child.items.items {
			w.descend(child, j, depth+1)
		}
	}
	w.prefix = w.prefix[:len(w.prefix)-1]
}

// tell reports extensions that are known to be safe.
func (w *walker) tell(v *vertical) {
	if !w.all || len(v.items) == 0 {
		return
	}
	w.ext = w.ext[:0]
	for i, z := range v.items {
		w.ext = append(w.ext, extension{z, v.count[i], safe})
	}
	w.see(w.ext)
}

// child projects nd on its i-th item.
func (w *walker) child(nd *node, i, depth int) *node {
	child := w.node(depth + 1)
	v := &nd.items
	own, after := v.bitmap(i), v.items[i]
	if w.s.t.cheaper(v.count[i], len(v.items)-i, v.words) {
		child.rows = v.members(own, child.rows[:0])
		w.scan.project(&child.items, child.rows, after, v.items[i+1:],
			func(n int32) bool { return n >= w.min })
		w.dropUnsafe(&child.items)
		w.projectSides(child, child.rows)
		return child
	}
	child.items.reset(v.rows)
	for j := i + 1; j < len(v.items); j++ {
		if n := intersect(child.items.spare(), own, v.bitmap(j)); n >= w.min &&
			w.known(v.items[j]) {
			child.items.add(v.items[j], n)
		}
	}
	child.sides.reset(v.rows)
	for j, x := range nd.sides.items {
		if n := intersect(child.sides.spare(), own, nd.sides.bitmap(j)); n > w.s.side.least {
			child.sides.add(x, n)
		}
	}
	return child
}

// dropUnsafe takes out the items that are not safe with the prefix, of a size that can be looked
// up.
func (w *walker) dropUnsafe(v *vertical) {
	kept := 0
	for i, z := range v.items {
		if w.known(z) {
			v.items[kept], v.count[kept] = z, v.count[i]
			copy(v.bitmap(kept), v.bitmap(i))
			kept++
		}
	}
	v.items, v.count = v.items[:kept], v.count[:kept]
}

// known looks up whether the prefix with an item more is safe.
func (w *walker) known(z int32) bool {
	return w.s.sizes[len(w.prefix)+1].has(w.sorted(w.prefix, z))
}

// sorted is the prefix with an item more in ascending order.
func (w *walker) sorted(prefix []int32, z int32) []int32 {
	if prefix[0] < z && (len(prefix) < 2 || prefix[0] < prefix[1]) {
		w.set = append(append(w.set[:0], prefix...), z)
		return w.set
	}
	w.set = append(append(w.set[:0], prefix[1:]...), z)
	w.set = insert(w.set, prefix[0])
	return w.set
}

// subsetsSafe looks up the subsets of the prefix with z, of one item less, that contain z. The one
// without the prefix's last item is safe, or z would not have come here.
func (w *walker) subsetsSafe(z int32) bool {
	n := len(w.prefix)
	if n < 2 {
		return true
	}
	set := w.sorted(w.prefix, z)
	f := w.s.sizes[n]
	last := w.prefix[n-1]
	var room [16]int32
	rest := append(room[:0], set[1:]...)
	for i := range set {
		// rest is set without its i-th item
		if x := set[i]; x != z && x != last && !f.has(rest) {
			return false
		}
		if i < len(rest) {
			rest[i] = set[i]
		}
	}
	return true
}

// projectSides makes the side items' bitmaps over the rows.
func (w *walker) projectSides(nd *node, rows []int32) {
	v := &nd.sides
	v.reset(rows)
	if w.s.side == nil {
		return
	}
	w.countSides(rows)
	for _, x := range w.sideSet {
		if n := w.side[x]; n > w.s.side.least {
			clear(v.spare())
			v.add(x, n)
			w.side[x] = -int32(len(v.items))
		} else {
			w.side[x] = 0
		}
	}
	for b, r := range rows {
		for _, x := range w.s.side.row(r) {
			if at := -w.side[x]; at > 0 {
				v.bits[(int(at)-1)*v.words+b>>6] |= 1 << (b & 63)
			}
		}
	}
	for _, x := range v.items {
		w.side[x] = 0
	}
}

// countSides counts the side items of the rows in w.side, and lists them in w.sideSet.
func (w *walker) countSides(rows []int32) {
	w.sideSet = w.sideSet[:0]
	for _, r := range rows {
		for _, x := range w.s.side.row(r) {
			if w.side[x] == 0 {
				w.sideSet = append(w.sideSet, x)
			}
			w.side[x]++
		}
	}
	slices.Sort(w.sideSet)
}

// judge judges the extensions of the prefix, whose last item is the i-th of nd, by the items behind
// it.
func (w *walker) judge(nd *node, i, depth int) {
	v := &nd.items
	if w.s.t.cheaper(v.count[i], len(v.items)-i, v.words*(1+len(nd.sides.items))) {
		rows := w.node(depth + 1)
		rows.rows = v.members(v.bitmap(i), rows.rows[:0])
		w.judgeRows(rows.rows, v.items[i], v.items[i+1:])
		return
	}
	own := v.bitmap(i)
	w.sideRow = w.sideRow[:0]
	for j := range nd.sides.items {
		if overlap(own, nd.sides.bitmap(j)) > w.s.side.least {
			w.sideRow = append(w.sideRow, int32(j))
		}
	}
	w.ext = w.ext[:0]
	for j := i + 1; j < len(v.items); j++ {
		n := overlap(own, v.bitmap(j))
		if !w.worth(n, v.items[j]) {
			continue
		}
		e := extension{v.items[j], n, w.bySupport(n)}
		for _, x := range w.sideRow {
			if n >= w.min && overlap3(own, v.bitmap(j),
				nd.sides.bitmap(int(x))) > w.s.side.most[n] {
				e.verdict = leaky
				break
			}
		}
		w.ext = append(w.ext, e)
	}
	w.report()
}

// worth tells whether an extension with support n needs a verdict: it occurs, and its subsets are
// safe.
func (w *walker) worth(n, z int32) bool {
	switch {
	case n == 0, n < w.min && w.all:
		return false
	case n >= w.min && w.s.side == nil:
		return true
	}
	return w.subsetsSafe(z)
}

func (w *walker) bySupport(n int32) int {
	if n < w.min {
		return rare
	}
	return safe
}

// judgeRows is judge by reading the rows.
func (w *walker) judgeRows(rows []int32, after int32, wanted []int32) {
	w.scan.tally(rows, after)
	w.ext = w.ext[:0]
	toCheck := false
	for _, z := range wanted {
		if n := w.scan.n[z]; n > 0 && w.worth(n, z) {
			w.ext = append(w.ext, extension{z, n, w.bySupport(n)})
			toCheck = toCheck || n >= w.min
		}
	}
	w.scan.clear(rows, after)
	if toCheck && w.s.side != nil {
		w.leaks(rows, after)
	}
	w.report()
}

// leaks finds the extensions that imply a side item.
func (w *walker) leaks(rows []int32, after int32) {
	w.bySide(rows)
	from := int32(0)
	for _, x := range w.sideSet {
		to := w.side[x]
		w.side[x] = 0
		having := w.sideRow[from:to]
		from = to
		if len(having) <= int(w.s.side.least) {
			continue
		}
		w.scan.tally(having, after)
		for i := range w.ext {
			e := &w.ext[i]
			if e.verdict == safe && w.scan.n[e.item] > w.s.side.most[e.support] {
				e.verdict = leaky
			}
		}
		w.scan.clear(having, after)
	}
}

// bySide lists the rows in w.sideRow by their side items, in the order of w.sideSet; those of x end
// at w.side[x].
func (w *walker) bySide(rows []int32) {
	w.countSides(rows)
	n := int32(0)
	for _, x := range w.sideSet {
		n, w.side[x] = n+w.side[x], n
	}
	w.sideRow = slices.Grow(w.sideRow[:0], int(n))[:n]
	for _, r := range rows {
		for _, x := range w.s.side.row(r) {
			w.sideRow[w.side[x]] = r
			w.side[x]++
		}
	}
}

// report hands on what was found; where only safe extensions are asked for, the others are left
// out.
func (w *walker) report() {
	if w.all {
		w.ext = slices.DeleteFunc(w.ext, func(e extension) bool { return e.verdict != safe })
	}
	if len(w.ext) > 0 {
		w.see(w.ext)
	}
}

// pass judges the itemsets of one size, all smaller ones being known: it visits the minimal unsafe
// ones and keeps the safe ones. told hears how many first items are done.
func (s *Safe) pass(ctx context.Context, size int, visit Visit, told func(done int)) error {
	behind := identity(s.t.items())
	var kept atomic.Int64
	tooMany := func() bool { return s.in.MaxSafe > 0 && kept.Load() > s.in.MaxSafe }
	space := func(int) *walker { return newWalker(s, size) }
	judge := func(ctx context.Context, w *walker, task int, emit func(chunk)) {
		out := &output{emit: emit}
		w.stopped = func() bool { return ctx.Err() != nil || tooMany() }
		w.see = s.sorting(w, out, visit != nil, &kept)
		if nd := w.start(int32(task), int32(task), behind[task+1:]); nd != nil {
			for i := range nd.items.items {
				w.descend(nd, i, 0)
			}
		}
		out.end()
	}
	return par.Ahead(ctx, s.in.workers(), s.t.items(), space, judge,
		func(task int, c chunk) error {
			if tooMany() {
				return ErrTooMany
			}
			if c.last {
				told(task + 1)
			}
			if visit == nil {
				return nil
			}
			return c.each(visit)
		})
}

// sorting keeps what a walker sees that is safe, and hands on the rest where it is asked for.
func (s *Safe) sorting(
	w *walker, out *output, asked bool, kept *atomic.Int64,
) func(ext []extension) {
	keep := s.sizes[w.size]
	var buf []int32
	return func(ext []extension) {
		kept.Add(int64(len(ext)))
		for _, e := range ext {
			if e.verdict == safe {
				if keep != nil {
					keep.add(w.sorted(w.prefix, e.item))
				}
			} else if asked {
				buf = s.t.original(w.sorted(w.prefix, e.item), buf)
				out.put(buf, e.support)
			}
		}
	}
}
