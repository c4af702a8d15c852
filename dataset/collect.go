package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mingle/internal/limits"
	"mingle/internal/par"
)

// collector puts the parts of a file together, in the order of the text. Its arrays become the
// dataset's: they are grown to the size that the share of the file read so far foretells, and
// remapped and sorted in place, so that the peak is little more than the encoded data.
type collector struct {
	opts  Options
	shape *shape

	ids   *interner
	items []int32 // provisional ids
	// instead of items and offsets, where the dataset is to be packed; see collect_packed.go
	loose   *loose
	repeats Repeats  // items that were dropped
	surplus Surplus  // what the file has beside
	offsets []uint32 // of transactions; long: of runs
	lines   []uint32 // of transactions; nil while that is their number
	base    int      // lines before the next part
	columns []Column
	at      map[string]int // jsonl: name -> column

	txs      *interner // long: the transactions' names
	runOf    []int32   // long: transaction of each run
	itemless int
	missing  int      // elements of lists that are NULL or empty
	note     string   // of what was read
	encoding string   // that the text was decoded from
	passed   []string // columns that were not read, as they hold no texts
	// rows that were left out because something is missing in them
	incomplete int
	most       size // that may be collected; long: before runs of one transaction are put together

	names  []itemName
	faults Faults

	broken  map[int32]string // values: what is wrong with a field
	checked int              // so many fields

	account *limits.Account
	cells   int64 // bytes of the columns' values
	hinted  bool
}

func newCollector(opts Options, s *shape) *collector {
	c := &collector{
		opts: opts, shape: s, ids: newInterner(), offsets: []uint32{0}, base: s.skipLines,
		at: map[string]int{}, most: most,
		broken: map[int32]string{},
	}
	if opts.Packed && !s.layout.long {
		c.loose = &loose{}
	}
	if s.layout.long {
		c.txs = newInterner()
		c.columns = []Column{{Name: s.layout.transaction, Key: true}}
	}
	return c
}

// grown makes room for extra more elements. fraction is how much of the file they and those before
// them come from, 0 if that is not known. Once an eighth has been read, the rest is taken to be
// like it; until then no more is reserved than a sixth of the whole, so that what is copied is
// small. Reserved memory that is not written to costs none.
func grown[T any](s []T, extra int, fraction float64) []T {
	need := len(s) + extra
	if need <= cap(s) {
		return s
	}
	room := need + need/2
	if fraction > 0 {
		foretold := 1.02 * float64(need) / fraction
		if fraction < 1./8 {
			foretold = min(foretold/6, 4*float64(need))
		}
		room = int(max(foretold, 1.05*float64(need)))
	}
	out := make([]T, len(s), max(room, 1024))
	copy(out, s)
	return out
}

// size is how much has been collected.
func (c *collector) size() size {
	if c.loose != nil {
		return size{c.loose.n, c.loose.occurrences}
	}
	return size{len(c.offsets) - 1, len(c.items)}
}

// add appends a part; to translates its ids, nil if they are the collector's own.
func (c *collector) add(p *part, to []int32, fraction float64) error {
	if !c.size().plus(len(p.ends), len(p.items)).within(c.most, c.loose != nil) {
		return ErrTooLarge
	}
	c.faults.merge(&p.faults, c.base)
	c.check(p, to)
	if p.hint != "" && !c.hinted {
		c.faults.Addf(c.base+p.hintAt, "%s", p.hint)
		c.hinted = true
	}
	for _, n := range p.names {
		n.line += c.base + 1
		c.names = append(c.names, n)
		c.cells += bytesPerName + int64(len(n.number)+len(n.name))
	}
	var err error
	fraction = c.bounded(fraction)
	if c.loose != nil {
		before := c.loose.n
		c.loose.add(p, to)
		err = c.addTransactions(p, before, fraction)
	} else {
		err = c.addFlat(p, to, fraction)
	}
	c.incomplete += p.incomplete
	c.missing += p.missing
	c.surplus.add(p.surplus)
	c.base += p.count
	return errors.Join(err, c.account.Hold(c.held()))
}

// bounded is a fraction by which no more is foretold than may be kept; 0 is none.
func (c *collector) bounded(fraction float64) float64 {
	if limit := c.account.Limit(); limit > 0 && fraction > 0 {
		return max(fraction, float64(c.held())/float64(limit))
	}
	return fraction
}

