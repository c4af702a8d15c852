package dataset

import (
	"bytes"
	"fmt"
	"io"

	"mingle/internal/limits"
)

// blockSize is how much text is parsed at a time: large enough that goroutines seldom meet, small
// enough to stay in the cache.
const blockSize = 1 << 19

// largeBlock is the size from which a block is parsed by itself, so that only a few large ones are
// held at once.
const largeBlock = 8 * blockSize

// longLine reports a record of more than limits.MaxLine bytes.
func longLine(quoted bool) error {
	why := "the line is longer than %s: a transaction is one person's; give very long ones in " +
		"format long, an item a line"
	if quoted {
		why = "the record is longer than %s: is a quote not closed, or are line ends missing?"
	}
	return &limits.TooLarge{Why: fmt.Sprintf(why, limits.Bytes(limits.MaxLine))}
}

// splitter cuts a source into blocks of whole records, wherever the source's own reads end: the
// cuts depend on the text only.
type splitter struct {
	src    io.Reader
	size   int
	quoted bool // records are CSV: a quoted field may hold line ends
	delim  byte // of CSV
	rest   []byte
	eof    bool
}

// next fills buf with the next block, at least one record long, and returns it; every block ends
// with a line feed, the last one too. The error is io.EOF after the last block.
func (s *splitter) next(buf []byte) ([]byte, error) {
	if cap(buf) > largeBlock {
		buf = nil
	}
	buf = append(buf[:0], s.rest...)
	s.rest = s.rest[:0]
	for want := s.size; ; want = min(2*want, limits.MaxLine+1) {
		if err := s.fill(&buf, want); err != nil {
			return buf, err
		}
		if s.eof && len(buf) <= limits.MaxLine {
			break
		}
		if cut := s.boundary(buf); cut > 0 {
			s.rest = append(s.rest, buf[cut:]...)
			return buf[:cut], nil
		}
		if len(buf) > limits.MaxLine {
			return buf[:0], longLine(s.quoted)
		}
	}
	if len(buf) == 0 {
		return buf, io.EOF
	}
	if buf[len(buf)-1] != '\n' {
		buf = append(buf, '\n')
	}
	return buf, nil
}

// firstRead is the room that a block begins with: little text takes little.
const firstRead = 1 << 12

// fill reads until buf holds n bytes or the source ends.
func (s *splitter) fill(buf *[]byte, n int) error {
	for len(*buf) < n && !s.eof {
		if len(*buf) >= cap(*buf)-1 { // one byte is left for a line feed
			grown := make([]byte, len(*buf), min(max(firstRead, 8*len(*buf)), n)+1)
			copy(grown, *buf)
			*buf = grown
		}
		got, err := s.src.Read((*buf)[len(*buf):min(n, cap(*buf)-1)])
		*buf = (*buf)[:len(*buf)+got]
		if err == io.EOF {
			s.eof = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// boundary is the end of the last whole record in b, 0 if there is none.
func (s *splitter) boundary(b []byte) int {
	if !s.quoted {
		return bytes.LastIndexByte(b, '\n') + 1
	}
	end := 0
	for at := 0; ; {
		open := s.openQuote(b, at)
		if open < 0 {
			if cut := bytes.LastIndexByte(b[at:], '\n'); cut >= 0 {
				end = at + cut + 1
			}
			return end
		}
		if cut := bytes.LastIndexByte(b[at:open], '\n'); cut >= 0 {
			end = at + cut + 1
		}
		if at = closeQuote(b, open+1); at < 0 {
			return end
		}
	}
}

// openQuote finds the next quote from at on that begins a field; others are faults for the parser
// to tell.
func (s *splitter) openQuote(b []byte, at int) int {
	for i := at; ; i++ {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 {
			return -1
		}
		i += q
		if i == 0 || b[i-1] == s.delim || b[i-1] == '\n' {
			return i
		}
	}
}

// closeQuote finds the end of a quoted field whose text begins at i: the position after its closing
// quote, -1 if it is not in b.
func closeQuote(b []byte, i int) int {
	for {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 || i+q+1 == len(b) {
			return -1
		}
		if i += q + 1; b[i] != '"' {
			return i
		}
		i++
	}
}
