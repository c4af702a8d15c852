package verify

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// compatible checks condition (c) of docs/definitions.md. An item x may be at a published node u of
// a line only if the child of u above x has no published label at or below it in that line (x
// itself, if u is x). Every original line obeys that, and every set J of at most m leaves is
// compatible with no line or with at least k: each of its items may be at some node.
//
// Where no line has a node and an ancestor of it there is nothing to check. Proof. No label is
// below another, so every item under a label is compatible. A line that J is compatible with has a
// label above each item of J; at least k lines have all of these labels (itemsets.go), and J is
// compatible with each of them.
//
// Else most J are safe by the same argument. Call a child c of u torn if some line publishes u and
// labels at or below c that do not cover c, where a line covers a node if all leaves below it are
// compatible with it. Let J be compatible with a line without the line's having an item of J at u
// under a torn child of u. At least k lines publish the labels that the items of J are at. Each of
// them has nothing at or below the child that leads to the item, or covers it: J is compatible with
// all. So what is looked at are the sets of at most m labels and torn children that a line has
// nothing at or below, one of these at least. J is below such a set. If k lines cover all of its
// nodes, every J below it is safe; else one of its nodes is replaced by its children, down to the
// leaves, where to cover is to be compatible.
//
// Against an adversary with the algorithm in mind nothing is to be checked either: lines are read by
// the lowest node there, and the original need not obey more. What certain checks holds for every
// closer reading that reads identical lines alike. Proof. Let J be compatible with a line of class C
// in the closer reading. Then C may have J. So C and the lines that certainly have J are at least k;
// the lines of C are compatible with J in the closer reading as they are identical, and the others as
// all their originals have J.
func (j *judgement) compatible(ctx context.Context) error {
	if !j.nested || j.in.Promise.AgainstAlgorithm() {
		return nil
	}
	count, spelled := j.f.BreachCount, len(j.f.Breaches)
	if err := j.childByChild(ctx); err != nil || j.f.BreachCount == count {
		return err
	}
	stronger, err := j.meetsCertain(ctx)
	if stronger {
		j.f.BreachCount, j.f.Breaches = count, j.f.Breaches[:spelled]
		j.note("local recoding: read child by child some items would be left with fewer lines, but this release " +
			"keeps the stronger condition against whoever runs any algorithm in mind, which implies k lines (see core)")
	}
	return err
}

// meetsCertain tells whether the release keeps the condition against any algorithm, which implies
// that of compatible (see there). It is not defined where items may be missing or are sensitive.
func (j *judgement) meetsCertain(ctx context.Context) (bool, error) {
	if j.in.MaySuppress || j.in.PublishedSensitive != nil || j.in.OriginalSensitive != nil {
		return false, nil
	}
	c, err := j.classesOfLines(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		return false, nil // too large to be decided: then it is not known to be met
	}
	err = c.check(ctx, j.crew)
	return err == nil && c.found.count == 0, err
}

// childByChild is compatible where lines have a node and an ancestor of it.
func (j *judgement) childByChild(ctx context.Context) error {
	if o := j.in.Original; o != nil && (j.of != nil && len(j.of) == j.in.Published.Len() || o.Len() == j.in.Published.Len()) {
		j.obeyed()
	}
	v := newReading(j.in.Tree, j.in.Published)
	if j.in.Original == nil {
		j.readable(v)
	}
	found, err := v.check(ctx, j.in.Promise.K, j.in.Promise.M)
	if err != nil {
		return err
	}
	j.f.Itemsets += found.counted
	var spelled []Breach
	for _, w := range found.kept {
		spelled = append(spelled, j.incompatible(v, w))
	}
	j.breach(found.count, spelled...)
	j.note("local recoding: what an item below a node may be was read child by child: nothing below a child of the node that has a label of its own in the line")
	return nil
}

// readable checks, where the original is not given, that every label of a line has a compatible item.
func (j *judgement) readable(v *reading) {
	for i := range v.sets {
		u := v.impossible(i)
		if u < 0 {
			continue
		}
		b := Breach{Kind: KindCompatible, Itemset: []string{j.in.Tree.Label(u)}, Needed: 1}
		published := j.in.Published.Cursor()
		for n := 0; n < j.in.Published.Len() && len(b.Lines) < maxLines; n++ {
			if slices.Equal(v.arrange(published.Tx(n)), v.sets[i]) {
				b.Lines = append(b.Lines, j.in.Published.Line(n))
			}
		}
		b.Message = fmt.Sprintf("no item can be %q where it is published beside labels at or below each of its children", j.in.Tree.Label(u))
		j.breach(1, b)
	}
}

