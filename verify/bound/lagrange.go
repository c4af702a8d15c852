package bound

import (
	"errors"
	"slices"

	"mingle/release"
)

// lagrange is the bound that multipliers give in a situation. Every cut x that satisfies the rows
// weighs at least
//
//	value = sum of need*y over the rows
//	        + min over x of sum over v of (weight - sum of y over the rows with v) * x_v,
//
// whatever y >= 0, because a row's y*(need - lifted nodes of the row) is never positive. The
// minimum over all x closed downwards is taken from the leaves up; it ranges over more x than there
// are cuts in the situation, so the bound is valid.
type lagrange struct {
	p     *proofCheck
	free  []bool // undecided and counted
	value int64
	slack []int64
	used  float64 // sum of the multipliers, to keep away from overflow
	// of v and all free below it; the least of what is below v if v is not lifted
	total, rest []int64
}

func (p *proofCheck) bound(proof *release.Proof, s situation) (*lagrange, error) {
	n := len(p.parent)
	b := &lagrange{
		p: p, free: make([]bool, n), slack: slices.Clone(p.weight),
		rest: make([]int64, n),
	}
	for v := range n {
		b.free[v] = s.counts[v] && s.known[v] == undecided
	}
	said := p.saidBy(s, b.free)
	for _, row := range proof.Rows {
		if err := b.row(row, said); err != nil {
			return nil, err
		}
	}
	b.total = slices.Clone(b.slack)
	for v, up := range p.parent {
		if !b.free[v] {
			continue
		}
		least := min(b.total[v], b.rest[v])
		if up >= 0 && b.free[up] {
			b.total[up] += b.total[v]
			b.rest[up] += least
		} else {
			b.value += least
		}
	}
	return b, nil
}

// row checks one row and puts its multiplier in.
func (b *lagrange) row(row release.ProofRow, said *rules) error {
	nodes := make([]int32, len(row.Nodes))
	for i, u := range row.Nodes {
		nodes[i] = u - int32(b.p.in.Tree.Leaves())
		if nodes[i] < 0 || int(nodes[i]) >= len(b.free) || !b.free[nodes[i]] {
			return errors.New("a row of the proof names a node that is decided already")
		}
	}
	nodes = sorted(nodes)
	if row.Y < 0 || len(slices.Compact(slices.Clone(nodes))) < len(nodes) {
		return errors.New("a row of the proof has a negative multiplier or names a node twice")
	}
	if b.used += float64(row.Y) * float64(len(nodes)); b.used > maxPenalty {
		return errors.New("the multipliers of the proof are too large")
	}
	if !said.row(nodes, row.Need) {
		return errors.New("a row of the proof does not follow from the clauses")
	}
	b.value += int64(row.Need) * row.Y
	for _, v := range nodes {
		b.slack[v] -= row.Y
	}
	return nil
}

// decide marks what every cut under the threshold has in common: a node whose lifting would bring
// the bound to the threshold is not lifted, one whose not being lifted would is. It reports false
// when there is no such cut.
func (b *lagrange) decide(s *situation, threshold int64) bool {
	n := len(b.free)
	// what the bound is when v is lifted, when it is not
	with, without := make([]int64, n), make([]int64, n)
	for v := n - 1; v >= 0; v-- {
		if !b.free[v] {
			continue
		}
		least := min(b.total[v], b.rest[v])
		if up := b.p.parent[v]; up >= 0 && b.free[up] {
			with[v] = min(with[up], without[up]-least+b.total[v])
			without[v] = without[up] - least + b.rest[v]
		} else {
			with[v], without[v] = b.value-least+b.total[v], b.value-least+b.rest[v]
		}
	}
	s.known = slices.Clone(s.known)
	for v := range n {
		switch {
		case !b.free[v]:
		case with[v] >= threshold && without[v] >= threshold:
			return false
		case with[v] >= threshold:
			s.known[v] = notLifted
		case without[v] >= threshold:
			s.known[v] = lifted
		}
	}
	return true
}

// rules are what the clauses say about the free nodes of a situation.
type rules struct {
	clauses map[string]bool // free nodes, ascending, of which one is lifted
	number  []int32         // free node -> its row in pairs
	pairs   [][]uint64      // pairs[a] has b: a or b is lifted
}

func (p *proofCheck) saidBy(s situation, free []bool) *rules {
	r := &rules{clauses: map[string]bool{}, number: make([]int32, len(free))}
	var nodes []int32
	for v := range free {
		if free[v] {
			r.number[v] = int32(len(nodes))
			nodes = append(nodes, int32(v))
		}
	}
	words := (len(nodes) + 63) / 64
	r.pairs = make([][]uint64, len(nodes))
	for i := range r.pairs {
		r.pairs[i] = make([]uint64, words)
	}
	join := func(a, b int32) { r.pairs[r.number[a]][r.number[b]>>6] |= 1 << (r.number[b] & 63) }
next:
	for _, set := range s.sets {
		var left []int32
		for _, v := range set {
			if s.known[v] == notLifted {
				continue
			}
			if !free[v] {
				continue next // a node of another part, which may be lifted
			}
			left = append(left, v)
		}
		r.clauses[key(left)] = true
		if len(left) == 2 {
			join(left[0], left[1])
			join(left[1], left[0])
		}
	}
	// If a or b is lifted, so is a or anything below b: first hand on to what is below one end,
	// then the other.
	for range 2 {
		for i := len(nodes) - 1; i >= 0; i-- {
			if up := p.parent[nodes[i]]; up >= 0 && free[up] {
				for w, word := range r.pairs[r.number[up]] {
					r.pairs[i][w] |= word
				}
			}
		}
		for i, a := range nodes {
			for j, b := range nodes {
				if r.pairs[i][j>>6]>>(j&63)&1 == 1 {
					join(b, a)
				}
			}
		}
	}
	return r
}

// row tells whether of the nodes, which are free and ascending, at least need are lifted.
func (r *rules) row(nodes []int32, need int) bool {
	if need == 1 && r.clauses[key(nodes)] {
		return true
	}
	if need != len(nodes)-1 || need < 1 {
		return false
	}
	for i, a := range nodes {
		for _, b := range nodes[:i] {
			if j := r.number[b]; r.pairs[r.number[a]][j>>6]>>(j&63)&1 == 0 {
				return false
			}
		}
	}
	return true
}

// key tells sets of nodes apart.
func key(nodes []int32) string {
	b := make([]byte, 0, 4*len(nodes))
	for _, u := range nodes {
		b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return string(b)
}

func sorted(nodes []int32) []int32 {
	slices.Sort(nodes)
	return nodes
}
