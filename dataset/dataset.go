// Package dataset holds set-valued data: transactions over a dictionary of items.
//
// A [Dataset] is the first stage that data goes through. Readers (see [Read]) turn files into it;
// everything downstream relies on its invariants and re-checks none of them: items are dense int32
// ids, and every transaction is sorted ascending without repeats.
package dataset

import (
	"fmt"
	"iter"
	"slices"
	"sync"
)

// Dataset is a sequence of transactions, each a set of items, stored as one compressed sparse row
// array: 4 bytes an item occurrence and 4 bytes a transaction; or, where memory is short, packed
// (see [Options].Packed): mostly 1 or 2 bytes an occurrence, and 1 a transaction. It is immutable
// once built and safe for concurrent reading.
type Dataset struct {
	dict    *Dictionary
	items   []int32  // all transactions, one after another
	offsets []uint32 // transaction i is items[offsets[i]:offsets[i+1]]
	packed  *packed  // instead of these two; else nil
	counted *counted // the supports, once they were asked for

	// Columns are the values that travel with the transactions: identifiers, labels, the other
	// columns of a table.
	Columns []Column

	// Notes are what the reader saw and the user should know, such as how many repeated items were
	// dropped.
	Notes []string

	// Repeats are items that stood more than once in a line of the file. Recode, by which releases
	// are made, does not keep them; Split and hierarchy.Tree.EncodePublished do.
	Repeats Repeats

	// Surplus is what else the file shows that is not in the sets, kept as Repeats are.
	Surplus Surplus

	// lines[i] is the line of the source at which transaction i begins; nil when that is i+1.
	lines  []uint32
	layout *layout // of the file; nil: none is known
}

// Column is one named value a transaction, in transaction order.
type Column struct {
	Name   string
	Values []string
	// Key: they name the transactions of a file in long form, which cannot be without them.
	Key bool
}

// Repeats are items that a file has more than once in one transaction. They are dropped; whoever
// sees the file sees how many there were.
type Repeats struct {
	Count int // of occurrences, without the first in each transaction; 0: there are none
	Line  int // at which the first transaction with one begins
}

// Surplus is what a file shows beside the sets of its transactions, without being read.
type Surplus struct {
	// Unsorted is the line at which the first transaction begins whose items do not stand in the
	// natural order of their labels, in which Write puts them; 0: there is none.
	Unsorted int
	Comments int // spmf: lines that are neither transactions nor names of items
	Ends     int // spmf, of sequences: ends of itemsets and of sequences
	// Empty is how many rows, fields and elements of lists are without an item, but for what a
	// transaction without items cannot be without: its one row, or its one field.
	Empty int
	// Unread are the columns that are not among those of the dataset: of a file with a row an item
	// those that were not asked for, and those whose values are no texts.
	Unread []string
}

// add adds what another part of the file shows.
func (s *Surplus) add(more Surplus) {
	s.Comments += more.Comments
	s.Ends += more.Ends
	s.Empty += more.Empty
}

// Len is the number of transactions.
func (d *Dataset) Len() int {
	if d.packed != nil {
		return d.packed.n
	}
	return len(d.offsets) - 1
}

// Occurrences is the number of item occurrences: the sum of the transactions' lengths.
func (d *Dataset) Occurrences() int {
	if d.packed != nil {
		return d.packed.occurrences
	}
	return len(d.items)
}

// All goes through the transactions with their places: the one way that is quick on plain and on
// packed data. A transaction is item ids, ascending and distinct. The caller must not change it,
// and it is valid for one step only.
func (d *Dataset) All() iter.Seq2[int, []int32] {
	return func(yield func(int, []int32) bool) {
		c := Cursor{d: d}
		for i := range d.Len() {
			if !yield(i, c.Tx(i)) {
				return
			}
		}
	}
}

// Tx is transaction i: item ids, ascending and distinct. The caller must not change it. On packed
// data it is spelled out anew by each call, which takes some tens of steps; see All and [Cursor].
func (d *Dataset) Tx(i int) []int32 {
	if d.packed != nil {
		c := Cursor{d: d}
		return c.Tx(i)
	}
	return d.items[d.offsets[i]:d.offsets[i+1]:d.offsets[i+1]]
}

// Start is the position of transaction i's first occurrence among all occurrences, 0 ≤ i ≤ Len. On
// packed data it takes some tens of steps.
func (d *Dataset) Start(i int) int {
	if d.packed == nil {
		return int(d.offsets[i])
	}
	if i == d.Len() {
		return d.Occurrences()
	}
	from := d.packed.marks[i/markEvery]
	c, start := Cursor{d: d, mark: from}, int(from.start)
	for range i % markEvery {
		start += c.skip()
	}
	return start
}

// Item is the occurrence at a position among all of them. On packed data it takes some tens of
// steps.
func (d *Dataset) Item(pos int) int32 {
	if d.packed == nil {
		return d.items[pos]
	}
	return d.packedItem(pos)
}