// impossible is a label of a line all of whose children have a label at or below them; -1: there is none.
func (v *reading) impossible(line int) int32 {
	set := v.sets[line]
	for at, u := range set {
		if v.tree.IsLeaf(u) {
			continue
		}
		taken, last := 0, int32(-1)
		for _, w := range set[at+1:] {
			if !v.tree.Covers(u, w) {
				break
			}
			for v.tree.Parent(w) != u {
				w = v.tree.Parent(w)
			}
			if w != last {
				taken, last = taken+1, w
			}
		}
		if taken == len(v.tree.Children(u)) {
			return u
		}
	}
	return -1
}

// obeyed checks that the items of every original line are compatible with its published line. Where
// lines are missing, each published line takes the first original line behind the last one taken
// that it recodes and that obeys (see align).
func (j *judgement) obeyed() {
	v := newReading(j.in.Tree, nil)
	original, published := j.in.Original.Cursor(), j.in.Published.Cursor()
	if j.of == nil {
		for i := range j.in.Published.Len() {
			for _, x := range v.outside(original.Tx(i), published.Tx(i)) {
				line, t := j.in.Published.Line(i), j.in.Tree
				u, c := v.place(0, x)
				j.breach(1, Breach{
					Kind: KindCompatible, Itemset: []string{t.Label(x)}, Lines: []int{line}, Needed: 1,
					Message: fmt.Sprintf("line %d publishes %q as %q beside another label at or below %q: whoever reads that would take the item out of the line", line, t.Label(x), t.Label(u), t.Label(c)),
				})
			}
		}
		return
	}
	l := newLiner(j.in.Tree, j.in.MaySuppress)
	at := 0
	for i := range j.in.Published.Len() {
		for at < j.in.Original.Len() && (l.line(original.Tx(at), published.Tx(i)) != nil || v.outside(original.Tx(at), published.Tx(i)) != nil) {
			at++
		}
		if at == j.in.Original.Len() {
			line := j.in.Published.Line(i)
			j.breach(1, Breach{
				Kind: KindCompatible, Itemset: j.in.Published.Labels(i), Lines: []int{line}, Needed: 1,
				Message: fmt.Sprintf("line %d of the published file is a recoding of no line of the original behind those of the lines before it whose items are below no other label of the child they are at", line),
			})
			return
		}
		at++
	}
}

// outside are the items of an original line that are not compatible with its published line, though
// a label is above them.
func (v *reading) outside(original, published []int32) []int32 {
	v.sets = [][]int32{v.arrange(published)}
	var out []int32
	for _, x := range original {
		if u, c := v.place(0, x); u >= 0 && u != x && v.hasBelow(0, c) {
			out = append(out, x)
		}
	}
	return out
}

// incompatible spells out that J is compatible with too few lines.
func (j *judgement) incompatible(v *reading, w witness) Breach {
	b := Breach{Kind: KindCompatible, Support: w.support, Needed: w.needed, Itemset: []string{}}
	for _, x := range w.nodes {
		b.Itemset = append(b.Itemset, j.in.Tree.Label(x))
	}
	published := j.in.Published.Cursor()
	for i := 0; i < j.in.Published.Len() && len(b.Lines) < maxLines; i++ {
		v.sets = [][]int32{v.arrange(published.Tx(i))}
		if !slices.ContainsFunc(w.nodes, func(x int32) bool { return !v.covers(0, x) }) {
			b.Lines = append(b.Lines, j.in.Published.Line(i))
		}
	}
	b.Message = fmt.Sprintf("a person with %q can be in %d lines only, fewer than %d, for whoever reads a node beside a label below it as other than that", b.Itemset, w.support, w.needed)
	return b
}

// reading is the different published lines, read with condition (c).
type reading struct {
	tree   *hierarchy.Tree
	sets   [][]int32 // of each line: its labels from left to right, a node before what is below it
	weight []int     // how often it is published
	with   [][]int32 // by node: the lines that publish it
	torn   [][]int32 // by node: its torn children

	k, m    int
	covered map[int32]lineSet
	bytes   int // of covered
	safe    map[string]bool
	told    map[string]bool // what has been found
	found   compatibilityFound
	ctx     context.Context
}

