package parquet

import (
	"errors"
	"io"
	"math/bits"
	"slices"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// cursor goes through the values of one leaf in a row group.
type cursor struct {
	file   *File
	leaf   *leaf
	inRuns bool
	pages

	// Of the words there are as many as batches that may be in use, in turns.
	dictionaries, owns turns
	dictionary         *column.Words
	known              bool          // the group has a dictionary
	own                *column.Words // of a batch's values that are in no dictionary

	left     int64 // values of the page, NULLs and empty lists among them
	reps     hybrid
	defs     hybrid
	indexes  hybrid
	values   values // nil: they are of the dictionary
	rep, def []int32
	buffered int  // levels that were read and not used stand at the end of rep and def
	full     bool // all of them are of values that are there; they are not spelled out in def
	open     bool
}

func newCursor(f *File, chosen int) *cursor {
	c := &cursor{file: f, leaf: &f.schema.leaves[f.chosen[chosen]], inRuns: f.runs[chosen]}
	for i := range c.owns.words {
		c.owns.words[i].Once = true
	}
	c.dictionary, c.own = c.dictionaries.next(), c.owns.next()
	return c
}

// turns are words that are used in turns. A batch needs one at most.
type turns struct {
	words [column.AtOnce]column.Words
	n     int
}

// next are the words that were used longest ago, without any. If the last ones are large, no others
// are in use (column.Ahead), and their room goes.
func (t *turns) next() *column.Words {
	for i := range t.words {
		if i != t.n && t.words[t.n].Large() {
			t.words[i].Reset()
		}
	}
	t.n = (t.n + 1) % len(t.words)
	w := &t.words[t.n]
	w.Reset()
	return w
}

// held is how many bytes all of them take.
func (t *turns) held() (n int) {
	for i := range t.words {
		n += cap(t.words[i].Text) + 4*cap(t.words[i].Ends)
	}
	return n
}

func (c *cursor) begin(r *io.SectionReader, codec int) {
	c.pages.begin(r, codec)
	c.left, c.buffered, c.known, c.open = 0, 0, false, false
}

// more goes to the next page of values, if none is left of this one. The error is io.EOF where the
// group has no more.
func (c *cursor) more() error {
	for c.left == 0 {
		h, data, err := c.pages.next(c.file.account)
		if err != nil {
			return err
		}
		switch h.kind {
		case 2:
			err = c.readDictionary(h, data)
		case 0, 3:
			err = c.readData(h, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *cursor) readDictionary(h page, data []byte) error {
	if c.known || h.encoding != encPlain && h.encoding != encPlainDictionary {
		return errPage
	}
	v, err := c.leaf.values(encPlain, data, maxPage)
	if err != nil {
		return err
	}
	c.known = true
	c.dictionary = c.dictionaries.next()
	return c.words(v, c.dictionary, int(h.values))
}

// errWords says that values take too much memory.
func errWords() error {
	return &limits.TooLarge{Why: "the texts of a few rows, or of a dictionary, take more than " +
		limits.Bytes(maxWords) + ": is it the right column?"}
}

// work notes that so many levels or values are read, which may be a run of a few bytes.
func (c *cursor) work(n int) error { return c.file.account.Work(workPerValue * int64(n)) }

// words appends n values to words, unless they take too much memory.
func (c *cursor) words(v values, words *column.Words, n int) error {
	for n > 0 {
		some, before := min(n, batchRows), len(words.Text)
		if err := v.next(words, some); err != nil {
			return err
		}
		if len(words.Text) > maxWords {
			return errWords()
		}
		if err := c.file.account.Work(int64(len(words.Text) - before)); err != nil {
			return err
		}
		if err := c.file.held(); err != nil {
			return err
		}
		n -= some
	}
	return nil
}

// readData begins a page of values.
func (c *cursor) readData(h page, data []byte) (err error) {
	if !h.hasValues {
		return errPage
	}
	width := uint(bits.Len(uint(c.leaf.maxDef)))
	if h.kind == 3 {
		reps := data[:h.repSize]
		defs := data[h.repSize : h.repSize+h.defSize]
		c.reps, c.defs = hybrid{b: reps, width: 1}, hybrid{b: defs, width: width}
		data = data[h.repSize+h.defSize:]
	} else {
		if c.leaf.maxRep > 0 {
			if h.repEncoding != encHybrid {
				return errEncoding
			}
			if c.reps, data, err = runs(data, 1); err != nil {
				return err
			}
		}
		if c.leaf.maxDef > 0 {
			if h.defEncoding != encHybrid {
				return errEncoding
			}
			if c.defs, data, err = runs(data, width); err != nil {
				return err
			}
		}
	}
	if h.encoding == encDictionary || h.encoding == encPlainDictionary {
		if !c.known {
			return errPage
		}
		c.values, c.indexes = nil, hybrid{}
		if len(data) > 0 {
			if c.indexes = (hybrid{b: data[1:], width: uint(data[0])}); data[0] > 32 {
				return errPage
			}
		}
	} else {
		c.values, err = c.leaf.values(h.encoding, data, int(min(h.values, maxPage)))
	}
	c.left = h.values
	return err
}

// take reads up to so many rows, fewer where they are long, and says how many.
func (c *cursor) take(cells *column.Cells, rows int) (n int, err error) {
	c.own = c.owns.next()
	if cells.Words = nil; c.leaf.maxRep > 0 {
		n, err = c.lists(cells, rows)
	} else {
		n, err = c.texts(cells, rows)
	}
	if cells.Words == nil {
		cells.Words = c.own
	}
	return n, err
}

// texts reads rows of one value each.
func (c *cursor) texts(cells *column.Cells, rows int) (int, error) {
	done := 0
	for done < rows {
		if err := c.more(); err != nil {
			return done, unexpected(err)
		}
		n := int(min(int64(rows-done), c.left))
		if err := c.work(n); err != nil {
			return done, err
		}
		if err := c.some(cells, n); err != nil {
			return done, err
		}
		done += n
		c.left -= int64(n)
	}
	return done, nil
}

// some reads n rows of one value each, which are on one page.
func (c *cursor) some(cells *column.Cells, n int) error {
	full, before := int32(c.leaf.maxDef), len(cells.Codes)
	if full == 0 || c.defs.same(n, full) {
		if c.inRuns && c.values == nil && (cells.Words == nil || cells.Words == c.dictionary) {
			cells.Words = c.dictionary
			return errors.Join(c.indexes.runs(cells, n), c.inDictionary())
		}
		if err := c.all(cells, n); err != nil {
			return err
		}
	} else {
		c.def = levels(c.def, n)
		if err := c.defs.fill(c.def); err != nil {
			return err
		}
		if err := c.put(cells, c.def, full); err != nil {
			return err
		}
	}
	if c.inRuns {
		codes := cells.Codes[before:]
		cells.Codes = cells.Codes[:before]
		for _, code := range codes { // there are no more of them than before
			cells.AddRun(code, 1)
		}
	}
	return nil
}

// inDictionary makes sure that the places that were read are in the dictionary.
func (c *cursor) inDictionary() error {
	if c.indexes.most >= uint32(c.dictionary.Len()) {
		return errPage
	}
	return nil
}

// lists reads rows of lists. A row ends where the next one begins, which may be on another page.
func (c *cursor) lists(cells *column.Cells, rows int) (int, error) {
	for {
		if c.buffered == 0 {
			if err := c.more(); err == io.EOF {
				return c.lastList(cells)
			} else if err != nil {
				return 0, err
			}
			n := int(min(batchRows, c.left))
			if err := c.work(n); err != nil {
				return 0, err
			}
			if err := c.buffer(n); err != nil {
				return 0, err
			}
		}
		elements := c.elements
		if c.full {
			elements = c.fullElements
		}
		used, full, err := elements(cells, rows)
		c.buffered -= used
		if err != nil {
			return 0, err
		}
		if full {
			return len(cells.Ends), nil
		}
	}
}

// buffer reads the levels of the next n values.
func (c *cursor) buffer(n int) error {
	c.rep = levels(c.rep, n)
	if err := c.reps.fill(c.rep); err != nil {
		return err
	}
	if c.full = c.defs.same(n, int32(c.leaf.maxDef)); !c.full {
		c.def = levels(c.def, n)
		if err := c.defs.fill(c.def); err != nil {
			return err
		}
	}
	c.left -= int64(n)
	c.buffered = n
	return nil
}

// lastList ends the last list of the group.
func (c *cursor) lastList(cells *column.Cells) (int, error) {
	if !c.open {
		return len(cells.Ends), unexpected(io.EOF)
	}
	c.open = false
	cells.Ends = append(cells.Ends, uint32(len(cells.Codes)))
	return len(cells.Ends), nil
}

// elements takes buffered levels up to the end of the last row that there is room for.
func (c *cursor) elements(cells *column.Cells, rows int) (used int, full bool, err error) {
	rep, def := c.rep[len(c.rep)-c.buffered:], c.def[len(c.def)-c.buffered:]
	present, from := int32(c.leaf.present), 0
	flush := func(to int) error { // the elements from..to are one after another
		err := c.put(cells, def[from:to], int32(c.leaf.maxDef))
		from = to
		return err
	}
	for i := range rep {
		if rep[i] == 0 {
			if c.open {
				if err := flush(i); err != nil {
					return i, false, err
				}
				c.open = false
				cells.Ends = append(cells.Ends, uint32(len(cells.Codes)))
				if len(cells.Ends) == rows || len(cells.Codes) > batchElements {
					return i, true, nil
				}
			}
			c.open = true
		} else if !c.open {
			return i, false, errPage
		}
		if def[i] < present { // an empty list, or none
			if err := flush(i); err != nil {
				return i, false, err
			}
			from = i + 1
		}
		if len(cells.Codes)+i-from > limits.MaxLine {
			return i, false, errList()
		}
	}
	return len(rep), false, flush(len(rep))
}

func errList() error {
	return &limits.TooLarge{Why: "a list has more than 16 million elements: a transaction is one " +
		"person's"}
}

// fullElements is elements where all values are there, as in most of most files.
func (c *cursor) fullElements(cells *column.Cells, rows int) (used int, full bool, err error) {
	rep, before := c.rep[len(c.rep)-c.buffered:], len(cells.Codes)
	used = len(rep)
	if rep[0] != 0 && !c.open {
		return 0, false, errPage
	}
	for i, r := range rep {
		if r != 0 {
			continue
		}
		if c.open {
			cells.Ends = append(cells.Ends, uint32(before+i))
			if len(cells.Ends) == rows || before+i > batchElements {
				c.open, used, full = false, i, true
				break
			}
		}
		c.open = true
	}
	if before+used > limits.MaxLine {
		return used, false, errList()
	}
	return used, full, c.all(cells, used)
}

// put appends values: those whose level is full are there, the others are NULL.
func (c *cursor) put(cells *column.Cells, def []int32, full int32) error {
	there := 0
	for _, d := range def {
		if d == full {
			there++
		} else if d > full {
			return errPage
		}
	}
	from := len(cells.Codes)
	if err := c.all(cells, there); err != nil {
		return err
	}
	if there == len(def) {
		return nil
	}
	spread(cells, from, def, full)
	return nil
}

// all appends values, all of which are there.
func (c *cursor) all(cells *column.Cells, there int) error {
	if c.values == nil {
		return c.fromDictionary(cells, there)
	}
	if there == 0 {
		return nil
	}
	if cells.Words == nil {
		cells.Words = c.own
	}
	if !cells.Own(c.own, maxWords) {
		return errWords()
	}
	code := int32(c.own.Len())
	if err := c.words(c.values, c.own, there); err != nil {
		return err
	}
	for range there {
		cells.Codes = append(cells.Codes, code)
		code++
	}
	return nil
}

// fromDictionary appends values by their places in the dictionary.
func (c *cursor) fromDictionary(cells *column.Cells, n int) error {
	from := len(cells.Codes)
	if cells.Words == nil {
		cells.Words = c.dictionary
	}
	cells.Codes = slices.Grow(cells.Codes, n)[:from+n]
	if err := c.indexes.fill(cells.Codes[from:]); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	if err := c.inDictionary(); err != nil {
		return err
	}
	if cells.Words != c.dictionary { // values before were not of it
		for i, code := range cells.Codes[from:] {
			cells.Codes[from+i] = int32(c.own.Len())
			if c.own.Add(c.dictionary.At(int(code))); len(c.own.Text) > maxWords {
				return errWords()
			}
		}
	}
	return nil
}

// spread puts NULLs between the values that were appended from a place on.
func spread(cells *column.Cells, from int, def []int32, full int32) {
	at := len(cells.Codes) - 1
	for len(cells.Codes) < from+len(def) {
		cells.Codes = append(cells.Codes, column.Null)
	}
	for i := len(def) - 1; i >= 0; i-- {
		if def[i] == full {
			cells.Codes[from+i] = cells.Codes[at]
			at--
		} else {
			cells.Codes[from+i] = column.Null
		}
	}
}

func levels(b []int32, n int) []int32 {
	if cap(b) < n {
		return make([]int32, n)
	}
	b = b[:n]
	clear(b)
	return b
}

// unexpected says that a group has fewer values than rows.
func unexpected(err error) error {
	if err == io.EOF {
		return errPage
	}
	return err
}
