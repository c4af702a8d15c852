package peel

import (
	"context"
	"slices"
)

// step is the working space of the steps.
type step struct {
	s     *state
	u     int32
	next  [][]int32 // by row: what it publishes if it gives u up; nil: it has not, or not any more
	back  []int32   // rows that go back to u in this round
	marks []bool    // by row: it is among these
	place []int32   // by node: where it is among its parent's children
	depth []counts  // by size of the set
	heads map[int32]*shareOf
	told  []int32 // the sensitive items in the set that is extended
}

// shareOf is how many lines and persons of a set have a sensitive item.
type shareOf struct {
	lines, persons int32
	last           int32 // the unit counted last, plus one; 0: none
}

// counts are those of sets with one node more, by that node.
type counts struct {
	of            []tally // zero between uses
	verdict       []int8  // none between uses
	rows, changed [][]rest
	touched       []int32
}

// rest is a row that has a set, and what it publishes above the set's nodes, by number.
type rest struct {
	row   int32
	nodes []int32
}

// What is known of a set with one node more.
const (
	none int8 = iota // it was not counted
	kept
	broken
)

// tally is how many lines, and persons, have a set.
type tally struct {
	persons, lines int32
	own, most      int32 // lines of the person counted last, and of one person at most
	last           int32 // the unit counted last, plus one; 0: none
	met            bool
}

func (t *step) begin(s *state) {
	t.s = s
	t.next, t.marks = make([][]int32, s.rows.Len()), make([]bool, s.rows.Len())
	t.place = make([]int32, s.tree.Nodes())
	t.depth, t.heads = make([]counts, s.m), map[int32]*shareOf{}
	for i := range t.depth {
		n := s.tree.Nodes() + int(s.in.Knowable())
		t.depth[i] = counts{
			of: make([]tally, n), verdict: make([]int8, n),
			rows: make([][]rest, n), changed: make([][]rest, n),
		}
	}
}

// now is what a row publishes.
func (t *step) now(row int32) []int32 {
	if t.next[row] != nil {
		return t.next[row]
	}
	return t.s.pub[row]
}

// member is what a row counts for.
type member struct{ lines, unit, weight int32 }

func (t *step) member(row int32) member {
	return member{t.s.lines[row], t.s.rows.Units[row], t.s.rows.Weights[row]}
}

// add counts a row.
func (c *tally) add(r member) {
	c.met = true
	c.lines += r.lines
	switch {
	case r.unit < 0: // it stands for persons of one line each, or for nobody
		c.persons += r.weight
		if r.weight > 0 {
			c.most = max(c.most, 1)
		}
		return
	case c.last != r.unit+1:
		c.persons++
		c.last, c.own = r.unit+1, 0
	}
	c.own += r.lines
	c.most = max(c.most, c.own)
}

// broken tells whether what was counted breaks the promise.
func (t *step) broken(c *tally) bool {
	return int(c.persons) < t.s.k || int(c.most)*t.s.share > int(c.lines)
}

// specialise makes one step. When ctx ends, nothing has changed.
func (s *state) specialise(ctx context.Context, u int32) {
	rows := s.who[u]
	if len(rows) == 0 {
		return
	}
	t := &s.step
	t.u = u
	children := s.tree.Children(u)
	newly := make([][]int32, len(children))
	for at, c := range children {
		t.place[c] = int32(at)
	}
	for _, r := range rows {
		own := s.childrenOf(r, u, nil)
		t.next[r] = s.without(r, u, own)
		for _, c := range own {
			newly[t.place[c]] = append(newly[t.place[c]], r)
		}
	}
	for ctx.Err() == nil && t.round(rows, children, newly) {
	}
	if ctx.Err() == nil {
		s.commit(u, rows)
	}
	for _, r := range rows {
		t.next[r] = nil
	}
}