type compatibilityFound struct {
	shelf
	counted int64
}

func newReading(t *hierarchy.Tree, published *dataset.Dataset) *reading {
	v := &reading{tree: t}
	if published == nil {
		return v
	}
	v.with, v.torn = make([][]int32, t.Nodes()), make([][]int32, t.Nodes())
	r := &rows{start: []uint32{0}}
	lines := published.Cursor()
	for i := range published.Len() {
		r.items = append(r.items, lines.Tx(i)...)
		r.start = append(r.start, uint32(len(r.items)))
		r.weight = append(r.weight, 1)
	}
	r = mergeRows(r)
	for i, w := range r.weight {
		set := v.arrange(r.row(i))
		v.sets, v.weight = append(v.sets, set), append(v.weight, int(w))
		for _, u := range set {
			v.with[u] = append(v.with[u], int32(i))
		}
	}
	return v
}

// arrange sorts labels from left to right, a node before what is below it.
func (v *reading) arrange(labels []int32) []int32 {
	set := slices.Clone(labels)
	slices.SortFunc(set, v.compare)
	return set
}

func (v *reading) compare(a, b int32) int {
	left, _ := v.tree.Range(a)
	right, _ := v.tree.Range(b)
	return cmp.Or(cmp.Compare(left, right), cmp.Compare(b, a)) // ancestors have larger ids
}

// place is the lowest label of a line at or above a node, or -1, and the child of it that leads to
// the node, or the label itself.
func (v *reading) place(line int, x int32) (u, child int32) {
	child = x
	for u = x; u >= 0; u = v.tree.Parent(u) {
		if _, is := slices.BinarySearchFunc(v.sets[line], u, v.compare); is {
			return u, child
		}
		child = u
	}
	return -1, -1
}

// hasBelow tells whether a line has a label at or below a node.
func (v *reading) hasBelow(line int, x int32) bool {
	set := v.sets[line]
	at, _ := slices.BinarySearchFunc(set, x, v.compare)
	return at < len(set) && v.tree.Covers(x, set[at])
}

// covers tells, of a leaf exactly, whether all leaves below a node are compatible with a line. Of
// an inner node it may say no where several labels together cover it.
func (v *reading) covers(line int, x int32) bool {
	u, child := v.place(line, x)
	switch {
	case u < 0:
		return false
	case u != x:
		return !v.hasBelow(line, child)
	}
	set := v.sets[line]
	at, _ := slices.BinarySearchFunc(set, x, v.compare)
	return at+1 == len(set) || !v.tree.Covers(x, set[at+1])
}

// findTorn finds the torn children.
func (v *reading) findTorn() {
	is := make([]bool, v.tree.Nodes())
	for line, set := range v.sets {
		for _, u := range set {
			for a, up := u, v.tree.Parent(u); up >= 0; a, up = up, v.tree.Parent(up) {
				if is[a] {
					continue
				}
				if _, has := slices.BinarySearchFunc(set, up, v.compare); has && !v.covers(line, a) {
					is[a] = true
					v.torn[up] = append(v.torn[up], a)
				}
			}
		}
	}
	for _, children := range v.torn {
		slices.Sort(children)
	}
}

// check looks at every line that is published fewer than k times.
func (v *reading) check(ctx context.Context, k, m int) (compatibilityFound, error) {
	v.ctx, v.k, v.m = ctx, k, m
	v.covered, v.safe, v.told = map[int32]lineSet{}, map[string]bool{}, map[string]bool{}
	v.findTorn()
	for line, set := range v.sets {
		if ctx.Err() != nil {
			return v.found, context.Cause(ctx)
		}
		if v.weight[line] >= k {
			continue
		}
		var open []int32
		for _, u := range set {
			for _, c := range v.torn[u] {
				if !v.hasBelow(line, c) {
					open = append(open, c)
				}
			}
		}
		for i, c := range open {
			v.extend([]int32{c}, slices.Concat(set, open[i+1:]))
		}
	}
	return v.found, nil
}

// extend looks at a set of nodes, and at all of at most m that have more of the others. It ends
// where something is found.
func (v *reading) extend(nodes, others []int32) {
	if v.ctx.Err() != nil || v.found.count >= maxPerTask {
		return
	}
	key := sortedKey(nodes)
	if !v.safe[key] {
		if v.count(nodes) < v.k && !v.below(nodes) {
			return
		}
		if len(v.safe) >= maxSafe {
			clear(v.safe)
		}
		v.safe[key] = true
	}
	if len(nodes) == v.m || len(others) == 0 || v.count(slices.Concat(nodes, others)) >= v.k {
		return // who covers all of them covers every part
	}
	for i, u := range others {
		v.extend(append(nodes[:len(nodes):len(nodes)], u), others[i+1:])
	}
}

