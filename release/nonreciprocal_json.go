package release

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"mingle/dataset"
	"mingle/internal/limits"
)

// WriteJSON writes one object a line, items in the natural order of their labels:
//
//	{"items":["a","b"],"uncertain":["b"],"threshold":1,"label":"x"}
//
// "label" is left out where there are no labels.
func (r *Nonreciprocal) WriteJSON(w io.Writer) error {
	rank, quoted := r.naturalOrder()
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	var ids []int32
	list := func(tx []int32) {
		ids = append(ids[:0], tx...)
		slices.SortFunc(ids, func(a, b int32) int { return int(rank[a]) - int(rank[b]) })
		for n, it := range ids {
			if n > 0 {
				line = append(line, ',')
			}
			line = append(line, quoted[it]...)
		}
	}
	for i := range r.Len() {
		line = append(line[:0], `{"items":[`...)
		list(r.Base.Tx(i))
		line = append(line, `],"uncertain":[`...)
		list(r.Uncertain.Tx(i))
		line = fmt.Appendf(line, `],"threshold":%d`, r.Threshold[i])
		if r.Labels != nil {
			line = append(append(line, `,"label":`...), quote(r.Labels[i])...)
		}
		line = append(line, '}', '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// naturalOrder gives the place of every item in the natural order of labels, and its label in quotes.
func (r *Nonreciprocal) naturalOrder() (rank []int32, quoted [][]byte) {
	labels := r.Dict().Labels()
	order := make([]int32, len(labels))
	quoted = make([][]byte, len(labels))
	for i, l := range labels {
		order[i], quoted[i] = int32(i), quote(l)
	}
	slices.SortFunc(order, func(a, b int32) int { return dataset.CompareLabels(labels[a], labels[b]) })
	rank = make([]int32, len(labels))
	for p, it := range order {
		rank[it] = int32(p)
	}
	return rank, quoted
}

// quote is a JSON string with no more escapes than JSON needs.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always can be encoded
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// publishedLine is one line of the file; pointers tell what is missing from what is empty.
type publishedLine struct {
	Items, Uncertain *[]string
	Threshold        *int32
	Label            *string
}

// parse reads one object. It refuses what readers take in different ways: a field that is given
// twice, one whose name is written in other letters, and half a surrogate pair.
func (l *publishedLine) parse(text []byte) error {
	if limits.LoneSurrogate(text) {
		return errors.New("it has half of a surrogate pair, which is no character")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, errors.New("it is no object"))
	}
	fields := map[string]any{"items": &l.Items, "uncertain": &l.Uncertain, "threshold": &l.Threshold, "label": &l.Label}
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name := key.(string) // the decoder refuses other keys
		if seen[name] {
			return fmt.Errorf("field %q is given twice", name)
		}
		if fields[name] == nil {
			return fmt.Errorf("it has a field %.60q", name)
		}
		seen[name] = true
		if err := dec.Decode(fields[name]); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("it is more than one object")
	}
	return nil
}

// maxFaults is how many faults of a file are spelled out; the rest is counted.
const maxFaults = 20

// ReadNonreciprocal reads what WriteJSON writes, plain or compressed by gzip or zstd. Blank lines are passed over. dict is the dictionary of the original,
// whose items the file is encoded in; items that are not in it are appended to a dictionary of the release's own. nil
// means a dictionary of what occurs, in order of occurrence. Faults are told with their line, up to 20 at once.
func ReadNonreciprocal(in io.Reader, dict *dataset.Dictionary) (*Nonreciprocal, error) {
	return readNonreciprocal(in, dict, false)
}

// ReadOwnNonreciprocal is ReadNonreciprocal of a file that the program wrote itself: it may unpack to any multiple of its
// size.
func ReadOwnNonreciprocal(in io.Reader, dict *dataset.Dictionary) (*Nonreciprocal, error) {
	return readNonreciprocal(in, dict, true)
}

func readNonreciprocal(in io.Reader, dict *dataset.Dictionary, own bool) (*Nonreciprocal, error) {
	p := newPublishedParser(dict)
	text, err := limits.Open(in, 1)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	account := text.Account(0)
	if own {
		account.Off()
	}
	for lines := limits.NewLines(text, 0); ; {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return p.release()
		}
		if err == nil {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				p.line(line, lines.N)
			}
			err = account.Hold(p.held)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", lines.N, err)
		}
	}
}