// Items are the occurrences of all transactions, one after another. The caller must not change it.
// On packed data each call spells out all of them, 4 bytes each: who needs them often keeps them,
// or takes the data Flat.
func (d *Dataset) Items() []int32 {
	if d.packed == nil {
		return d.items
	}
	items := make([]int32, 0, d.Occurrences())
	for _, tx := range d.All() {
		items = append(items, tx...)
	}
	return items
}

// Dict names the items.
func (d *Dataset) Dict() *Dictionary { return d.dict }

// Line is the 1-based line of the source file at which transaction i begins.
func (d *Dataset) Line(i int) int {
	if d.lines == nil {
		return i + 1
	}
	return int(d.lines[i])
}

// Column finds a column by name.
func (d *Dataset) Column(name string) (Column, bool) {
	for _, c := range d.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}

// Labels spells out transaction i.
func (d *Dataset) Labels(i int) []string {
	tx := d.Tx(i)
	out := make([]string, 0, len(tx))
	for _, it := range tx {
		out = append(out, d.dict.Label(it))
	}
	return out
}

// counted is what was counted over all transactions; datasets with the same ones share it.
type counted struct {
	once     sync.Once
	supports []int
}

// Supports are, for every item of the dictionary, how many transactions contain it. They are
// counted by the first call. The caller must not change them.
func (d *Dataset) Supports() []int {
	d.counted.once.Do(func() { d.counted.supports = d.countSupports() })
	return d.counted.supports
}

func (d *Dataset) countSupports() []int {
	out := make([]int, d.dict.Len())
	if d.packed == nil {
		for _, it := range d.items {
			out[it]++
		}
		return out
	}
	for _, tx := range d.All() {
		for _, it := range tx {
			out[it]++
		}
	}
	return out
}

// Occurring are the items that some transaction contains, ascending.
func (d *Dataset) Occurring() (items []int32) {
	for it, n := range d.Supports() {
		if n > 0 {
			items = append(items, int32(it))
		}
	}
	return items
}

// MaxLen is the length of the longest transaction.
func (d *Dataset) MaxLen() int {
	if d.packed != nil {
		return d.packed.longest
	}
	longest, begin := uint32(0), uint32(0)
	for _, end := range d.offsets[1:] {
		longest, begin = max(longest, end-begin), end
	}
	return int(longest)
}

// Empty counts the transactions without items.
func (d *Dataset) Empty() int {
	if d.packed != nil {
		return d.packed.empty
	}
	n := 0
	for i := range d.Len() {
		if d.isEmpty(int32(i)) {
			n++
		}
	}
	return n
}

// isEmpty tells whether a transaction has no items; d is not packed.
func (d *Dataset) isEmpty(i int32) bool { return d.offsets[i] == d.offsets[i+1] }

// Select makes a dataset of the named transactions, in the order given, over the same dictionary.
func (d *Dataset) Select(txs []int32) *Dataset {
	b, c := d.Builder(d.dict), d.Cursor()
	for _, i := range txs {
		b.add(c.Tx(int(i)))
		b.line(uint32(d.Line(int(i))))
	}
	out := b.Build()
	for _, c := range d.Columns {
		values := make([]string, 0, len(txs))
		for _, i := range txs {
			values = append(values, c.Values[i])
		}
		out.Columns = append(out.Columns, Column{c.Name, values, c.Key})
	}
	out.layout, out.Notes = d.layout, d.Notes
	return out
}

// WithColumns is the dataset with the named columns alone, in the order of the names.
func (d *Dataset) WithColumns(names []string) *Dataset {
	out := *d
	out.Columns, out.layout = keptColumns(d.Columns, d.layout, names)
	return &out
}

// keptColumns are the columns of the names given, in their order, and where the set stands among
// them. The order of an original does not matter: in jsonl it is that in which fields first appear,
// which tells what stood in the first lines; the set then stands behind all fields.
func keptColumns(columns []Column, at *layout, names []string) (kept []Column, to *layout) {
	before := 0
	for n, name := range names {
		i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
		if i < 0 || slices.Contains(names[:n], name) {
			continue
		}
		kept = append(kept, columns[i])
		if at != nil && (at.json || i < at.at) {
			before++
		}
	}
	if at == nil {
		return kept, nil
	}
	l := *at
	l.at = before
	return kept, &l
}

// Recode makes a dataset over another dictionary: item i becomes to[i], and is left out where to[i]
// is negative. Items that become the same one are published once. Columns and lines are kept.
func (d *Dataset) Recode(dict *Dictionary, to []int32) *Dataset {
	if unchanged(to) { // nothing changes but the names
		same := Dataset{
			dict: dict, items: d.items, offsets: d.offsets, packed: d.packed, counted: &counted{},
		}
		return same.WithProvenance(d)
	}
	b := d.Builder(dict)
	b.Grow(d.Len(), d.Occurrences())
	var recoded []int32
	for _, tx := range d.All() {
		recoded = recoded[:0]
		for _, it := range tx {
			if to[it] >= 0 {
				recoded = append(recoded, to[it])
			}
		}
		b.Add(recoded)
	}
	return b.Build().WithProvenance(d)
}

