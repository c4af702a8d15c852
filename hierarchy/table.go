package hierarchy

import (
	"slices"
	"strings"
)

// parseTable reads CSV with a header, whose named columns are the way from the item up. Nodes are told apart by column
// and label: an item "sausage" in a group "sausage" are two nodes, and the group is called "sausage*". A group with
// nothing but its namesake below it is the same node.
func (s *source) parseTable() {
	t := table{s: s, levels: make([]map[string]*cell, len(s.opts.Columns))}
	for i := range t.levels {
		t.levels[i] = map[string]*cell{}
	}
	sep := s.separator()
	at, start := s.tableHeader(sep)
	if at == nil {
		return
	}
	for i := start; i < len(s.starts); i++ {
		if isBlank(s.line(i)) {
			continue
		}
		fields, fault := splitFields(s.line(i), sep)
		if fault != "" {
			s.bad.Addf(i+1, "%s", fault)
			continue
		}
		t.row(i+1, fields, at)
	}
	t.foldNamesakes()
	t.build()
}

// tableHeader finds the columns by name, and the line below the header. at is nil where one is missing.
func (s *source) tableHeader(sep byte) (at []int, next int) {
	for i, text := range s.lines() {
		if !isBlank(text) {
			next = i + 1
			break
		}
	}
	if next == 0 {
		s.bad.Addf(0, "the table is empty: it needs a header and a line an item")
		return nil, 0
	}
	header, fault := splitFields(s.line(next-1), sep)
	if fault != "" {
		s.bad.Addf(next, "%s", fault)
		return nil, 0
	}
	for _, c := range s.opts.Columns {
		i := slices.Index(header, c)
		if i < 0 {
			s.bad.Addf(next, "the header has no column %q: it has %s", c, strings.Join(header, ", "))
		}
		at = append(at, i)
	}
	if s.bad.Any() {
		return nil, 0
	}
	return at, next
}

// table is nodes by column and label.
type table struct {
	s      *source
	levels []map[string]*cell
	order  []*cell // as first named, the item of a line before its groups
}

// cell is a node of a table.
type cell struct {
	label  string
	level  int
	line   int
	up     *cell
	upLine int
	below  int // how many nodes are right below
	gone   bool
}

// row adds the way up from one item.
func (t *table) row(line int, fields []string, at []int) {
	var child *cell
	for level, i := range at {
		if i >= len(fields) || fields[i] == "" {
			t.s.bad.Addf(line, "column %q is empty: every item needs a label on every level", t.s.opts.Columns[level])
			return
		}
		node := t.node(level, fields[i], line)
		if child != nil && !t.put(child, node, line) {
			return
		}
		child = node
	}
}

func (t *table) node(level int, label string, line int) *cell {
	c := t.levels[level][label]
	if c == nil && len(t.order) == maxNodes {
		t.s.b.refuse(maxNodesTold, line)
		return t.order[0] // the builder has refused everything
	}
	if c == nil {
		c = &cell{label: label, level: level, line: line}
		t.levels[level][label] = c
		t.order = append(t.order, c)
	}
	return c
}

// put puts child below up, and tells where it stands already if that is elsewhere.
func (t *table) put(child, up *cell, line int) bool {
	switch {
	case child.up == nil:
		child.up, child.upLine = up, line
		up.below++
	case child.up != up:
		columns := t.s.opts.Columns
		t.s.bad.Addf(line, "%s %q has two parents in column %s, %q (line %d) and %q: a node has one; correct the table, or give the nodes different labels",
			columns[child.level], child.label, columns[up.level], child.up.label, child.upLine, up.label)
		return false
	}
	return true
}

// foldNamesakes takes away every group whose only child has the same label.
func (t *table) foldNamesakes() {
	byLevel := slices.Clone(t.order)
	slices.SortStableFunc(byLevel, func(a, b *cell) int { return a.level - b.level })
	for _, c := range byLevel {
		for up := c.up; !c.gone && up != nil && up.below == 1 && up.label == c.label; up = c.up {
			up.gone = true
			c.up = up.up
		}
	}
}

// build names the nodes, the items first, and hands the edges on.
func (t *table) build() {
	names := nameSet{}
	name := map[*cell]string{}
	for level := range t.levels {
		for _, c := range t.order {
			if c.level == level && !c.gone {
				name[c] = names.free(c.label)
			}
		}
	}
	for _, c := range t.order {
		switch {
		case c.gone:
		case c.up == nil:
			t.s.b.add(name[c], c.line)
		default:
			if fault := t.s.b.edge(name[c], name[c.up], c.upLine); fault != "" {
				t.s.bad.Addf(c.upLine, "%s", fault)
			}
		}
	}
	if len(t.levels[0]) == 0 && !t.s.bad.Any() {
		t.s.bad.Addf(0, "no line stands below the header: a table needs a line an item")
	}
}
