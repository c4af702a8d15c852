package judge

import (
	"math"
	"slices"
	"strconv"
)

// mostRanked is how many labels have cells for their triples: these are 66 MB.
const mostRanked = 464

// triples counts sets of three labels, each in a cell of its own. Labels have ranks, in the order
// in which they are met. The cell of three of them, i < j < k, is C(k,3) + C(j,2) + i: so a label
// that is met later has its cells behind all others.
type triples struct {
	rank   []int32 // by node: its rank, and one; 0: it was not met
	labels []int32 // by rank
	cells  []uint32
	lines  uint32 // that were counted
	line   []int
}

// add counts the sets of three labels of a line. It is false, and none is counted, where a label
// has no cells.
func (s *triples) add(labels []int32) bool {
	s.line = s.line[:0]
	for _, u := range labels {
		if s.rank[u] == 0 && len(s.labels) < mostRanked {
			s.labels = append(s.labels, u)
			s.rank[u] = int32(len(s.labels))
		}
		if s.rank[u] == 0 {
			return false
		}
		s.line = append(s.line, int(s.rank[u])-1)
	}
	if len(s.line) < 3 {
		return true
	}
	s.lines++
	slices.Sort(s.line)
	last := s.line[len(s.line)-1]
	if need := (last + 1) * last * (last - 1) / 6; len(s.cells) < need {
		s.cells = append(s.cells, make([]uint32, need-len(s.cells))...)
	}
	for n, k := range s.line[2:] {
		triple := k * (k - 1) * (k - 2) / 6
		for m, j := range s.line[1 : n+2] {
			cells := s.cells[triple+j*(j-1)/2:]
			for _, i := range s.line[:m+1] {
				cells[i]++
			}
		}
	}
	return true
}

// full tells whether a cell could be full.
func (s *triples) full() bool { return s.lines == math.MaxUint32 }

// flushTriples hands the counts of triples on.
func (c *counter) flushTriples() {
	s := &c.triples
	defer func() { clear(s.cells); s.lines = 0 }()
	at := 0
	for k := range s.labels {
		for j := range k {
			for i := range j {
				if n := s.cells[at]; n > 0 {
					set := []int32{s.labels[i], s.labels[j], s.labels[k]}
					slices.Sort(set)
					line := c.line[:0]
					for _, u := range set {
						line = append(strconv.AppendInt(line, int64(u), 10), ' ')
					}
					c.sum += int64(n)
					c.tell(line, int64(n))
				}
				at++
			}
		}
		if at == len(s.cells) {
			return
		}
	}
}
