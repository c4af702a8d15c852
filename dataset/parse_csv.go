package dataset

import "bytes"

// basketParser reads one transaction a record: its fields are the items. Empty fields are no items,
// so that the padded lines of spreadsheets are read as meant.
type basketParser struct {
	ids    *interner
	csv    csvScanner
	values bool // an empty field beside others is one
	skip   bool // transactions with such a field are left out
	hole   bool // the transaction under way has one
}

func (p *basketParser) interner() *interner { return p.ids }

func (p *basketParser) parse(b []byte, out *part) {
	checkText(b, out)
	p.csv.start(b, out)
	for p.csv.more() {
		line := p.csv.line
		p.csv.scratch = p.csv.scratch[:0]
		before := len(out.items)
		p.hole = false
		p.transaction(out)
		if p.hole {
			out.items = out.items[:before]
			out.incomplete++
			continue
		}
		out.end(line)
	}
	out.count = p.csv.line
}

// transaction reads one record. A number of up to six digits in its shortest form is read by a
// fast path, as in fimi.
func (p *basketParser) transaction(out *part) {
	b, delim := p.csv.b, p.csv.delim
	items, direct := out.items, p.ids.direct
	for start := p.csv.i; ; {
		i := p.csv.i
		c := b[i]
		if v := uint32(c - '0'); v <= 9 {
			j := i + 1
			for d := uint32(b[j] - '0'); d <= 9; d = uint32(b[j] - '0') {
				v = 10*v + d
				j++
			}
			if (c != '0' || j == i+1) && j-i <= 6 && (b[j] == delim || b[j] == '\n') {
				if int(v) < len(direct) && direct[v] > 0 {
					items = append(items, direct[v]-1)
				} else {
					items = append(items, p.ids.number(v))
					direct = p.ids.direct
				}
				if p.csv.i = j + 1; b[j] == delim {
					continue
				}
				p.csv.line++
				break
			}
		}
		f, last := p.csv.next()
		if label := f.trimmed(); len(label) > 0 ||
			p.values && (!last || len(items) > len(out.items) || p.hole) {
			if p.hole = p.hole || p.skip && len(label) == 0; !p.hole {
				items = append(items, p.ids.id(label))
				direct = p.ids.direct
			}
		} else if !last || i > start {
			out.surplus.Empty++
		}
		if last {
			break
		}
	}
	out.items = items
}

// longParser reads one (transaction, item) pair a record. Adjacent rows of one transaction with the
// same labels are one run; the collector unites the runs of a transaction.
type longParser struct {
	skip     bool // rows in which something is missing are left out
	ids      *interner
	csv      csvScanner
	width    int
	tx, item int
	labels   []int // columns that are kept
	names    []string
	values   bool // an empty field is one; each row is a run, so that its line is known
	fields   []field
	same     []byte // the transaction of the run under way, where rows are plain pairs; else nil
}

func (p *longParser) interner() *interner { return p.ids }

func (p *longParser) parse(b []byte, out *part) {
	checkText(b, out)
	p.csv.start(b, out)
	for _, name := range p.names {
		out.cols = append(out.cols, partColumn{name: name})
	}
	start := -1 // line of the current run
	p.same = nil
	for p.csv.more() {
		if label, ok := p.again(); ok {
			out.items = append(out.items, p.ids.id(label))
			continue
		}
		if p.csv.blank() {
			continue
		}
		line := p.csv.line
		p.fields = p.csv.record(p.fields)
		if p.skip && p.incomplete() {
			out.incomplete++
			continue
		}
		if len(p.fields) != p.width {
			out.faultf(line, "%d fields where the header has %d", len(p.fields), p.width)
			continue
		}
		key := p.fields[p.tx].trimmed()
		if len(key) == 0 {
			out.faultf(line, "the row has no transaction: fill the column, leave the row out, "+
				"or name another column")
			continue
		}
		if start < 0 || p.values || !p.sameRun(key, out) {
			if start >= 0 {
				out.end(start)
			}
			start = line
			p.startRun(key, out)
		}
		if label := p.fields[p.item].trimmed(); len(label) > 0 || p.values {
			out.items = append(out.items, p.ids.id(label))
		} else {
			out.itemless++
		}
	}
	if start >= 0 {
		out.end(start)
	}
	out.count = p.csv.line
}

