package local

import "math/bits"

// unforeseen marks a row of which it is not known what becomes of sets if it takes u back.
const unforeseen = -1

// foreseeAll takes note of what became of the sets with u, as they are when a look begins, if
// the row took u back.
func (t *topUp) foreseeAll(r *row) {
	r.fresh = 0
	now := t.step.now(r)
	t.step.work += int64(len(now))
	t.nodes = t.nodes[:0]
	for a, v := range now {
		y := t.step.number[v]
		if y > 0 && t.foreseeSet(r, &t.counter.by[y]) && t.counter.pairs.on {
			t.step.work += int64(len(now)-a) / met
			t.nodes = append(t.nodes, y)
		}
	}
	fresh, helped := t.pairs.foresee(&t.counter.pairs, t.nodes, int32(t.step.k))
	r.fresh += fresh
	r.helped += helped
}

// foreseeSet is foresee for the set of u and one other.
func (t *topUp) foreseeSet(r *row, of *tally) bool {
	if of.weight > 0 {
		return t.foresee(r, max(1, t.counter.support(of)))
	}
	return t.foresee(r, 0)
}

// foresee takes note of what becomes of a set of this weight if the row takes u back, and tells
// whether the set is not rare.
func (t *topUp) foresee(r *row, weight int32) bool {
	switch {
	case weight == 0:
		r.fresh++
	case weight < int32(t.step.k):
		r.helped++
	default:
		return true
	}
	return false
}

// foreseen are the pairs that are in no row that publishes u, and those that are in fewer than k.
// What a look takes back changes neither. They are found one by one until that has been as much
// work as to list all of them as bits.
type foreseen struct {
	spent  int // pairs that were looked up one by one
	listed bool
	words  int
	none   []uint64 // by short number y: those z whose pair with y is in no row
	few    []uint64 // the same, with pairs that are in some rows, but in fewer than k
	after  []uint64 // working space: the nodes after one
}

// begin forgets the look before.
func (f *foreseen) begin() { f.spent, f.listed = 0, false }

// foresee is how many pairs of some nodes are in no row, and how many in fewer than k. The nodes
// are short numbers in the order in which rows have them.
func (f *foreseen) foresee(p *pairs, nodes []int32, k int32) (fresh, helped int32) {
	if !f.listed {
		if f.spent += len(nodes) * len(nodes) / 2; f.spent > p.n*p.n {
			f.list(p, k)
		}
	}
	if f.listed {
		return f.inBits(nodes)
	}
	for a, y := range nodes {
		counts := p.counts[int(y)*p.n:][:p.n]
		for _, z := range nodes[a+1:] {
			switch count := counts[z] &^ queued; {
			case count == 0:
				fresh++
			case count < k:
				helped++
			}
		}
	}
	return fresh, helped
}

// list makes the bits.
func (f *foreseen) list(p *pairs, k int32) {
	f.listed, f.words = true, (p.n+63)/64
	f.none, f.few = room(f.none, p.n*f.words), room(f.few, p.n*f.words)
	for y := range p.n {
		counts := p.counts[y*p.n:][:p.n]
		for len(counts) > 0 {
			some := counts[:min(64, len(counts))]
			counts = counts[len(some):]
			none, few := uint64(0), uint64(0)
			for z, count := range some {
				if count &^= queued; count == 0 {
					none |= 1 << z
				} else if count < k {
					few |= 1 << z
				}
			}
			f.none, f.few = append(f.none, none), append(f.few, few)
		}
	}
}

// inBits is foresee by the bits.
func (f *foreseen) inBits(nodes []int32) (fresh, helped int32) {
	f.after = room(f.after, f.words)[:f.words]
	after := f.after
	clear(after)
	for a := len(nodes) - 1; a >= 0; a-- {
		y := int(nodes[a])
		none, few := f.none[y*f.words:][:len(after)], f.few[y*f.words:][:len(after)]
		for n, word := range after {
			fresh += int32(bits.OnesCount64(word & none[n]))
			helped += int32(bits.OnesCount64(word & few[n]))
		}
		after[y/64] |= 1 << (y % 64)
	}
	return fresh, helped
}