// What is kept beside the text of a label, in this collector and in a worker; of a value; and of an
// SPMF item's name.
const (
	bytesPerLabel = 100
	bytesPerCell  = 16
	bytesPerName  = 56
	bytesPerValue = 200 // what is made of a field that is a value
)

// held is about how many bytes are kept.
func (c *collector) held() int64 {
	n := 4*int64(len(c.items)+len(c.offsets)+len(c.lines)+len(c.runOf)) + c.cells + c.ids.held()
	if c.loose != nil {
		n += int64(c.loose.bytes)
	}
	if c.txs != nil {
		n += c.txs.held()
	}
	if c.opts.values != nil {
		n += bytesPerValue * int64(len(c.ids.labels))
	}
	return n
}

// room is room for the items of the next part, of which there may be so many, where they need not
// be moved. A part with more of them, or of a worker, has room of its own.
func (c *collector) room(items int, fraction float64) []int32 {
	c.items = grown(c.items, items, c.bounded(fraction))
	return c.items[len(c.items):]
}

// addItems appends a part's items.
func (c *collector) addItems(items, to []int32, fraction float64) {
	n := len(c.items)
	if here := c.items[n:cap(c.items)]; to == nil && 0 < len(items) && len(items) <= len(here) &&
		&here[0] == &items[0] {
		c.items = c.items[:n+len(items)]
		return
	}
	c.items = grown(c.items, len(items), fraction)
	if to == nil {
		c.items = append(c.items, items...)
		return
	}
	for _, it := range items {
		c.items = append(c.items, to[it])
	}
}

// addFlat appends a part's items, and its transactions or runs.
func (c *collector) addFlat(p *part, to []int32, fraction float64) error {
	start := uint32(len(c.items))
	c.addItems(p.items, to, fraction)
	c.offsets = grown(c.offsets, len(p.ends), fraction)
	if c.shape.layout.long {
		c.addRuns(p, start, fraction)
		return nil
	}
	before := len(c.offsets) - 1
	for _, end := range p.ends {
		c.offsets = append(c.offsets, start+end)
	}
	return c.addTransactions(p, before, fraction)
}

// addTransactions appends what goes with a part's transactions, of which there were some before.
func (c *collector) addTransactions(p *part, before int, fraction float64) error {
	if before == 0 && len(p.ends) > 0 && c.opts.Format == JSONL {
		c.shape.layout.at = p.setAt
	}
	if p.lines != nil || c.lines != nil || c.base != before {
		c.fillLines(before, len(p.ends))
		c.lines = grown(c.lines, len(p.ends), fraction)
		for i := range p.ends {
			c.lines = append(c.lines, uint32(c.base+p.line(i)+1))
		}
	}
	for i := range p.cols {
		if err := c.addColumn(&p.cols[i], i, before); err != nil {
			return err
		}
	}
	return nil
}

// fillLines writes out the lines of the n transactions whose line is their number.
func (c *collector) fillLines(n, extra int) {
	if c.lines == nil {
		c.lines = make([]uint32, 0, n+extra)
		for i := range n {
			c.lines = append(c.lines, uint32(i+1))
		}
	}
}

// addColumn appends a part's values of a column; before is how many transactions came before the
// part.
func (c *collector) addColumn(p *partColumn, i, before int) error {
	c.cells += bytesPerCell*int64(p.values.len()) + int64(len(p.values.buf))
	if p.rows == nil {
		if i == len(c.columns) {
			c.columns = append(c.columns, Column{Name: p.name})
		}
		c.columns[i].Values = p.values.appendTo(c.columns[i].Values)
		return nil
	}
	at, ok := c.at[p.name]
	if !ok && len(c.columns) == limits.MaxColumns {
		return &limits.TooLarge{Why: tooManyFields}
	}
	if !ok {
		at = len(c.columns)
		c.at[p.name] = at
		c.columns = append(c.columns, Column{Name: p.name})
	}
	values := c.columns[at].Values
	if n := len(p.rows); n > 0 {
		if err := c.absent(before + int(p.rows[n-1]) - len(values)); err != nil {
			return err
		}
	}
	for k, v := range p.values.appendTo(nil) {
		for len(values) < before+int(p.rows[k]) {
			values = append(values, "")
		}
		values = append(values, v)
	}
	c.columns[at].Values = values
	return nil
}

// absent notes n values that are about to be filled in for fields that lines do not have.
func (c *collector) absent(n int) error {
	c.cells += bytesPerCell * int64(max(n, 0))
	return c.account.Hold(c.held())
}

