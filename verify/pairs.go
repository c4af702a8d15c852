package verify

import "slices"

// pairs checks the prefix with two items more: in a triangle over the alive items where that is not
// much larger than what there is to count, else item by item.
func (s *search) pairs(prefix []int32, c *classes, refs []ref, alive []int32) {
	n := len(alive)
	cells := n * (n - 1) / 2
	todo := 0
	for _, at := range refs {
		l := int(c.start[at.row+1] - at.next)
		todo += l * (l - 1) / 2
	}
	if cells > s.cells || cells > 4*todo+1024 {
		s.pairsByItem(prefix, c, refs, alive)
		return
	}
	lv := s.scratch(len(prefix), c)
	lv.open(alive)
	for _, at := range refs {
		rest := s.restOf(c, at, lv)
		lv.tally(lv.triangle, rest, c.weight[at.row])
	}
	s.pairRatios(prefix, c, refs, alive)
	s.readTriangle(prefix, c, alive, lv)
	lv.close(alive)
}

// open makes room for the pairs of the alive items: the pair of the i-th and j-th, i < j, is
// counted at row[i]+j.
func (lv *level) open(alive []int32) {
	n := len(alive)
	cells := n * (n - 1) / 2
	if len(lv.triangle) < cells {
		lv.triangle = make([]int32, cells)
	}
	lv.row = lv.row[:0]
	for i, z := range alive {
		lv.local[z] = int32(i)
		lv.row = append(lv.row, i*(2*n-i-1)/2-i-1)
	}
}

func (lv *level) close(alive []int32) {
	for _, z := range alive {
		lv.local[z] = -1
	}
}

// restOf is what stands behind a reference, as positions among the alive items.
func (s *search) restOf(c *classes, at ref, lv *level) []int32 {
	rest := s.rest[:0]
	for _, z := range c.items[at.next:c.start[at.row+1]] {
		if l := lv.local[z]; l >= 0 {
			rest = append(rest, l)
		}
	}
	s.rest = rest
	return rest
}

// tally adds weight to every pair of rest.
func (lv *level) tally(triangle, rest []int32, weight int32) {
	for x, i := range rest {
		row := lv.row[i]
		for _, j := range rest[x+1:] {
			triangle[row+int(j)] += weight
		}
	}
}

// readTriangle reports the rare pairs and leaves the triangle zeroed.
func (s *search) readTriangle(prefix []int32, c *classes, alive []int32, lv *level) {
	k := int32(s.promise.K)
	for i := range len(alive) - 1 {
		row := lv.triangle[lv.row[i]+i+1 : lv.row[i]+len(alive)]
		for j, n := range row {
			if n == 0 {
				continue
			}
			s.counted++
			if n < k {
				s.report(append(prefix, c.label[alive[i]], c.label[alive[i+1+j]]), int(n))
			}
		}
		clear(row)
	}
}

// pairsByItem checks the pairs of many items that seldom meet: each item's own projection, one
// counter an item.
func (s *search) pairsByItem(prefix []int32, c *classes, refs []ref, alive []int32) {
	lv := s.scratch(len(prefix), c)
	start := append(lv.refStart[:0], make([]uint32, len(alive)+1)...)
	for i, z := range alive {
		lv.local[z] = int32(i)
	}
	for _, at := range refs {
		for _, i := range s.restOf(c, at, lv) {
			start[i+1]++
		}
	}
	for i := range alive {
		start[i+1] += start[i]
	}
	behind := slices.Grow(lv.refs[:0], int(start[len(alive)]))[:start[len(alive)]]
	next := slices.Clone(start)
	for _, at := range refs {
		for pos := at.next; pos < c.start[at.row+1]; pos++ {
			if i := lv.local[c.items[pos]]; i >= 0 {
				behind[next[i]] = ref{at.row, pos + 1}
				next[i]++
			}
		}
	}
	lv.refs, lv.refStart = behind, start
	deeper := s.scratch(len(prefix)+1, c)
	for i, z := range alive {
		if s.stopped() {
			break
		}
		s.singles(append(prefix, c.label[z]), c, behind[start[i]:start[i+1]], deeper, lv.local)
	}
	lv.close(alive)
}
