// Package brute judges and optimizes by enumeration: the third opinion of the tests. It knows the
// definitions and nothing else, and is of use on a handful of items only.
package brute

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// Sets calls f with every subset of tx that has at most m elements, the empty one included.
func Sets(tx []int32, m int, f func(set []int32)) {
	var rec func(from int, set []int32)
	rec = func(from int, set []int32) {
		f(set)
		if len(set) == m {
			return
		}
		for i := from; i < len(tx); i++ {
			rec(i+1, append(slices.Clone(set), tx[i]))
		}
	}
	rec(0, nil)
}

// Support counts the transactions of d that contain the set.
func Support(d *dataset.Dataset, set []int32) int {
	n := 0
	for i := range d.Len() {
		if contains(d.Tx(i), set) {
			n++
		}
	}
	return n
}

func contains(tx, set []int32) bool {
	for _, u := range set {
		if !slices.Contains(tx, u) {
			return false
		}
	}
	return true
}

// HidesAbsence tells whether published data keeps a promise against negative knowledge: for every
// set N of leaves, the lines that come from some transaction without them keep the promise for what
// else may be known, and number 0 or at least k. sensitive may be nil.
func HidesAbsence(published, sensitive *dataset.Dataset, t *hierarchy.Tree, p privacy.KM) bool {
	leaves := make([]int32, t.Leaves())
	for x := range leaves {
		leaves[x] = int32(x)
	}
	// the lines that are left -> the fewest items that must be lacked for that
	least := map[string]int{}
	Sets(leaves, p.M, func(lacked []int32) {
		var left []byte
		for i := range published.Len() {
			if comesWithout(t, published.Tx(i), lacked) {
				left = append(left, byte(i), byte(i>>8))
			}
		}
		if n, known := least[string(left)]; !known || len(lacked) < n {
			least[string(left)] = len(lacked)
		}
	})
	for left, lacked := range least {
		var lines []int32
		for i := 0; i < len(left); i += 2 {
			lines = append(lines, int32(left[i])|int32(left[i+1])<<8)
		}
		rest := p
		rest.M -= lacked
		with := sensitive
		if with != nil {
			with = with.Select(lines)
		}
		if n := len(lines); 0 < n && n < p.K || !Keeps(published.Select(lines), with, rest) {
			return false
		}
	}
	return true
}

// comesWithout tells whether some transaction without the lacked items is published as a line: each
// node needs an item that is below it and below no lower node of the line.
func comesWithout(t *hierarchy.Tree, line, lacked []int32) bool {
	needy := map[int32]bool{}
	for _, u := range line {
		needy[u] = true
	}
	for x := range int32(t.Leaves()) {
		for _, u := range t.Path(x) {
			if slices.Contains(line, u) {
				if !slices.Contains(lacked, x) {
					delete(needy, u)
				}
				break
			}
		}
	}
	return len(needy) == 0
}

// Keeps tells whether published data keeps a promise, negative knowledge aside: the definitions of
// k^m-anonymity and l^m-diversity word by word, the empty set being one. sensitive may be nil.
func Keeps(published, sensitive *dataset.Dataset, p privacy.KM) bool {
	ok := true
	for i := range published.Len() {
		Sets(published.Tx(i), p.M, func(set []int32) {
			if Support(published, set) < p.K {
				ok = false
			}
			if p.Diverse() && !diverse(published, sensitive, set, p.L) {
				ok = false
			}
		})
	}
	return ok
}

func diverse(published, sensitive *dataset.Dataset, set []int32, l int) bool {
	for s := range int32(sensitive.Dict().Len()) {
		both := 0
		for i := range published.Len() {
			if contains(published.Tx(i), set) && slices.Contains(sensitive.Tx(i), s) {
				both++
			}
		}
		if both*l > Support(published, set) {
			return false
		}
	}
	return true
}

// Cuts are all cuts of a hierarchy.
func Cuts(t *hierarchy.Tree) []*hierarchy.Cut {
	var below func(u int32) [][]int32
	below = func(u int32) [][]int32 {
		if t.IsLeaf(u) {
			return [][]int32{{u}}
		}
		product := [][]int32{nil}
		for _, c := range t.Children(u) {
			var next [][]int32
			for _, head := range product {
				for _, tail := range below(c) {
					next = append(next, slices.Concat(head, tail))
				}
			}
			product = next
		}
		return append(product, []int32{u})
	}
	var out []*hierarchy.Cut
	for _, nodes := range below(t.Root()) {
		c, err := hierarchy.NewCut(t, nodes)
		if err != nil {
			panic(err)
		}
		out = append(out, c)
	}
	return out
}

// Cost is NCP(D) times |I| times all occurrences: a whole number, so that losses compare exactly.
func Cost(d *dataset.Dataset, cut *hierarchy.Cut) int64 {
	cost := int64(0)
	for _, leaf := range d.Items() {
		if u := cut.Of(leaf); u != leaf {
			cost += int64(cut.Tree().LeafCount(u))
		}
	}
	return cost
}

