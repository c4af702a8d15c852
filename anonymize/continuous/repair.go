package continuous

import (
	"cmp"
	"slices"
)

// merger repairs rare bags as algorithm 3 of gkountouna-2014 does: first the path's leaf is
// widened alone, then its parent with it, and so on to the root, until a widening adds less than d
// to the loss.
type merger struct {
	seg  *segments
	post *postings
	k    int
	d    float64

	near  []neighbour
	boxes []span // of the neighbours, one after another
	used  []bool
}

// neighbour is a record that can be made to support the path, and at what penalty.
type neighbour struct {
	// what widening to it alone would add to the loss, absorbed segments not deducted
	penalty float64
	rec     int32
	below   bool  // its value for the topmost span that is widened lies below that span
	at      int32 // its box, the path widened to it, is boxes[at:at+size of the path]
}

// repair implements repairer.
func (m *merger) repair(box []span, have int) []span {
	var best []span
	least := 0.0
	for level := len(box) - 1; level >= 0; level-- {
		found, penalty := m.candidate(box, level, m.k-have)
		if found == nil {
			continue
		}
		if best == nil || penalty < least {
			best, least = found, penalty
		}
		if penalty < m.d {
			break // algorithm 3, line 13
		}
	}
	if best == nil {
		best = m.widen(box)
	}
	return best
}

// candidate is the candidate of least loss found that lifts the support to k by widening the spans
// from level on; nil if there is none among the nearest records.
//
// Its support need not be counted. Spans of the box are equal or disjoint, so a record that
// supports the box is never widened to (consider leaves it out), and every other one in the hull
// has a value of its own for each span: hull is in the records that have the box and in at least
// so many more as were missing.
func (m *merger) candidate(box []span, level, missing int) (best []span, least float64) {
	m.gather(box, level, missing)
	slices.SortFunc(m.near, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(a.penalty, b.penalty), cmp.Compare(a.rec, b.rec))
	})
	for _, side := range []func(neighbour) bool{
		func(neighbour) bool { return true },
		func(n neighbour) bool { return n.below },
		func(n neighbour) bool { return !n.below },
	} {
		hull := m.hull(box, missing, side)
		if hull == nil {
			continue
		}
		m.seg.widen(hull)
		if penalty := m.seg.extra(hull); best == nil || penalty < least {
			best, least = hull, penalty
		}
	}
	return best, least
}

// hull covers the box and the missing records of least penalty of a side; nil when there are not
// as many.
func (m *merger) hull(box []span, missing int, side func(neighbour) bool) []span {
	hull := slices.Clone(box)
	for _, n := range m.near {
		if !side(n) {
			continue
		}
		for i := range hull {
			hull[i] = hull[i].join(m.boxes[int(n.at)+i])
		}
		if missing--; missing == 0 {
			return hull
		}
	}
	return nil
}

// Bounds of the search for neighbours; they bound time, never correctness.
const (
	// so many times the missing records are taken on each side, at a leaf just as many,
	scanFactor = 4
	scanLimit  = 1 << 15 // among this many values
)

// gather collects records near the box that support its spans above level.
func (m *merger) gather(box []span, level, missing int) {
	m.near, m.boxes = m.near[:0], m.boxes[:0]
	m.post.forget()
	wanted := missing
	if level < len(box)-1 {
		wanted *= scanFactor
	}
	list, lo, hi := m.post.rec, int(m.post.start[box[level].lo]), int(m.post.start[box[level].hi+1])
	var fixed records // that hold a span above level; nil: all of the list do
	if level > 0 {
		if sp := box[m.post.rarest(box[:level])]; m.post.isFrequent(sp) {
			fixed = m.post.holdersOf(sp).one
		} else {
			var values []int32
			values, list = m.post.meeting(sp)
			lo, _ = slices.BinarySearch(values, box[level].lo)
			hi, _ = slices.BinarySearch(values, box[level].hi+1)
		}
	}
	look := func(rec int32) {
		if (fixed == nil || fixed.has(rec)) && m.post.once(rec) {
			m.consider(rec, box, level)
		}
	}
	for i := lo - 1; i >= max(0, lo-scanLimit) && len(m.near) < wanted; i-- {
		look(list[i])
	}
	wanted += len(m.near)
	for i := hi; i < min(len(list), hi+scanLimit) && len(m.near) < wanted; i++ {
		look(list[i])
	}
}

// consider adds a record to the neighbours if the spans above level hold values of it, and enough
// are left for the others. Each of these takes the nearest value left.
func (m *merger) consider(rec int32, box []span, level int) {
	values := m.post.data.Record(int(rec))
	if len(values) < len(box) || level > 0 && !m.post.contains(rec, box[:level]) {
		return
	}
	m.used = append(m.used[:0], make([]bool, len(values))...)
	for _, sp := range box[:level] {
		i := slices.IndexFunc(values, func(v int32) bool { return v >= sp.lo })
		for i < len(values) && m.used[i] {
			i++
		}
		if i == len(values) || values[i] > sp.hi {
			return
		}
		m.used[i] = true
	}
	n := neighbour{rec: rec, at: int32(len(m.boxes))}
	m.boxes = append(m.boxes, box...)
	wide := m.boxes[n.at:]
	for j := level; j < len(box); j++ {
		i := m.nearest(values, box[j])
		m.used[i] = true
		n.below = n.below || j == level && values[i] < box[j].lo
		wide[j] = box[j].join(span{values[i], values[i]})
		if wide[j] != box[j] {
			n.penalty += m.seg.loss(wide[j]) - m.seg.loss(box[j])
		}
	}
	if slices.Equal(wide, box) {
		m.boxes = m.boxes[:n.at] // supports the path as it is
		return
	}
	m.near = append(m.near, n)
}

// nearest is the index of the value nearest to a span among those not used; there is one.
func (m *merger) nearest(values []int32, sp span) int {
	best, bestGap := -1, 0.0
	for i, v := range values {
		if m.used[i] {
			continue
		}
		gap := 0.0
		switch {
		case v < sp.lo:
			gap = m.seg.pos[sp.lo] - m.seg.pos[v]
		case v > sp.hi:
			gap = m.seg.pos[v] - m.seg.pos[sp.hi]
		}
		if best < 0 || gap < bestGap {
			best, bestGap = i, gap
		}
	}
	return best
}

// widen takes ever more segments on both sides of every span until k records are covered. With the
// whole domain every record that is long enough is; [Input.feasible] made sure of k of those.
func (m *merger) widen(box []span) []span {
	for steps := 1; ; steps *= 2 {
		wide := slices.Clone(box)
		for i := range wide {
			for range steps {
				wide[i] = m.grow(wide[i])
			}
		}
		m.seg.widen(wide)
		if m.post.support(wide, m.k) >= m.k {
			return wide
		}
	}
}

// grow adds the next segment on either side.
func (m *merger) grow(sp span) span {
	if sp.lo > 0 {
		sp.lo = m.seg.root(sp.lo - 1)
	}
	if sp.hi+1 < m.seg.values() {
		sp.hi = m.seg.of(sp.hi + 1).hi
	}
	return sp
}
