package hierarchy

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/internal/disk"
)

// Format is a layout of hierarchies in a file. docs/hierarchies.md shows an example of each.
type Format string

// The layouts that can be read and written.
const (
	ARX     Format = "arx"     // leaf;parent;...;root a line
	Pairs   Format = "pairs"   // child,parent a line
	Amnesia Format = "amnesia" // Amnesia's text: "parent has child child", a block a level

	// JSON is nested: {"label":..., "children":[...]}; {"terms":[[leaf,...,root],...]} and
	// Amnesia's are read too.
	JSON Format = "json"
)

// Formats are all layouts, in the order of the documentation.
func Formats() []Format { return []Format{ARX, Pairs, Amnesia, JSON} }

// FormatNames are the names of these.
func FormatNames() (out []string) {
	for _, f := range Formats() {
		out = append(out, string(f))
	}
	return out
}

// ParseFormat finds a layout by its name.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); slices.Contains(Formats(), f) {
		return f, nil
	}
	return "", fmt.Errorf("hierarchy format %q is not known: it must be one of arx, pairs, "+
		"amnesia, json", name)
}

// ReadOptions say how a file is laid out. The zero value finds it out.
type ReadOptions struct {
	Format Format // "" finds it out from the text
	// between the labels of arx, pairs and a table, one ASCII character; 0 finds out whether it is
	// ';' or ','
	Separator rune
	AddRoot   string // put above everything if the file holds a forest; "" makes a forest an error
	Name      string // of the file, for errors; "hierarchy" if empty

	// Columns, if given, say that the file is a table: CSV with a header, a line an item. They name
	// the columns from the item up to the highest group. A label in two columns means two nodes
	// (except where a group has nothing but its namesake below it), and the group gets a "*" behind
	// its name.
	Columns []string

	// Ended, if given, is asked now and then; an error ends the reading. A plan that is sent to
	// workers does not have it.
	Ended func() error `json:"-"`
}

// Open reads the hierarchy in a file, which may be compressed (gzip or zstd).
func Open(path string, o ReadOptions) (*Tree, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if o.Name == "" {
		o.Name = path
	}
	return Read(f, o)
}

// Read reads a hierarchy. What is wrong with the text is a *dataset.Faults: name and line, the node
// and the rule, up to 20 faults and then a count.
func Read(r io.Reader, o ReadOptions) (*Tree, error) {
	if o.Name == "" {
		o.Name = "hierarchy"
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	text, err := readAll(r, o.Ended)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	s, err := newSource(text, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	if s.bad.Any() {
		return nil, s.bad.Err(o.Name)
	}
	s.parse()
	t := s.b.build(BuildOptions{Root: o.AddRoot}, &s.bad)
	s.hintAtTable()
	if err := s.bad.Err(o.Name); err != nil {
		return nil, err
	}
	return t, nil
}

// Write writes the tree in a layout, arx if none is given. A label that the layout cannot hold is
// an error that names it, and nothing is written.
func Write(w io.Writer, t *Tree, f Format) error {
	write, ok := map[Format]func(*bufio.Writer, *Tree) error{
		"": writeARX, ARX: writeARX, Pairs: writePairs, Amnesia: writeAmnesia, JSON: writeJSON,
	}[f]
	if !ok {
		_, err := ParseFormat(string(f))
		return err
	}
	out := bufio.NewWriter(w)
	if err := write(out, t); err != nil {
		return err
	}
	return out.Flush()
}

func (o ReadOptions) check() error {
	var bad dataset.Faults
	if o.Format != "" {
		if _, err := ParseFormat(string(o.Format)); err != nil {
			bad.Addf(0, "%v", err)
		}
	}
	if s := o.Separator; s != 0 && (s < 0 || s > 126 || s < ' ' && s != '\t' || s == '"') {
		bad.Addf(0, "the separator %q must be one printable ASCII character (or a tab) other "+
			"than a quote", s)
	}
	if o.Separator != 0 && (o.Format == Amnesia || o.Format == JSON) {
		bad.Addf(0, "format %s has no separator: leave it out, or choose arx or pairs", o.Format)
	}
	if len(o.Columns) > 0 && o.Format != "" {
		bad.Addf(0, "columns are of a table, not of format %s: leave one of the two out", o.Format)
	}
	if len(o.Columns) == 1 {
		bad.Addf(0, "columns (%s) must be at least two: the item's and its group's", o.Columns[0])
	}
	for i, c := range o.Columns {
		if slices.Contains(o.Columns[:i], c) {
			bad.Addf(0, "column %q is given twice: name each level once, from the item up", c)
		}
	}
	return bad.Err(o.Name)
}

// parse hands the text to the reader of its layout.
func (s *source) parse() {
	if len(s.opts.Columns) > 0 {
		s.parseTable()
		return
	}
	format := s.opts.Format
	if format == "" {
		format = s.detect()
	}
	switch format {
	case JSON:
		s.parseJSON()
	case Amnesia:
		s.parseAmnesia()
	case Pairs:
		s.parsePairs()
	default:
		s.parseARX()
	}
}

// detect finds the layout: JSON begins with an object; Amnesia's text with its kind and its name;
// pairs have exactly two labels a line; everything else is ARX's layout.
func (s *source) detect() Format {
	if s.opts.Separator == 0 {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(s.text), "{"); ok &&
			strings.HasPrefix(strings.TrimSpace(rest), `"`) {
			return JSON
		}
		if s.looksLikeAmnesia() {
			return Amnesia
		}
	}
	sep := s.separator()
	for _, line := range s.lines() {
		if fields, fault := splitFields(line, sep); fault == "" && len(pairCells(fields)) != 2 {
			return ARX
		}
	}
	return Pairs
}
