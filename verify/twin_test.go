package verify

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// The twin: the definitions read aloud, by enumeration, sharing nothing with the package but its
// input type.

// holds tells whether the release keeps the promise.
func (t twin) holds() bool { return t.holdsButForEmptied() && t.emptied() }

// holdsButForEmptied is the same without what is asked of lines that publish nothing.
func (t twin) holdsButForEmptied() bool {
	return t.aligned(0, 0) && t.published() && t.original() &&
		(t.compatible() && t.readable() || t.stronger()) && t.shares() && t.negative()
}

// stronger tells whether the release keeps the condition against any algorithm, where that is
// defined.
func (t twin) stronger() bool {
	if t.MaySuppress || t.PublishedSensitive != nil || t.OriginalSensitive != nil {
		return false
	}
	var lines [][]int32
	for i := range t.Published.Len() {
		lines = append(lines, t.Published.Tx(i))
	}
	return defies(t.Tree, lines, t.Promise.K, t.Promise.M)
}

type twin struct{ KMInput }

// aligned tells whether published lines from i on come from, in order, original lines from at on,
// with the same sensitive items; without the original, whether each comes from any.
func (t twin) aligned(i, at int) bool {
	if t.Original == nil {
		for i := range t.Published.Len() {
			if !t.comes(leavesOf(t.Tree), t.Published.Tx(i), true) {
				return false
			}
		}
		return true
	}
	vain := map[[2]int]bool{} // what was found to be in vain
	var from func(i, at int) bool
	from = func(i, at int) bool {
		switch {
		case i == t.Published.Len():
			return at == t.Original.Len() || t.MaySuppress
		case at == t.Original.Len() || vain[[2]int{i, at}]:
			return false
		case t.comes(t.Original.Tx(at), t.Published.Tx(i), t.MaySuppress) && t.carries(at, i) &&
			from(i+1, at+1):
			return true
		}
		found := t.MaySuppress && t.Original.Len() > t.Published.Len() && from(i, at+1)
		vain[[2]int{i, at}] = !found
		return found
	}
	return from(i, at)
}

// carries tells whether a published line has the sensitive items and the values of an original one:
// all of them, none of others. A suppressed transaction publishes nothing.
func (t twin) carries(at, i int) bool { return t.same(at, i) || t.nothing(i) }

// same tells whether a published line has the sensitive items and the values of an original one.
func (t twin) same(at, i int) bool {
	same := true
	if hidden := t.PublishedSensitive; hidden != nil && t.OriginalSensitive != nil {
		was, is := t.OriginalSensitive.Labels(at), hidden.Labels(i)
		for _, s := range is {
			same = same && slices.Contains(was, s)
		}
		same = same && (len(is) == len(was) || t.Promise.SensitiveKnown)
	}
	for _, c := range t.Columns {
		same = same && (c.Original == nil || c.Original[at] == c.Published[i])
	}
	return same
}

// nothing tells whether there is nothing on a published line, where transactions may be suppressed:
// no item, no sensitive item, and empty cells, which are no values.
func (t twin) nothing(i int) bool {
	nothing := t.MaySuppress && !t.Promise.NullIsValue && len(t.Published.Tx(i)) == 0 &&
		(t.PublishedSensitive == nil || len(t.PublishedSensitive.Tx(i)) == 0)
	for _, c := range t.Columns {
		nothing = nothing && c.Published[i] == ""
	}
	return nothing
}

// valuesGone tells whether somebody may look for a value that is not published: a line is missing,
// or publishes nothing at all. Then any items may be known.
func (t twin) valuesGone() bool {
	gone := t.Original != nil && t.Original.Len() != t.Published.Len()
	for i := range t.Published.Len() {
		gone = gone || t.nothing(i)
	}
	return gone
}

func leavesOf(t *hierarchy.Tree) []int32 {
	leaves := make([]int32, t.Leaves())
	for x := range leaves {
		leaves[x] = int32(x)
	}
	return leaves
}

// comes tells whether a published line comes from some items: each is published as the lowest node
// of the line at or above it, or, where items may be missing, not at all if there is none, and
// these are all nodes of the line.
func (t twin) comes(items, nodes []int32, missing bool) bool {
	var got []int32
	for _, x := range items {
		if u := t.lowest(x, nodes); u >= 0 {
			got = append(got, u)
		} else if !missing {
			return false
		}
	}
	slices.Sort(got)
	return slices.Equal(slices.Compact(got), nodes)
}

// lowest is the first node on the path from an item up that a line has, or -1.
func (t twin) lowest(x int32, nodes []int32) int32 {
	for _, u := range t.Tree.Path(x) {
		if slices.Contains(nodes, u) {
			return u
		}
	}
	return -1
}

// published checks every combination of published nodes that occurs.
func (t twin) published() bool {
	for i := range t.Published.Len() {
		for _, c := range subsets(t.Published.Tx(i), t.Promise.M) {
			if !t.fine(func(tx []int32) bool { return subset(c, tx) }, false) {
				return false
			}
		}
	}
	return t.fine(func([]int32) bool { return true }, t.Published.Len() == 0)
}

