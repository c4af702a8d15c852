package rows

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// A batch ends where it has one of these.
const (
	batchRows     = 4096
	batchText     = 1 << 20 // bytes
	batchElements = 1 << 18
)

// Next reads some rows.
func (s *Source) Next(b *column.Batch) error { return s.some(b, batchRows) }

// some reads so many rows at most.
func (s *Source) some(b *column.Batch, most int) error {
	b.Reset(len(s.chosen))
	for i := range b.Cells {
		w := &s.words[i]
		number := wholeSize(s.columns[s.chosen[i]].Type) > 0
		if !number || w.Len() > maxNumbers {
			w.Reset()
		}
		w.Once = !number
		b.Cells[i].Words = w
	}
	for b.Rows < most {
		more, err := s.next(b)
		if err != nil {
			return err
		}
		if !more {
			if b.Rows == 0 {
				return io.EOF
			}
			break
		}
		b.Rows++
		s.row++
		if s.full(b) {
			break
		}
	}
	kept := int64(0)
	for i := range b.Cells {
		if b.Cells[i].Words.Once {
			kept += int64(len(b.Cells[i].Words.Text))
		}
	}
	return s.account.Work(kept)
}

func (s *Source) full(b *column.Batch) bool {
	for i := range b.Cells {
		c := &b.Cells[i]
		if len(c.Words.Text) >= batchText || len(c.Codes) >= batchElements {
			return true
		}
	}
	return false
}

// next reads a row; false: there is none.
func (s *Source) next(b *column.Batch) (more bool, err error) {
	if s.ended {
		return false, nil
	}
	count, err := s.stream.uint16()
	if err != nil {
		return false, s.at(err)
	}
	if count == 0xFFFF { // the row count of the last one, -1
		s.ended = true
		return false, s.nothingElse()
	}
	if count != len(s.columns) {
		return false, s.at(fmt.Errorf("the row has %d columns, and %d were announced", count,
			len(s.columns)))
	}
	for i := range s.columns {
		value, null, ok := s.stream.near()
		if !ok {
			value, null, err = s.value(i)
		}
		if err == nil && s.takes[i] != nil {
			if err = s.takes[i](b, value, null); err != nil {
				err = fmt.Errorf("column %q: %w", s.columns[i].Name, err)
			}
		}
		if err != nil {
			return false, s.at(err)
		}
	}
	return true, nil
}

// value reads the value of a column; null: there is none.
func (s *Source) value(i int) (value []byte, null bool, err error) {
	size, err := s.stream.uint32()
	if err != nil || size == noValue {
		return nil, err == nil, err
	}
	if size > limits.MaxLine {
		c, advice := s.columns[i], "leave it out, or cut it off"
		if elements[c.Type] != 0 || isJSON(c.Type) {
			advice = "a transaction is one person's; give very long ones with an item a row"
		}
		return nil, false, &limits.TooLarge{Why: fmt.Sprintf("a value of column %q is longer than "+
			"%s: %s", c.Name, limits.Bytes(limits.MaxLine), advice)}
	}
	value, err = s.stream.bytes(int(size))
	return value, false, err
}

// at says in which row something is wrong.
func (s *Source) at(err error) error { return fmt.Errorf("row %d: %w", s.row+1, err) }

// nothingElse makes sure that the stream is over.
func (s *Source) nothingElse() error {
	_, err := s.stream.bytes(1)
	switch {
	case err == nil:
		return s.at(fmt.Errorf("something stands behind the last row"))
	case s.stream.broken() != nil:
		return s.at(s.stream.broken())
	}
	return nil
}

// taker puts a value into a batch.
type taker func(b *column.Batch, value []byte, null bool) error

// takerOf is that of a type, for cells i of the batch.
func takerOf(t Type, i int) taker {
	switch {
	case t == jsonb:
		return takeList(i, decodeText, func(value []byte, each eachElement) error {
			if len(value) == 0 || value[0] != 1 { // a version stands before the text
				return errJSON
			}
			return jsonArray(value[1:], each)
		})
	case t == JSON:
		return takeList(i, decodeText, jsonArray)
	case elements[t] != 0:
		return takeList(i, scalars[elements[t]], array)
	}
	if wholeSize(t) > 0 {
		return takeWhole(i, t)
	}
	return takeOne(i, scalars[t])
}

