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
// The first line is distinct or range (labels of ranges are kept as they stand); blocks go from the lowest groups up to
// the root. Blanks divide, so no label has one, and "has" is none.

// has stands between a node and its children.
const has = "has"

// looksLikeAmnesia tells whether the first two lines are a kind and a name.
func (s *source) looksLikeAmnesia() bool {
	var head []string
	for _, text := range s.lines {
		if isBlank(text) {
			continue
		}
		if head = append(head, strings.TrimSpace(text)); len(head) == 2 {
			break
		}
	}
	return len(head) == 2 && isAmnesiaKind(head[0]) && (strings.HasPrefix(head[1], "name ") || head[1] == "name")
}

func isAmnesiaKind(word string) bool {
	return word == "distinct" || word == "range" || word == "mask" || word == "date"
}

// parseAmnesia reads the lines from the last one up, the root first: so siblings are named in the order in which they
// stand on their parent's line.
func (s *source) parseAmnesia() {
	body := s.amnesiaHeader()
	if s.bad.any() {
		return
	}
	for i := len(s.lines) - 1; i >= body; i-- {
		if isBlank(s.lines[i]) {
			continue
		}
		words := strings.FieldsFunc(s.lines[i], func(r rune) bool { return r == ' ' })
		if len(words) < 3 || words[1] != has {
			s.bad.addf(i+1, "the line is not of the form \"parent has child child ...\": labels stand one blank apart and have none themselves")
			continue
		}
		for _, child := range words[2:] {
			if child == has {
				s.bad.addf(i+1, "the line says %q twice: a label cannot be %q", has, has)
				break
			}
			if fault := s.b.edge(child, words[0], i+1); fault != "" {
				s.bad.addf(i+1, "%s", fault)
			}
		}
	}
}

// amnesiaHeader checks the lines up to the first blank one, and tells where the blocks begin. The height is not needed:
// the blocks say it.
func (s *source) amnesiaHeader() (body int) {
	line := 0
	for line < len(s.lines) && isBlank(s.lines[line]) {
		line++
	}
	if line == len(s.lines) {
		s.bad.addf(0, "the hierarchy is empty: it needs at least one leaf")
		return line
	}
	switch kind := strings.TrimSpace(s.lines[line]); {
	case kind == "mask" || kind == "date":
		s.bad.addf(line+1, "hierarchies of kind %s cannot be read: save it as distinct or range, or write it as %s", kind, ARX)
	case !isAmnesiaKind(kind):
		s.bad.addf(line+1, "the first line is %q: it must be the hierarchy's kind, distinct or range", kind)
	}
	for line++; line < len(s.lines) && !isBlank(s.lines[line]); line++ {
		key, value, _ := strings.Cut(strings.TrimSpace(s.lines[line]), " ")
		switch key {
		case "name", "type":
		case "height":
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err != nil || n < 1 {
				s.bad.addf(line+1, "the height %q must be a number of levels, 1 or more", value)
			}
		default:
			s.bad.addf(line+1, "%q is not known here: above the first blank line stand name, type and height", key)
		}
	}
	return line
}

// writeAmnesia writes a distinct hierarchy of strings, the type Amnesia asks for in set-valued columns.
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
		return fmt.Errorf("a tree of the one node %q cannot be written in format %s, which writes parents with their children: use arx or json", t.Label(0), Amnesia)
	}
	if err := refuse(t, Amnesia, "a blank or line break", func(l string) bool { return strings.ContainsAny(l, " \t\r\n") }); err != nil {
		return err
	}
	if u, ok := t.Node(has); ok {
		return fmt.Errorf("label %q has a meaning of its own in format %s: change the label, or use json", t.Label(u), Amnesia)
	}
	return nil
}
