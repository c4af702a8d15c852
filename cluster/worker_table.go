package cluster

import (
	"context"
	"slices"

	"mingle/dataset"
)

// Lines are counted in a table where that pays: see itemset.Tally.

// these counts the sets of some lines, which have a sensitive item, or any.
func (m *mapper) these(ctx context.Context, d *dataset.Dataset, sensitive int32) error {
	d = m.having(d)
	if !m.pays(d) {
		return m.lines(ctx, dataset.Merge(d), sensitive)
	}
	depth := m.depths()
	for i, tx := range d.All() {
		if i%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := m.fit(depth, tx); err != nil {
			return err
		}
		if err := m.tally.Add(tx); err != nil {
			return err
		}
	}
	// a table serves one sensitive item after the other, and has room for 2^31 - 1 lines
	if m.held += d.Len(); m.L > 0 || m.held > 1<<30 {
		return m.drain(sensitive)
	}
	return nil
}

// cellsALine is how many cells the table may have for each line that is put into an empty one: to
// go through them all then takes about as long as to read the line.
const cellsALine = 128

// pays tells whether lines are counted in the table.
func (m *mapper) pays(d *dataset.Dataset) bool {
	return m.tally != nil && (m.held > 0 || m.tally.Cells() <= cellsALine*d.Len())
}

// drain puts what the table has, of lines that have a sensitive item, or any, to what was before.
func (m *mapper) drain(sensitive int32) error {
	if m.tally == nil || m.held == 0 {
		return nil
	}
	m.held = 0
	m.tally.Drain(m.sets(sensitive))
	return m.end()
}

// having is the lines with a set that is counted: those with a node of With.
func (m *mapper) having(d *dataset.Dataset) *dataset.Dataset {
	if len(m.With) == 0 {
		return d
	}
	var out []int32
	for i, tx := range d.All() {
		if slices.ContainsFunc(tx, func(leaf int32) bool { return m.wanted[leaf] }) {
			out = append(out, int32(i))
		}
	}
	return d.Select(out)
}

// belowWith tells of each leaf whether a node of With is counted for it.
func (m *mapper) belowWith() []bool {
	with := make([]bool, m.tree.Nodes())
	for _, u := range m.With {
		with[u] = true
	}
	out := make([]bool, len(m.Cut))
	for leaf, u := range m.Cut {
		for ; u >= 0 && !out[leaf]; u = m.tree.Parent(u) {
			out[leaf] = with[u]
		}
	}
	return out
}
