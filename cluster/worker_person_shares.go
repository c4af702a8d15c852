package cluster

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"mingle/cluster/split"
	"mingle/dataset"
)

// Shares of persons, and of lines where persons are counted. A set is then sent several times, each
// with a number behind its ranks (Plan.number): its persons; those with each sensitive item; its
// lines; those with each sensitive item; and the most lines that one person has of it. All lines of
// a person are in one place, so that the greatest of what the places tell is the greatest there is.

// most notes how many lines one person has.
func (m *mapper) most(d *dataset.Dataset, p people) {
	lines, filled := make([]int64, len(p.names)), make([]int64, len(p.names))
	m.said.FilledLines += int64(d.Len() - d.Empty())
	for i, tx := range d.All() {
		u := p.units[i]
		if u < 0 {
			continue
		}
		if lines[u]++; len(tx) > 0 {
			filled[u]++
		}
		m.said.Most = max(m.said.Most, lines[u])
		m.said.MostFilled = max(m.said.MostFilled, filled[u])
	}
}

// besidePersons counts what shares are made of, and how many lines and persons have each sensitive
// item.
func (m *mapper) besidePersons(ctx context.Context, d *dataset.Dataset, p people) error {
	have := make([][]int32, len(m.Sensitive)) // the lines that have each
	for i := range d.Len() {
		if p.sensitive != nil {
			for _, x := range p.sensitive.Tx(i) {
				have[x] = append(have[x], int32(i))
			}
		}
	}
	if m.width() > m.Size {
		if err := m.lines(ctx, dataset.Merge(d), m.ofLines(noItem)); err != nil {
			return err
		}
	}
	for x, txs := range have {
		own, units := d.Select(txs), make([]int32, len(txs))
		for i, tx := range txs {
			units[i] = p.units[tx]
		}
		m.tellOf(x, own, units)
		if m.L == 0 || len(txs) == 0 {
			continue
		}
		err := m.lines(ctx, dataset.MergeUnits(own, units), int32(x))
		if err == nil {
			err = m.lines(ctx, dataset.Merge(own), m.ofLines(int32(x)))
		}
		if err != nil {
			return err
		}
	}
	if m.Share == 0 {
		return nil
	}
	return m.ofEach(ctx, d, p)
}

// tellOf notes the lines that have a sensitive item, and their persons: all, and those with
// anything else.
func (m *mapper) tellOf(x int, own *dataset.Dataset, units []int32) {
	told := m.supports[m.tree.Leaves()+1:]
	n := len(m.Sensitive)
	met, metFilled := int32(-1), int32(-1)
	for i, tx := range own.All() {
		u, filled := units[i], len(tx) > 0
		told[x]++
		if filled {
			told[n+x]++
		}
		if u >= 0 && u != met { // lines of a person stand together
			told[2*n+x]++
			met = u
		}
		if u >= 0 && filled && u != metFilled {
			told[3*n+x]++
			metFilled = u
		}
	}
}

// ofEach sends, of each set that a person has in two lines or more, in how many at most.
func (m *mapper) ofEach(ctx context.Context, d *dataset.Dataset, p people) error {
	most := map[string]int32{} // by set
	rank := slices.Repeat([]int32{-1}, m.tree.Nodes())
	for r, u := range m.Order {
		rank[u] = int32(r)
	}
	for from := 0; from < d.Len(); {
		to := from + 1
		for p.units[from] >= 0 && to < d.Len() && p.units[to] == p.units[from] {
			to++
		}
		if to > from+1 {
			own := map[string]int32{}
			for i := from; i < to; i++ {
				if err := m.setsOf(rank, d.Tx(i), own); err != nil {
					return err
				}
			}
			for set, n := range own {
				if n > 1 && n > most[set] {
					most[set] = n
				}
			}
		}
		if from = to; len(most) > mostRows {
			if err := m.sendMost(most); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return m.sendMost(most)
}

// setsOf counts the sets of unrelated nodes at and above the cut that a line has, by their ranks.
func (m *mapper) setsOf(rank, tx []int32, count map[string]int32) error {
	var ranks []int32
	for _, leaf := range tx {
		for u := m.Cut[leaf]; u != m.tree.Root(); u = m.tree.Parent(u) {
			ranks = append(ranks, rank[u])
		}
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	if err := split.Fits(len(ranks), m.Size); err != nil {
		return err
	}
	var extend func(rest []int32, set []byte)
	extend = func(rest []int32, set []byte) {
		if len(set) == 4*m.Size {
			count[string(set)]++
			return
		}
		for i, r := range rest {
			if m.unrelated(set, r) {
				extend(rest[i+1:], binary.BigEndian.AppendUint32(set, uint32(r)))
			}
		}
	}
	extend(ranks, make([]byte, 0, 4*m.Size))
	return nil
}

// unrelated tells whether a node is above none of a set, and below none.
func (m *mapper) unrelated(set []byte, rank int32) bool {
	for i := 0; i < len(set); i += 4 {
		u := m.Order[binary.BigEndian.Uint32(set[i:])]
		if v := m.Order[rank]; m.tree.Covers(u, v) || m.tree.Covers(v, u) {
			return false
		}
	}
	return true
}

// sendMost puts how many lines of sets one person has to what was before.
func (m *mapper) sendMost(most map[string]int32) error {
	row := make([]int32, m.width())
	for _, set := range slices.Sorted(maps.Keys(most)) {
		for i := range m.Size {
			row[i] = int32(binary.BigEndian.Uint32([]byte(set[4*i:])))
		}
		row[m.Size] = m.number(m.ofOne(most[set]))
		if m.fault == nil {
			m.said.Sets++
			m.fault = m.buckets[bucket(row[:m.Size], m.Buckets)].now.add(row, 1)
		}
	}
	clear(most)
	return m.end()
}
