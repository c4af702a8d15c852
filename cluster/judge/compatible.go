package judge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mingle/cluster/engine"
	"mingle/cluster/split"
	"mingle/hierarchy"
)

// Condition (c) of docs/definitions.md: every set J of at most m items is compatible with no line
// or with at least k. It is looked at where lines have a label above another, once every set of
// labels that occurs is in k lines (a).
//
// A child c of a label is torn if some line publishes the label and has a label at or below c, but
// not c alone there. What J is compatible with is decided item by item: let J be compatible with a
// line, and put for each item the torn child of a label of the line that it is below, with nothing
// at or below that child, or else the label that it is at. Without a torn child J is in order: k
// lines publish these labels, by (a), and each of them has nothing at or below the child that leads
// to the item, or that child alone. So sets of labels and torn children of a line are counted, with
// one torn child at least, once for each line that has them all and with all items below each:
// where these are k, J is in order.
//
// Those with fewer are few. They are looked at more closely: J is filled up to m items by one of
// its own, so that it has an item below each node of a tuple of m. A line says, for each tuple, of
// which cells of it any items may be in the line, cells being tuples of nodes below those of the
// tuple, each tuple of items in one of them. So the cells of all lines tell how many lines each J
// is compatible with, exactly: nothing is accepted or refused that the definition does not.
//
// Where the unit is a person the same is said of persons in place of lines (placed.go). The cells
// of all lines of a person are made disjoint first, so that each person is counted once for each J.

// compatibleIn looks at condition (c) where some children are torn.
func (r Release) compatibleIn(ctx context.Context, f *Finding, torn []int32) error {
	r.tell("verifying what may be at a label beside labels below it")
	p := r.plan(ofTorn)
	p.Torn = torn
	told, err := r.listed(ctx, p, r.Published, engine.Job{Below: int64(r.K) * unit})
	if err != nil {
		return err
	}
	if told.lines != f.Lines {
		return fmt.Errorf("the published files had %d lines, and now have %d", f.Lines, told.lines)
	}
	f.Sets += told.above + int64(len(told.sums))
	p = r.plan(ofCells)
	for _, name := range slices.Sorted(maps.Keys(told.sums)) {
		set, err := r.nodes(name)
		if err != nil {
			return err
		}
		p.Tuples = append(p.Tuples, tuples(set, r.M)...)
	}
	// first by lines that may have any items of a tuple, which are enough for most
	for _, p.Deep = range []bool{false, true} {
		if len(p.Tuples) == 0 {
			return nil
		}
		if p.Tuples, err = r.cells(ctx, f, p); err != nil {
			return err
		}
	}
	return nil
}

// tuples are those of m nodes that have just the nodes of a set.
func tuples(set []int32, m int) [][]int32 {
	var out [][]int32
	var rec func(at int, tuple []int32)
	rec = func(at int, tuple []int32) {
		switch left := len(set) - 1 - at; {
		case len(tuple) == m && left == 0:
			out = append(out, slices.Clone(tuple))
		case len(tuple) < m:
			if left > 0 {
				rec(at+1, append(tuple, set[at+1]))
			}
			if len(tuple) > 0 && m-len(tuple) > left {
				rec(at, append(tuple, set[at]))
			}
		}
	}
	rec(-1, nil)
	return out
}

// cell is some tuples of items, one below each node, and how many lines say that they may have any.
type cell struct {
	nodes []int32
	n     int64
}

// cells has the cells of tuples counted, and returns the tuples that are not decided.
func (r Release) cells(ctx context.Context, f *Finding, p plan) ([][]int32, error) {
	told, err := r.listed(ctx, p, r.Published, engine.Job{Below: mostLines})
	if err != nil {
		return nil, err
	}
	by := make([][]cell, len(p.Tuples))
	for _, name := range slices.Sorted(maps.Keys(told.sums)) {
		i, nodes, err := r.cellOf(name, len(by))
		if err != nil {
			return nil, err
		}
		by[i] = append(by[i], cell{nodes, told.sums[name] / unit})
	}
	var open [][]int32
	for i, t := range p.Tuples {
		if p.Deep {
			r.thin(f, slices.Clone(t), by[i], 0, false)
		} else if len(by[i]) == 0 || by[i][0].n < int64(r.K) {
			open = append(open, t)
		}
	}
	return open, nil
}

// cellOf reads the name of a cell: the number of its tuple, and its nodes.
func (r Release) cellOf(name string, tuples int) (int, []int32, error) {
	number, rest, _ := strings.Cut(name, " ")
	i, err := strconv.Atoi(number)
	nodes, wrong := r.nodes(rest)
	if err != nil || wrong != nil || i < 0 || i >= tuples || len(nodes) != r.M {
		return 0, nil, errPart
	}
	return i, nodes, nil
}

// thin looks for items, one below each node of a tuple, that some lines and fewer than k are
// compatible with: n of them, if any, with whatever items, and those of the cells. A cell of lines
// of nobody alone has none.
func (r Release) thin(f *Finding, tuple []int32, cells []cell, n int64, some bool) {
	var rest []cell
	for _, c := range cells {
		above := true
		for j, u := range c.nodes {
			above = above && r.Tree.Covers(u, tuple[j])
		}
		if above {
			n, some = n+c.n, true
		} else {
			rest = append(rest, c)
		}
	}
	if n >= int64(r.K) {
		return
	}
	if len(rest) == 0 {
		if some {
			f.breach(r.incompatible(tuple, n))
		}
		return
	}
	at := aboveIn(r.Tree, tuple, rest[0].nodes)
	eachBelow(r.Tree, tuple, at, func(child int32) {
		var own []cell
		for _, c := range rest {
			if r.Tree.Related(c.nodes[at], child) {
				own = append(own, c)
			}
		}
		r.thin(f, tuple, own, n, some)
	})
}

