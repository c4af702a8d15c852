package verify

import (
	"math/rand/v2"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// The twin: the definitions of spec 01 read aloud, by enumeration, sharing nothing with the package but its input type.

// holds tells whether the release keeps the promise.
func (t twin) holds() bool {
	return t.aligned(0, 0) && t.published() && t.original() && t.compatible() && t.negative()
}

type twin struct{ KMInput }

// aligned tells whether published lines from i on are, in order, recodings of original lines from at on, with the
// same sensitive items.
func (t twin) aligned(i, at int) bool {
	if t.Original == nil {
		return true
	}
	if i == t.Published.Len() {
		return at == t.Original.Len() || t.MaySuppress
	}
	if at == t.Original.Len() {
		return false
	}
	if t.recodes(t.Original.Tx(at), t.Published.Tx(i), nil) && t.aligned(i+1, at+1) {
		return true
	}
	return t.MaySuppress && t.Original.Len() > t.Published.Len() && t.aligned(i, at+1)
}

// recodes tries every way to publish the items that are left.
func (t twin) recodes(items, nodes, chosen []int32) bool {
	if len(items) == 0 {
		got := slices.Clone(chosen)
		slices.Sort(got)
		return slices.Equal(slices.Compact(got), nodes)
	}
	if t.MaySuppress && t.recodes(items[1:], nodes, chosen) {
		return true
	}
	for _, u := range nodes {
		if slices.Contains(t.Tree.Path(items[0]), u) && t.recodes(items[1:], nodes, append(slices.Clip(chosen), u)) {
			return true
		}
	}
	return false
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
	return t.fine(func([]int32) bool { return true }, true)
}

// fine tells whether enough published transactions satisfy is, and whether they are diverse. none says that it does not
// matter how many do.
func (t twin) fine(is func(tx []int32) bool, none bool) bool {
	n := 0
	counts := map[string]int{}
	sens := t.PublishedSensitive
	for i := range t.Published.Len() {
		if is(t.Published.Tx(i)) {
			n++
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
		if t.Promise.Diverse() && c*t.Promise.L > n {
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
		leaves := make([]int32, t.Tree.Leaves())
		for x := range leaves {
			leaves[x] = int32(x)
		}
		all = subsets(leaves, t.Promise.M)
	}
	for _, c := range all {
		is := func(tx []int32) bool { return t.match(tx, c, nil) }
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

// match tells whether a published transaction may be that of someone who has some items and not others.
func (t twin) match(tx, has, hasNot []int32) bool {
	for _, x := range has {
		if !slices.ContainsFunc(tx, func(u int32) bool { return slices.Contains(t.Tree.Path(x), u) }) {
			return false
		}
	}
	for _, x := range hasNot {
		if slices.Contains(tx, x) {
			return false
		}
	}
	return true
}

// negative checks all mixed knowledge, each item had, not had or unknown.
func (t twin) negative() bool {
	return !t.Promise.NegativeKnowledge || t.mixed(0, nil, nil)
}

func (t twin) mixed(x int32, has, hasNot []int32) bool {
	if len(has)+len(hasNot) > 0 && !t.mixedFine(has, hasNot) {
		return false
	}
	if len(has)+len(hasNot) == t.Promise.M {
		return true
	}
	for ; int(x) < t.Tree.Leaves(); x++ {
		if !t.mixed(x+1, append(slices.Clip(has), x), hasNot) || !t.mixed(x+1, has, append(slices.Clip(hasNot), x)) {
			return false
		}
	}
	return true
}

func (t twin) mixedFine(has, hasNot []int32) bool {
	known := t.Original == nil
	for i := 0; !known && i < t.Original.Len(); i++ {
		tx := t.Original.Tx(i)
		known = subset(has, tx) && !slices.ContainsFunc(hasNot, func(x int32) bool { return slices.Contains(tx, x) })
	}
	is := func(tx []int32) bool { return t.match(tx, has, hasNot) }
	return !known || t.count(is) == 0 || t.fine(is, false)
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
	in := KMInput{Tree: t, Promise: privacy.KM{K: 2 + r.IntN(2), M: 1 + r.IntN(5)}, MaySuppress: r.IntN(4) == 0, Workers: 1 + r.IntN(3)}
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
