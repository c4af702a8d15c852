package dataset

import (
	"bytes"
	"strings"
)

// parser turns blocks of whole records into parts. It keeps its labels from block to block and
// belongs to one goroutine.
type parser interface {
	parse(block []byte, out *part)
	interner() *interner
}

// lineParser reads fimi and spmf: a transaction a line, items separated by blanks.
type lineParser struct {
	ids       *interner
	spmf      bool
	sequences bool
}

func (p *lineParser) interner() *interner { return p.ids }

// What a byte of a fimi or spmf line can be.
const (
	inToken = iota
	isBlank
	isReturn
	isNewline
)

var lineClass = [256]uint8{
	' ': isBlank, '\t': isBlank, '\v': isBlank, '\f': isBlank, '\r': isReturn, '\n': isNewline,
}

// parse reads a block in one pass. A number of up to six digits in its shortest form never leaves
// the inner loop; every block ends with a line feed, so that no loop runs past it.
func (p *lineParser) parse(b []byte, out *part) {
	checkText(b, out)
	line := 0
	for i := 0; i < len(b); line++ {
		if p.spmf {
			if skip := p.metadata(b[i:], line, out); skip > 0 {
				i += skip
				continue
			}
		}
		i = p.line(b, i, line, out)
		out.end(line)
		if p.spmf {
			p.refuseEmpty(line, out)
		}
	}
	out.count = line
}

// line reads the transaction that begins at i and returns the position after its line feed.
func (p *lineParser) line(b []byte, i, line int, out *part) int {
	items, direct := out.items, p.ids.direct
	for {
		c := b[i]
		if v := uint32(c - '0'); v <= 9 {
			j := i + 1
			for d := uint32(b[j] - '0'); d <= 9; d = uint32(b[j] - '0') {
				v = 10*v + d
				j++
			}
			if (c != '0' || j == i+1) && j-i <= 6 && lineClass[b[j]] != inToken {
				if int(v) < len(direct) && direct[v] > 0 {
					items = append(items, direct[v]-1)
				} else {
					items = append(items, p.ids.number(v))
					direct = p.ids.direct
				}
				i = j
				continue
			}
		}
		switch lineClass[c] {
		case isNewline:
			out.items = items
			return i + 1
		case isReturn:
			if b[i+1] != '\n' {
				out.faultf(line, strayReturn)
			}
			i++
		case isBlank:
			i++
		default:
			j := i + 1
			for lineClass[b[j]] == inToken {
				j++
			}
			if !p.spmf || p.integer(b[i:j], line, out) {
				items = append(items, p.ids.id(b[i:j]))
			}
			i = j
		}
	}
}

// integer tells whether a token of an SPMF line is an item; where not, it notes why.
func (p *lineParser) integer(token []byte, line int, out *part) bool {
	if digitRun(string(token)) == len(token) {
		return true
	}
	switch s := string(token); {
	case s == "-1" || s == "-2":
		if out.surplus.Ends++; !p.sequences {
			out.hintf(line, "this is a sequence file (-1 ends an itemset, -2 a sequence): read "+
				"it with --sequences, which unites the itemsets of a sequence to "+
				"one transaction")
		}
	case strings.Contains(s, ":"):
		out.faultf(line, "%s is not an item: this looks like a utility file "+
			"(items:utility:...), which holds no plain transactions", shown(token))
	default:
		out.faultf(line, "%s is not an item: items in SPMF files are integers from 0 up; for "+
			"names use fimi or basket", shown(token))
	}
	return false
}

// metadata reads an SPMF line that is no transaction: a comment, a directive, or nothing. It
// returns the line's length, 0 if the line is a transaction.
func (p *lineParser) metadata(b []byte, line int, out *part) int {
	switch b[0] {
	case '#', '%', '@':
	default:
		for i := 0; ; i++ {
			switch lineClass[b[i]] {
			case inToken:
				return 0
			case isNewline:
				return i + 1
			}
		}
	}
	n := bytes.IndexByte(b, '\n')
	text := strings.TrimSuffix(string(b[:n]), "\r")
	if strings.Contains(text, "\r") {
		out.faultf(line, strayReturn)
	}
	if rest, ok := strings.CutPrefix(text, "@ITEM="); ok {
		number, name, ok := strings.Cut(rest, "=")
		switch {
		case !ok || name == "":
			out.faultf(line, "%s names no item: it must read @ITEM=1=apple", shown(text))
		case number != "-1" && number != "-2": // those name the separators of sequences
			out.names = append(out.names, itemName{number, name, line})
		default:
			out.surplus.Comments++
		}
	} else if text != converted {
		out.surplus.Comments++
	}
	return n + 1
}

// converted is the line that stands before the names of items.
const converted = "@CONVERTED_FROM_TEXT"

// refuseEmpty refuses a transaction that has become empty: a sequence of nothing.
func (p *lineParser) refuseEmpty(line int, out *part) {
	n, from := len(out.ends), uint32(0)
	if n > 1 {
		from = out.ends[n-2]
	}
	if out.ends[n-1] == from && !out.faults.Any() && out.hint == "" {
		out.faultf(line, "the sequence holds no item: SPMF files have no empty transactions")
	}
}
