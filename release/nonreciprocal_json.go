package release

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"mingle/dataset"
)

// publishedLine is one line of the file. "label" is left out where there are no labels.
type publishedLine struct {
	Items     []string `json:"items"`
	Uncertain []string `json:"uncertain"`
	Threshold int32    `json:"threshold"`
	Label     *string  `json:"label,omitempty"`
}

// WriteJSON writes one object a line, items in the natural order of their labels:
//
//	{"items":["a","b"],"uncertain":["b"],"threshold":1,"label":"x"}
func (r *Nonreciprocal) WriteJSON(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i := range r.Len() {
		line := publishedLine{
			Items: natural(
				r.Base.Labels(i),
			), Uncertain: natural(r.Uncertain.Labels(i)), Threshold: r.Threshold[i],
		}
		if r.Labels != nil {
			line.Label = &r.Labels[i]
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// HasBaseSets tells whether transactions that were read as jsonl are base sets, as
// [Nonreciprocal.WriteJSON] writes them: what a line has may not be in the transaction.
func HasBaseSets(d *dataset.Dataset) bool {
	uncertain, is := d.Column("uncertain")
	if _, also := d.Column("threshold"); !is || !also {
		return false
	}
	noList := func(v string) bool { return !strings.HasPrefix(v, "[") }
	return !slices.ContainsFunc(uncertain.Values, noList)
}

func natural(labels []string) []string {
	slices.SortFunc(labels, dataset.CompareLabels)
	return labels
}

// ReadNonreciprocal reads what WriteJSON writes, plain or compressed by gzip or zstd. Blank lines
// are passed over. dict is the dictionary of the original, whose items the file is encoded in;
// items that are not in it are appended to a dictionary of the release's own. nil means a
// dictionary of what occurs. Faults are told with their line, up to 20 at once.
func ReadNonreciprocal(in io.Reader, dict *dataset.Dictionary) (*Nonreciprocal, error) {
	return readNonreciprocal(in, dict, false)
}

// ReadOwnNonreciprocal is ReadNonreciprocal of a file that the program wrote itself: it may unpack
// to any multiple of its size.
func ReadOwnNonreciprocal(in io.Reader, dict *dataset.Dictionary) (*Nonreciprocal, error) {
	return readNonreciprocal(in, dict, true)
}

func readNonreciprocal(in io.Reader, dict *dataset.Dictionary, own bool) (*Nonreciprocal, error) {
	p := newPublishedParser(dict)
	var items []int32 // the dictionary's id of each item that the reader numbers
	opts := dataset.Options{
		Format: dataset.JSONL, SetColumn: "items", Name: "published file", Own: own,
	}
	records, _, err := dataset.ReadRecords(context.Background(), in, opts, dataset.Values{
		Check: func(label string) error {
			items = append(items, p.id(label))
			return nil
		},
	})
	if faults, ok := errors.AsType[*dataset.Faults](err); ok {
		return nil, faults.Err("")
	}
	if err != nil {
		return nil, err
	}
	p.columns(&records)
	for i := range records.Len() {
		ids := make([]int32, 0, len(records.Record(i)))
		for _, it := range records.Record(i) {
			ids = append(ids, items[it])
		}
		p.record(i, records.Line(i), ids)
	}
	return p.release()
}

// publishedParser makes a release of the fields beside "items", which are JSON as it was read, ""
// where a line does not have them.
type publishedParser struct {
	labels    []string // of the dictionary
	own       int      // how many of them were there before
	dict      *dataset.Dictionary
	ids       map[string]int32
	values    map[string][]string // by the name of a field
	base      [][]int32
	uncertain [][]int32
	lines     []int
	out       Nonreciprocal
	faults    dataset.Faults
}

func newPublishedParser(dict *dataset.Dictionary) *publishedParser {
	p := &publishedParser{dict: dict, ids: map[string]int32{}, values: map[string][]string{}}
	if dict != nil {
		p.labels = slices.Clone(dict.Labels())
		p.own = len(p.labels)
		for i, l := range p.labels {
			p.ids[l] = int32(i)
		}
	}
	return p
}

// id numbers an item.
func (p *publishedParser) id(label string) int32 {
	id, ok := p.ids[label]
	if !ok {
		id = int32(len(p.labels))
		p.ids[label] = id
		p.labels = append(p.labels, label)
	}
	return id
}

// columns takes the fields beside the items, and refuses those that a release does not have.
func (p *publishedParser) columns(records *dataset.Records) {
	for _, name := range []string{"uncertain", "threshold", "label"} {
		p.values[name] = make([]string, records.Len())
	}
	for _, c := range records.Columns {
		if p.values[c.Name] != nil {
			p.values[c.Name] = c.Values
			continue
		}
		at := slices.IndexFunc(c.Values, func(v string) bool { return v != "" })
		p.faults.Addf(
			records.Line(at),
			`field %.60q is not known: a line is {"items":[...],"uncertain":[...],"threshold":n}`,
			c.Name,
		)
	}
}

// field decodes a field of line i, and tells whether it is there.
func (p *publishedParser) field(i, line int, name string, into any) bool {
	raw := p.values[name][i]
	if raw == "" {
		return false
	}
	if raw == "null" { // which readers take for absent, or for empty
		p.faults.Addf(line, "field %q must not be null", name)
	} else if err := json.Unmarshal([]byte(raw), into); err != nil {
		p.faults.Addf(line, "field %q: %v", name, err)
	}
	return true
}

func (p *publishedParser) record(i, line int, items []int32) {
	var uncertain []string
	var threshold int32
	var label string
	hasUncertain, hasThreshold := p.field(
		i, line, "uncertain", &uncertain,
	), p.field(
		i, line, "threshold", &threshold,
	)
	switch {
	case !hasUncertain || !hasThreshold:
		p.faults.Addf(line, "must have items, uncertain and threshold")
	case threshold < 0:
		p.faults.Addf(line, "threshold (%d) must not be negative", threshold)
	}
	ids := make([]int32, 0, len(uncertain))
	for _, l := range uncertain {
		if l == "" { // also null, which the decoder takes for it
			p.faults.Addf(line, "uncertain has an item without a name")
			break
		}
		ids = append(ids, p.id(l))
	}
	p.base = append(p.base, p.set(items, line, "items"))
	p.uncertain = append(p.uncertain, p.set(ids, line, "uncertain"))
	p.out.Threshold = append(p.out.Threshold, threshold)
	p.lines = append(p.lines, line)
	if p.field(i, line, "label", &label) {
		p.out.Labels = append(p.out.Labels, label)
	}
	if n := len(p.out.Labels); n != 0 && n != len(p.base) {
		p.faults.Addf(line, "either all lines have a label or none")
	}
}

// set is ids in ascending order; one that is there twice is a fault.
func (p *publishedParser) set(ids []int32, line int, field string) []int32 {
	byLabel := func(a, b int32) int { return dataset.CompareLabels(p.labels[a], p.labels[b]) }
	if p.out.Surplus.Unsorted == 0 && !slices.IsSortedFunc(ids, byLabel) {
		p.out.Surplus.Unsorted = line
	}
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			p.faults.Addf(line, "%s names %.60q twice", field, p.labels[ids[i]])
			break
		}
	}
	return ids
}

func (p *publishedParser) release() (*Nonreciprocal, error) {
	if err := p.faults.Err(""); err != nil {
		return nil, err
	}
	dict := p.dict
	if dict == nil || len(p.labels) > p.own {
		dict = dataset.MustDictionary(p.labels)
	}
	p.out.Base, p.out.Uncertain = p.build(dict, p.base), p.build(dict, p.uncertain)
	return &p.out, nil
}

func (p *publishedParser) build(dict *dataset.Dictionary, txs [][]int32) *dataset.Dataset {
	b := dataset.NewBuilder(dict)
	for i, tx := range txs {
		b.AddAt(tx, p.lines[i])
	}
	return b.Build()
}
