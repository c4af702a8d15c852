package verify

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"mingle/dataset"
)

// Shares of sensitive items where lines have a node and an ancestor of it.
//
// Whoever knows a set J of items has two ways to read a line. Plainly, the line matches J if each
// item of J or a node above it is in the line. Child by child, the line must be compatible with J
// (see compatible). In both ways the lines that J leaves may be a union of overlapping sets of
// lines with certain labels, and a share of at most 1/l in each does not bound the share in the
// union. So the union is looked at: for every J of at most m items, at most 1/l of the lines that
// match it, and at most 1/l of those that are compatible with it, have any one sensitive item. The
// share of one person is bounded in the same two ways.
//
// The elements of a line say how it may allow an item, in one way each:
//
//   - Plainly, they are its topmost labels. One of them at most is above an item.
//   - Child by child, they are its labels, and the children of these that are split and that the
//     line has nothing at or below. A child of u is split if some line has u and a label at or
//     below the child. Let u be the lowest label of a line at or above an item. If u is the item,
//     or the child of u above the item is not split, all lines with u are compatible with the item
//     at u. Else all lines with the element of the child are, and no others are at u.
//
// So the lines that J leaves are a disjoint union over sets of at most m elements: if in each of
// these the shares are at most 1/l, so they are in the union. That is counted first (walkElements).
// What fails there is looked at closely, J by J (see choices): only sets J below a set of elements
// that fails can fail.

// manner is one of the two ways to read a line.
type manner byte

const (
	childByChild manner = iota
	plainly
)

// reader reads lines in one of the two ways.
type reader struct {
	*reading
	l        int
	share    int // of one person; 0: it is not looked at
	how      manner
	split    []bool    // by node
	above    []bool    // by node: a label is strictly below it
	tallies  [][]tally // by line
	elements [][]int32 // by line, ascending: nodes, and split children behind all nodes
	with     [][]int32 // by element: the lines that have it
	original *dataset.Dataset
	work     *atomic.Int64 // done when looking closely
	limit    int64
}

// childShares checks shares of sensitive items, and of one person, among lines read child by child.
func (j *judgement) childShares(ctx context.Context) error {
	p := j.in.Promise
	diverse, one := j.sens != nil && p.Diverse(), j.person != nil && p.PersonShare > 0
	if !j.nested || !diverse && !one {
		return nil
	}
	if err := j.checkChildShares(ctx); err != nil {
		return err
	}
	if diverse {
		j.f.note("local recoding: shares of sensitive items were bounded among lines read child by " +
			"child, too")
	}
	if one {
		j.f.note("local recoding: the share of one person was bounded among lines read child by " +
			"child, too")
	}
	return nil
}

// checkChildShares does so of persons one combination after the other, where that is not too much.
func (j *judgement) checkChildShares(ctx context.Context) error {
	if j.person == nil {
		return j.checkUnions(ctx, childByChild)
	}
	r := j.newReader(childByChild)
	a := j.readerOfPersons(r)
	if a.steps() > j.limit {
		return j.checkUnions(ctx, childByChild)
	}
	found, err := j.search(ctx, a)
	for n, w := range found.kept {
		items := slices.Clone(w.nodes)
		for i, code := range items {
			items[i] = claim(code).node()
		}
		found.kept[n].nodes = items
	}
	j.unevenAll(r.reading, found)
	return err
}

// unevenAll files what is uneven in lines that are read child by child.
func (j *judgement) unevenAll(v *reading, found *witnesses) {
	var spelled []Breach
	for _, w := range found.kept {
		spelled = append(spelled, j.unevenly(v, w))
	}
	j.f.breach(found.count, spelled...)
}

// readerOfPersons is an adversary who reads lines child by child, where persons are counted.
func (j *judgement) readerOfPersons(r *reader) *adversary {
	p := j.in.Promise
	if j.sens == nil {
		p.L = 0
	}
	a := j.newAdversary(p)
	a.mayBeNone, a.ratiosOnly = true, true
	for u := range int32(j.in.Tree.Nodes()) {
		up := j.in.Tree.Parent(u)
		if !r.above[u] && (up < 0 || r.above[up]) {
			// all items below it are alike, and not all below its parent are
			lo, _ := j.in.Tree.Range(u)
			a.statements = append(a.statements, statement{claim: claim(claimOf(lo, hasItem))})
		}
	}
	if a.steps() <= j.limit {
		j.fillCompatible(a, r)
	}
	return a
}

// fillCompatible makes the bit sets of the published lines that are compatible with items.
func (j *judgement) fillCompatible(a *adversary, r *reader) {
	if j.sens != nil {
		a.sensitive = tids(j.sens, j.sens.Dict().Len())
	}
	lines := map[int32][]int32{} // by distinct line
	d := newDeduplicator(j.in.Published.Len())
	published := j.in.Published.Cursor()
	for i := range j.in.Published.Len() {
		at := d.add(published.Tx(i), 1)
		lines[at] = append(lines[at], int32(i))
	}
	covers := newCovering(r.reading)
	for n := range a.statements {
		s := &a.statements[n]
		s.match = bitset(j.in.Published.Len())
		covers.eachOf([]int32{s.claim.node()}, func(line int32) bool {
			for _, i := range lines[line] {
				s.match[i/64] |= 1 << (i % 64)
			}
			return true
		})
	}
}

