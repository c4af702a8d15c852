package bag

import (
	"cmp"
	"slices"
	"strings"

	"mingle/dataset"
)

// Builder collects records. The zero value is not usable; see [NewBuilder].
type Builder struct {
	terms    []Term // in the order of arrival, not yet distinct
	ints     map[int64]int32
	fields   map[string]int32
	items    []int32
	offsets  []uint32
	lines    []uint32
	hasLines bool
	most     int // records, and values in all
	overflow bool
	texts    int64 // bytes of the terms' texts
}

// NewBuilder starts a collection.
func NewBuilder() *Builder {
	return &Builder{ints: map[int64]int32{}, fields: map[string]int32{}, offsets: []uint32{0}, most: dataset.MaxOccurrences}
}

// Add puts a term into the current record.
func (b *Builder) Add(t Term) {
	key := t.String()
	id, ok := b.fields[key]
	if !ok {
		id = b.term(t)
		b.fields[key] = id
	}
	b.put(id)
}

// AddInt puts an integer into the current record.
func (b *Builder) AddInt(v int64) {
	id, ok := b.ints[v]
	if !ok {
		id = b.term(Point(Int(v)))
		b.ints[v] = id
	}
	b.put(id)
}

// AddField puts a field into the current record; parse makes a term of a text that is new.
func (b *Builder) AddField(field []byte, parse func(string) (Term, error)) error {
	id, ok := b.fields[string(field)]
	if !ok {
		t, err := parse(string(field))
		if err != nil {
			return err
		}
		id = b.term(t)
		b.texts += int64(len(field))
		b.fields[string(field)] = id
	}
	b.put(id)
	return nil
}

// bytesPerTerm is what a distinct field takes beside its text, which is kept twice.
const bytesPerTerm = 200

// held is about how many bytes are kept.
func (b *Builder) held() int64 {
	return 4*int64(len(b.items)) + 8*int64(len(b.offsets)) + bytesPerTerm*int64(len(b.terms)) + 2*b.texts
}

func (b *Builder) term(t Term) int32 {
	b.terms = append(b.terms, t)
	return int32(len(b.terms) - 1)
}

func (b *Builder) put(id int32) {
	if b.overflow = b.overflow || len(b.items) >= b.most; b.overflow {
		return
	}
	b.items = append(b.items, id)
}

// End ends the current record, which began on the given line.
func (b *Builder) End(line int) {
	if b.overflow = b.overflow || b.Len() >= b.most; b.overflow {
		return
	}
	b.offsets = append(b.offsets, uint32(len(b.items)))
	b.lines = append(b.lines, uint32(line))
	b.hasLines = b.hasLines || line != len(b.lines)
}

// Len is the number of records that have ended.
func (b *Builder) Len() int { return len(b.offsets) - 1 }

// Err reports whether everything added fits.
func (b *Builder) Err() error {
	if b.overflow {
		return dataset.ErrTooLarge
	}
	return nil
}

// Build ends the collection: terms are ordered, equal ones united. Of several texts of one number (1.5, 1.50) the
// shortest is kept, of those the least, so that the order of the records does not matter. The builder must not be used
// again. It panics where not everything fits: see Err.
func (b *Builder) Build() *Bags {
	if b.overflow {
		panic(dataset.ErrTooLarge)
	}
	order := make([]int32, len(b.terms))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(b.terms[x].Compare(b.terms[y]), compareTexts(b.terms[x], b.terms[y]))
	})
	id := make([]int32, len(b.terms))
	var terms []Term
	for _, at := range order {
		if n := len(terms); n == 0 || terms[n-1].Compare(b.terms[at]) != 0 {
			terms = append(terms, b.terms[at])
		}
		id[at] = int32(len(terms) - 1)
	}
	for pos, at := range b.items {
		b.items[pos] = id[at]
	}
	out := &Bags{terms: terms, items: b.items, offsets: b.offsets}
	if b.hasLines {
		out.lines = b.lines
	}
	for i := range out.Len() {
		slices.Sort(out.Record(i))
	}
	return out
}

func compareTexts(a, b Term) int {
	return cmp.Or(len(a.String())-len(b.String()), strings.Compare(a.String(), b.String()))
}