// maxNumbers is how many different whole numbers of a column are kept as a dictionary from one
// batch to the next.
const maxNumbers = 1 << 14

// takeWhole is takeOne for whole numbers, which items and transactions often are: each has one word
// over many batches, so that whoever takes the batch looks it up once.
func takeWhole(i int, t Type) taker {
	var known numbers
	decode, size := scalars[t], wholeSize(t)
	var before int64
	code, epoch := int32(column.Null), -1 // of before
	return func(b *column.Batch, value []byte, null bool) (err error) {
		c := &b.Cells[i]
		w := c.Words
		if null || len(value) != size {
			c.Codes = append(c.Codes, column.Null)
			if !null {
				err = errShort
			}
			return err
		}
		if w.Epoch != epoch {
			known = numbers{}
			code, epoch = column.Null, w.Epoch
		}
		if number := signed(value); code == column.Null || number != before {
			at := known.find(number)
			if at.code == 0 {
				w.Text, _, err = decode(w.Text, value)
				w.End()
				*at = numbered{number, int32(w.Len())}
				known.taken++
			}
			code, before = at.code-1, number
		}
		c.Codes = append(c.Codes, code)
		return err
	}
}

// takeOne takes a value that is a text. One that is that of the row before, as the name of a
// transaction often is, has its word.
func takeOne(i int, decode decoder) taker {
	var before []byte // the value that the last word is of
	return func(b *column.Batch, value []byte, null bool) (err error) {
		c := &b.Cells[i]
		w := c.Words
		last := w.Len() - 1
		if !null && last >= 0 && bytes.Equal(before, value) {
			w.Once = false
			c.Codes = append(c.Codes, int32(last))
			return nil
		}
		if !null {
			start := len(w.Text)
			if w.Text, null, err = decode(w.Text, value); null || err != nil {
				w.Text = w.Text[:start]
			}
		}
		if null || err != nil {
			c.Codes = append(c.Codes, column.Null)
			return err
		}
		w.End()
		before = append(before[:0], value...)
		c.Codes = append(c.Codes, int32(last+1))
		return nil
	}
}

// numbers finds the words of whole numbers, in a table of at least twice as many places as are
// taken: what a column of few numbers needs stays in the caches.
type numbers struct {
	places []numbered
	taken  int
	shift  int // of a hash to a place
}

type numbered struct {
	number int64
	code   int32 // and 1; 0: the place is free
}

// find is the place of a number, or the free one where it belongs.
func (n *numbers) find(number int64) *numbered {
	if 2*n.taken >= len(n.places) {
		n.grow()
	}
	last := uint64(len(n.places) - 1)
	at := uint64(number) * 0x9E3779B97F4A7C15 >> n.shift
	for n.places[at].code != 0 && n.places[at].number != number {
		at = (at + 1) & last
	}
	return &n.places[at]
}

// grow makes room for four times as many.
func (n *numbers) grow() {
	before, size := n.places, max(256, 4*len(n.places))
	n.places, n.shift = make([]numbered, size), 65-bits.Len(uint(size))
	taken := n.taken
	n.taken = 0 // there is room: find does not grow
	for _, p := range before {
		if p.code != 0 {
			*n.find(p.number) = p
		}
	}
	n.taken = taken
}

type eachElement = func(element []byte, null bool) error

// takeList takes a value that is a list. NULL is an empty one.
func takeList(i int, decode decoder, split func([]byte, eachElement) error) taker {
	return func(b *column.Batch, value []byte, null bool) error {
		c := &b.Cells[i]
		each := func(element []byte, null bool) (err error) {
			w, start := c.Words, len(c.Words.Text)
			if !null {
				w.Text, null, err = decode(w.Text, element)
			}
			code := int32(column.Null)
			if !null && err == nil {
				code = int32(w.Len())
				w.End()
			} else {
				w.Text = w.Text[:start]
			}
			c.Codes = append(c.Codes, code)
			return err
		}
		var err error
		if !null {
			err = split(value, each)
		}
		c.Ends = append(c.Ends, uint32(len(c.Codes)))
		return err
	}
}