// without is what a row publishes with some children in place of u.
func (s *state) without(r, u int32, children []int32) []int32 {
	out := make([]int32, 0, len(s.pub[r])-1+len(children))
	for _, v := range s.pub[r] {
		if v != u {
			out = append(out, v)
		}
	}
	out = append(out, children...)
	slices.Sort(out)
	return out
}

// round finds the rows that must go back to u, and puts them back; it tells whether there were any.
func (t *step) round(rows []int32, children []int32, newly [][]int32) bool {
	t.back = t.back[:0]
	given := t.given(rows)
	if len(given) == 0 {
		return false
	}
	for at, c := range children {
		if still := t.given(newly[at]); len(still) > 0 {
			all := slices.Concat(t.s.who[c], still)
			slices.Sort(all)
			t.look(c, all, still)
		}
	}
	var left []int32
	for _, r := range rows {
		if t.next[r] == nil {
			left = append(left, r)
		}
	}
	if len(left) > 0 {
		t.look(t.u, left, given)
	}
	for _, r := range t.back {
		t.next[r], t.marks[r] = nil, false
	}
	return len(t.back) > 0
}

// given are those of some rows that give u up, still.
func (t *step) given(rows []int32) []int32 {
	var out []int32
	for _, r := range rows {
		if t.next[r] != nil {
			out = append(out, r)
		}
	}
	return out
}

// goBack notes that rows go back to u and, where shares of persons count, all of the same person
// that give it up: see unequal.
func (t *step) goBack(rows ...int32) {
	for _, r := range rows {
		from, to := r, r+1
		if t.s.sens != nil {
			from, to = t.kin(r)
		}
		for x := from; x < to; x++ {
			if t.next[x] != nil && !t.marks[x] {
				t.marks[x] = true
				t.back = append(t.back, x)
			}
		}
	}
}

// kin are the rows of the person of a row: from ≤ row < to. Those of nobody stand alone.
func (t *step) kin(r int32) (from, to int32) {
	unit := t.s.rows.Units[r]
	from, to = r, r+1
	for unit >= 0 && from > 0 && t.s.rows.Units[from-1] == unit {
		from--
	}
	for unit >= 0 && int(to) < t.s.rows.Len() && t.s.rows.Units[to] == unit {
		to++
	}
	return from, to
}

// unequal tells whether a sensitive item is in too many of the rows with a set, which ascend, or of
// too many of the persons, but for those in the set: told and, if it is one, last.
//
// That the sets of published nodes hide a sensitive item is enough where all rows of a person give
// a node up, or none: then the nodes of a person have none above another, in whichever rows, and
// all rows of the person that match some items publish the same set of nodes for them. So what
// matches is a disjoint union of persons, over such sets; and so is what matches and has a value in
// a sensitive column; and of those who have some sensitive items that may be known, too.
func (t *step) unequal(rows []rest, c *tally, last int32) bool {
	if t.s.sens == nil {
		return false
	}
	clear(t.heads)
	for _, r := range rows {
		for _, x := range t.s.sens.Tx(int(r.row)) {
			h := t.heads[x]
			if h == nil {
				h = &shareOf{}
				t.heads[x] = h
			}
			h.lines++
			if unit := t.s.rows.Units[r.row]; unit >= 0 && h.last != unit+1 {
				h.persons, h.last = h.persons+1, unit+1
			}
		}
	}
	for x, h := range t.heads {
		if x+t.s.known == last || slices.Contains(t.told, x) {
			continue
		}
		if !t.s.in.Hidden(x, int(h.lines), int(c.lines), t.linesWith) ||
			!t.s.in.Hidden(x, int(h.persons), int(c.persons), t.personsWith) {
			return true
		}
	}
	return false
}

// linesWith and personsWith are how many of those counted last have a value in a column.
func (t *step) linesWith(mark int32) int   { return int(t.heads[mark].lines) }
func (t *step) personsWith(mark int32) int { return int(t.heads[mark].persons) }

