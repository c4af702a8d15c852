package levels

import (
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
)

// told is what the lines tell of sensitive items, and by what their shares are bounded.
type told struct {
	l         int64
	sensitive *dataset.Dataset // of each line
	some      []uint64         // a bit for each line: it has sensitive items
	marks     []int32          // sensitive items that mark a value in a column
	among     []int32          // by sensitive item: what its share is taken of (see allLines)
}

// teller tells the sensitive items of lines; for one goroutine.
type teller struct {
	*told
	at *dataset.Cursor
}

func (t *told) teller() teller { return teller{t, t.sensitive.Cursor()} }

// of is the sensitive items of a line, until the next call.
func (t teller) of(line int32) []int32 {
	if t.some[line/64]>>(line%64)&1 == 0 { // most have none, and to read that takes longer
		return nil
	}
	return t.at.Tx(int(line))
}

// allLines and nothing are what a share is taken of beside the lines with a mark, which is meant by
// its place among the marks: all lines, and nothing, for the share of a mark is not bounded.
const (
	allLines = -1
	nothing  = -2
)

// newTold is nil where no share is bounded.
func newTold(in anonymize.Input) *told {
	if !in.Promise.Diverse() {
		return nil
	}
	t := &told{
		l: int64(in.Promise.L), sensitive: in.Sensitive, marks: in.Marks(),
		among: slices.Repeat([]int32{allLines}, in.Sensitive.Dict().Len()),
		some:  make([]uint64, (in.Sensitive.Len()+63)/64),
	}
	for i, tx := range in.Sensitive.All() {
		if len(tx) > 0 {
			t.some[i/64] |= 1 << (i % 64)
		}
	}
	if in.Values == nil {
		return t
	}
	for x, mark := range in.Values.Among {
		switch {
		case mark == int32(x):
			t.among[x] = nothing
		case mark >= 0:
			t.among[x] = int32(slices.Index(t.marks, mark))
		}
	}
	return t
}

// spare is how many of some lines may leave before the share of a sensitive item can be too large,
// which so many of them have; negative: it is.
func (t *told) spare(of, with int32) int32 {
	return int32(max(-1, int64(of)-t.l*int64(with)))
}

// mixture counts the sensitive items of some lines.
type mixture struct {
	*told
	total  int32
	counts []int32 // by sensitive item
	met    []int32 // those that were counted
	worst  int     // the place in met of one that was too frequent, perhaps
}

func newMixture(t *told) *mixture {
	return &mixture{told: t, counts: make([]int32, len(t.among))}
}

// begin begins with no lines.
func (m *mixture) begin() {
	for _, x := range m.met {
		m.counts[x] = 0
	}
	m.total, m.met, m.worst = 0, m.met[:0], 0
}

// add adds a line with some sensitive items; n is 1. With -1 it takes one out.
func (m *mixture) add(tx []int32, n int32) {
	m.total += n
	for _, x := range tx {
		if m.counts[x] == 0 && n > 0 {
			m.met = append(m.met, x)
		}
		m.counts[x] += n
	}
}

// fails tells whether a share is too large.
func (m *mixture) fails() bool {
	for n := range m.met {
		if at := (m.worst + n) % len(m.met); m.spareOf(m.met[at]) < 0 {
			m.worst = at
			return true
		}
	}
	return false
}

// spareAll is how many lines may leave before a share can be too large.
func (m *mixture) spareAll() int32 {
	spare := m.total
	for _, x := range m.met {
		if m.counts[x] > 0 {
			spare = min(spare, m.spareOf(x))
		}
	}
	return spare
}

func (m *mixture) spareOf(x int32) int32 {
	switch of := m.among[x]; of {
	case nothing:
		return m.total
	case allLines:
		return m.spare(m.total, m.counts[x])
	default:
		return m.spare(m.counts[m.marks[of]], m.counts[x])
	}
}