// incomplete tells whether something is missing in a row.
func (p *longParser) incomplete() bool {
	return len(p.fields) < p.width || len(p.fields[p.tx].trimmed()) == 0 ||
		p.values && len(p.fields[p.item].trimmed()) == 0
}

// again reads a row that has the same plain transaction as the row before, a plain item, and
// nothing else: in most files, most rows. It reports false, and passes over nothing, for any other.
func (p *longParser) again() (item []byte, ok bool) {
	b, class := p.csv.b, &p.csv.class
	from := p.csv.i + len(p.same)
	if len(p.same) == 0 || from >= len(b) || b[from] != p.csv.delim ||
		!bytes.Equal(b[p.csv.i:from], p.same) {
		return nil, false
	}
	from++
	end := from
	for class[b[end]] == inField {
		end++
	}
	if b[end] != '\n' {
		return nil, false
	}
	if item = trimBlanks(b[from:end]); len(item) == 0 {
		return nil, false
	}
	p.csv.i = end + 1
	p.csv.line++
	return item, true
}

func (p *longParser) startRun(key []byte, out *part) {
	out.keys.add(key)
	if raw := p.fields[p.tx]; !p.values && p.width == 2 && p.tx == 0 && p.item == 1 &&
		len(p.labels) == 0 &&
		!raw.quoted &&
		len(raw.text) == len(key) {
		p.same = key
	} else {
		p.same = nil
	}
	for i, at := range p.labels {
		out.cols[i].values.add(p.fields[at].text)
	}
}

func (p *longParser) sameRun(key []byte, out *part) bool {
	last := out.keys.len() - 1
	if !bytes.Equal(key, out.keys.at(last)) {
		return false
	}
	for i, at := range p.labels {
		if !bytes.Equal(p.fields[at].text, out.cols[i].values.at(last)) {
			return false
		}
	}
	return true
}

// tableParser reads one transaction a record: one column holds the set, the others are kept as they
// are.
type tableParser struct {
	skip   bool // rows in which something is missing are left out
	ids    *interner
	csv    csvScanner
	names  []string // of all columns
	set    int
	inner  byte
	values bool // an empty field beside others is one
	fields []field
}

func (p *tableParser) interner() *interner { return p.ids }

func (p *tableParser) parse(b []byte, out *part) {
	checkText(b, out)
	p.csv.start(b, out)
	for i, name := range p.names {
		if i != p.set {
			out.cols = append(out.cols, partColumn{name: name})
		}
	}
	for p.csv.more() {
		if p.csv.blank() {
			continue
		}
		line := p.csv.line
		p.fields = p.csv.record(p.fields)
		if p.skip && p.incomplete() {
			out.incomplete++
			continue
		}
		if len(p.fields) != len(p.names) {
			out.faultf(line, "%d fields where the header has %d", len(p.fields), len(p.names))
			continue
		}
		col := 0
		for i, f := range p.fields {
			if i == p.set {
				p.addSet(f.text, out)
			} else {
				out.cols[col].values.add(f.text)
				col++
			}
		}
		out.end(line)
	}
	out.count = p.csv.line
}

// incomplete tells whether something is missing in a row.
func (p *tableParser) incomplete() bool {
	if len(p.fields) < len(p.names) {
		return true
	}
	if set := p.fields[p.set].text; p.values && len(set) > 0 {
		for value := range bytes.SplitSeq(set, []byte{p.inner}) {
			if len(trimBlanks(value)) == 0 {
				return true
			}
		}
	}
	return false
}

func (p *tableParser) addSet(set []byte, out *part) {
	for more := len(set) > 0; more; {
		label := set
		n := bytes.IndexByte(set, p.inner)
		if more = n >= 0; more {
			label, set = set[:n], set[n+1:]
		}
		if label = trimBlanks(label); len(label) > 0 || p.values {
			out.items = append(out.items, p.ids.id(label))
		} else {
			out.surplus.Empty++
		}
	}
}
