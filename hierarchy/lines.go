package hierarchy

import (
	"bufio"
	"fmt"
	"iter"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/internal/limits"
)

// This file reads and writes the layouts with separated labels: ARX's and pairs of child and
// parent.

// parseARX reads leaf;parent;...;root a line. Lines may be of different lengths.
func (s *source) parseARX() {
	skip := s.arxHeader()
	for line, labels := range s.records(s.separator()) {
		if labels = unpaddedCells(labels); len(labels) == 0 || line == skip {
			continue
		}
		if empty := slices.Index(labels, ""); empty >= 0 {
			s.bad.Addf(line, "label %d of %d is empty: every node needs a name; "+
				"remove the separator if there is no such level", empty+1, len(labels))
			continue
		}
		s.note(line, s.b.path(labels, line))
	}
}

// unpaddedCells are the labels without the empty cells at the end, by which spreadsheets make all
// lines as long as the longest.
func unpaddedCells(labels []string) []string {
	for len(labels) > 0 && labels[len(labels)-1] == "" {
		labels = labels[:len(labels)-1]
	}
	return labels
}

// pairCells are the cells of a pair without empty ones behind them.
func pairCells(fields []string) []string {
	if len(fields) > 2 && len(unpaddedCells(fields)) <= 2 {
		return fields[:2]
	}
	return fields
}

// levelNames are words that columns of a tree are called by, and hardly a group or an item.
var levelNames = append([]string{
	"parent", "group", "root", "level", "category", "leaves", "items", "top",
}, childNames...)

// arxHeader is the line of a header, 0 if there is none. It is the first line if none of its words
// is on any other: a tree has its root on every line, so that no tree is read in another way. To
// lose no item of a faulty one or of a forest, it must also name columns: one of its words, of a
// forest all, is such as "level 1".
func (s *source) arxHeader() int {
	var head []string
	at, others := 0, 0
	for line, labels := range s.plainRecords() {
		if labels = unpaddedCells(labels); head == nil {
			if head, at = labels, line; !s.namesLevels(head) {
				return 0
			}
			continue
		}
		others++
		for _, label := range labels {
			if label != "" && slices.Contains(head, label) {
				return 0
			}
		}
	}
	if others == 0 {
		return 0
	}
	return at
}

// namesLevels tells whether labels may be the names of columns.
func (s *source) namesLevels(labels []string) bool {
	if s.opts.AddRoot == "" {
		return slices.ContainsFunc(labels, isLevelName)
	}
	other := func(label string) bool { return !isLevelName(label) }
	return len(labels) > 0 && !slices.ContainsFunc(labels, other)
}

// plainRecords are the lines that can be split.
func (s *source) plainRecords() iter.Seq2[int, []string] {
	sep := s.separator()
	return func(yield func(int, []string) bool) {
		for i, text := range s.lines() {
			fields, fault := splitFields(text, sep)
			if fault == "" && !yield(i+1, fields) {
				return
			}
		}
	}
}

func isLevelName(label string) bool {
	word := strings.TrimRight(strings.ToLower(label), "0123456789")
	return slices.Contains(levelNames, strings.TrimRight(word, " _-"))
}

// parsePairs reads child,parent a line, with or without a header that names the two columns. An
// empty parent says that the child is the root.
func (s *source) parsePairs() {
	header, childAt := s.pairsHeader()
	sep := s.separator()
	for line, fields := range s.records(sep) {
		if header {
			header = false
			continue
		}
		if fields = pairCells(fields); len(fields) != 2 {
			s.bad.Addf(line, "the line has %d labels: in this layout it must have two, "+
				"child%cparent", len(fields), sep)
			continue
		}
		child, parent := fields[childAt], fields[1-childAt]
		switch {
		case child == "":
			s.bad.Addf(line, "the child's label is empty: every node needs a name")
		case parent == "":
			s.b.add(child, line)
		default:
			s.note(line, s.b.edge(child, parent, line))
		}
	}
}

// childNames are what the child's column may be called beside one called "parent".
var childNames = []string{"child", "node", "item", "leaf", "label", "name", "code", "id"}