// aboveIn is the last place of a tuple with a node above that of a cell, which there must be.
func aboveIn(t *hierarchy.Tree, tuple, cell []int32) int {
	at := -1
	for j, u := range tuple {
		if cell[j] != u && t.Covers(u, cell[j]) {
			at = j
		}
	}
	return at
}

// eachBelow puts each child of the node at a place of a tuple there, one after the other.
func eachBelow(t *hierarchy.Tree, tuple []int32, at int, do func(child int32)) {
	u := tuple[at]
	for _, child := range t.Children(u) {
		tuple[at] = child
		do(child)
	}
	tuple[at] = u
}

// incompatible spells out that items below the nodes of a tuple may be in too few lines.
func (r Release) incompatible(tuple []int32, n int64) Breach {
	of := "lines"
	if r.Placed != nil {
		of = "persons' lines"
	}
	b := Breach{Support: n, Text: fmt.Sprintf(
		"a person with these items can be in fewer than %d %s, for whoever reads a label beside a "+
			"label below it as other than that", r.K, of)}
	for _, u := range slices.Compact(slices.Sorted(slices.Values(tuple))) {
		item, _ := r.Tree.Range(u)
		b.Items = append(b.Items, r.Tree.Label(item))
	}
	return b
}

// element is a label of a line, or a torn child of one that has no label at or below it.
type element struct {
	node int32
	all  bool // any of the items below it may be in the line
}

// tornSets counts the sets of at most m elements of a line, a torn child among them.
func (p *plan) tornSets(
	ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer,
) error {
	children := make([][]int32, t.Nodes())
	for _, c := range p.Torn {
		if c < 0 || int(c) >= t.Nodes()-1 {
			return errors.New("the plan names a node that there is not")
		}
		children[t.Parent(c)] = append(children[t.Parent(c)], c)
	}
	l := p.listing(w)
	var elements []element
	return l.each(ctx, t, r, func(v *reading, _ []int32) error {
		elements = elements[:0]
		for _, u := range v.labels {
			for _, c := range children[u] {
				if v.atOrBelow[c] != v.now {
					elements = append(elements, element{c, true})
				}
			}
		}
		torn := len(elements)
		if torn == 0 {
			return nil
		}
		for _, u := range v.labels {
			elements = append(elements, element{u, v.below[u] != v.now})
		}
		if err := split.Fits(len(elements), min(p.M, len(elements))); err != nil {
			return err
		}
		for i, e := range elements[:torn] {
			l.extend([]int32{e.node}, elements[i+1:], e.all)
		}
		return nil
	})
}

// extend counts a set, and those that go on with rest.
func (l *listing) extend(set []int32, rest []element, all bool) {
	l.name = l.name[:0]
	for _, u := range slices.Sorted(slices.Values(set)) {
		l.name = append(strconv.AppendInt(l.name, int64(u), 10), ' ')
	}
	n := int64(0)
	if all {
		n = 1
	}
	l.add(l.name[:len(l.name)-1], n)
	if len(set) == l.M {
		return
	}
	for i, e := range rest {
		l.extend(append(set, e.node), rest[i+1:], all && e.all)
	}
}

// mostCells is how many cells a line may have for one tuple.
const mostCells = 1 << 16

// cells counts the cells of the plan's tuples, or with not Deep the tuples alone.
func (p *plan) cells(ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer) error {
	used, err := p.used(t)
	if err != nil {
		return err
	}
	l, of := p.listing(w), make([]extent, t.Nodes())
	return l.each(ctx, t, r, func(v *reading, _ []int32) error {
		for _, u := range used {
			of[u] = v.of(u)
		}
		for i, tuple := range p.Tuples {
			least := all
			for _, u := range tuple {
				least = min(least, of[u])
			}
			if least == none || least == some && !p.Deep {
				continue
			}
			s := &splitting{listing: l, reading: v, number: i, left: mostCells}
			if s.split(slices.Clone(tuple)); s.left < 0 {
				return errTooMuch
			}
		}
		return nil
	})
}

// used are the nodes of the plan's tuples, ascending.
func (p *plan) used(t *hierarchy.Tree) ([]int32, error) {
	var used []int32
	for _, tuple := range p.Tuples {
		for _, u := range tuple {
			if u < 0 || int(u) >= t.Nodes() || len(tuple) != p.M {
				return nil, errors.New("the plan names a node that there is not")
			}
			used = append(used, u)
		}
	}
	slices.Sort(used)
	return slices.Compact(used), nil
}

// splitting takes a tuple apart for one line.
type splitting struct {
	*listing
	*reading
	number int     // of the tuple
	left   int     // how many cells there may be
	beside []int32 // sensitive items that cells are counted with, too
}

// split counts those cells of a tuple of which any items may be in the line.
func (s *splitting) split(tuple []int32) {
	at := -1
	for j, u := range tuple {
		switch s.extent(u, s.Plainly) {
		case none:
			return
		case some:
			at = j
		}
	}
	if s.left--; s.left < 0 {
		return
	}
	if at < 0 {
		if s.own != nil && s.Share == 0 {
			s.own.cells[s.number] = append(s.own.cells[s.number], slices.Clone(tuple))
			return
		}
		s.name = cellName(s.name[:0], s.number, tuple)
		s.with(s.name, s.beside)
		return
	}
	eachBelow(s.tree, tuple, at, func(int32) { s.split(tuple) })
}
