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

// Shares of sensitive items where lines have a label above another. Whoever knows a set J of at
// most m items is left with some lines, in two ways of reading them: plainly, the lines with each
// item of J or a label above it, of a J that a line of the original has; and child by child, the
// lines that J is compatible with, of any J. At most 1/l of them may have a sensitive item. In both
// ways they are a union of overlapping sets of lines with certain labels, so that it is not enough
// to look at those.
//
// The elements of a line say in which way it allows an item, and there is one way at most: plainly
// they are its topmost labels; child by child its labels, and the split children of these with
// nothing at or below them. A child of u is split if some line publishes u and a label at or below
// the child. Where u is the lowest label of a line at or above an item, the item is at the split
// child of u that leads to it, if nothing is at or below that; or else at u, if the child is not
// split in any line. So what J leaves is a disjoint union over sets of at most m elements, and if
// its share is too large, so is that of one of these sets, and J is below the nodes of that set,
// one item or more below each.
//
// A set without an odd element, which is a split child or plainly a label that is below another in
// some line, is had as elements by just those lines that publish it: its shares were looked at
// among the sets of labels. So the sets with an odd element are counted, and those whose share is
// too large are listed. What J below these leave is told as in compatible.go, by cells, and so are
// the lines of each cell with each sensitive item. That decides each J exactly.

// The share of one person is bounded in the same manner: n times the lines of a person take the
// place of l times those with a sensitive item.

