package bag

import (
	"fmt"
	"math/big"
	"slices"

	"mingle/dataset"
)

// Bags is a sequence of records over a dictionary of terms, in one compressed sparse row array: 4 bytes an occurrence
// and 4 bytes a record. Term ids follow the order of the terms; a record's ids ascend, repeats included. It is immutable
// once built and safe for concurrent reading.
type Bags struct {
	terms   []Term // distinct, ascending
	items   []int32
	offsets []uint32
	lines   []uint32 // lines[i] is where record i begins in its file; nil: i+1

	// Columns are the values that travel with the records: identifiers, the other columns of a table.
	Columns []dataset.Column
}

// Len is the number of records.
func (b *Bags) Len() int { return len(b.offsets) - 1 }

// Occurrences is the number of values in all records, repeats included.
func (b *Bags) Occurrences() int { return len(b.items) }

// Record is record i: term ids, ascending, with repeats. The caller must not change it.
func (b *Bags) Record(i int) []int32 { return b.items[b.offsets[i]:b.offsets[i+1]:b.offsets[i+1]] }

// Items are the term ids of all records, one after another. The caller must not change it.
func (b *Bags) Items() []int32 { return b.items }

// Start is the position of record i's first occurrence in Items, 0 ≤ i ≤ Len.
func (b *Bags) Start(i int) int { return int(b.offsets[i]) }

// Terms are the distinct terms, ascending; the index is the id. The caller must not change it.
func (b *Bags) Terms() []Term { return b.terms }

// Line is the 1-based line of the source at which record i begins.
func (b *Bags) Line(i int) int {
	if b.lines == nil {
		return i + 1
	}
	return int(b.lines[i])
}

// Texts spells out record i.
func (b *Bags) Texts(i int) []string {
	out := make([]string, 0, len(b.Record(i)))
	for _, id := range b.Record(i) {
		out = append(out, b.terms[id].String())
	}
	return out
}

// AllPoints tells whether no term is a range: the data of an original.
func (b *Bags) AllPoints() bool {
	return !slices.ContainsFunc(b.terms, func(t Term) bool { return !t.IsPoint() })
}

// Longest is the length of the longest record.
func (b *Bags) Longest() int {
	longest := 0
	for i := range b.Len() {
		longest = max(longest, len(b.Record(i)))
	}
	return longest
}

// AtLeast counts the records with at least size values.
func (b *Bags) AtLeast(size int) int {
	n := 0
	for i := range b.Len() {
		if len(b.Record(i)) >= size {
			n++
		}
	}
	return n
}

// ActiveDomain is the least and the greatest value; ok is false when there is none.
func (b *Bags) ActiveDomain() (lowest, highest Number, ok bool) {
	if len(b.terms) == 0 {
		return Number{}, Number{}, false
	}
	lowest, highest = b.terms[0].Lo, b.terms[0].Hi
	for _, t := range b.terms[1:] {
		if highest.Compare(t.Hi) < 0 {
			highest = t.Hi
		}
	}
	return lowest, highest, true
}

// Positions maps the terms' lower ends to [0, 1] over the active domain, each exact to the last bit of a float64. All
// are 0 when there is one value only.
func (b *Bags) Positions() []float64 {
	out := make([]float64, len(b.terms))
	lowest, highest, ok := b.ActiveDomain()
	if !ok || lowest.Compare(highest) == 0 {
		return out
	}
	if b.fillPositions(out, lowest, highest) {
		return out
	}
	width := highest.Sub(lowest)
	share := new(big.Rat)
	for i, t := range b.terms {
		out[i], _ = share.Quo(t.Lo.Sub(lowest), width).Float64()
	}
	return out
}

// fillPositions is Positions where all distances from the lowest value, in units of the last decimal in use, are exact as
// float64: dividing two of these rounds once, as dividing the exact numbers does.
func (b *Bags) fillPositions(out []float64, lowest, highest Number) bool {
	scale := highest.Decimals()
	for _, t := range b.terms {
		scale = max(scale, t.Lo.Decimals())
	}
	least, _ := lowest.Coef(scale)
	width, _ := highest.Coef(scale)
	if width.Sub(width, least).BitLen() > 53 {
		return false
	}
	from := new(big.Int)
	for i, t := range b.terms {
		at, _ := t.Lo.Coef(scale)
		out[i] = float64(from.Sub(at, least).Int64()) / float64(width.Int64())
	}
	return true
}

// Recode makes bags over other terms, which must be distinct and ascending: occurrence pos of Items becomes
// to(pos). Columns and lines are kept.
func (b *Bags) Recode(terms []Term, to func(pos int) int32) *Bags {
	out := &Bags{
		terms: terms, items: make([]int32, len(b.items)), offsets: b.offsets, lines: b.lines, Columns: b.Columns,
	}
	for pos := range b.items {
		out.items[pos] = to(pos)
	}
	for i := range b.Len() {
		if r := out.Record(i); !slices.IsSorted(r) {
			slices.Sort(r)
		}
	}
	return out
}

// WithoutEmpty is the bags without empty records, which a long file has no rows for. Columns are dropped.
func (b *Bags) WithoutEmpty() *Bags {
	out := &Bags{terms: b.terms, items: b.items, offsets: []uint32{0}}
	for i := range b.Len() {
		if len(b.Record(i)) > 0 {
			out.offsets = append(out.offsets, b.offsets[i+1])
			out.lines = append(out.lines, uint32(b.Line(i)))
		}
	}
	return out
}

// Head is the first n records, all if there are fewer, over the terms that occur in them.
func (b *Bags) Head(n int) *Bags {
	build := NewBuilder()
	for i := range min(n, b.Len()) {
		for _, id := range b.Record(i) {
			build.Add(b.terms[id])
		}
		build.End(b.Line(i))
	}
	out := build.Build()
	for _, c := range b.Columns {
		out.Columns = append(out.Columns, dataset.Column{Name: c.Name, Values: c.Values[:out.Len()]})
	}
	return out
}

// String says the size in words.
func (b *Bags) String() string {
	return fmt.Sprintf("%d records, %d distinct values, %d occurrences", b.Len(), len(b.terms), b.Occurrences())
}

// FromInts makes bags of integers: the short way for tests and generators.
func FromInts(records [][]int64) *Bags {
	b := NewBuilder()
	for i, r := range records {
		for _, v := range r {
			b.AddInt(v)
		}
		b.End(i + 1)
	}
	return b.Build()
}

// FromFields makes bags of fields, read as values and ranges.
func FromFields(k Kind, records [][]string) (*Bags, error) {
	b := NewBuilder()
	for i, r := range records {
		for _, s := range r {
			t, err := k.ParseTerm(s)
			if err != nil {
				return nil, fmt.Errorf("record %d: %w", i+1, err)
			}
			b.Add(t)
		}
		b.End(i + 1)
	}
	return b.Build(), nil
}
