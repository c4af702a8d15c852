package rows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// magic is how a stream begins.
const magic = "mingle rows 1\n"

// signature is how the binary form of COPY begins, before its flags and its extension.
const signature = "PGCOPY\n\xff\r\n\x00"

// Column is one of the columns of a stream.
type Column struct {
	Name string
	Type Type
	// TypeName is what messages call the type.
	TypeName string
}

// HeaderOf is the header of a stream.
func HeaderOf(columns []Column) []byte {
	dst := []byte(magic)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(columns)))
	for _, c := range columns {
		dst = binary.BigEndian.AppendUint32(dst, uint32(c.Type))
		for _, text := range []string{c.Name, c.TypeName} {
			dst = binary.BigEndian.AppendUint16(dst, uint16(len(text)))
			dst = append(dst, text...)
		}
	}
	return dst
}

// errCut says that a stream ends before its last row.
var errCut = errors.New("the rows end too early: the connection was lost, or the query was ended")

// stream is a stream of rows that is read; nothing is reserved for what it says before it is there.
type stream struct {
	in   io.Reader
	buf  []byte
	from int // what was read up to here is done with
	end  error
}

const firstRead = 1 << 18

// bytes are the next n; they are valid until bytes is called again.
func (s *stream) bytes(n int) ([]byte, error) {
	if len(s.buf)-s.from < n {
		if err := s.fill(n); err != nil {
			return nil, err
		}
	}
	out := s.buf[s.from : s.from+n]
	s.from += n
	return out, nil
}

// fill reads until n bytes are there. Room doubles as bytes come.
func (s *stream) fill(n int) error {
	s.buf = s.buf[:copy(s.buf, s.buf[s.from:])]
	s.from = 0
	for len(s.buf) < n {
		if s.end != nil {
			if s.end == io.EOF {
				return errCut
			}
			return s.end
		}
		if len(s.buf) == cap(s.buf) {
			grown := make([]byte, len(s.buf), max(firstRead, 2*cap(s.buf)))
			copy(grown, s.buf)
			s.buf = grown
		}
		got, err := s.in.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf, s.end = s.buf[:len(s.buf)+got], err
	}
	return nil
}

// noValue is the length of NULL.
const noValue = 0xFFFFFFFF

// near is the next value with its length before it, where all of it was read already. It may not be
// longer than a line: no more than that is read at a time.
func (s *stream) near() (value []byte, null, ok bool) {
	b := s.buf[s.from:]
	if len(b) < 4 {
		return nil, false, false
	}
	size := binary.BigEndian.Uint32(b)
	if size == noValue {
		s.from += 4
		return nil, true, true
	}
	if uint64(size) > uint64(len(b)-4) || size > limits.MaxLine {
		return nil, false, false
	}
	s.from += 4 + int(size)
	return b[4 : 4+size], false, true
}

func (s *stream) uint16() (int, error) {
	b, err := s.bytes(2)
	if err != nil {
		return 0, err
	}
	return int(binary.BigEndian.Uint16(b)), nil
}

func (s *stream) uint32() (uint32, error) {
	b, err := s.bytes(4)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(b), nil
}

func (s *stream) text() (string, error) {
	n, err := s.uint16()
	if err != nil {
		return "", err
	}
	b, err := s.bytes(n)
	return string(b), err
}

// errNoRows is for a file that is given as what it is not.
var errNoRows = errors.New("these are no rows of a database")

// header reads the columns.
func (s *stream) header() (columns []Column, err error) {
	begin, err := s.bytes(len(magic))
	if err != nil && strings.HasPrefix(magic, string(s.buf)) {
		return nil, err
	}
	if err != nil || string(begin) != magic {
		return nil, errNoRows
	}
	n, err := s.uint16()
	if err != nil {
		return nil, err
	}
	if n > limits.MaxColumns {
		return nil, fmt.Errorf("there are %d columns, and at most %d are read", n, limits.MaxColumns)
	}
	for range n {
		code, err := s.uint32()
		if err != nil {
			return nil, err
		}
		c := Column{Type: Type(code)}
		if c.Name, err = s.text(); err == nil {
			c.TypeName, err = s.text()
		}
		if err != nil {
			return nil, err
		}
		if !column.IsText(c.Name) {
			return nil, fmt.Errorf("the name of column %d is no text", len(columns)+1)
		}
		columns = append(columns, c)
	}
	return columns, s.copied()
}

// broken is the error that ended the stream, where it was none of its own.
func (s *stream) broken() error {
	if s.end == nil || s.end == io.EOF {
		return nil
	}
	return s.end
}

// copied reads what the binary form of COPY begins with.
func (s *stream) copied() error {
	b, err := s.bytes(len(signature) + 8)
	if err != nil {
		return err
	}
	flags := binary.BigEndian.Uint32(b[len(signature):])
	more := binary.BigEndian.Uint32(b[len(signature)+4:])
	if string(b[:len(signature)]) != signature || flags != 0 || more != 0 {
		return errors.New("the server sends rows in a form that is not known")
	}
	return nil
}

// Source is a stream of rows, as a file of columns.
type Source struct {
	stream  stream
	columns []Column
	takes   []taker // by column; nil: it is passed over
	words   []column.Words
	chosen  []int // of the columns
	row     int
	ended   bool
	account *limits.Account
}

// Open reads the header of a stream. account, which may be nil, is asked before much is kept.
func Open(in io.Reader, account *limits.Account) (*Source, error) {
	s := &Source{stream: stream{in: in}, account: account}
	var err error
	s.columns, err = s.stream.header()
	return s, err
}

// Fields are the columns, with why values of a type cannot be read.
func (s *Source) Fields() []column.Field {
	var out []column.Field
	for _, c := range s.columns {
		f := column.Field{Name: c.Name, List: elements[c.Type] != 0 || isJSON(c.Type)}
		if !Known(c.Type) {
			f.Unusable = fmt.Sprintf("it holds values of type %s; cast them in --query, as in %s::text",
				c.TypeName, c.Name)
		}
		out = append(out, f)
	}
	return out
}

// Choose says which columns are read.
func (s *Source) Choose(fields []int) error {
	s.chosen = fields
	s.takes, s.words = make([]taker, len(s.columns)), make([]column.Words, len(fields))
	for i, at := range fields {
		if s.takes[at] != nil {
			return errors.New("a column is chosen twice")
		}
		s.takes[at] = takerOf(s.columns[at].Type, i)
	}
	return nil
}
