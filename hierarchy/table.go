package hierarchy

import (
	"slices"

	"mingle/dataset"
)

// parseTable reads CSV with a header, whose named columns are the path from the item up. Nodes are
// told apart by column and label: an item "sausage" in a group "sausage" are two nodes, and the
// group is called "sausage*". A group with nothing but its namesake below it is the same node.
func (s *source) parseTable() {
	t := table{s: s, levels: make([]map[string]*cell, len(s.opts.Columns))}
	for i := range t.levels {
		t.levels[i] = map[string]*cell{}
	}
	var at []int // the named columns
	for line, fields := range s.records(s.separator()) {
		if at != nil {
			t.row(line, fields, at)
			continue
		}
		if !s.bad.Any() {
			at = s.tableHeader(line, fields)
		}
		if s.bad.Any() { // of the header, or of a line above it
			return
		}
	}
	if at == nil {
		if !s.bad.Any() {
			s.bad.Addf(0, "the table is empty: it needs a header and a line an item")
		}
		return
	}
	t.foldNamesakes()
	t.build()
}

// tableHeader finds the columns by name.
func (s *source) tableHeader(line int, header []string) (at []int) {
	for _, c := range s.opts.Columns {
		i := slices.Index(header, c)
		if i < 0 {
			s.bad.Addf(
				line, "the header has no column %q%s", c, dataset.ColumnHint(c, header),
			)
		}
		at = append(at, i)
	}
	return at
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

// row adds the path up from one item.
func (t *table) row(line int, fields []string, at []int) {
	var child *cell
	for level, i := range at {
		if i >= len(fields) || fields[i] == "" {
			t.s.bad.Addf(
				line, "column %q is empty: every item needs a label on every level",
				t.s.opts.Columns[level],
			)
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
		t.s.bad.Addf(
			line,
			"%s %q has two parents in column %s, %q (line %d) and %q: a node has "+
				"one; correct the table, or give the nodes different labels",
			columns[child.level],
			child.label,
			columns[up.level],
			child.up.label,
			child.upLine,
			up.label,
		)
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
			t.s.note(c.upLine, t.s.b.edge(name[c], name[c.up], c.upLine))
		}
	}
	if len(t.levels[0]) == 0 && !t.s.bad.Any() {
		t.s.bad.Addf(0, "no line stands below the header: a table needs a line an item")
	}
}