// addRuns appends a part's runs of rows, each to its transaction.
func (c *collector) addRuns(p *part, start uint32, fraction float64) {
	c.runOf = grown(c.runOf, len(p.ends), fraction)
	c.lines = grown(c.lines, len(p.ends), fraction)
	c.txs.labels = grown(c.txs.labels, len(p.ends), fraction)
	for len(c.columns) <= len(p.cols) {
		c.columns = append(c.columns, Column{Name: p.cols[len(c.columns)-1].name})
	}
	for i, end := range p.ends {
		line := c.base + p.line(i) + 1
		known := len(c.txs.labels)
		tx := c.txs.id(p.keys.at(i))
		if int(tx) == known {
			c.lines = append(c.lines, uint32(line))
			for k := range p.cols {
				c.columns[k+1].Values = append(
					c.columns[k+1].Values, string(p.cols[k].values.at(i)),
				)
				c.cells += bytesPerCell + int64(len(p.cols[k].values.at(i)))
			}
		} else {
			c.checkLabels(p, i, tx, line)
		}
		if n := len(c.runOf); n > 0 && c.runOf[n-1] == tx {
			c.offsets[n] = start + end
			continue
		}
		c.runOf = append(c.runOf, tx)
		c.offsets = append(c.offsets, start+end)
	}
	c.itemless += p.itemless
}

// checkLabels notes labels of run i that differ from those of its transaction's first row.
func (c *collector) checkLabels(p *part, i int, tx int32, line int) {
	for k := range p.cols {
		if was, is := c.columns[k+1].Values[tx], p.cols[k].values.at(i); !bytes.Equal(
			[]byte(was), is,
		) {
			c.faults.Addf(line, "label %q of transaction %s is %s here and %s on line %d: it "+
				"must be the same on all its lines",
				p.cols[k].name, shown(c.txs.labels[tx]), shown(is), shown(was), c.lines[tx])
		}
	}
}

// complete ends the collection: the runs of a transaction are together, and each column has a value
// for each.
func (c *collector) complete() error {
	c.nameItems()
	if err := c.faults.Err(c.opts.name()); err != nil {
		return err
	}
	if c.shape.layout.long {
		c.gather()
	}
	n := c.size().transactions
	for i, col := range c.columns {
		absent := n - len(col.Values)
		if err := c.absent(absent); err != nil {
			return fmt.Errorf("%s: %w", c.opts.name(), err)
		}
		c.columns[i].Values = append(col.Values, make([]string, absent)...)
	}
	return nil
}

// dataset is what was collected as sets: ids in the natural order of the labels, sets sorted and
// without repeats.
func (c *collector) dataset() (*Dataset, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	labels, to := c.ids.natural()
	d := &Dataset{
		dict: &Dictionary{labels: labels}, Columns: c.columns, lines: c.lines,
		counted: &counted{},
	}
	unsorted := -1
	if c.loose != nil {
		d.packed, c.repeats.Count = c.loose.pack(to, c.opts.Workers)
		if c.repeats.Count > 0 {
			c.repeats.Line = d.Line(c.loose.first((*looseBlock).repeatAt))
		}
		unsorted = c.loose.first((*looseBlock).unsortedAt)
	} else {
		if c.repeats.Count, unsorted = c.sortSets(to); c.repeats.Count > 0 {
			c.repeats.Line = d.Line(c.compact())
		}
		d.items, d.offsets = c.items, c.offsets
	}
	if unsorted >= 0 {
		c.surplus.Unsorted = d.Line(unsorted)
	}
	if c.opts.Packed {
		d = d.Pack()
	}
	l := c.shape.layout
	d.layout = &l
	if c.surplus.Empty += c.missing; c.itemless > 0 {
		c.surplus.Empty += c.itemless - d.Empty()
	}
	c.surplus.Unread = c.shape.unread
	d.Repeats, d.Surplus = c.repeats, c.surplus
	d.note(c.repeats.Count, "1 repeated item was dropped: a transaction is a set",
		"%d repeated items were dropped: a transaction is a set")
	d.note(c.itemless, "1 row has no item; its transaction is kept",
		"%d rows have no item; their transactions are kept")
	d.note(c.missing, "1 element of a list is NULL or empty, and was passed over",
		"%d elements of lists are NULL or empty, and were passed over")
	d.Notes = append(d.Notes, c.incompleteNotes()...)
	d.Notes = append(d.Notes, c.sourceNotes()...)
	if c.opts.Clean.any() {
		d = d.cleaned(c.opts.Clean)
	}
	d.Notes = append(d.Notes, d.suspicions(c.opts.Format)...)
	return d, nil
}

