package dataset

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"mingle/internal/limits"
)

// part is what a parser makes of one block. Its transactions hold the parser's own ids, in the
// order of the text; the collector sorts them out.
type part struct {
	items []int32
	ends  []uint32 // transaction i is items[ends[i-1]:ends[i]]
	lines []uint32 // line of transaction i within the block, from 0; nil: i
	count int      // lines in the block

	labels   []string // the parser's labels that are new since its last part
	cols     []partColumn
	keys     texts // long: the transaction each run of rows belongs to
	setAt    int   // jsonl: how many fields stand before the set in the first object
	names    []itemName
	surplus  Surplus
	itemless int // long: rows without an item
	missing  int // of files of columns: elements of lists that are NULL or empty
	// rows that were left out because something is missing in them
	incomplete int

	faults Faults
	hint   string // a fault of the file as a whole, told once
	hintAt int
}

// partColumn holds values of one column: of the transactions in rows, or of all where rows is nil.
type partColumn struct {
	name   string
	rows   []int32
	values texts
}

// itemName is an "@ITEM=1=apple" line of an SPMF file.
type itemName struct {
	number, name string
	line         int
}

func (p *part) reset() {
	if cap(p.items) > largeBlock {
		p.items = nil
	}
	*p = part{
		items: p.items[:0], ends: p.ends[:0], cols: p.cols[:0],
		keys: texts{p.keys.buf[:0], p.keys.ends[:0]},
	}
}

// end ends a transaction that began on a line of the block.
func (p *part) end(line int) {
	if p.lines != nil || line != len(p.ends) {
		if p.lines == nil {
			p.lines = make([]uint32, 0, max(16, cap(p.ends))) // as many as were before
		}
		for len(p.lines) < len(p.ends) {
			p.lines = append(p.lines, uint32(len(p.lines)))
		}
		p.lines = append(p.lines, uint32(line))
	}
	p.ends = append(p.ends, uint32(len(p.items)))
}

// line is where transaction i begins within the block, from 0.
func (p *part) line(i int) int {
	if p.lines == nil {
		return i
	}
	return int(p.lines[i])
}

// faultf notes what is wrong on a line of the block.
func (p *part) faultf(line int, format string, args ...any) {
	p.faults.Addf(line+1, format, args...)
}

// hintf notes what is wrong with the whole file, seen first on a line.
func (p *part) hintf(line int, text string) {
	if p.hint == "" {
		p.hint, p.hintAt = text, line+1
	}
}

// texts are byte strings stored one after another.
type texts struct {
	buf  []byte
	ends []uint32
}

func (t *texts) add(b []byte) {
	t.buf = append(t.buf, b...)
	t.ends = append(t.ends, uint32(len(t.buf)))
}

func (t *texts) len() int { return len(t.ends) }

func (t *texts) at(i int) []byte {
	if i == 0 {
		return t.buf[:t.ends[0]]
	}
	return t.buf[t.ends[i-1]:t.ends[i]]
}

// appendTo appends all of them as strings that share one allocation.
func (t *texts) appendTo(out []string) []string {
	all, from := string(t.buf), uint32(0)
	for _, to := range t.ends {
		out = append(out, all[from:to])
		from = to
	}
	return out
}

// checkText notes every line of a block that is not UTF-8 text.
func checkText(b []byte, out *part) {
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		return
	}
	for line := 0; len(b) > 0; line++ {
		n := bytes.IndexByte(b, '\n') + 1
		if why := notText(b[:n]); why != "" {
			out.faultf(line, "%s", why)
		}
		b = b[n:]
	}
}

func notText(line []byte) string {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return fmt.Sprintf("broken UTF-8: byte %d of the line is 0x%02x%s", i+1, line[i],
				remedy(line[i]))
		case r == 0:
			return fmt.Sprintf("byte %d of the line is NUL: is this a binary file, or UTF-16? "+
				"Save it as UTF-8, or say --encoding utf-16le", i+1)
		}
		i += size
	}
	return ""
}

// remedy says what to do about a byte that is not UTF-8.
func remedy(c byte) string {
	if r, ok := limits.Guess(c); ok {
		return fmt.Sprintf(", which is %q in Windows-1252: say --encoding windows-1252 if that is "+
			"right, or save the file as UTF-8", r)
	}
	return ": save the file as UTF-8, or name its encoding with --encoding"
}

const strayReturn = "a carriage return inside the line: lines must end in LF or CRLF"