// pairsHeader tells whether the first line is a header, and which column holds the child. A
// header's words occur in no other line of their column, so that a node called "parent" is not
// lost.
func (s *source) pairsHeader() (header bool, childAt int) {
	sep := s.separator()
	var head []string
	for _, text := range s.lines() {
		fields, fault := splitFields(text, sep)
		if fields = pairCells(fields); fault != "" || len(fields) != 2 {
			continue
		}
		if head == nil {
			if head = fields; !isPairsHeader(head) {
				return false, 0
			}
			continue
		}
		header = true // a header stands above something
		if fields[0] == head[0] || fields[1] == head[1] {
			return false, 0
		}
	}
	if header && strings.EqualFold(head[0], "parent") {
		return true, 1
	}
	return header, 0
}

func isPairsHeader(f []string) bool {
	a, b := strings.ToLower(f[0]), strings.ToLower(f[1])
	return a == "parent" && slices.Contains(childNames, b) ||
		b == "parent" && slices.Contains(childNames, a)
}

// separator is ';' if that divides every line, else ',' if that does, else the one of the two that
// occurs at all.
func (s *source) separator() byte {
	if s.opts.Separator != 0 {
		return byte(s.opts.Separator)
	}
	if s.sep == 0 {
		s.sep = s.findSeparator()
	}
	return s.sep
}

func (s *source) findSeparator() byte {
	for _, sep := range []byte{';', ','} {
		if all, some := s.divided(sep); all && some {
			return sep
		}
	}
	if _, some := s.divided(';'); some {
		return ';'
	}
	return ','
}

// divided tells whether sep occurs outside quotes on all lines and on any; lines that cannot be
// split do not count.
func (s *source) divided(sep byte) (all, some bool) {
	all = true
	for _, text := range s.lines() {
		if plain, more := plainFields(text, sep); plain {
			all, some = all && more > 0, some || more > 0
		} else if fields, fault := splitFields(text, sep); fault == "" {
			all, some = all && len(fields) > 1, some || len(fields) > 1
		}
		if some && !all {
			break
		}
	}
	return all, some
}

// plainFields tells whether a line is cut at its separators, whatever is between them, and how many
// there are.
func plainFields(text string, sep byte) (plain bool, separators int) {
	separators = strings.Count(text, string(rune(sep)))
	plain = len(text) <= maxLabel && separators < maxLevels && strings.IndexByte(text, '"') < 0
	return plain, separators
}

// blanks around a label are no part of it, unless it stands in quotes: as in files of data.
const blanks = " \t"

// doubled is how a quote stands in a label.
const doubled = `("" means ")`

// splitFields cuts a line at the separators. A field that begins with a quote ends with one; two
// quotes inside it mean one. The second result says what is wrong.
func splitFields(text string, sep byte) (fields []string, fault string) {
	if plain, separators := plainFields(text, sep); plain {
		fields = make([]string, 0, separators+1)
	}
	for {
		if len(fields) == maxLevels {
			return nil, fmt.Sprintf(
				"the line has more than %d labels, the most that are read", maxLevels,
			)
		}
		if !strings.HasPrefix(text, `"`) {
			field, rest, more := strings.Cut(text, string(rune(sep)))
			if len(field) > maxLabel {
				return nil, longLabel(len(fields) + 1)
			}
			if strings.Contains(field, `"`) {
				return nil, fmt.Sprintf(
					`label %d has a quote inside: put the label in quotes and double the quote `+
						doubled,
					len(fields)+1,
				)
			}
			if fields = append(fields, strings.Trim(field, blanks)); !more {
				return fields, ""
			}
			text = rest
			continue
		}
		field, rest, ok := cutQuoted(text[1:])
		if !ok {
			return nil, fmt.Sprintf(
				`the quote that opens label %d is not closed: close it, or double it `+
					doubled+` if it is part of the label`,
				len(fields)+1,
			)
		}
		if len(field) > maxLabel {
			return nil, longLabel(len(fields) + 1)
		}
		fields = append(fields, field)
		if rest == "" {
			return fields, ""
		}
		if rest[0] != sep {
			return nil, fmt.Sprintf(
				`label %d goes on behind its closing quote: double a quote that is part of the `+
					`label `+doubled,
				len(fields),
			)
		}
		text = rest[1:]
	}
}

