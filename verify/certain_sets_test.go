package verify

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// leveledSets is a release in which sets of several items decide: every single item certainly is in
// k lines. Lines with labels above leaves stand beside lines of leaves, most of them several times.
func leveledSets(t *testing.T, r *rand.Rand) KMInput {
	tree := treeOfPaths(t, [][]string{
		{"a", "A", "*"}, {"b", "A", "*"}, {"c", "B", "*"}, {"d", "B", "*"}, {"e", "B", "*"},
	})
	in := KMInput{
		Tree: tree, Workers: 1 + r.IntN(2),
		Promise: privacy.KM{K: 2 + r.IntN(3), M: 2 + r.IntN(3), Knows: privacy.OfAlgorithm},
	}
	var lines [][]int32
	add := func(line []int32, times int) {
		for range times {
			lines = append(lines, line)
		}
	}
	for x := range int32(tree.Leaves()) {
		add([]int32{x}, in.Promise.K)
	}
	drawn := func(from, to int) (line []int32) {
		for u := from; u < to; u++ {
			if r.IntN(3) == 0 {
				line = append(line, int32(u))
			}
		}
		return line
	}
	for range r.IntN(6) {
		add(drawn(0, tree.Leaves()), in.Promise.K-1+r.IntN(3))
	}
	for range 1 + r.IntN(3) {
		add(drawn(r.IntN(tree.Leaves()), tree.Nodes()), 1+r.IntN(2))
	}
	if r.IntN(2) == 0 { // somebody who certainly has it all keeps most sets
		add([]int32{0, 1, 2, 3, 4}, in.Promise.K-r.IntN(2))
	}
	if r.IntN(4) == 0 { // many different lines have one of two items
		for of := range int32(2) {
			for set := range uint(8) {
				line := []int32{of}
				for _, x := range ofBits(set) {
					line = append(line, 2+x)
				}
				add(line, in.Promise.K)
			}
		}
	}
	lines = slices.DeleteFunc(lines, func(line []int32) bool { return len(line) == 0 })
	in.Published = ofNodes(tree, lines...)
	return in
}

// classOfLine is what the definition says of one class of identical lines.
type classOfLine struct {
	line    int // the first of them, from 1
	items   []int32
	support map[uint]int // of each set that the class may have: itself and who certainly has it
}

func classesByDefinition(t *hierarchy.Tree, in KMInput) (out []classOfLine) {
	var of [][]uint
	for i := range in.Published.Len() {
		of = append(of, origins(t, in.Published.Tx(i)))
	}
	certainly := func(i int, set uint) bool {
		return len(of[i]) > 0 &&
			!slices.ContainsFunc(of[i], func(o uint) bool { return o&set != set })
	}
	for i := range of {
		same := func(j int) bool { return slices.Equal(in.Published.Tx(i), in.Published.Tx(j)) }
		if slices.ContainsFunc(slices.Collect(upTo(i)), same) {
			continue
		}
		c := classOfLine{line: i + 1, support: map[uint]int{}}
		for set := uint(1); set < 1<<t.Leaves(); set++ {
			may := slices.ContainsFunc(of[i], func(o uint) bool { return o&set == set })
			if !may || count(set) > in.Promise.M {
				continue
			}
			for j := range of {
				if same(j) || certainly(j, set) {
					c.support[set]++
				}
			}
			if count(set) == 1 {
				c.items = append(c.items, ofBits(set)...)
			}
		}
		slices.Sort(c.items)
		out = append(out, c)
	}
	return out
}

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func ofBits(set uint) (out []int32) {
	for x := int32(0); set>>x != 0; x++ {
		if set>>x&1 == 1 {
			out = append(out, x)
		}
	}
	return out
}

// brokenBy are the first items of the sets of a class that too few lines are left for.
func (c classOfLine) brokenBy(k int) map[int32]bool {
	out := map[int32]bool{}
	for set, n := range c.support {
		if n < k {
			out[ofBits(set)[0]] = true
		}
	}
	return out
}