// look judges the sets with a node, which the rows publish. Of a set that breaks the promise those
// of the changed rows go back that have the rest of it.
func (t *step) look(node int32, rows, changed []int32) {
	var c tally
	for _, r := range rows {
		c.add(t.member(r))
	}
	all := t.rests(rows)
	if t.broken(&c) || t.unequal(all, &c, node) {
		t.goBack(changed...)
		return
	}
	t.extend(node, all, t.rests(changed), 1)
}

// rests are rows with all that they publish.
func (t *step) rests(rows []int32) []rest {
	out := make([]rest, len(rows))
	for i, r := range rows {
		out[i] = rest{r, t.now(r)}
	}
	return out
}

// extend judges the sets with a node more, of the rests, besides those that all the rows have. A
// sensitive item that may be known is like a node that nothing lifts.
func (t *step) extend(node int32, rows, changed []rest, size int) {
	if size == t.s.m {
		return
	}
	c := &t.depth[size]
	c.touched = c.touched[:0]
	for _, r := range rows {
		member := t.member(r.row)
		for _, v := range r.nodes {
			if v != node {
				if !c.of[v].met {
					c.touched = append(c.touched, v)
				}
				c.of[v].add(member)
				if t.s.sens != nil {
					c.rows[v] = append(c.rows[v], r)
				}
			}
		}
	}
	slices.Sort(c.touched)
	for _, v := range c.touched {
		c.verdict[v] = kept
		if t.broken(&c.of[v]) || t.unequal(c.rows[v], &c.of[v], v) {
			c.verdict[v] = broken
		}
		c.of[v], c.rows[v] = tally{}, c.rows[v][:0]
	}
	t.deal(c, rows, changed, size+1 < t.s.m)
	if size+1 < t.s.m {
		for _, v := range c.touched {
			if len(c.changed[v]) > 0 {
				told := t.told
				if v >= t.s.known {
					t.told = append(t.told, v-t.s.known)
				}
				t.extend(node, c.rows[v], c.changed[v], size+1)
				t.told = told
			}
		}
	}
	for _, v := range c.touched {
		c.verdict[v], c.rows[v], c.changed[v] = none, c.rows[v][:0], c.changed[v][:0]
	}
}

// deal puts changed rows back that have a node with which a set breaks the promise and, where
// larger sets are to be looked at, lists the rows of the others.
func (t *step) deal(c *counts, rows, changed []rest, further bool) {
	for _, r := range changed {
		for i, v := range r.nodes {
			switch {
			case c.verdict[v] == broken:
				t.goBack(r.row)
			case c.verdict[v] == kept && further:
				c.changed[v] = append(c.changed[v], rest{r.row, r.nodes[i+1:]})
			}
		}
	}
	if !further {
		return
	}
	for _, r := range rows {
		for i, v := range r.nodes {
			if len(c.changed[v]) > 0 {
				c.rows[v] = append(c.rows[v], rest{r.row, r.nodes[i+1:]})
			}
		}
	}
}

// commit publishes what the rows that have not gone back have in place of u.
func (s *state) commit(u int32, rows []int32) {
	var stay []int32
	for _, r := range rows {
		if s.next[r] == nil {
			stay = append(stay, r)
			continue
		}
		s.pub[r] = s.next[r]
		from, to := s.below(r, u)
		tx, start := s.rows.Tx(int(r)), s.rows.Start(int(r))
		for _, c := range s.childrenOf(r, u, nil) {
			s.who[c] = append(s.who[c], r)
			for i := from; i < to; i++ {
				if s.tree.Covers(c, tx[i-start]) {
					s.lost -= (s.tree.Penalty(u) - s.tree.Penalty(c)) * int64(s.lines[r])
					s.at[i] = c
				}
			}
		}
	}
	s.who[u] = stay
	for _, c := range s.tree.Children(u) {
		slices.Sort(s.who[c])
	}
}