// Optimum is the least cost of a cut that keeps the input's promise; false if none does.
func Optimum(in anonymize.Input) (int64, bool) {
	best, found := int64(0), false
	for _, c := range Cuts(in.Tree) {
		cost := Cost(in.Data, c)
		if found && cost >= best {
			continue
		}
		published := in.Data.Recode(in.Tree.Dict(), c.Map())
		hides := !in.Promise.NegativeKnowledge ||
			HidesAbsence(published, in.Sensitive, in.Tree, in.Promise)
		if hides && KeepsInput(in, published) {
			best, found = cost, true
		}
	}
	return best, found
}

// Random is a small random instance: up to 8 leaves under a ragged tree, up to 24 transactions, a
// promise that may be out of reach, now and then with sensitive items or negative knowledge.
func Random(rng *rand.Rand) anonymize.Input {
	t := randomTree(rng, 2+rng.IntN(7))
	in := anonymize.Input{Tree: t, Promise: privacy.KM{K: 2 + rng.IntN(3), M: 1 + rng.IntN(4)}}
	n := 1 + rng.IntN(24)
	in.Data = randomData(rng, t.LeafDict(), n, 0.1+0.5*rng.Float64())
	if rng.IntN(3) == 0 {
		in.Promise.L = 2 + rng.IntN(2)
		in.Sensitive = randomData(rng, dataset.MustDictionary([]string{"s1", "s2", "s3"}), n, 0.15)
	}
	in.Promise.NegativeKnowledge = rng.IntN(4) == 0
	return in
}

func randomData(rng *rand.Rand, dict *dataset.Dictionary, n int, share float64) *dataset.Dataset {
	b := dataset.NewBuilder(dict)
	for range n {
		var tx []int32
		for it := range int32(dict.Len()) {
			if rng.Float64() < share {
				tx = append(tx, it)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// randomTree joins random runs of neighbours until one node is left.
func randomTree(rng *rand.Rand, leaves int) *hierarchy.Tree {
	b := hierarchy.NewBuilder()
	level := make([]string, leaves)
	for i := range level {
		level[i] = fmt.Sprintf("i%d", i)
		b.Add(level[i])
	}
	for inner := 0; len(level) > 1; inner++ {
		from := rng.IntN(len(level) - 1)
		to := min(len(level), from+2+rng.IntN(3))
		parent := fmt.Sprintf("N%d", inner)
		for _, c := range level[from:to] {
			if err := b.Edge(c, parent, 0); err != nil {
				panic(err)
			}
		}
		level = slices.Concat(level[:from], []string{parent}, level[to:])
	}
	t, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		panic(err)
	}
	return t
}

// Figure2 is the database of terrovitis-2008, figure 2a, under the hierarchy of figure 1, for
// 2^2-anonymity.
func Figure2() anonymize.Input {
	b := hierarchy.NewBuilder()
	for _, p := range [][]string{
		{"a1", "A", "ALL"},
		{"a2", "A", "ALL"},
		{"b1", "B", "ALL"},
		{"b2", "B", "ALL"},
	} {
		if err := b.Path(p, 0); err != nil {
			panic(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		panic(err)
	}
	d, err := tree.Encode(dataset.FromLabels([][]string{
		{"a1", "b1", "b2"},
		{"a2", "b1"},
		{"a2", "b1", "b2"},
		{"a1", "a2", "b2"},
	}))
	if err != nil {
		panic(err)
	}
	return anonymize.Input{Data: d, Tree: tree, Promise: privacy.KM{K: 2, M: 2}}
}

// KeepsSensitive tells whether published data keeps what is promised of sensitive items that may be
// known, and of values of sensitive columns: the definitions word by word. The sensitive items are
// those of in.
func KeepsSensitive(published *dataset.Dataset, in anonymize.Input) bool {
	nodes := int32(published.Dict().Len())
	var lines [][]int32
	for i := range published.Len() {
		line := slices.Clone(published.Tx(i))
		for _, s := range in.Sensitive.Tx(i) {
			line = append(line, nodes+s)
		}
		lines = append(lines, line)
	}
	support := func(set ...int32) (n int) {
		for _, line := range lines {
			if contains(line, set) {
				n++
			}
		}
		return n
	}
	ok := true
	for _, line := range lines {
		known := slices.DeleteFunc(slices.Clone(line),
			func(x int32) bool { return x >= nodes+in.Knowable() })
		Sets(known, in.Promise.M, func(set []int32) {
			n := support(set...)
			ok = ok && n >= in.Promise.K
			for s := range int32(in.Sensitive.Dict().Len()) {
				of, mark := n, int32(-1)
				if in.Values != nil {
					mark = in.Values.Among[s]
				}
				if mark == s || slices.Contains(set, nodes+s) {
					continue
				}
				if mark >= 0 {
					of = support(append(slices.Clone(set), nodes+mark)...)
				}
				ok = ok && in.Promise.L*support(append(slices.Clone(set), nodes+s)...) <= of
			}
		})
	}
	return ok
}
