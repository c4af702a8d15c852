package hierarchy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file reads and writes hierarchies as JSON. Three layouts are read, told apart by the keys of
// the outermost object; the first is written:
//
//	{"label": "*", "children": [{"label": "A", "children": ["a1", "a2"]}, "b"]}
//	{"terms": [["a1", "A", "*"], ["a2", "A", "*"], ["b", "*"]]}
//	{"hierType": "distinct", "name": "n", "type": "string", "height": 3,
//	 "level1": {"*": ["A", "b"]}, "level2": {"A": ["a1", "a2"]}}
//
// A child that is a string or a number is a leaf; "name" is read for "label".

// maxJSONDepth is how deep the JSON decoder goes; a level of the tree takes two.
const maxJSONDepth = 10000

// maxJSONLevels is how many levels of Amnesia's layout are read.
const maxJSONLevels = 1 << 16

func (s *source) parseJSON() {
	var unread struct{} // the text is checked; nothing is kept of it
	if err := json.Unmarshal([]byte(s.text), &unread); err != nil {
		s.bad.Addf(s.lineOfJSON(err), "the JSON cannot be read: %v", err)
		return
	}
	keys := s.outermost()
	r := newJSONReader(s, s.text)
	r.token()
	switch {
	case keys.terms:
		r.termsFile()
	case keys.node:
		r.node()
	case len(keys.levels) > 0:
		s.parseAmnesiaJSON(keys.levels)
	default:
		s.bad.Addf(0, "the JSON is of no known layout: the outermost object must have \"label\" "+
			"and \"children\", or \"terms\", or Amnesia's \"level1\"")
	}
}

// jsonKeys are the keys of the outermost object that tell layouts apart.
type jsonKeys struct {
	terms, node bool
	// the values of Amnesia's level1, level2, ...; of a repeated key the last
	levels map[int]string
}

func (s *source) outermost() jsonKeys {
	keys := jsonKeys{levels: map[int]string{}}
	r := newJSONReader(s, s.text)
	r.token()
	for r.dec.More() {
		key, _ := r.token().(string)
		from := r.dec.InputOffset()
		r.leave(r.token())
		switch level := levelOf(key); {
		case key == "terms":
			keys.terms = true
		case key == "label" || key == "children":
			keys.node = true
		case level > 0 && len(keys.levels) < maxJSONLevels:
			keys.levels[level] = strings.TrimLeft(s.text[from:r.dec.InputOffset()], ": \t\r\n")
		case level > 0:
			s.bad.Addf(
				0, "the hierarchy has more than %d levels, the most that are read", maxJSONLevels,
			)
			return keys
		}
	}
	return keys
}

// levelOf is the number of a key level1, level2, ..., 0 of all others.
func levelOf(key string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(key, "level"))
	if err != nil || !strings.HasPrefix(key, "level") {
		return 0
	}
	return n
}

// lineOfJSON is where the decoder stopped, 0 if it does not say.
func (s *source) lineOfJSON(err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset < 0 || offset > int64(len(s.text)) {
		return 0
	}
	return 1 + strings.Count(s.text[:offset], "\n")
}

// jsonReader goes through text that is known to be valid JSON.
type jsonReader struct {
	s    *source
	dec  *json.Decoder
	part bool // the text is not the whole file
	line int  // of offset, 0-based
	from int64
}

func newJSONReader(s *source, text string) *jsonReader {
	r := &jsonReader{
		s: s, dec: json.NewDecoder(strings.NewReader(text)), part: len(text) < len(s.text),
	}
	r.dec.UseNumber()
	return r
}

// token is the next token. The text was checked, so that it cannot fail.
func (r *jsonReader) token() json.Token {
	tok, _ := r.dec.Token()
	return tok
}

// skip passes over a value.
func (r *jsonReader) skip() { r.leave(r.token()) }

// at is the line of the last token, 0 in a part of the file.
func (r *jsonReader) at() int {
	if r.part {
		return 0
	}
	to := r.dec.InputOffset()
	r.line += strings.Count(r.s.text[r.from:to], "\n")
	r.from = to
	return r.line + 1
}

// labelOf is a token as a label; ok is false where it is neither a string nor a number.
func labelOf(tok json.Token) (label string, ok bool) {
	switch v := tok.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}

// node reads the members of an object whose brace is read, and gives its label, "" after a fault.
func (r *jsonReader) node() string {
	begin := r.at()
	label, children := "", []int32(nil)
	seen := map[string]bool{} // of label and children
	for r.dec.More() {
		key, _ := r.token().(string)
		if key == "name" {
			key = "label"
		}
		if seen[key] {
			r.s.bad.Addf(r.at(), "key %q stands twice in the node that begins on line %d: give "+
				"it once", key, begin)
		}
		switch key {
		case "label":
			seen[key] = true
			label = r.label()
		case "children":
			seen[key] = true
			children = append(children, r.children()...)
		default:
			r.s.bad.Addf(
				r.at(), "key %.60q is not known: a node has \"label\" and \"children\"", key,
			)
			r.skip()
		}
	}
	r.token()
	if label == "" {
		r.s.bad.Addf(begin, "a node has no label: every node needs a name")
		return ""
	}
	r.s.b.add(label, begin)
	for _, c := range children {
		if r.s.b.beyond != "" {
			break
		}
		r.s.note(begin, r.s.b.edge(r.s.b.labels[c], label, begin))
	}
	return label
}