// unchanged tells whether a recoding leaves all items as they are.
func unchanged(to []int32) bool {
	for i, it := range to {
		if it != int32(i) {
			return false
		}
	}
	return true
}

// WithProvenance copies columns and source lines of another dataset of the same length onto this
// one.
func (d *Dataset) WithProvenance(from *Dataset) *Dataset {
	out := *d
	out.Columns, out.lines, out.layout = from.Columns, from.lines, from.layout
	return &out
}

// asRead copies what the file had beside its sets from the dataset that this one was made from.
func (d *Dataset) asRead(from *Dataset) *Dataset {
	out := *d
	out.Repeats, out.Surplus = from.Repeats, from.Surplus
	return &out
}

// note adds a note about n things, if there are any; one is of one thing.
func (d *Dataset) note(n int, one, format string) {
	switch {
	case n == 1:
		d.Notes = append(d.Notes, one)
	case n > 1:
		d.Notes = append(d.Notes, fmt.Sprintf(format, n))
	}
}

// Builder collects transactions. The zero value is not usable; see [NewBuilder].
type Builder struct {
	d        *Dataset
	hasLines bool
	most     size
	overflow bool
}

// NewBuilder starts a dataset over a dictionary.
func NewBuilder(dict *Dictionary) *Builder {
	return &Builder{d: &Dataset{dict: dict, offsets: []uint32{0}, counted: &counted{}}, most: most}
}

// Grow makes room for n more transactions with the given number of occurrences in all.
func (b *Builder) Grow(n, occurrences int) {
	if b.d.packed != nil {
		return // it grows by chunks
	}
	b.d.offsets = slices.Grow(b.d.offsets, n)
	b.d.items = slices.Grow(b.d.items, occurrences)
}

// Add appends a transaction: ids of the dictionary in any order; repeats are dropped. It may
// reorder tx, and keeps no reference to it.
func (b *Builder) Add(tx []int32) {
	if !slices.IsSorted(tx) {
		slices.Sort(tx)
	}
	b.add(slices.Compact(tx))
}

// AddAt is Add for a transaction whose source line is not its number.
func (b *Builder) AddAt(tx []int32, line int) {
	b.Add(tx)
	b.line(uint32(line))
}

func (b *Builder) add(tx []int32) {
	fits := b.d.size().plus(1, len(tx)).within(b.most, b.d.packed != nil)
	if b.overflow = b.overflow || !fits; b.overflow {
		return
	}
	if b.d.packed != nil {
		b.d.packed.add(tx)
		return
	}
	b.d.items = append(b.d.items, tx...)
	b.d.offsets = append(b.d.offsets, uint32(len(b.d.items)))
}

// line notes the source line of the transaction that was added last.
func (b *Builder) line(n uint32) {
	b.fillLines(b.d.Len() - 1)
	b.d.lines = append(b.d.lines, n)
	b.hasLines = b.hasLines || int(n) != len(b.d.lines)
}

// fillLines notes, of the first n transactions, the lines that were not told: their numbers.
func (b *Builder) fillLines(n int) {
	for len(b.d.lines) < n {
		b.d.lines = append(b.d.lines, uint32(len(b.d.lines)+1))
	}
}

// Err reports whether the transactions added so far fit.
func (b *Builder) Err() error {
	if b.overflow {
		return ErrTooLarge
	}
	return nil
}

// Build ends the collection. The builder must not be used again. It panics where not everything
// fits: part of the data must not pass for all of it. Who may meet so much asks Err before, or
// calls Finish.
func (b *Builder) Build() *Dataset {
	if b.overflow {
		panic(ErrTooLarge)
	}
	if b.hasLines {
		b.fillLines(b.d.Len())
	} else {
		b.d.lines = nil
	}
	return b.d
}

// Finish is Build where not everything may fit: then the error is that of Err.
func (b *Builder) Finish() (*Dataset, error) {
	if err := b.Err(); err != nil {
		return nil, err
	}
	return b.Build(), nil
}

// FromLabels builds a dataset of labelled transactions; items get ids in the natural order of their
// labels. It serves examples and tests.
func FromLabels(txs [][]string) *Dataset {
	var all []string
	for _, tx := range txs {
		all = append(all, tx...)
	}
	slices.SortFunc(all, CompareLabels)
	dict := MustDictionary(slices.Compact(all))
	b := NewBuilder(dict)
	for _, tx := range txs {
		ids := make([]int32, 0, len(tx))
		for _, l := range tx {
			id, _ := dict.ID(l)
			ids = append(ids, id)
		}
		b.Add(ids)
	}
	return b.Build()
}

// String says the size in words.
func (d *Dataset) String() string {
	return fmt.Sprintf(
		"%d transactions, %d items, %d occurrences", d.Len(), d.dict.Len(), d.Occurrences(),
	)
}