// fine tells whether enough published transactions satisfy is, and whether those that show anything
// are diverse. none says that it does not matter how many do.
func (t twin) fine(is func(tx []int32) bool, none bool) bool {
	n, showing := 0, 0
	counts := map[string]int{}
	sens := t.PublishedSensitive
	for i := range t.Published.Len() {
		if is(t.Published.Tx(i)) {
			n++
			if !t.nothing(i) {
				showing++
			}
			if sens != nil {
				for _, s := range sens.Labels(i) {
					counts[s]++
				}
			}
		}
	}
	if n < t.Promise.K && !none {
		return false
	}
	for _, c := range counts {
		if t.Promise.Diverse() && c*t.Promise.L > showing {
			return false
		}
	}
	return true
}

// original checks knowledge of original items.
func (t twin) original() bool {
	var all [][]int32
	if t.Original != nil {
		for i := range t.Original.Len() {
			all = append(all, subsets(t.Original.Tx(i), t.Promise.M)...)
		}
	} else {
		all = subsets(leavesOf(t.Tree), t.Promise.M)
	}
	for _, c := range all {
		is := func(tx []int32) bool { return t.match(tx, c) }
		if n := t.count(is); n == 0 && (t.MaySuppress || t.Original == nil) {
			continue
		}
		if !t.fine(is, false) {
			return false
		}
	}
	return true
}

func (t twin) count(is func(tx []int32) bool) int {
	n := 0
	for i := range t.Published.Len() {
		if is(t.Published.Tx(i)) {
			n++
		}
	}
	return n
}

// match tells whether a published transaction has each item or a node above it.
func (t twin) match(tx, has []int32) bool {
	return !slices.ContainsFunc(has, func(x int32) bool { return t.lowest(x, tx) < 0 })
}

// negative checks all knowledge of what a person has and of items that the person lacks, word by
// word: the lines that have some nodes, or some items, and come from an original with these items
// and without the lacked ones.
func (t twin) negative() bool {
	if !t.Promise.NegativeKnowledge {
		return true
	}
	leaves := leavesOf(t.Tree)
	origins := map[string][]int{} // line -> all sets of items that are published so
	for i := range t.Published.Len() {
		tx := t.Published.Tx(i)
		if _, known := origins[key(tx)]; known {
			continue
		}
		origins[key(tx)] = nil
		for set := range 1 << len(leaves) {
			if t.comes(itemsOf(set), tx, false) {
				origins[key(tx)] = append(origins[key(tx)], set)
			}
		}
	}
	for lacked := range 1 << len(leaves) {
		room := t.Promise.M - bits.OnesCount(uint(lacked))
		if room < 0 {
			continue
		}
		from := func(tx []int32, has int) bool {
			return slices.ContainsFunc(origins[key(tx)],
				func(o int) bool { return o&lacked == 0 && o&has == has })
		}
		for has := range 1 << len(leaves) {
			if bits.OnesCount(uint(has)) <= room &&
				!t.noneOrFine(func(tx []int32) bool { return from(tx, has) }) {
				return false
			}
		}
		for i := range t.Published.Len() {
			for _, c := range subsets(t.Published.Tx(i), room) {
				if !t.noneOrFine(func(tx []int32) bool { return subset(c, tx) && from(tx, 0) }) {
					return false
				}
			}
		}
	}
	return true
}

// shares tells whether of the lines that each item of a set may be in, read child by child, at most
// 1/l have any sensitive item, for every set of at most m items.
func (t twin) shares() bool {
	t.Promise.K = 1
	for _, c := range subsets(leavesOf(t.Tree), t.Promise.M) {
		if !t.noneOrFine(func(tx []int32) bool {
			return !slices.ContainsFunc(c, func(x int32) bool { return !t.mayBe(x, tx) })
		}) {
			return false
		}
	}
	return true
}

func (t twin) noneOrFine(is func(tx []int32) bool) bool {
	return t.count(is) == 0 ||
		t.fine(is, false)
}

// itemsOf are the items of a set given as bits.
func itemsOf(set int) (out []int32) {
	for x := range int32(bits.Len(uint(set))) {
		if set>>x&1 == 1 {
			out = append(out, x)
		}
	}
	return out
}

func subset(c, tx []int32) bool {
	for _, u := range c {
		if !slices.Contains(tx, u) {
			return false
		}
	}
	return true
}

// subsets are the non-empty subsets of at most m elements.
func subsets(tx []int32, m int) [][]int32 {
	var out [][]int32
	for bits := 1; bits < 1<<len(tx); bits++ {
		var c []int32
		for i, u := range tx {
			if bits>>i&1 == 1 {
				c = append(c, u)
			}
		}
		if len(c) <= m {
			out = append(out, c)
		}
	}
	return out
}