func (r *jsonReader) label() string {
	tok := r.token()
	label, ok := labelOf(tok)
	if !ok {
		r.s.bad.Addf(r.at(), "a label must be a string or a number")
		r.leave(tok)
	}
	return label
}

// children reads the list of a node's children and gives their ids.
func (r *jsonReader) children() (out []int32) {
	r.list("\"children\" must be a list of labels and nodes", func(tok json.Token) {
		label, ok := "", true
		if tok == json.Delim('{') {
			if label = r.node(); label == "" {
				return
			}
		} else if label, ok = labelOf(tok); !ok || label == "" {
			r.s.bad.Addf(r.at(), "a child must be a node, or a label that is not empty")
			r.leave(tok)
			return
		}
		out = append(out, r.s.b.add(label, r.at()))
	})
	return out
}

// list reads a list and hands on what each element begins with; otherwise says what is wrong where
// there is no list.
func (r *jsonReader) list(otherwise string, element func(json.Token)) {
	tok := r.token()
	if tok != json.Delim('[') {
		r.s.bad.Addf(r.at(), "%s", otherwise)
		r.leave(tok)
		return
	}
	for r.dec.More() {
		element(r.token())
	}
	r.token()
}

// leave reads on to the end of what tok opens, if it opens something.
func (r *jsonReader) leave(tok json.Token) {
	depth := 0
	for {
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 {
			return
		}
		tok = r.token()
	}
}

// termsFile reads {"terms": [[leaf, ..., root], ...]}; other keys are passed over.
func (r *jsonReader) termsFile() {
	for r.dec.More() {
		if key, _ := r.token().(string); key != "terms" {
			r.skip()
			continue
		}
		r.list("\"terms\" must be a list of lists of labels, the leaf first", r.term)
	}
}

// term reads the labels of a list that begins with tok.
func (r *jsonReader) term(tok json.Token) {
	line := r.at()
	if tok != json.Delim('[') {
		r.s.bad.Addf(line, "a term must be a list of labels, from the leaf up to the root")
		r.leave(tok)
		return
	}
	var labels []string
	ok := true
	for r.dec.More() {
		tok := r.token()
		label, isLabel := labelOf(tok)
		if !isLabel || label == "" {
			r.s.bad.Addf(r.at(), "label %d of a term is empty or no string: every node needs a "+
				"name", len(labels)+1)
			r.leave(tok)
			ok = false
		}
		if len(labels) <= maxLevels {
			labels = append(labels, label)
		}
	}
	r.token()
	if len(labels) > maxLevels {
		r.s.bad.Addf(line, "the term has more than %d labels, the most that are read", maxLevels)
	} else if ok {
		r.s.note(line, r.s.b.path(labels, line))
	}
}

// parseAmnesiaJSON reads the levels from the root down: {"level1": {"*": ["A", "B"]}, "level2":
// {"A": ["a1"], ...}}.
func (s *source) parseAmnesiaJSON(levels map[int]string) {
	for _, n := range slices.Sorted(maps.Keys(levels)) {
		key := fmt.Sprintf("level%d", n)
		r := newJSONReader(s, levels[n])
		if tok := r.token(); tok != json.Delim('{') {
			s.bad.Addf(0, "%q must be an object of parents with the lists of their children", key)
			continue
		}
		for r.dec.More() {
			parent, _ := r.token().(string)
			r.amnesiaChildren(key, parent)
		}
	}
}

func (r *jsonReader) amnesiaChildren(level, parent string) {
	r.list(
		fmt.Sprintf("the children of %.60q in %q must be a list of labels", parent, level),
		func(tok json.Token) {
			child, ok := labelOf(tok)
			if !ok || child == "" {
				r.s.bad.Addf(0, "a child of %.60q in %q is empty or no string: every node needs a "+
					"name", parent, level)
				r.leave(tok)
			} else if fault := r.s.b.edge(child, parent, 0); fault != "" {
				r.s.bad.Addf(0, "in %q: %s", level, fault)
			}
		},
	)
}

// writeJSON writes the nested layout, a group a line.
func writeJSON(w *bufio.Writer, t *Tree) error {
	if depth := t.Height(t.Root()); 2*depth+2 > maxJSONDepth {
		return fmt.Errorf(
			"the tree has %d levels, more than format %s holds: use pairs", depth+1, JSON,
		)
	}
	writeJSONNode(w, t, t.Root())
	w.WriteByte('\n')
	return nil
}

func writeJSONNode(w *bufio.Writer, t *Tree, u int32) {
	if t.IsLeaf(u) && u != t.Root() {
		w.WriteString(jsonString(t.Label(u)))
		return
	}
	fmt.Fprintf(w, `{"label": %s, "children": [`, jsonString(t.Label(u)))
	lineBreak := func(depth int) { w.WriteString("\n" + strings.Repeat(" ", depth)) }
	broken := false
	for i, c := range t.Children(u) {
		if i > 0 {
			w.WriteByte(',')
		}
		switch {
		case !t.IsLeaf(c):
			lineBreak(t.Depth(c))
			broken = true
		case i > 0:
			w.WriteByte(' ')
		}
		writeJSONNode(w, t, c)
	}
	if broken {
		lineBreak(t.Depth(u))
	}
	w.WriteString("]}")
}

func jsonString(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