// sourceNotes say what was read of the file, and how.
func (c *collector) sourceNotes() (out []string) {
	if len(c.passed) > 0 {
		out = append(out, "columns that do not hold texts, numbers or dates were not read: "+
			strings.Join(c.passed[:min(12, len(c.passed))], ", "))
	}
	if c.note != "" {
		out = append(out, c.note)
	}
	if c.encoding != "" {
		out = append(out, encodingNote(c.encoding, c.opts.Encoding))
	}
	return out
}

// encodingNote says from which encoding a text was decoded.
func encodingNote(encoding, asked string) string {
	if asked == "" {
		return "the text is in " + encoding + ", as its first bytes say, and was read as that"
	}
	return "the text was read as " + encoding
}

// incompleteNotes tell of rows that were left out.
func (c *collector) incompleteNotes() []string {
	rows := "1 incomplete row was"
	switch {
	case c.incomplete == 0:
		return nil
	case c.incomplete > 1:
		rows = fmt.Sprintf("%d incomplete rows were", c.incomplete)
	}
	return []string{rows + " left out (too few fields, no transaction, no set, or an empty value)"}
}

// gather brings the runs of each long transaction together, in the order of first appearance.
func (c *collector) gather() {
	n := len(c.txs.labels)
	c.columns[0].Values = c.txs.labels
	if len(c.runOf) == n {
		return // every transaction is one run, and the runs are in order
	}
	ends := make([]uint32, n+1)
	for r, tx := range c.runOf {
		ends[tx+1] += c.offsets[r+1] - c.offsets[r]
	}
	for tx := range n {
		ends[tx+1] += ends[tx]
	}
	items, next := make([]int32, len(c.items)), slices.Clone(ends)
	for r, tx := range c.runOf {
		next[tx] += uint32(copy(items[next[tx]:], c.items[c.offsets[r]:c.offsets[r+1]]))
	}
	c.items, c.offsets = items, ends
}

// sortSets gives every set its final ids in ascending order, and counts repeats, which are left in
// place. unsorted is the first set that was in another order; -1: none was.
func (c *collector) sortSets(to []int32) (repeats, unsorted int) {
	n := len(c.offsets) - 1
	workers := min(c.opts.Workers, 1+len(c.items)/(1<<16))
	found := make([]*manySorter, workers)
	var group par.Group
	for w := range workers {
		group.Go(func() {
			found[w] = newManySorter(to)
			found[w].sort(c.items, c.offsets[n*w/workers:n*(w+1)/workers+1])
		})
	}
	group.Wait()
	unsorted = -1
	for w, f := range found {
		repeats += f.one.repeats
		if f.unsorted >= 0 && unsorted < 0 {
			unsorted = n*w/workers + f.unsorted
		}
	}
	return repeats, unsorted
}

// compact drops the repeats in place, and tells the first transaction with one.
func (c *collector) compact() (first int) {
	write, from := uint32(0), uint32(0)
	first = -1
	for i := 1; i < len(c.offsets); i++ {
		to := c.offsets[i]
		for k := from; k < to; k++ {
			if k == from || c.items[k] != c.items[k-1] {
				c.items[write] = c.items[k]
				write++
			} else if first < 0 {
				first = i - 1
			}
		}
		from = to
		c.offsets[i] = write
	}
	c.items = c.items[:write]
	return first
}

// nameItems replaces the numbers of an SPMF file by the names it gives them.
func (c *collector) nameItems() {
	if len(c.names) == 0 {
		return
	}
	names := make(map[string]itemName, len(c.names))
	for _, n := range c.names {
		if was, ok := names[n.number]; ok && was.name != n.name {
			c.faults.Addf(
				n.line, "item %s is named %s here and %s on line %d", n.number, shown(n.name),
				shown(was.name), was.line,
			)
			continue
		}
		names[n.number] = n
	}
	named := make([]string, len(c.ids.labels))
	taken := make(map[string]string, len(named))
	for i, number := range c.ids.labels {
		named[i] = number
		if n, ok := names[number]; ok {
			named[i] = n.name
		}
		if other, ok := taken[named[i]]; ok {
			c.faults.Addf(
				names[number].line, "items %s and %s are both named %s", other, number,
				shown(named[i]),
			)
		}
		taken[named[i]] = number
	}
	c.ids = &interner{labels: named}
}