// Where sets of several items decide, the check against any algorithm refuses the classes that the
// definition refuses, with the support that it has there, and each once for every first item.
func TestSoakCertainSets(t *testing.T) {
	r := soak.Rand(31, 5)
	seen := map[bool]int{}
	for range soak.Rounds(t, soak.Share(short(1500, 500), 50_000)) {
		in := leveledSets(t, r)
		k, m := in.Promise.K, in.Promise.M
		j := &judgement{in: in, pool: newPool(in.Workers, nil), f: &Finding{}}
		if err := j.certain(t.Context()); err != nil {
			t.Fatal(err)
		}
		in.Promise.Knows = privacy.OfData
		met := &judgement{in: in, pool: newPool(1, nil), f: &Finding{}}
		if is, err := met.meetsCertain(t.Context()); err != nil || is != (j.f.BreachCount == 0) {
			t.Fatalf("the condition is met: %v, %v, and certain finds %+v", is, err, j.f)
		}
		byLine := map[int][]Breach{}
		for _, b := range j.f.Breaches {
			byLine[b.Lines[0]] = append(byLine[b.Lines[0]], b)
		}
		looked := int64(0)
		for _, c := range classesByDefinition(in.Tree, in) {
			seen[checkClass(t, in, c, byLine[c.line])]++
			delete(byLine, c.line)
			looked += setsLookedAt(in, c)
		}
		if len(byLine) > 0 {
			t.Fatalf("%v: these lines are refused, and begin no class: %v", in.Published, byLine)
		}
		if j.f.BreachCount == 0 && m == 2 && j.f.Itemsets != looked {
			t.Fatalf("k=%d %v: %d sets looked at, want %d", k, spellAll(in.Published), j.f.Itemsets,
				looked)
		}
	}
	if seen[true] < 50 || seen[false] < 50 {
		t.Errorf("one-sided: %v", seen)
	}
}

// setsLookedAt is how many sets of one and two items a class of fewer than k lines may have.
func setsLookedAt(in KMInput, c classOfLine) (n int64) {
	weight := 0
	for i := range in.Published.Len() {
		if slices.Equal(in.Published.Tx(i), in.Published.Tx(c.line-1)) {
			weight++
		}
	}
	if weight >= in.Promise.K {
		return 0
	}
	items := int64(len(c.items))
	return items + items*(items-1)/2
}

// checkClass holds the breaches of one class against the definition, which it returns.
func checkClass(t *testing.T, in KMInput, c classOfLine, found []Breach) (kept bool) {
	t.Helper()
	want := c.brokenBy(in.Promise.K)
	got := map[int32]bool{}
	for _, b := range found {
		set := uint(0)
		for _, label := range b.Itemset {
			x, _ := in.Tree.Dict().ID(label)
			set |= 1 << x
		}
		n, may := c.support[set]
		if !may || b.Support != n || n >= in.Promise.K || b.Needed != in.Promise.K {
			t.Fatalf("%v %v: %+v, and by definition %d lines", in.Promise, spellAll(in.Published),
				b, n)
		}
		first := ofBits(set)[0]
		if got[first] {
			t.Fatalf("%v %v: line %d is refused twice for %v: %+v", in.Promise,
				spellAll(in.Published), c.line, first, found)
		}
		got[first] = true
	}
	// a class with a set that all others are within is judged by that alone
	exact := in.Promise.M == 2 || len(c.items) > in.Promise.M
	if len(got) > 0 != (len(want) > 0) || exact && !maps.Equal(got, want) {
		t.Fatalf("%v %v: line %d is refused for sets that begin with %v, want %v", in.Promise,
			spellAll(in.Published), c.line, got, want)
	}
	return len(want) == 0
}

// One set of three decides, far behind the beginning of its line: {a, e, g} is in the first line
// alone, all other sets of three of its items are in two of the others at least.
func TestCertainOneSetDecides(t *testing.T) {
	var paths [][]string
	for _, leaf := range strings.Split("abcdefg", "") {
		paths = append(paths, []string{leaf, "*"})
	}
	tree := treeOfPaths(t, paths)
	var lines [][]int32
	for _, text := range strings.Fields("bcdefg bcdefg abcdefg abcdfg abcdfg abcdef abcdef") {
		var line []int32
		for _, c := range text {
			line = append(line, c-'a')
		}
		lines = append(lines, line)
	}
	found := certainBreaches(t, KMInput{
		Tree: tree, Published: ofNodes(tree, lines...),
		Promise: privacy.KM{K: 2, M: 3, Knows: privacy.OfAlgorithm},
	})
	if len(found) != 1 || !slices.Equal(found[0].Itemset, []string{"a", "e", "g"}) ||
		found[0].Support != 1 || !slices.Equal(found[0].Lines, []int{3}) {
		t.Errorf("%+v", found)
	}
}

// A class that may have no more than m items is judged by them all together: one set is counted
// beside the single items.
func TestCertainCountsSets(t *testing.T) {
	tree := treeOfPaths(t, [][]string{{"a", "A"}, {"b", "A"}, {"c", "A"}})
	all := []int32{0, 1, 2}
	in := KMInput{
		Tree: tree, Published: ofNodes(tree, []int32{tree.Root()}, all, all),
		Promise: privacy.KM{K: 2, M: 3, Knows: privacy.OfAlgorithm},
	}
	j := &judgement{in: in, pool: newPool(1, nil), f: &Finding{}}
	if err := j.certain(t.Context()); err != nil || j.f.BreachCount != 0 || j.f.Itemsets != 4 {
		t.Errorf("%v: %+v", err, j.f)
	}
}
