package verify

import (
	"context"
	"slices"
)

// probe looks at the sets of at most m nodes that have one torn child which a line has nothing at
// or below (see compatible).
//
// What matters of such a line are its labels, and the torn children of them that it has nothing at
// or below: its nodes. It covers a node that is such a child, and a label with nothing below it. So
// the sets are counted like combinations of items, among these lines alone, by projection: where k
// of them cover all nodes of a set, the set is safe. Only what is left is looked at closely (see
// choices).
type probe struct {
	*reading
	ctx     context.Context
	covers  covering
	child   int32
	lines   []int32 // that have nothing at or below the child, and the label above it
	nodes   []covered
	ends    []int32      // by place in lines: where its nodes end
	levels  []probeLevel // by size of the set less one
	set     []int32      // the set looked at
	told    map[string]witness
	counted int64

	part, parts int // which of how many parts of the sets is looked at, by their second node
}

// covered is a node of a line, and whether the line covers it.
type covered struct {
	node int32
	is   bool
}

// holding is a line that has all nodes of a set: where the last of them is, and whether it covers
// all.
type holding struct {
	line, at int32 // by place in lines; in nodes
	covers   bool
}

// probeLevel is the working space of one size.
type probeLevel struct {
	counts  []headcount // by node
	touched []int32
}

// headcount counts lines, or persons with such lines.
type headcount struct {
	n, last int
	seen    bool
}

// add counts a line, of those in their order: nobody's come first, and count for nothing.
func (v *reading) add(t *headcount, line int32) {
	if v.person == nil {
		t.n += v.weight[line]
	} else if p := int(v.person[line]); p+1 != t.last {
		t.n, t.last = t.n+1, p+1
	}
}

func newProbe(ctx context.Context, v *reading) *probe {
	return &probe{reading: v, ctx: ctx, covers: newCovering(v), levels: make([]probeLevel, v.m)}
}

// run looks at one part of the sets with a torn child, and returns what is below k.
func (p *probe) run(child int32, part, parts int) map[string]witness {
	p.child, p.told, p.set = child, map[string]witness{}, append(p.set[:0], child)
	p.part, p.parts = part, parts
	p.collect()
	var total headcount
	var all []holding
	from := int32(0)
	for n, line := range p.lines {
		p.add(&total, line)
		all = append(all, holding{int32(n), from - 1, true})
		from = p.ends[n]
	}
	if part == 0 {
		p.counted++
		if total.n < p.k && len(all) > 0 {
			p.choices(p.set, p.m-1)
		}
	}
	p.extend(1, all)
	return p.told
}

// collect lists the lines, and the nodes of each, ascending.
func (p *probe) collect() {
	p.lines, p.nodes, p.ends = p.lines[:0], p.nodes[:0], p.ends[:0]
	for _, line := range p.with[p.tree.Parent(p.child)] {
		if p.hasBelow(int(line), p.child) {
			continue
		}
		from := len(p.nodes)
		for at, u := range p.sets[line] {
			p.nodes = append(p.nodes, covered{u, p.alone(p.sets[line], at)})
			for _, c := range p.torn[u] {
				if c != p.child && !p.hasBelow(int(line), c) {
					p.nodes = append(p.nodes, covered{c, true})
				}
			}
		}
		slices.SortFunc(p.nodes[from:], func(a, b covered) int { return int(a.node) - int(b.node) })
		p.lines, p.ends = append(p.lines, line), append(p.ends, int32(len(p.nodes)))
	}
}

// enough tells whether to end.
func (p *probe) enough() bool { return p.ctx.Err() != nil || len(p.told) >= maxPerTask }

// extend looks at the sets that have one node more than the current one, of the given size, and at
// all beyond them.
func (p *probe) extend(size int, in []holding) {
	if size >= p.m || p.enough() {
		return
	}
	level := &p.levels[size-1]
	p.count(level, in)
	if size == 1 {
		p.keepPart(level)
	}
	for _, u := range level.touched {
		if p.counted++; level.counts[u].n < p.k {
			p.set = append(p.set[:size], u)
			p.choices(p.set, p.m-len(p.set))
		}
		level.counts[u] = headcount{}
	}
	if size+1 == p.m {
		return
	}
	lists := p.project(level, in)
	for _, u := range slices.Clone(level.touched) {
		p.set = append(p.set[:size], u)
		p.extend(size+1, lists[u])
	}
}

// count counts the nodes that come after those of a set.
func (p *probe) count(level *probeLevel, in []holding) {
	if level.counts == nil {
		level.counts = make([]headcount, p.tree.Nodes())
	}
	level.touched = level.touched[:0]
	for _, h := range in {
		for _, u := range p.nodes[h.at+1 : p.ends[h.line]] {
			t := &level.counts[u.node]
			if !t.seen {
				t.seen = true
				level.touched = append(level.touched, u.node)
			}
			if h.covers && u.is {
				p.add(t, p.lines[h.line])
			}
		}
	}
}

// keepPart leaves those of the touched nodes that are in the part of the sets looked at.
func (p *probe) keepPart(level *probeLevel) {
	kept := level.touched[:0]
	for n, u := range level.touched {
		if n%p.parts == p.part {
			kept = append(kept, u)
		} else {
			level.counts[u] = headcount{}
		}
	}
	level.touched = kept
}

// project lists, by touched node, the lines that have it after the nodes of a set.
func (p *probe) project(level *probeLevel, in []holding) map[int32][]holding {
	lists := make(map[int32][]holding, len(level.touched))
	for _, u := range level.touched {
		lists[u] = nil
	}
	for _, h := range in {
		for at := h.at + 1; at < p.ends[h.line]; at++ {
			u := p.nodes[at]
			if list, is := lists[u.node]; is {
				lists[u.node] = append(list, holding{h.line, at, h.covers && u.is})
			}
		}
	}
	return lists
}
