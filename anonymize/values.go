package anonymize

import (
	"fmt"
	"slices"
	"strings"

	"mingle/dataset"
)

// Values says which of the sensitive items of an input are values of sensitive columns. A value's
// share is taken of the transactions that have one in the column. Values cannot be known.
type Values struct {
	// Items is how many sensitive items, the first ones, are items; the rest are of columns.
	Items int32
	// Among has, for each sensitive item, what its share is taken of: -1 all transactions, else
	// those with that other sensitive item, which marks a value in the column. The mark itself is
	// among its own, and is not bounded.
	Among []int32
}

// Column is a sensitive column.
type Column struct {
	Name   string
	Values []string // of each transaction
	Null   bool     // an empty value is a value
	Free   []string // values that may be learned
}

// IsValue tells whether a cell is a value: blanks alone are as good as nothing.
func (c Column) IsValue(cell string) bool { return c.Null || strings.TrimSpace(cell) != "" }

// WithColumns adds the values of sensitive columns to the sensitive items of so many transactions;
// items nil: there are none. A column with a value in every transaction needs no mark.
func WithColumns(items *dataset.Dataset, n int, columns []Column) (
	*dataset.Dataset, *Values, error,
) {
	if items == nil {
		items = dataset.FromLabels(make([][]string, n))
	}
	labels := slices.Clone(items.Dict().Labels())
	v := &Values{Items: int32(len(labels)), Among: slices.Repeat([]int32{-1}, len(labels))}
	marks, ids := make([]int32, len(columns)), make([]map[string]int32, len(columns))
	for at, c := range columns {
		cells := slices.Clone(c.Values)
		slices.SortFunc(cells, dataset.CompareLabels)
		cells = slices.Compact(cells)
		empty := func(x string) bool { return !c.IsValue(x) }
		if marks[at] = -1; slices.ContainsFunc(cells, empty) {
			marks[at] = int32(len(labels))
			labels = append(labels, fmt.Sprintf("a value in column %q", c.Name))
			v.Among = append(v.Among, marks[at])
		}
		ids[at] = map[string]int32{}
		for _, x := range cells {
			if c.IsValue(x) && !slices.Contains(c.Free, x) {
				ids[at][x] = int32(len(labels))
				labels = append(labels, fmt.Sprintf("value %q of column %q", x, c.Name))
				v.Among = append(v.Among, marks[at])
			}
		}
	}
	dict, err := dataset.NewDictionary(labels)
	if err != nil {
		return nil, nil, err
	}
	b := dataset.NewBuilder(dict)
	var tx []int32
	for i, own := range items.All() {
		tx = append(tx[:0], own...)
		for at, c := range columns {
			if marks[at] >= 0 && c.IsValue(c.Values[i]) {
				tx = append(tx, marks[at])
			}
			if id, bounded := ids[at][c.Values[i]]; bounded {
				tx = append(tx, id)
			}
		}
		b.Add(tx)
	}
	out, err := b.Finish()
	return out, v, err
}

// Marked is the input with a mark for every column, where there are any: those without an empty
// value share one that all transactions have. It is for who takes values from some of them.
func (in Input) Marked() (Input, error) {
	if in.Values == nil {
		return in, nil
	}
	all := int32(in.Sensitive.Dict().Len())
	labels := append(slices.Clone(in.Sensitive.Dict().Labels()), "a value in the other columns")
	dict, err := dataset.NewDictionary(labels)
	if err != nil {
		return in, err
	}
	b := dataset.NewBuilder(dict)
	for _, tx := range in.Sensitive.All() {
		b.Add(append(slices.Clone(tx), all))
	}
	among := append(slices.Clone(in.Values.Among), all)
	for s := in.Values.Items; s < all; s++ {
		if among[s] < 0 {
			among[s] = all
		}
	}
	in.Values = &Values{Items: in.Values.Items, Among: among}
	in.Sensitive, err = b.Finish()
	return in, err
}

// Knowable is how many sensitive items, the first ones, may be known.
func (in Input) Knowable() int32 {
	switch {
	case !in.Promise.SensitiveKnown || in.Sensitive == nil:
		return 0
	case in.Values != nil:
		return in.Values.Items
	}
	return int32(in.Sensitive.Dict().Len())
}

// mark is the sensitive item that marks what the share of s is taken of; -1: there is none.
func (in Input) mark(s int32) int32 {
	if in.Values == nil {
		return -1
	}
	return in.Values.Among[s]
}

// isMark tells whether a sensitive item is the mark of a column.
func (in Input) isMark(s int32) bool { return in.mark(s) == s }

// shareOf is how many transactions the share of s is taken of.
func (in Input) shareOf(s int32, total int, counts []int) int {
	if mark := in.mark(s); mark >= 0 {
		return counts[mark]
	}
	return total
}

// Hidden tells whether a sensitive item that n have, of so many in total, is in at most 1/l of what
// its share is taken of: the total or, of a value, those with a value in its column, whom count
// tells, given their mark. The mark itself is not bounded.
func (in Input) Hidden(s int32, n, total int, count func(mark int32) int) bool {
	mark := in.mark(s)
	switch {
	case mark == s:
		return true
	case mark >= 0:
		total = count(mark)
	}
	return n*in.Promise.L <= total
}

// Marks are the sensitive items that mark columns with empty values, ascending.
func (in Input) Marks() (out []int32) {
	if in.Values == nil {
		return nil
	}
	for s := range in.Values.Among {
		if in.isMark(int32(s)) {
			out = append(out, int32(s))
		}
	}
	return out
}

// named names a sensitive item, or a value, in messages.
func (in Input) named(s int32) string {
	label := in.Sensitive.Dict().Label(s)
	if in.Values != nil && s >= in.Values.Items {
		return label
	}
	return fmt.Sprintf("sensitive item %q", label)
}

// filled says in messages that transactions with a value are meant; "" where all are.
func (in Input) filled(s int32) string {
	if in.mark(s) < 0 {
		return ""
	}
	return " with a value"
}
