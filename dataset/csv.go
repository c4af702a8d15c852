package dataset

import (
	"bytes"
	"strconv"

	"mingle/internal/limits"
)

// csvScanner reads records as RFC 4180 has them from a block of whole records. What breaks the
// rules is noted, and scanning goes on as if the quote were an ordinary character, so that many
// faults are told at once.
type csvScanner struct {
	delim   byte
	class   [256]uint8
	b       []byte
	i       int // position of the next byte
	line    int // line of the block it is on, from 0
	scratch []byte
	out     *part
}

// field is one field of a record. Its text aliases the block or the scanner.
type field struct {
	text   []byte
	quoted bool
}

// What a byte of an unquoted field can be.
const (
	inField = iota
	endsField
	isQuote
	isFieldReturn
)

func newCSVScanner(delim byte) csvScanner {
	s := csvScanner{delim: delim}
	s.class[delim], s.class['\n'] = endsField, endsField
	s.class['"'], s.class['\r'] = isQuote, isFieldReturn
	return s
}

func (s *csvScanner) start(b []byte, out *part) {
	s.b, s.i, s.line, s.out = b, 0, 0, out
	s.scratch = s.scratch[:0]
}

// more tells whether a record begins at the current position.
func (s *csvScanner) more() bool { return s.i < len(s.b) }

// blank passes over a line that holds nothing at all, if there is one.
func (s *csvScanner) blank() bool {
	rest := s.b[s.i:]
	n := bytes.IndexByte(rest[:min(2, len(rest))], '\n')
	if n < 0 || n == 1 && rest[0] != '\r' {
		return false
	}
	s.i += n + 1
	s.line++
	return true
}

// record reads the fields of the record at the current position, reusing into.
func (s *csvScanner) record(into []field) []field {
	into = into[:0]
	s.scratch = s.scratch[:0]
	for {
		f, last := s.next()
		// one more than there may be shows that there are too many
		if len(into) <= limits.MaxColumns {
			into = append(into, f)
		}
		if last {
			return into
		}
	}
}

// next reads one field and what ends it; last tells that it ended the record.
func (s *csvScanner) next() (f field, last bool) {
	if s.i < len(s.b) && s.b[s.i] == '"' {
		return s.quotedField()
	}
	from, to := s.i, s.plain(s.i)
	last = s.pass(to)
	if last && to > from && s.b[to-1] == '\r' {
		to--
	}
	return field{text: s.b[from:to]}, last
}

// plain finds the end of the unquoted text from i on, and notes characters that may not be in it.
func (s *csvScanner) plain(i int) int {
	b, class := s.b, &s.class // on the stack: the loop runs over most bytes of a file
	for ; ; i++ {
		for class[b[i]] == inField {
			i++
		}
		switch class[b[i]] {
		case endsField:
			return i
		case isQuote:
			s.out.faultf(s.line, "a quote inside a field that does not begin with one: quote "+
				"the whole field, and double the quotes in it")
			for class[b[i]] != endsField {
				i++
			}
			return i
		case isFieldReturn:
			if b[i+1] != '\n' {
				s.out.faultf(s.line, strayReturn)
			}
		}
	}
}

// pass moves behind the delimiter or line feed at position end.
func (s *csvScanner) pass(end int) (last bool) {
	if s.b[end] == '\n' {
		s.line++
		last = true
	}
	s.i = end + 1
	return last
}

// quotedField reads the quoted field at the current position.
func (s *csvScanner) quotedField() (f field, last bool) {
	from := s.i + 1
	to := closeQuote(s.b, from)
	if to < 0 {
		s.out.faultf(s.line, "the field that begins with a quote here is never closed")
		s.line += bytes.Count(s.b[s.i:], []byte{'\n'})
		s.i = len(s.b)
		return field{quoted: true}, true
	}
	text := s.b[from : to-1]
	if bytes.IndexByte(text, '"') >= 0 {
		text = s.unquote(text)
	}
	s.line += bytes.Count(text, []byte{'\n'})
	end := to
	if s.b[end] == '\r' && s.b[end+1] == '\n' {
		end++
	}
	if s.class[s.b[end]] != endsField {
		s.out.faultf(s.line, "text after a closing quote: quote the whole field, and double the "+
			"quotes in it")
		for s.class[s.b[end]] != endsField {
			end++
		}
	}
	return field{text, true}, s.pass(end)
}

// unquote makes one quote of two.
func (s *csvScanner) unquote(text []byte) []byte {
	from := len(s.scratch)
	for {
		q := bytes.IndexByte(text, '"')
		if q < 0 {
			s.scratch = append(s.scratch, text...)
			return s.scratch[from:]
		}
		s.scratch = append(s.scratch, text[:q+1]...)
		text = text[q+2:]
	}
}

// trimmed is the field without the blanks around it; what is quoted stays as it is.
func (f field) trimmed() []byte {
	if f.quoted {
		return f.text
	}
	return trimBlanks(f.text)
}

// trimBlanks cuts spaces and tabs from both ends.
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// header spells out the names of a header record; where there is none, columns are numbered from 1.
func header(fields []field, absent bool) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = string(f.trimmed())
		if absent {
			names[i] = strconv.Itoa(i + 1)
		}
	}
	return names
}