func longLabel(at int) string {
	return fmt.Sprintf("label %d has more than %s, the longest that is read: is the separator "+
		"right?", at, limits.Bytes(maxLabel))
}

// cutQuoted unquotes what stands before the closing quote, and gives what stands behind it.
func cutQuoted(text string) (field, rest string, ok bool) {
	var b strings.Builder
	for {
		part, after, found := strings.Cut(text, `"`)
		if !found {
			return "", "", false
		}
		b.WriteString(part)
		if !strings.HasPrefix(after, `"`) {
			return b.String(), after, true
		}
		b.WriteByte('"')
		text = after[1:]
	}
}

// quoted is the label as a field; special are the characters that need quotes.
func quoted(label, special string) string {
	if !strings.ContainsAny(label, special+`"`) && strings.TrimSpace(label) == label &&
		!strings.HasPrefix(label, "\ufeff") {
		return label
	}
	return `"` + strings.ReplaceAll(label, `"`, `""`) + `"`
}

func writeARX(w *bufio.Writer, t *Tree) error {
	if err := oneLine(t, ARX); err != nil {
		return err
	}
	special := ";"
	if t.Nodes() == 1 {
		special = ";," // no line has a separator, so none must seem to have
	}
	for leaf := range int32(t.Leaves()) {
		for u := leaf; u >= 0; u = t.Parent(u) {
			if u != leaf {
				w.WriteByte(';')
			}
			w.WriteString(quoted(t.Label(u), special))
		}
		w.WriteByte('\n')
	}
	return nil
}

// writePairs writes the edges from the root down, under a header.
func writePairs(w *bufio.Writer, t *Tree) error {
	if err := oneLine(t, Pairs); err != nil {
		return err
	}
	child, parent, err := freeHeader(t)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s,%s\n", child, parent)
	if t.Nodes() == 1 {
		fmt.Fprintf(w, "%s,\n", quoted(t.Label(0), ";,"))
	}
	for _, u := range t.preorder() {
		if p := t.Parent(u); p >= 0 {
			fmt.Fprintf(w, "%s,%s\n", quoted(t.Label(u), ";,"), quoted(t.Label(p), ";,"))
		}
	}
	return nil
}

// freeHeader is a header that no node can be mistaken for.
func freeHeader(t *Tree) (child, parent string, err error) {
	for _, h := range [][2]string{{"child", "parent"}, {"Child", "Parent"}, {"CHILD", "PARENT"}} {
		_, isChild := t.Node(h[0])
		_, isParent := t.Node(h[1])
		if !isChild && !isParent {
			return h[0], h[1], nil
		}
	}
	return "", "", fmt.Errorf("nodes are called child and parent like the columns of format %s: "+
		"use arx or json", Pairs)
}

// oneLine refuses labels that break a line.
func oneLine(t *Tree, f Format) error {
	return refuse(
		t, f, "a line break",
		func(label string) bool { return strings.ContainsAny(label, "\r\n") },
	)
}

// refuse tells all labels that a layout cannot hold.
func refuse(t *Tree, f Format, what string, bad func(label string) bool) error {
	var found dataset.Faults
	for u := range int32(t.Nodes()) {
		if label := t.Label(u); bad(label) {
			found.Addf(0, "label %q has %s, which format %s cannot hold: change the label, or "+
				"use json", label, what, f)
		}
	}
	return found.Err("")
}

// preorder is all nodes, every node before those below it, from left to right.
func (t *Tree) preorder() []int32 {
	out := make([]int32, 0, t.Nodes())
	stack := []int32{t.Root()}
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], reversed(t.Children(u))...)
		out = append(out, u)
	}
	return out
}

func reversed(nodes []int32) []int32 {
	out := slices.Clone(nodes)
	slices.Reverse(out)
	return out
}
