package dataset

import (
	"slices"
	"strconv"
	"strings"
)

// maxDirect bounds the numbers whose ids are looked up by value: a table of at most 4 MB.
const maxDirect = 1 << 20

// interner numbers distinct labels in the order of their first appearance. Labels are text: "7" and
// "007" differ. Small numbers in their shortest form, the common case, are found by value, short
// labels by their bytes as two words, all else by a map. It is looked up by slices of the source,
// so that only a new label allocates.
type interner struct {
	labels []string
	text   strings.Builder // of the last labels, which have one allocation
	direct []int32         // number -> id+1
	short  shortIndex
	index  map[string]int32
	bytes  int64 // of the labels
}

func newInterner() *interner {
	return &interner{short: newShortIndex(), index: map[string]int32{}}
}

// id numbers a label.
func (t *interner) id(label []byte) int32 {
	if n, ok := smallNumber(label); ok {
		return t.numbered(n, label)
	}
	if len(label) <= maxShort {
		lo, hi := twoWords(label)
		s := t.short.slot(lo, hi)
		if s.next == 0 {
			t.short.put(s, lo, hi, t.add(label))
			return int32(len(t.labels) - 1)
		}
		return s.next - 1
	}
	id, ok := t.index[string(label)]
	if !ok {
		id = t.add(label)
		t.index[t.labels[id]] = id
	}
	return id
}

// find is the number that a label has, if it has one.
func (t *interner) find(label []byte) (id int32, known bool) {
	if n, ok := smallNumber(label); ok {
		if int(n) < len(t.direct) && t.direct[n] > 0 {
			return t.direct[n] - 1, true
		}
		return 0, false
	}
	if len(label) <= maxShort {
		s := t.short.slot(twoWords(label))
		return s.next - 1, s.next > 0
	}
	id, known = t.index[string(label)]
	return id, known
}

// add appends a label. The room for texts grows with them.
func (t *interner) add(label []byte) int32 {
	if t.text.Cap()-t.text.Len() < len(label) {
		t.text.Reset()
		t.text.Grow(max(len(label), 64, int(min(t.bytes, 1<<16))))
	}
	from := t.text.Len()
	t.text.Write(label)
	t.labels = append(t.labels, t.text.String()[from:])
	t.bytes += int64(len(label))
	return int32(len(t.labels) - 1)
}

// number numbers the label of n, which must be below maxDirect.
func (t *interner) number(n uint32) int32 { return t.numbered(n, nil) }

// numbered is number where the label may be known.
func (t *interner) numbered(n uint32, label []byte) int32 {
	if int(n) < len(t.direct) && t.direct[n] > 0 {
		return t.direct[n] - 1
	}
	if int(n) >= len(t.direct) {
		size := max(1024, len(t.direct))
		for size <= int(n) {
			size *= 2
		}
		grown := make([]int32, size)
		copy(grown, t.direct)
		t.direct = grown
	}
	if label == nil {
		var digits [8]byte
		label = strconv.AppendUint(digits[:0], uint64(n), 10)
	}
	id := t.add(label)
	t.direct[n] = id + 1
	return id
}

// held is about how many bytes the labels take, here and in a worker.
func (t *interner) held() int64 { return bytesPerLabel*int64(len(t.labels)) + 2*t.bytes }

// smallNumber is the value of a label that is a number below maxDirect in its shortest form.
func smallNumber(label []byte) (uint32, bool) {
	if len(label) == 0 || len(label) > 7 || label[0] == '0' && len(label) > 1 {
		return 0, false
	}
	n := uint32(0)
	for _, c := range label {
		if !isDigit(c) {
			return 0, false
		}
		n = 10*n + uint32(c-'0')
	}
	return n, n < maxDirect
}

// natural lists the labels in their natural order, and tells for every id its place there.
func (t *interner) natural() (labels []string, to []int32) {
	numbers := make([]int32, 0, len(t.labels)) // those found by value are in order already
	small := make([]bool, len(t.labels))
	for _, id := range t.direct {
		if id > 0 {
			numbers = append(numbers, id-1)
			small[id-1] = true
		}
	}
	others := make([]int32, 0, len(t.labels)-len(numbers))
	for id := range t.labels {
		if !small[id] {
			others = append(others, int32(id))
		}
	}
	slices.SortFunc(others, func(a, b int32) int { return CompareLabels(t.labels[a], t.labels[b]) })
	labels, to = make([]string, len(t.labels)), make([]int32, len(t.labels))
	for at := range labels {
		from := &numbers
		if len(numbers) == 0 ||
			len(others) > 0 && CompareLabels(t.labels[others[0]], t.labels[numbers[0]]) < 0 {
			from = &others
		}
		id := (*from)[0]
		*from = (*from)[1:]
		labels[at], to[id] = t.labels[id], int32(at)
	}
	return labels, to
}
