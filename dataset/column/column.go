// Package column holds what files of columns (Parquet, Arrow, sheets) have in common: batches of
// rows, column by column, in which every value is a text. Readers make batches, writers take them.
package column

import (
	"io"
	"slices"
)

// Field is a column of a file.
type Field struct {
	Name string
	List bool // a value is a list of texts; else it is one text
	// Unusable says why the values cannot be read as texts; "": they can.
	Unusable string
}

// Source is a file that is being read, some rows at a time.
type Source interface {
	// Fields are all columns of the file.
	Fields() []Field
	// Choose says which of the columns are read. It is called once, before Next.
	Choose(fields []int) error
	// Next reads some rows. What it puts into the batch is valid until it is called again. The
	// error is io.EOF after the last row.
	Next(b *Batch) error
}

// AtOnce is how many batches of a source may be in use at once, if they are small. To wait for each
// other takes reader and user as long as some batches, so that more than two are of use.
const AtOnce = 6

// Large tells whether a batch has words that take much memory.
func (b *Batch) Large() bool {
	return slices.ContainsFunc(b.Cells, func(c Cells) bool {
		return c.Words != nil && c.Words.Large()
	})
}

// Ahead is a source of which the next batches can be read, into others, while batches are used, up
// to AtOnce in all. After a large one no other is in use when the next is read. It is not read from
// its beginning to its end.
type Ahead interface {
	Source
	// Fraction is how much has been read, from 0 to 1.
	Fraction() float64
	// Runs says, before Next, that one of the chosen columns, which has no lists, is read in runs.
	Runs(chosen int)
}

// Sink is a file that is being written.
type Sink interface {
	Write(b *Batch) error
	// Close ends the file. It does not close what the file is written to.
	Close() error
}

// Maker starts a file with the columns given.
type Maker func(w io.Writer, fields []Field) (Sink, error)

// Batch is some rows.
type Batch struct {
	Rows  int
	Lines []int   // by row: its number in the file, from 1; nil: one follows the other
	Cells []Cells // by chosen column
}

// Reset makes the batch empty, with n columns.
func (b *Batch) Reset(n int) {
	for len(b.Cells) < n {
		b.Cells = append(b.Cells, Cells{})
	}
	b.Cells = b.Cells[:n]
	b.Rows, b.Lines = 0, nil
	for i := range b.Cells {
		c := &b.Cells[i]
		c.Codes, c.Ends, c.Runs = c.Codes[:0], c.Ends[:0], c.Runs[:0]
	}
}

// Cells are the values of one column in a batch.
type Cells struct {
	Words *Words
	// Codes number the words that the values are; Null: there is no value. Of a column of lists
	// they are the elements of all lists, one after another.
	Codes []int32
	Ends  []uint32 // of a column of lists: row i has the elements Ends[i-1] to Ends[i]
	// Runs, where there are any, say that values that are the same have one code: code i is that of
	// the rows Runs[i-1] to Runs[i].
	Runs []uint32
}

// AddRun adds n rows of one code.
func (c *Cells) AddRun(code int32, n int) {
	rows, last := uint32(n), len(c.Runs)-1
	if last >= 0 {
		rows += c.Runs[last]
	}
	if last >= 0 && c.Codes[last] == code {
		c.Runs[last] = rows
		return
	}
	c.Codes, c.Runs = append(c.Codes, code), append(c.Runs, rows)
}

// Null is the code of what is no value.
const Null = -1

// Text is value i, "" where it is none.
func (c *Cells) Text(i int) []byte {
	if c.Codes[i] == Null {
		return nil
	}
	return c.Words.At(int(c.Codes[i]))
}

// Own makes words of the cells' own, to which values can be added, where the words are those of a
// dictionary. It tells whether they have at most so many bytes: a dictionary may have a large word
// that is there many times.
func (c *Cells) Own(words *Words, most int) bool {
	if c.Words == words {
		return true
	}
	words.Reset()
	for i, code := range c.Codes {
		if code != Null {
			c.Codes[i] = int32(words.Len())
			words.Add(c.Words.At(int(code)))
		}
		if len(words.Text) > most {
			return false
		}
	}
	c.Words = words
	return true
}

// Words are texts stored one after another, which codes number from 0. They need not differ.
type Words struct {
	Text  []byte
	Ends  []uint32
	Epoch int  // another one: the words are others
	Once  bool // no value has the word of another one, as in a dictionary
}

// Len is how many there are.
func (w *Words) Len() int { return len(w.Ends) }

// At is word i.
func (w *Words) At(i int) []byte {
	if i == 0 {
		return w.Text[:w.Ends[0]]
	}
	return w.Text[w.Ends[i-1]:w.Ends[i]]
}

// Add appends a word.
func (w *Words) Add(text []byte) {
	w.Text = append(w.Text, text...)
	w.End()
}

// End ends a word whose text was appended to Text.
func (w *Words) End() { w.Ends = append(w.Ends, uint32(len(w.Text))) }

// Reset takes all words out.
func (w *Words) Reset() {
	if w.Epoch++; w.Large() { // one large batch does not keep its room
		w.Text = nil
	}
	w.Text, w.Ends = w.Text[:0], w.Ends[:0]
}

// Large tells whether there is room for much text.
func (w *Words) Large() bool { return cap(w.Text) > 4<<20 }