// randomTree has between 2 and leaves leaves, and inner nodes of any shape, chains included.
func randomTree(r *rand.Rand, leaves int) *hierarchy.Tree {
	b := hierarchy.NewBuilder()
	var open []string
	for i := range 2 + r.IntN(leaves-1) {
		open = append(open, "i"+string(rune('a'+i)))
		b.Add(open[i])
	}
	for n := 0; len(open) > 1; n++ {
		name := "N" + string(rune('A'+n))
		take := 1 + r.IntN(min(3, len(open)))
		r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		if take == 1 && (n > 6 || open[0][0] == 'N') {
			take = 2
		}
		for _, c := range open[:take] {
			if err := b.Edge(c, name, 0); err != nil {
				panic(err)
			}
		}
		open = append(open[take:], name)
	}
	t, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		panic(err)
	}
	return t
}

// randomInput is an original and a release of it that is a recoding, global or local, safe or not.
func randomInput(r *rand.Rand) KMInput {
	t := randomTree(r, 7)
	in := KMInput{
		Tree: t, Promise: privacy.KM{K: 2 + r.IntN(2), M: 1 + r.IntN(5)},
		MaySuppress: r.IntN(4) == 0, Workers: 1 + r.IntN(3),
	}
	if r.IntN(2) == 0 {
		in.Promise.L = 2 + r.IntN(2)
	}
	in.Promise.NegativeKnowledge = r.IntN(4) == 0
	in.Original = randomOriginal(r, t)
	in.PublishedSensitive = randomSensitive(r, in.Original.Len())
	if r.IntN(2) == 0 {
		in.OriginalSensitive = in.PublishedSensitive
	}
	up := make([]int32, t.Leaves()) // a cut, lifted here and there
	for x := range up {
		up[x] = int32(x)
	}
	for range r.IntN(4) {
		u := int32(r.IntN(t.Nodes()))
		for lo, hi := t.Range(u); lo < hi; lo++ {
			if t.Covers(u, up[lo]) {
				up[lo] = u
			}
		}
	}
	local := 0
	if r.IntN(2) == 0 {
		local = 1 + r.IntN(8)
	}
	b := dataset.NewBuilder(t.Dict())
	for i := range in.Original.Len() {
		var tx []int32
		for _, x := range in.Original.Tx(i) {
			u := up[x]
			if local > 0 && r.IntN(local) == 0 {
				path := t.Path(x)
				u = path[r.IntN(len(path))]
			}
			tx = append(tx, u)
		}
		if r.IntN(8) > 0 { // else some items may not be published as the lowest node above them
			nodes := slices.Clone(tx)
			for n, x := range in.Original.Tx(i) {
				tx[n] = twin{in}.lowest(x, nodes)
			}
		}
		b.Add(tx)
	}
	in.Published = b.Build()
	return in
}

func randomOriginal(r *rand.Rand, t *hierarchy.Tree) *dataset.Dataset {
	b := dataset.NewBuilder(t.LeafDict())
	density := 2 + r.IntN(3)
	for range 2 + r.IntN(12) {
		var tx []int32
		for x := range int32(t.Leaves()) {
			if r.IntN(density) == 0 {
				tx = append(tx, x)
			}
		}
		for range 1 + r.IntN(4) {
			b.Add(slices.Clone(tx))
		}
	}
	return b.Build()
}

func randomSensitive(r *rand.Rand, n int) *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t", "u", "v", "w", "x", "y"}))
	for range n {
		var tx []int32
		for range r.IntN(2) {
			tx = append(tx, int32(r.IntN(7)))
		}
		b.Add(tx)
	}
	return b.Build()
}

// mutate changes a published dataset in one place.
func mutate(r *rand.Rand, in KMInput) KMInput {
	lines := make([][]int32, in.Published.Len())
	for i := range lines {
		lines[i] = slices.Clone(in.Published.Tx(i))
	}
	i := r.IntN(len(lines))
	tx := lines[i]
	node := int32(r.IntN(in.Tree.Nodes()))
	sens := make([]int32, len(lines))
	for n := range sens {
		sens[n] = int32(n)
	}
	switch op := r.IntN(6); {
	case op == 0: // raised support
		lines[i] = append(tx, node)
	case op == 1 && len(tx) > 0: // one changed item
		tx[r.IntN(len(tx))] = node
	case op == 2 && len(tx) > 0: // one lost item
		at := r.IntN(len(tx))
		lines[i] = slices.Delete(tx, at, at+1)
	case op == 3: // one dropped transaction
		lines, sens = slices.Delete(lines, i, i+1), slices.Delete(sens, i, i+1)
	case op == 4: // one more transaction
		lines, sens = slices.Insert(lines, i, slices.Clone(tx)), slices.Insert(sens, i, sens[i])
	default: // two lines change places
		j := r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
	}
	b := dataset.NewBuilder(in.Tree.Dict())
	for _, tx := range lines {
		b.Add(tx)
	}
	in.Published = b.Build()
	in.PublishedSensitive = in.PublishedSensitive.Select(sens)
	if in.OriginalSensitive != nil && len(sens) != in.OriginalSensitive.Len() {
		in.OriginalSensitive = nil // the twin does not align sensitive items
	}
	return in
}