type publishedParser struct {
	labels    []string // of the dictionary
	own       int      // how many of them were there before
	dict      *dataset.Dictionary
	ids       map[string]int32
	base      [][]int32
	uncertain [][]int32
	lines     []int
	out       Nonreciprocal
	labelled  int
	faults    []error
	more      int
	held      int64 // about how many bytes are kept
}

// What is kept of a line beside its items, and of a label of an item beside its text.
const (
	bytesPerLine  = 100
	bytesPerLabel = 100
)

func newPublishedParser(dict *dataset.Dictionary) *publishedParser {
	p := &publishedParser{dict: dict, ids: map[string]int32{}}
	if dict != nil {
		p.labels = slices.Clone(dict.Labels())
		p.own = len(p.labels)
		for i, l := range p.labels {
			p.ids[l] = int32(i)
		}
	}
	return p
}

func (p *publishedParser) fault(line int, format string, args ...any) {
	if len(p.faults) == maxFaults {
		p.more++
		return
	}
	p.faults = append(p.faults, fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...)))
}

func (p *publishedParser) line(text []byte, line int) {
	if !utf8.Valid(text) {
		p.fault(line, "is not UTF-8")
		return
	}
	var l publishedLine
	if err := l.parse(text); err != nil {
		p.fault(line, `is not {"items":[...],"uncertain":[...],"threshold":n}: %w`, err)
		return
	}
	if l.Items == nil || l.Uncertain == nil || l.Threshold == nil {
		p.fault(line, "must have items, uncertain and threshold")
		return
	}
	if *l.Threshold < 0 {
		p.fault(line, "threshold (%d) must not be negative", *l.Threshold)
	}
	p.base = append(p.base, p.encode(*l.Items, line, "items"))
	p.uncertain = append(p.uncertain, p.encode(*l.Uncertain, line, "uncertain"))
	p.out.Threshold = append(p.out.Threshold, *l.Threshold)
	p.lines = append(p.lines, line)
	label := ""
	if l.Label != nil {
		label = *l.Label
		p.labelled++
	}
	if p.labelled != 0 && p.labelled != len(p.base) {
		p.fault(line, "either all lines have a label or none")
	}
	p.out.Labels = append(p.out.Labels, label)
	p.held += bytesPerLine + int64(len(label)) + 4*int64(len(*l.Items)+len(*l.Uncertain))
}

func (p *publishedParser) encode(labels []string, line int, field string) []int32 {
	ids := make([]int32, 0, len(labels))
	for _, l := range labels {
		if l == "" { // also null, which the decoder takes for it
			p.fault(line, "%s has an item without a name", field)
			break
		}
		id, ok := p.ids[l]
		if !ok {
			id = int32(len(p.labels))
			p.ids[l] = id
			p.labels = append(p.labels, l)
			p.held += bytesPerLabel + int64(len(l))
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			p.fault(line, "%s names %.60q twice", field, p.labels[ids[i]])
			break
		}
	}
	return ids
}

func (p *publishedParser) release() (*Nonreciprocal, error) {
	if len(p.faults) > 0 {
		if p.more > 0 {
			p.faults = append(p.faults, fmt.Errorf("and %d more", p.more))
		}
		return nil, errors.Join(p.faults...)
	}
	dict := p.dict
	if dict == nil || len(p.labels) > p.own {
		dict = dataset.MustDictionary(p.labels)
	}
	p.out.Base, p.out.Uncertain = p.build(dict, p.base), p.build(dict, p.uncertain)
	if p.labelled == 0 {
		p.out.Labels = nil
	}
	return &p.out, nil
}

func (p *publishedParser) build(dict *dataset.Dictionary, txs [][]int32) *dataset.Dataset {
	b := dataset.NewBuilder(dict)
	for i, tx := range txs {
		b.AddAt(tx, p.lines[i])
	}
	return b.Build()
}
