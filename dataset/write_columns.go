package dataset

import (
	"mingle/dataset/column"
)

// columnFile writes a file of columns, in the form of a row an item where the layout has it, else
// with a list a row.
func (e *encoder) columnFile(begin column.Maker) func() {
	e.encode(func(string) string { return "" }, plainText)
	cols := e.columns()
	fields := []column.Field{{Name: e.layout.set, List: true}}
	at, ids := e.layout.at, func(int) string { return "" }
	if e.layout.long {
		fields = []column.Field{{Name: e.layout.transaction}, {Name: e.layout.item}}
		at, ids = 0, e.transactionIDs()
	}
	var names []string
	for _, c := range cols {
		names = append(names, c.Name)
	}
	for i, f := range fields {
		names = append(names[:at+i], append([]string{f.Name}, names[at+i:]...)...)
	}
	e.checkNames(names)
	own := len(fields)
	fields = fields[:0:0]
	for i, name := range names {
		fields = append(fields, column.Field{Name: name, List: i == at && !e.layout.long})
	}
	return func() {
		sink, err := begin(e.out.w, fields)
		if err != nil {
			e.out.err = err
			return
		}
		w := &columnWriter{e: e, sink: sink, cols: cols, at: at, own: own, ids: ids}
		for _, text := range e.text {
			w.items.Add(text)
		}
		w.begin(len(fields))
		if w.rows(); e.out.err == nil {
			e.out.err = sink.Close()
		}
	}
}

// columnWriter makes batches of transactions.
type columnWriter struct {
	e     *encoder
	sink  column.Sink
	cols  []keptColumn
	at    int // where the set stands, or the transaction and behind it the item
	own   int // columns that are not kept ones
	ids   func(int) string
	items column.Words
	words []column.Words // by column; of the items there are none
	batch column.Batch
}

// batchRows is how many rows are written at a time.
const batchRows = 4096

func (w *columnWriter) begin(columns int) {
	w.words = make([]column.Words, columns)
	w.batch.Reset(columns)
	w.empty()
}

// empty begins a batch.
func (w *columnWriter) empty() {
	w.batch.Reset(len(w.words))
	for i := range w.words {
		w.words[i].Reset()
		w.batch.Cells[i].Words = &w.words[i]
	}
	w.batch.Cells[w.at+w.own-1].Words = &w.items
}

// rows writes all transactions.
func (w *columnWriter) rows() {
	items := &w.batch.Cells[w.at+w.own-1]
	for i := range w.e.n {
		set := w.e.ranks(i)
		if w.e.layout.long {
			for _, r := range set {
				w.row(i)
				items.Codes = append(items.Codes, r)
				w.full()
			}
			if len(set) == 0 && w.e.sets {
				w.row(i)
				items.Codes = append(items.Codes, column.Null)
			}
		} else {
			w.row(i)
			items.Codes = append(items.Codes, set...)
			items.Ends = append(items.Ends, uint32(len(items.Codes)))
		}
		if w.full(); w.e.out.err != nil {
			return
		}
	}
	w.flush()
}

// row begins a row of transaction i: all of it but the items.
func (w *columnWriter) row(i int) {
	w.batch.Rows++
	if w.e.layout.long {
		w.text(w.at, w.ids(i))
	}
	for k, c := range w.cols {
		if k >= w.at {
			k += w.own
		}
		w.text(k, string(c.text(i)))
	}
}

// text adds a value to a column. An empty one is none.
func (w *columnWriter) text(at int, text string) {
	code := int32(column.Null)
	if text != "" {
		code = int32(w.words[at].Len())
		w.words[at].Text = append(w.words[at].Text, text...)
		w.words[at].End()
	}
	w.batch.Cells[at].Codes = append(w.batch.Cells[at].Codes, code)
}

// full writes a batch that is large enough.
func (w *columnWriter) full() {
	const largest = 1 << 18 // elements of lists
	if w.batch.Rows >= batchRows || len(w.batch.Cells[w.at+w.own-1].Codes) >= largest {
		w.flush()
	}
}

func (w *columnWriter) flush() {
	if w.batch.Rows > 0 && w.e.out.err == nil {
		w.e.out.err = w.sink.Write(&w.batch)
	}
	w.empty()
}
