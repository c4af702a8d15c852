package rows

import (
	"bytes"
	"io"
)

// Header takes the header of a stream off that is written: Take gets its bytes as they come.
type Header struct {
	Columns []Column
	begun   []byte
	done    bool
}

// Take takes some bytes of a stream, and returns those behind the header, once it is whole.
func (h *Header) Take(p []byte) (rest []byte, done bool, err error) {
	if h.done {
		return p, true, nil
	}
	h.begun = append(h.begun, p...)
	s := &stream{in: bytes.NewReader(h.begun)}
	columns, err := s.header()
	if err == errCut {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	rest, h.begun = h.begun[len(HeaderOf(columns)):], nil
	h.Columns, h.done = columns, true
	return rest, true, nil
}

// Tuples calls each with the values of every row of a stream, in their order; a value is nil where
// it is NULL. It is for databases that do not take the stream itself.
func Tuples(in io.Reader, each func(values [][]byte) error) error {
	s := &stream{in: in}
	if err := s.copied(); err != nil {
		return err
	}
	var values [][]byte
	text := []byte{} // an empty value is not nil
	for {
		count, err := s.uint16()
		if err != nil || count == 0xFFFF {
			return err
		}
		values, text = values[:0], text[:0]
		var ends []int
		for range count {
			size, err := s.uint32()
			if err != nil {
				return err
			}
			if size == 0xFFFFFFFF {
				ends = append(ends, -1)
				continue
			}
			b, err := s.bytes(int(size))
			if err != nil {
				return err
			}
			text = append(text, b...)
			ends = append(ends, len(text))
		}
		from := 0
		for _, end := range ends {
			if end < 0 {
				values = append(values, nil)
				continue
			}
			values = append(values, text[from:end:end])
			from = end
		}
		if err := each(values); err != nil {
			return err
		}
	}
}

// Elements are the texts of an array of texts.
func Elements(value []byte) (out []string, err error) {
	out = []string{}
	err = array(value, func(element []byte, null bool) error {
		if !null {
			out = append(out, string(element))
		}
		return nil
	})
	return out, err
}
