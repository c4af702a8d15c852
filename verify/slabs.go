package verify

import (
	"cmp"
	"context"
	"slices"

	"mingle/dataset"
)

// slabSize is how many items the distinct rows of a slab have, at most, where it is for more than one first item. With the
// index over them and what is projected from them that is about 80 MB.
const slabSize = 1 << 22

// slabs cuts the check of combinations into parts of bounded memory. Items are numbered by ascending support: the
// projection on a rare item is small, and that on a frequent one has only the few items behind it. A slab is for the
// combinations whose first item is in a range of numbers: the lines that have an item of the range, cut down to what
// is not before the range. Such a combination has the same support in the slab as in all lines, because every line that
// has it is there, with all of it; those that begin behind the range are not complete, and are another slab's. What is
// said at [classes] about rows holds in a slab for the combinations that it is for, word for word.
//
// Data that fits is one slab of all lines.
type slabs struct {
	published, sensitive *dataset.Dataset // sensitive: nil where diversity is not checked
	size                 int

	label  []int32 // number -> node
	number []int32 // node -> number, -1 for those not in use
	behind []int64 // number -> items not before it in the lines that have it, in all

	from, to int     // the range of the slab
	rows     *rows   // the slab: items are numbers less from
	folded   float64 // the share of the items of the slab before that was left when equal rows had been merged
}

func newSlabs(published, sensitive *dataset.Dataset, size int) *slabs {
	s := &slabs{published: published, sensitive: sensitive, size: size, folded: 1}
	s.numberNodes()
	if s.published.Occurrences() > size {
		s.weigh()
	}
	return s
}

// numberNodes numbers the nodes in use. Ties go by node id.
func (s *slabs) numberNodes() {
	supports := s.published.Supports()
	for u, n := range supports {
		if n > 0 {
			s.label = append(s.label, int32(u))
		}
	}
	slices.SortFunc(s.label, func(a, b int32) int { return cmp.Or(supports[a]-supports[b], int(a-b)) })
	s.number = slices.Repeat([]int32{-1}, len(supports))
	for i, u := range s.label {
		s.number[u] = int32(i)
	}
}

// weigh finds how much there is behind every item.
func (s *slabs) weigh() {
	s.behind = make([]int64, len(s.label))
	var row []int32
	lines := s.published.Cursor()
	for i := range s.published.Len() {
		row = s.cut(row[:0], lines.Tx(i), 0)
		for at, z := range row {
			s.behind[z] += int64(len(row) - at)
		}
	}
}

// cut appends the numbers of a line that are not before from, less from, ascending.
func (s *slabs) cut(row, line []int32, from int32) []int32 {
	for _, u := range line {
		if z := s.number[u] - from; z >= 0 {
			row = append(row, z)
		}
	}
	slices.Sort(row)
	return row
}

// next makes the next slab; it returns false when there is none, or ctx has ended. The range is as long as the slab before
// lets expect to fit, and halved while it does not.
func (s *slabs) next(ctx context.Context) bool {
	s.from, s.rows = s.to, nil
	if s.from == len(s.label) || ctx.Err() != nil {
		return false
	}
	s.to = s.fitting()
	for ctx.Err() == nil {
		if s.fill(ctx) {
			return ctx.Err() == nil
		}
		s.to = s.from + (s.to-s.from)/2
	}
	return false
}

// fitting is where the range ends that should fit: of one item at least.
func (s *slabs) fitting() int {
	if s.behind == nil {
		return len(s.label)
	}
	to, total := s.from, int64(0)
	for to < len(s.label) {
		if total += s.behind[to]; to > s.from && float64(total)*s.folded > 0.9*float64(s.size) {
			break
		}
		to++
	}
	return to
}

// fill merges the lines of the slab; it returns false if there is too much.
func (s *slabs) fill(ctx context.Context) bool {
	f := newFolder(min(s.published.Len(), s.size/4))
	var with withSensitive
	var row []int32
	total := 0
	lines := s.published.Cursor()
	for i := range s.published.Len() {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return true
		}
		line := lines.Tx(i)
		if !s.meets(line) {
			continue
		}
		row = s.cut(row[:0], line, int32(s.from))
		at := f.add(row, 1)
		total += len(row)
		if s.sensitive != nil {
			with.add(at, s.sensitive.Tx(i))
		}
		if s.behind != nil && s.to-s.from > 1 && len(f.items) > s.size {
			return false
		}
	}
	if s.sensitive != nil {
		f.addTallies(&with.rows, with.of)
	}
	s.rows = &f.rows
	if total > 0 {
		s.folded = float64(len(f.items)) / float64(total)
	}
	return true
}

// meets tells whether a line has an item of the range.
func (s *slabs) meets(line []int32) bool {
	for _, u := range line {
		if z := int(s.number[u]); z >= s.from && z < s.to {
			return true
		}
	}
	return false
}

// firsts has 0 for the items of the slab with which its combinations begin, and -1 for those behind.
func (s *slabs) firsts() []int32 {
	out := make([]int32, len(s.label)-s.from)
	for z := s.to - s.from; z < len(out); z++ {
		out[z] = -1
	}
	return out
}

// withSensitive collects what sensitive items each line has, and which row it went into.
type withSensitive struct {
	rows
	of []int32
}

func (w *withSensitive) add(row int32, sensitive []int32) {
	if w.tallyStart == nil {
		w.tallyStart = []uint32{0}
	}
	for _, s := range sensitive {
		w.tally = append(w.tally, tally{s, 1})
	}
	w.tallyStart = append(w.tallyStart, uint32(len(w.tally)))
	w.of = append(w.of, row)
}
