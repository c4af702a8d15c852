package hierarchy

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
)

// This file reads and writes the text in which Amnesia saves hierarchies:
//
//	distinct
//	name codes
//	type string
//	height 3
//
//	A has a1 a2
//	B has b1 b2
//
//	* has A B
//
// The first line is distinct or range (labels of ranges are kept as they stand); blocks go from the
// lowest groups up to the root. Blanks divide, so no label has one, and "has" is none.

// has stands between a node and its children.
const has = "has"

// looksLikeAmnesia tells whether the first two lines are a kind and a name.
func (s *source) looksLikeAmnesia() bool {
	var head []string
	for _, text := range s.lines() {
		if head = append(head, strings.TrimSpace(text)); len(head) == 2 {
			break
		}
	}
	return len(head) == 2 && isAmnesiaKind(head[0]) &&
		(strings.HasPrefix(head[1], "name ") || head[1] == "name")
}

func isAmnesiaKind(word string) bool {
	return word == "distinct" || word == "range" || word == "mask" || word == "date"
}

// parseAmnesia reads the lines from the last one up, the root first: so siblings are named in the
// order in which they stand on their parent's line.
func (s *source) parseAmnesia() {
	body := s.amnesiaHeader()
	if s.bad.Any() {
		return
	}
	for i := len(s.starts) - 1; i >= body; i-- {
		if text := s.line(i); !isBlank(text) {
			s.note(i+1, s.amnesiaLine(text, i+1))
		}
	}
}

// amnesiaLine reads "parent has child child ..."; it returns what is wrong with the line as a
// whole.
func (s *source) amnesiaLine(text string, line int) string {
	parent, words := "", 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' }) {
		words++
		switch {
		case words == 1:
			parent = word
		case words == 2 && word == has:
		case words == 2:
			return notAmnesia
		case word == has:
			return fmt.Sprintf("the line says %q twice: a label cannot be %q", has, has)
		default:
			s.note(line, s.b.edge(word, parent, line))
		}
	}
	if words < 3 {
		return notAmnesia
	}
	return ""
}

const notAmnesia = "the line is not of the form \"parent has child child ...\": labels stand " +
	"one blank apart and have none themselves"

// amnesiaHeader checks the lines up to the first blank one, and tells where the blocks begin. The
// height is not needed: the blocks say it.
func (s *source) amnesiaHeader() (body int) {
	line := 0
	for line < len(s.starts) && isBlank(s.line(line)) {
		line++
	}
	if line == len(s.starts) {
		s.bad.Addf(0, "the hierarchy is empty: it needs at least one leaf")
		return line
	}
	switch kind := strings.TrimSpace(s.line(line)); {
	case kind == "mask" || kind == "date":
		s.bad.Addf(line+1, "hierarchies of kind %s cannot be read: save it as distinct or "+
			"range, or write it as %s", kind, ARX)
	case !isAmnesiaKind(kind):
		s.bad.Addf(line+1, "the first line is %.60q: it must be the hierarchy's kind, distinct "+
			"or range", kind)
	}
	for line++; line < len(s.starts) && !isBlank(s.line(line)); line++ {
		key, value, _ := strings.Cut(strings.TrimSpace(s.line(line)), " ")
		switch key {
		case "name", "type":
		case "height":
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err != nil || n < 1 {
				s.bad.Addf(line+1, "the height %.60q must be a number of levels, 1 or more", value)
			}
		default:
			s.bad.Addf(line+1, "%.60q is not known here: above the first blank line stand name, "+
				"type and height", key)
		}
	}
	return line
}

// writeAmnesia writes a distinct hierarchy of strings, the type Amnesia asks for in set-valued
// columns.
func writeAmnesia(w *bufio.Writer, t *Tree) error {
	if err := fitsAmnesia(t); err != nil {
		return err
	}
	fmt.Fprintf(w, "distinct\nname hierarchy\ntype string\nheight %d\n", t.Height(t.Root())+1)
	blocks := make([][]int32, t.Height(t.Root()))
	for _, u := range t.preorder() {
		if !t.IsLeaf(u) {
			blocks[t.Depth(u)] = append(blocks[t.Depth(u)], u)
		}
	}
	for depth := len(blocks) - 1; depth >= 0; depth-- {
		w.WriteByte('\n')
		for _, u := range blocks[depth] {
			w.WriteString(t.Label(u) + " " + has + " ")
			for _, c := range t.Children(u) {
				w.WriteString(t.Label(c) + " ")
			}
			w.WriteByte('\n')
		}
	}
	w.WriteByte('\n')
	return nil
}

func fitsAmnesia(t *Tree) error {
	if t.Nodes() == 1 {
		return fmt.Errorf("a tree of the one node %q cannot be written in format %s, which "+
			"writes parents with their children: use arx or json", t.Label(0), Amnesia)
	}
	divides := func(l string) bool { return strings.ContainsAny(l, " \t\r\n") }
	if err := refuse(t, Amnesia, "a blank or line break", divides); err != nil {
		return err
	}
	if u, ok := t.Node(has); ok {
		return fmt.Errorf("label %q has a meaning of its own in format %s: change the label, or "+
			"use json", t.Label(u), Amnesia)
	}
	return nil
}
