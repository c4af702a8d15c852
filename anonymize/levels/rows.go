package levels

import "slices"

// A row is a line that publishes the node u of a step, as the step looks at it:
//
//	position of the first occurrence at u, how many occurrences are at u,
//	how many children of u they are below, these by their places among the children,
//	and the other nodes that the line publishes
//
// Rows are made once a step where there is room, and else each time anew.
type rows struct {
	*run
	u     int32
	d     int
	lines []int32 // that publish u
	kept  []chunk // of each worker; nil: rows are not kept
}

// chunk is the rows of a share of the lines, one after the other.
type chunk struct {
	from int // the first line's place
	ends []int32
	text []int32
}

const rowHead = 3

// reader spells out rows; for one goroutine. A row is good until the next one.
func (s *rows) reader() func(i int) []int32 {
	if s.kept == nil {
		return s.maker()
	}
	at := 0
	return func(i int) []int32 {
		for i < s.kept[at].from {
			at--
		}
		for at+1 < len(s.kept) && i >= s.kept[at+1].from {
			at++
		}
		return s.kept[at].row(i)
	}
}

// row is a row by its place among all.
func (own chunk) row(i int) []int32 {
	i -= own.from
	begin := int32(0)
	if i > 0 {
		begin = own.ends[i-1]
	}
	return own.text[begin:own.ends[i]]
}

// maker makes rows of the lines.
func (s *rows) maker() func(i int) []int32 {
	lines, row := s.in.Data.Cursor(), []int32(nil)
	return func(i int) []int32 {
		tx, start := lines.TxAt(int(s.lines[i]))
		row = s.add(row[:0], tx, start)
		return row
	}
}

// add appends the row of a line.
func (s *rows) add(row, tx []int32, start int) []int32 {
	depths := s.depths[start : start+len(tx)]
	lo, hi := s.tree.Range(s.u)
	first := 0
	for tx[first] < lo {
		first++
	}
	head := len(row)
	row = slices.Grow(row, rowHead+len(tx))
	row = append(row, int32(uint32(start+first)), 0, 0)
	end, below, last := first, s.above[s.d+1], int32(-1)
	for end < len(tx) && tx[end] < hi {
		if c := below[tx[end]]; c != last {
			last = c
			row = append(row, s.place[c])
		}
		end++
	}
	row[head+1] = int32(end - first)
	row[head+2] = int32(len(row) - head - rowHead)
	if s.pairs {
		row = s.labels(row, tx[:first], depths)
		row = s.labels(row, tx[end:], depths[end:])
	}
	return row
}

// labels appends what some items of a line are published as. There is room for them.
func (s *rows) labels(row, tx []int32, depths []uint8) []int32 {
	n, above, last := len(row), s.above, int32(-1)
	row = row[:n+len(tx)]
	for j, it := range tx {
		u := above[depths[j]][it]
		row[n] = u
		if u != last {
			n++
		}
		last = u
	}
	return row[:n]
}

// keeping makes the rows of a share, one after the other, keeps them, and calls do with each.
func (s *rows) keeping(worker, from, to int, do func(row []int32)) chunk {
	own := chunk{from: from, ends: s.ends[worker][:0], text: s.texts[worker][:0]}
	lines := s.in.Data.Cursor()
	for i := from; i < to && !s.ended(i); i++ {
		if (i-from)%ahead == 0 {
			lines.Ahead(s.lines[i:min(i+ahead, to)], s.depths)
		}
		begin := len(own.text)
		tx, start := lines.TxAt(int(s.lines[i]))
		own.text = s.add(own.text, tx, start)
		own.ends = append(own.ends, int32(len(own.text)))
		do(own.text[begin:])
	}
	s.ends[worker], s.texts[worker] = own.ends, own.text
	return own
}

// making is keeping for rows that there is no room for.
func (s *rows) making(from, to int, do func(row []int32)) {
	row := s.maker()
	for i := from; i < to && !s.ended(i); i++ {
		do(row(i))
	}
}

// ahead is how many lines are waited for at once.
const ahead = 32
