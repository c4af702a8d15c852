package bag

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mingle/dataset"
)

// Bags is a sequence of records over a dictionary of terms. Term ids follow the order of the terms;
// a record's ids ascend, repeats included. It is immutable once built and safe for concurrent
// reading.
type Bags struct {
	dataset.Records
	terms []Term // distinct, ascending
}

// Terms are the distinct terms, ascending; the index is the id. The caller must not change it.
func (b *Bags) Terms() []Term { return b.terms }

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

// ActiveDomain is the least and the greatest value; ok is false when there is none.
func (b *Bags) ActiveDomain() (lowest, highest Number, ok bool) {
	if len(b.terms) == 0 {
		return Number{}, Number{}, false
	}
	highest = slices.MaxFunc(b.terms, func(s, t Term) int { return s.Hi.Compare(t.Hi) }).Hi
	return b.terms[0].Lo, highest, true
}

// Positions maps the terms' lower ends to [0, 1] over the active domain, each exact to the last bit
// of a float64. All are 0 when there is one value only.
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

// fillPositions is Positions where all distances from the lowest value, in units of the last
// decimal in use, are exact as float64: dividing two of these rounds once, as dividing the exact
// numbers does.
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

// Recode makes bags over other terms, which must be distinct and ascending: occurrence pos of Items
// becomes to(pos). Columns and lines are kept.
func (b *Bags) Recode(terms []Term, to func(pos int) int32) *Bags {
	return &Bags{b.Records.Recode(to), terms}
}

// WithoutEmpty is the bags without empty records, which a long file has no rows for. Columns are
// dropped.
func (b *Bags) WithoutEmpty() *Bags { return &Bags{b.Records.WithoutEmpty(), b.terms} }

// WithColumns is the bags with the named columns alone.
func (b *Bags) WithColumns(names []string) *Bags {
	return &Bags{b.Records.WithColumns(names), b.terms}
}

// Select is the named records, each once, in the order given.
func (b *Bags) Select(records []int32) *Bags { return &Bags{b.Records.Select(records), b.terms} }

// String says the size in words.
func (b *Bags) String() string {
	return fmt.Sprintf(
		"%d records, %d distinct values, %d occurrences", b.Len(), len(b.terms), b.Occurrences(),
	)
}

// FromInts makes bags of integers: for tests and generators.
func FromInts(records [][]int64) *Bags {
	var fields []Term
	id := map[int64]int32{}
	ids := make([][]int32, len(records))
	for i, r := range records {
		for _, v := range r {
			if _, known := id[v]; !known {
				id[v] = int32(len(fields))
				fields = append(fields, Point(Int(v)))
			}
			ids[i] = append(ids[i], id[v])
		}
	}
	return ordered(dataset.NewRecords(ids), fields)
}

// FromFields makes bags of the texts of their values and ranges, for whoever has no file of them.
func FromFields(k Kind, records [][]string) (*Bags, error) {
	var fields []Term
	ids := make([][]int32, len(records))
	for i, r := range records {
		for _, s := range r {
			t, err := k.ParseTerm(s)
			if err != nil {
				return nil, fmt.Errorf("record %d: %w", i+1, err)
			}
			ids[i] = append(ids[i], int32(len(fields)))
			fields = append(fields, t)
		}
	}
	return ordered(dataset.NewRecords(ids), fields), nil
}

// ordered makes bags of records whose ids are those of fields.
func ordered(r dataset.Records, fields []Term) *Bags {
	terms, id := unite(fields)
	return &Bags{r.Recode(func(pos int) int32 { return id[r.Items()[pos]] }), terms}
}

// unite puts fields in their order, equal ones as one term, and says which term each field is. Of
// several texts of one number (1.5, 1.50) the shortest is kept, of those the least, so that the
// order of the records does not matter.
func unite(fields []Term) (terms []Term, id []int32) {
	order := make([]int32, len(fields))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(fields[x].Compare(fields[y]), compareTexts(fields[x], fields[y]))
	})
	id = make([]int32, len(fields))
	for _, at := range order {
		if n := len(terms); n == 0 || terms[n-1].Compare(fields[at]) != 0 {
			terms = append(terms, fields[at])
		}
		id[at] = int32(len(terms) - 1)
	}
	return terms, id
}

func compareTexts(a, b Term) int {
	return cmp.Or(len(a.String())-len(b.String()), strings.Compare(a.String(), b.String()))
}