// unevenIn looks at shares where lines have labels above others.
func (r Release) unevenIn(ctx context.Context, f *Finding, s *sums) error {
	for _, of := range []struct {
		plainly bool
		odd     map[int32]int64
	}{{true, s.lower}, {false, s.split}} {
		r.tell("verifying shares in unions of lines")
		p := r.plan(ofElements)
		p.Share = r.PersonShare
		p.Plainly, p.Odd = of.plainly, slices.Sorted(maps.Keys(of.odd))
		told, err := r.listed(ctx, p, r.Published, engine.Job{Below: 1, Share: 1})
		if err != nil {
			return err
		}
		if told.lines != f.Lines || len(told.sums) > 0 {
			return fmt.Errorf("the published files had %d lines, and now have %d, or the judge was not "+
				"told of all their sets", f.Lines, told.lines)
		}
		f.Sets += told.above + int64(len(told.uneven))
		p.What, p.Odd, p.Certain = ofUnions, nil, nil
		if p.Tuples, err = r.below(slices.Sorted(maps.Keys(told.uneven))); err != nil {
			return err
		}
		// first by how many lines may have an item, and how many certainly are left
		for _, p.Deep = range []bool{false, true} {
			if len(p.Tuples) > 0 {
				if p.Tuples, p.Certain, err = r.unions(ctx, f, p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// below are the tuples of m nodes that have just the nodes of some sets of elements.
func (r Release) below(sets []string) ([][]int32, error) {
	var out [][]int32
	for _, text := range sets {
		var nodes []int32
		for _, s := range strings.Fields(text) {
			u, err := strconv.Atoi(s)
			if err != nil || u < 0 || u >= 2*r.Tree.Nodes() {
				return nil, errPart
			}
			nodes = append(nodes, int32(u%r.Tree.Nodes()))
		}
		slices.Sort(nodes)
		if nodes = slices.Compact(nodes); len(nodes) == 0 || len(nodes) > r.M {
			return nil, errPart
		}
		out = append(out, tuples(nodes, r.M)...)
	}
	slices.SortFunc(out, slices.Compare)
	return slices.CompactFunc(out, slices.Equal), nil
}

// union is some tuples of items, one below each node, how many lines each of them leaves, and l
// times how many of these have each sensitive item, or n times how many are of one person.
type union struct {
	nodes []int32
	n     int64
	with  map[string]int64
}

// unions has the lines counted that tuples leave, and returns those that are not decided, and how
// many lines each of them leaves for certain.
func (r Release) unions(
	ctx context.Context, f *Finding, p plan,
) (open [][]int32, certain []int64, _ error) {
	told, err := r.listed(ctx, p, r.Published, engine.Job{Below: mostLines})
	if err != nil {
		return nil, nil, err
	}
	if told.lines != f.Lines {
		return nil, nil, fmt.Errorf("the published files had %d lines, and now have %d", f.Lines,
			told.lines)
	}
	by, at := make([][]union, len(p.Tuples)), map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(told.sums)) { // parts behind their wholes
		whole, item, isPart := strings.Cut(name, "/")
		i, nodes, err := r.unionOf(whole, p)
		if err != nil {
			return nil, nil, err
		}
		if _, is := at[whole]; !is {
			at[whole] = len(by[i])
			by[i] = append(by[i], union{nodes: nodes, with: map[string]int64{}})
		}
		own := &by[i][at[whole]]
		if !isPart {
			own.n = told.sums[name] / unit
			continue
		}
		if x, err := strconv.Atoi(item); item == "" || item[0] != '#' && (err != nil || x < 0 ||
			x >= len(r.Layout.Sensitive)) {
			return nil, nil, errPart
		}
		own.with[item] = told.sums[name] / unit
	}
	for i, t := range p.Tuples {
		if !p.Deep {
			if len(by[i]) > 0 && by[i][0].uneven(nil) {
				open, certain = append(open, t), append(certain, by[i][0].n)
			}
			continue
		}
		u := &uneven{Release: r}
		u.look(slices.Clone(t), by[i], union{with: map[string]int64{}})
		open = append(open, u.found...)
	}
	if !p.Deep {
		return open, certain, nil
	}
	return nil, nil, r.breaches(ctx, f, p, open)
}

// unionOf reads the name of a cell of a tuple or, without Deep, of a tuple.
func (r Release) unionOf(name string, p plan) (int, []int32, error) {
	if p.Deep {
		return r.cellOf(name, len(p.Tuples))
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(p.Tuples) {
		return 0, nil, errPart
	}
	return i, nil, nil
}

// uneven tells whether too many of some sensitive item, or of a person, may be left, if others are,
// too.
func (u union) uneven(others []union) bool {
	for x := range u.with {
		if u.most(x, others) > u.n {
			return true
		}
	}
	for _, o := range others {
		for x := range o.with {
			if u.most(x, others) > u.n {
				return true
			}
		}
	}
	return false
}

// most is l times how many lines with a sensitive item may be left, or n times how many of a
// person.
func (u union) most(x string, others []union) int64 {
	n := u.with[x]
	for _, o := range others {
		n += o.with[x]
	}
	return n
}

// uneven looks for tuples of nodes below which any items leave too many lines with a sensitive one.
type uneven struct {
	Release
	found [][]int32
}

// look looks at items below the nodes of a tuple: n is left whatever they are, and of the cells it
// depends on them.
func (u *uneven) look(tuple []int32, cells []union, n union) {
	own := union{n: n.n, with: maps.Clone(n.with)}
	var rest []union
	for _, c := range cells {
		above := true
		for j, v := range c.nodes {
			above = above && u.Tree.Covers(v, tuple[j])
		}
		if !above {
			rest = append(rest, c)
			continue
		}
		own.n += c.n
		for x, with := range c.with {
			own.with[x] += with
		}
	}
	if !own.uneven(rest) {
		return
	}
	if len(rest) == 0 {
		u.found = append(u.found, slices.Clone(tuple))
		return
	}
	at := aboveIn(u.Tree, tuple, rest[0].nodes)
	eachBelow(u.Tree, tuple, at, func(child int32) {
		var related []union
		for _, c := range rest {
			if u.Tree.Related(c.nodes[at], child) {
				related = append(related, c)
			}
		}
		u.look(tuple, related, own)
	})
}

// breaches files tuples of nodes of which any items leave too many lines with a sensitive one; read
// plainly, those alone that a line of the original has items of, if it is given.
func (r Release) breaches(ctx context.Context, f *Finding, p plan, found [][]int32) error {
	if p.Plainly && r.Original != nil && len(found) > 0 {
		p.What, p.Tuples = ofHad, found
		told, err := r.listed(ctx, p, r.Original, engine.Job{Below: mostLines})
		if err != nil {
			return err
		}
		var had [][]int32
		for i, t := range found {
			if told.sums[strconv.Itoa(i)] > 0 {
				had = append(had, t)
			}
		}
		if told.lines != f.Lines {
			f.unlike(otherLines, told.lines, f.Lines)
			return nil
		}
		found = had
	}
	who, share := "a sensitive item is in", r.L
	if r.L == 0 {
		who, share = "one person has", r.PersonShare
	}
	for _, t := range found {
		b := Breach{Text: fmt.Sprintf("%s more than 1/%d of the lines that whoever knows these items is "+
			"left with", who, share)}
		for _, u := range slices.Compact(slices.Sorted(slices.Values(t))) {
			item, _ := r.Tree.Range(u)
			b.Items = append(b.Items, r.Tree.Label(item))
		}
		f.breach(b)
	}
	return nil
}

// with adds a line to a set, and to the set with each of some sensitive items.
func (l *listing) with(name []byte, sensitive []int32) {
	l.add(name, 1)
	n := len(name)
	for _, x := range sensitive {
		name = strconv.AppendInt(append(name[:n], '/'), int64(x), 10)
		l.add(name, 1)
	}
}

// elements counts the sets of at most m elements of a line with an odd one. Split children are
// numbered behind the nodes.
func (p *plan) elements(
	ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer,
) error {
	odd, children := make([]bool, t.Nodes()), make([][]int32, t.Nodes())
	for _, c := range p.Odd {
		if c < 0 || int(c) >= t.Nodes()-1 {
			return errors.New("the plan names a node that there is not")
		}
		odd[c] = true
		children[t.Parent(c)] = append(children[t.Parent(c)], c)
	}
	l := p.listing(w)
	return l.each(ctx, t, r, func(v *reading, sensitive []int32) error {
		var first, rest []int32
		for _, u := range v.labels {
			switch {
			case !p.Plainly:
				rest = append(rest, u)
				for _, c := range children[u] {
					if v.atOrBelow[c] != v.now {
						first = append(first, c+int32(t.Nodes()))
					}
				}
			case v.lower(u):
			case odd[u]:
				first = append(first, u)
			default:
				rest = append(rest, u)
			}
		}
		if len(first) == 0 {
			return nil
		}
		all := append(first, rest...)
		if err := split.Fits(len(all), min(p.M, len(all))); err != nil {
			return err
		}
		for i, e := range first {
			l.elements([]int32{e}, all[i+1:], sensitive)
		}
		return nil
	})
}

// elements counts a set of elements of a line, and those that go on with rest.
func (l *listing) elements(set, rest, sensitive []int32) {
	l.name = l.name[:0]
	for _, e := range slices.Sorted(slices.Values(set)) {
		l.name = append(strconv.AppendInt(l.name, int64(e), 10), ' ')
	}
	l.with(l.name[:len(l.name)-1], sensitive)
	if len(set) == l.M {
		return
	}
	for i, e := range rest {
		l.elements(append(set, e), rest[i+1:], sensitive)
	}
}

// unions counts the cells of the plan's tuples that lines leave or, without Deep, the lines that
// are left whatever items are known, and with each sensitive item those that may be left.
func (p *plan) unions(ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer) error {
	used, err := p.used(t)
	if err != nil {
		return err
	}
	l, of := p.listing(w), make([]extent, t.Nodes())
	return l.each(ctx, t, r, func(v *reading, sensitive []int32) error {
		for _, u := range used {
			of[u] = v.extent(u, p.Plainly)
		}
		for i, tuple := range p.Tuples {
			least := all
			for _, u := range tuple {
				least = min(least, of[u])
			}
			if least == none || least == some && !p.Deep && len(sensitive) == 0 && l.own == nil {
				continue
			}
			if p.Deep {
				s := &splitting{
					listing: l, reading: v, number: i, left: mostCells, beside: sensitive,
				}
				if s.split(slices.Clone(tuple)); s.left < 0 {
					return errTooMuch
				}
				continue
			}
			name := strconv.AppendInt(nil, int64(i), 10)
			if l.with(name, sensitive); least == some {
				l.sets[string(name)]-- // of a person it counts
			}
		}
		return nil
	})
}

// had counts the original lines that have an item below each node of a tuple.
func (p *plan) had(ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer) error {
	if _, err := p.used(t); err != nil {
		return err
	}
	l := p.listing(w)
	return l.each(ctx, t, r, func(v *reading, _ []int32) error {
		for i, tuple := range p.Tuples {
			if !slices.ContainsFunc(tuple, func(u int32) bool { return v.atOrBelow[u] != v.now }) {
				l.add(strconv.AppendInt(nil, int64(i), 10), 1)
			}
		}
		return nil
	})
}