// maxSafe bounds how many sets are remembered as safe.
const maxSafe = 1 << 20

func sortedKey(nodes []int32) string {
	nodes = slices.Clone(nodes)
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	var b []byte
	for _, u := range nodes {
		b = binary.LittleEndian.AppendUint32(b, uint32(u))
	}
	return string(b)
}

// below looks at every choice of one leaf below each of the nodes, which fewer than k lines cover
// together.
func (v *reading) below(nodes []int32) bool {
	largest := -1
	for i, u := range nodes {
		if !v.tree.IsLeaf(u) && (largest < 0 || v.tree.LeafCount(u) > v.tree.LeafCount(nodes[largest])) {
			largest = i
		}
	}
	if largest < 0 {
		n := v.count(nodes)
		if n == 0 {
			return true // one of them is below a label of the line that it cannot be at
		}
		if key := sortedKey(nodes); !v.told[key] {
			v.told[key] = true
			v.found.add(slices.Compact(slices.Sorted(slices.Values(nodes))), -1, n, v.k)
		}
		return false
	}
	nodes = slices.Clone(nodes)
	safe := true
	for _, c := range v.tree.Children(nodes[largest]) {
		nodes[largest] = c
		if v.count(nodes) < v.k && v.ctx.Err() == nil && v.found.count < maxPerTask {
			safe = v.below(nodes) && safe
		}
	}
	return safe
}

// count is how many published lines cover all of the nodes; counting ends at k.
func (v *reading) count(nodes []int32) int {
	v.found.counted++
	sets := make([]lineSet, 0, 8)
	for _, u := range nodes {
		sets = append(sets, v.covering(u))
	}
	slices.SortFunc(sets, func(a, b lineSet) int { return a.size - b.size })
	n := 0
	sets[0].eachWith(sets[1:], func(line int32) bool {
		n += v.weight[line]
		return n < v.k
	})
	return n
}

// maxCovered bounds the bytes of the sets of lines that are kept.
const maxCovered = 256 << 20

// covering are the lines that cover a node.
func (v *reading) covering(x int32) lineSet {
	if s, is := v.covered[x]; is {
		return s
	}
	if v.bytes > maxCovered {
		clear(v.covered)
		v.bytes = 0
	}
	var list []int32
	for a := x; a >= 0; a = v.tree.Parent(a) {
		for _, line := range v.with[a] {
			if u, _ := v.place(int(line), x); u == a && v.covers(int(line), x) {
				list = append(list, line)
			}
		}
	}
	slices.Sort(list)
	s := newLineSet(list, len(v.sets))
	v.bytes += 4*len(s.list) + 8*len(s.bits)
	v.covered[x] = s
	return s
}

// lineSet is a set of lines: a short list, or bits.
type lineSet struct {
	size int
	list []int32
	bits []uint64
}

// newLineSet keeps as a list what is shorter than its bits to look through.
func newLineSet(list []int32, lines int) lineSet {
	if len(list) <= lines/256 {
		return lineSet{size: len(list), list: list}
	}
	s := lineSet{size: len(list), bits: bitset(lines)}
	for _, line := range list {
		s.bits[line/64] |= 1 << (line % 64)
	}
	return s
}

func (s lineSet) has(line int32) bool {
	if s.bits != nil {
		return s.bits[line/64]>>(line%64)&1 == 1
	}
	_, is := slices.BinarySearch(s.list, line)
	return is
}

// eachWith calls do with the lines that are in the set and in others, none of which is smaller,
// ascending, until it says no.
func (s lineSet) eachWith(others []lineSet, do func(line int32) bool) {
	for _, line := range s.list {
		if !slices.ContainsFunc(others, func(o lineSet) bool { return !o.has(line) }) && !do(line) {
			return
		}
	}
	for i, w := range s.bits {
		for j := 0; j < len(others) && w != 0; j++ {
			w &= others[j].bits[i] // it is not smaller, so it is no list
		}
		for ; w != 0; w &= w - 1 {
			if !do(int32(64*i + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}