// checkUnions looks at the unions of one of the two ways.
func (j *judgement) checkUnions(ctx context.Context, how manner) error {
	r := j.newUnitReader(how)
	seekers := make([]*unionSeeker, j.pool.workers)
	for n := range seekers {
		seekers[n] = newUnionSeeker(ctx, r)
	}
	told := make([]map[string]witness, len(r.with))
	stage := "shares among lines read child by child"
	if how == plainly {
		stage = "shares among lines that match items"
	}
	err := j.pool.run(ctx, stage, len(r.with), func(worker, e int) {
		told[e] = seekers[worker].run(int32(e))
	})
	if err != nil {
		return err
	}
	if r.work.Load() > r.limit {
		return j.errSteps(r.limit)
	}
	for _, s := range seekers {
		j.f.Itemsets += s.counted
	}
	found := onceEach(told)
	if how == plainly {
		j.f.breach(found.count, j.spell(found, KindKnowledge)...)
		return nil
	}
	j.unevenAll(r.reading, found)
	return nil
}

// errSteps says that shares among what matches knowledge cannot be checked. How far the work went
// is not said: that depends on which worker stopped first.
func (j *judgement) errSteps(limit int64) error {
	shares := "diversity"
	if j.person != nil {
		shares = "shares of persons"
	}
	return tooMuch("%s against knowledge of original items cannot be checked: some lines "+
		"publish items at several levels, and more than %d steps would be needed", shares, limit)
}

// newReader reads the distinct lines.
func (j *judgement) newReader(how manner) *reader {
	r := j.emptyReader(how)
	r.tell(j.in.Published, j.sens)
	r.prepare()
	return r
}

// newUnitReader is newReader, but that lines of persons are read one by one.
func (j *judgement) newUnitReader(how manner) *reader {
	if j.person == nil {
		return j.newReader(how)
	}
	r := j.emptyReader(how)
	r.ofPersons(j)
	r.prepare()
	return r
}

func (j *judgement) emptyReader(how manner) *reader {
	r := &reader{
		reading: newReading(j.in.Tree, j.in.Published), l: j.in.Promise.L, how: how,
		work: &atomic.Int64{}, limit: int64(max(j.limit, j.closer)),
	}
	r.m = j.in.Promise.M
	if how == plainly {
		r.original = j.in.Original
	}
	return r
}

// prepare finds the elements of the lines.
func (r *reader) prepare() {
	nodes := r.tree.Nodes()
	r.split, r.above = make([]bool, nodes), make([]bool, nodes)
	for line := range r.sets {
		r.mark(line)
	}
	r.elements, r.with = make([][]int32, len(r.sets)), make([][]int32, 2*nodes)
	for line := range r.sets {
		r.elements[line] = r.elementsOf(line)
		for _, e := range r.elements[line] {
			r.with[e] = append(r.with[e], int32(line))
		}
	}
}

// tell counts the sensitive items of the lines.
func (r *reader) tell(published, sens *dataset.Dataset) {
	r.tallies = make([][]tally, len(r.sets))
	if sens == nil {
		return
	}
	d := newDeduplicator(published.Len()) // numbers lines as the reading does
	lines := published.Cursor()
	for i := range published.Len() {
		if at := d.add(lines.Tx(i), 1); at >= 0 {
			for _, s := range sens.Tx(i) {
				r.tallies[at] = append(r.tallies[at], tally{s, 1})
			}
		}
	}
	for n, all := range r.tallies {
		r.tallies[n] = slices.Clip(all[:sumTallies(all)])
	}
}

// mark marks what is above the labels of a line, and the children that it splits.
func (r *reader) mark(line int) {
	for _, u := range r.sets[line] {
		for c, up := u, r.tree.Parent(u); up >= 0; c, up = up, r.tree.Parent(up) {
			r.above[up] = true
			if r.publishes(line, up) {
				r.split[c] = true
			}
		}
	}
}

func (r *reader) elementsOf(line int) (out []int32) {
	if r.how == plainly {
		for _, u := range r.sets[line] {
			if last := len(out) - 1; last < 0 || !r.tree.Covers(out[last], u) {
				out = append(out, u)
			}
		}
	} else {
		for _, u := range r.sets[line] {
			out = append(out, u)
			for _, c := range r.tree.Children(u) {
				if r.split[c] && !r.hasBelow(line, c) {
					out = append(out, c+int32(r.tree.Nodes()))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// unevenly spells out that a sensitive item is in too many of the lines that are compatible with J,
// or one person has too many of them.
func (j *judgement) unevenly(v *reading, w witness) Breach {
	b := j.incompatible(v, w)
	if n := j.in.Promise.PersonShare; w.of == ofOne {
		b.Message = fmt.Sprintf("one person has %d of the %s that a person with %q can be in, more "+
			"than 1/%d of them, for whoever reads a node beside a label below it as other than that",
			w.needed/n, plural(w.support, "transaction"), b.Itemset, n)
		return b
	}
	b.Sensitive = j.sens.Dict().Label(w.beside)
	unit := "transaction"
	if w.of == ofPersons {
		unit = "person"
	}
	b.Message = fmt.Sprintf("%s is in %d of the %s that a person with %q can be in%s, more than "+
		"1/%d of them, for whoever reads a node beside a label below it as other than that",
		j.what(b.Sensitive), w.needed/j.in.Promise.L, plural(w.support, unit), b.Itemset,
		j.have(), j.in.Promise.L)
	return b
}
