package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
)

// manyLines are lines over a tree, some of whose nodes next to none publishes: so sets of lines are
// put together in both ways.
func manyLines() *reading {
	r := rand.New(rand.NewPCG(11, 12))
	tree := randomTree(r, 40)
	share := make([]float64, tree.Nodes())
	for u := range share {
		share[u] = []float64{0.1, 0.01, 0.0005}[r.IntN(3)]
	}
	b := dataset.NewBuilder(tree.Dict())
	for range 20_000 {
		var line []int32
		for u := range int32(tree.Nodes()) {
			if r.Float64() < share[u] {
				line = append(line, u)
			}
		}
		b.Add(line)
	}
	return newReading(tree, b.Build())
}

// covers is whether a line covers a node, by the definition.
func (v *reading) covers(line int, x int32) bool {
	u, child := v.place(line, x)
	if u == x {
		return v.alone(v.sets[line], v.find(v.sets[line], x))
	}
	return u >= 0 && !v.hasBelow(line, child)
}

func linesIn(set []uint64) (lines []int) {
	for n := range 64 * len(set) {
		if set[n/64]>>(n%64)&1 != 0 {
			lines = append(lines, n)
		}
	}
	return lines
}

func TestCovering(t *testing.T) {
	v := manyLines()
	c := newCovering(v)
	c.first = 1
	soon := 0
	for u := range int32(v.tree.Nodes()) {
		var covered, below []int
		for line := range v.sets {
			if v.covers(line, u) {
				covered = append(covered, line)
			}
			if v.hasBelow(line, u) {
				below = append(below, line)
			}
		}
		for round := range 2 { // what is kept, too
			if !slices.Equal(linesIn(inWindows(&c, u, c.coverAt)), covered) ||
				!slices.Equal(linesIn(c.of(u)), covered) {
				t.Errorf("round %d: %s is covered by other lines", round, v.tree.Label(u))
			}
			if !slices.Equal(linesIn(inWindows(&c, u, c.belowAt)), below) ||
				!slices.Equal(linesIn(c.atOrBelow(u)), below) {
				t.Errorf("round %d: other lines have labels at or below %s", round, v.tree.Label(u))
			}
		}
		if c.soon(u) {
			soon++
		}
	}
	if soon == 0 || soon == v.tree.Nodes() {
		t.Errorf("%d sets are not kept", soon)
	}
}

// inWindows is a set of lines, put together of all windows.
func inWindows(
	c *covering, u int32, part func(place int, u int32, from, to int) []uint64,
) (all []uint64) {
	for from, to := range c.windows() {
		all = append(all, part(1, u, from, to)...)
	}
	return all
}

// Lines that cover two nodes, or may have an item below one of them, are told by the definition,
// and in order, in all windows. Counting that ends early has been told the first of them.
func TestLinesOfTwoNodes(t *testing.T) {
	v := manyLines()
	c := newCovering(v)
	c.first = 1
	r := rand.New(rand.NewPCG(13, 14))
	for range 150 {
		u, w := int32(r.IntN(v.tree.Nodes())), int32(r.IntN(v.tree.Nodes()))
		var both, part []int
		some := false
		for line := range v.sets {
			switch at := v.hasBelow(line, w); {
			case v.covers(line, u) && v.covers(line, w):
				both = append(both, line)
			case v.covers(line, u) && at:
				part = append(part, line)
			}
			some = some || (v.covers(line, u) || v.hasBelow(line, u)) &&
				(v.covers(line, w) || v.hasBelow(line, w))
		}
		end := r.IntN(len(both) + 2)
		var got, beside, covers []int
		c.eachOf([]int32{u, w}, func(line int32) bool {
			got = append(got, int(line))
			return len(got) != end
		})
		want := both
		if end > 0 && end < len(both) {
			want = both[:end]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d of %d lines cover %d and %d", len(got), len(want), u, w)
		}
		c.eachWith([]int32{u}, w, func(line int32, whole bool) bool {
			if whole {
				covers = append(covers, int(line))
			} else {
				beside = append(beside, int(line))
			}
			return true
		})
		if !slices.Equal(covers, both) || !slices.Equal(beside, part) {
			t.Errorf("%d and %d lines with %d cover %d or not", len(covers), len(beside), u, w)
		}
		if c.some([]int32{u, w}) != some || c.none([]int32{u, w}) != (len(both) == 0) {
			t.Errorf("%d and %d: some %v, none %v", u, w, some, len(both) == 0)
		}
	}
}

// Whether lines cover all of some nodes, or may have an item below each, is told by the definition:
// of few nodes most do, of many none.
func TestLinesOfManyNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 15))
	tree := randomTree(r, 40)
	b := dataset.NewBuilder(tree.Dict())
	for range 300 {
		var line []int32
		for u := range int32(tree.Nodes()) {
			if tree.LeafCount(u) < 6 && r.IntN(20) == 0 {
				line = append(line, u)
			}
		}
		b.Add(line)
	}
	v := newReading(tree, b.Build())
	c := newCovering(v)
	c.first = 1
	told := map[[2]bool]int{}
	for range 400 {
		nodes := make([]int32, 1+r.IntN(8))
		for at := range nodes {
			nodes[at] = int32(r.IntN(v.tree.Nodes()))
		}
		some, none := false, true
		for line := range v.sets {
			may, covers := true, true
			for _, u := range nodes {
				may = may && (v.covers(line, u) || v.hasBelow(line, u))
				covers = covers && v.covers(line, u)
			}
			some, none = some || may, none && !covers
		}
		if c.some(nodes) != some || c.none(nodes) != none {
			t.Errorf("%v: some %v, none %v", nodes, some, none)
		}
		told[[2]bool{some, none}]++
	}
	for _, both := range [][2]bool{{true, false}, {true, true}, {false, true}} {
		if told[both] < 10 {
			t.Errorf("one-sided: %v", told)
		}
	}
}

// Supports child by child are those of each child, of lines and of persons.
func TestSupportsByChild(t *testing.T) {
	v := manyLines()
	for _, persons := range []bool{false, true} {
		if persons {
			v.person = make([]int32, len(v.sets))
			for line := range v.person {
				v.person[line] = int32(line/3) - 1
			}
		}
		v.k, v.m = 50, 3
		p := newProbe(t.Context(), v)
		p.covers.first = 2
		for u := range int32(v.tree.Nodes()) {
			for w := range int32(v.tree.Nodes()) {
				if !v.tree.IsLeaf(u) && !related(v.tree, u, w) {
					checkByChild(t, p, u, w)
				}
			}
		}
	}
}

func related(t *hierarchy.Tree, u, w int32) bool { return t.Covers(u, w) || t.Covers(w, u) }

func checkByChild(t *testing.T, p *probe, u, w int32) {
	t.Helper()
	counts := p.byChild([]int32{w}, u)
	for n, child := range p.tree.Children(u) {
		var want headcount
		for line := range p.sets {
			if want.n < p.k && p.covers.v.covers(line, w) && p.covers.v.covers(line, child) {
				p.add(&want, int32(line))
			}
		}
		got := counts[n].n
		if exact := want.n < p.k; exact && got != want.n || !exact && got < p.k {
			t.Errorf("%s and %s: %d, want %d", p.tree.Label(w), p.tree.Label(child), got, want.n)
		}
	}
}

// Stretches of items are those below the nodes that a line covers, each once, and whether each item
// has enough lines beside those that cover all is as counted item by item.
func TestStretches(t *testing.T) {
	v := manyLines()
	v.k, v.m = 50, 3
	for line := range v.sets {
		u := int32(line) % int32(v.tree.Nodes())
		var parts, stretches []int32
		v.eachPart(line, u, func(w int32) {
			for lo, hi := v.tree.Range(w); lo < hi; lo++ {
				parts = append(parts, lo)
			}
		})
		v.eachStretch(line, u, func(from, to int32) {
			if from >= to {
				t.Fatalf("line %d: from %d to %d", line, from, to)
			}
			for ; from < to; from++ {
				stretches = append(stretches, from)
			}
		})
		slices.Sort(parts)
		slices.Sort(stretches)
		if !slices.Equal(parts, stretches) {
			t.Fatalf("line %d below %s: items %v, want %v", line, v.tree.Label(u), stretches, parts)
		}
	}
	p := newProbe(t.Context(), v)
	p.covers.first = 2
	yes := 0
	for u := range int32(v.tree.Nodes()) {
		for w := range int32(v.tree.Nodes()) {
			if v.tree.IsLeaf(u) || related(v.tree, u, w) {
				continue
			}
			least := v.leastOfItems(w, u)
			for _, needed := range []int{1, least, least + 1} {
				got := p.eachItem([]int32{w, u}, 1, needed)
				if want := least >= needed; got != want {
					t.Errorf("%s and items below %s, %d lines: %v, want %v", v.tree.Label(w),
						v.tree.Label(u), needed, got, want)
				}
				if got && needed > 0 {
					yes++
				}
			}
		}
	}
	if yes == 0 {
		t.Error("no item has enough")
	}
}

// leastOfItems is how many lines cover w, and the item below u that fewest of them cover, of those
// that have a label at or below u and do not cover it.
func (v *reading) leastOfItems(w, u int32) int {
	lo, hi := v.tree.Range(u)
	counts := make([]int, hi-lo)
	for line := range v.sets {
		if !v.covers(line, w) || !v.hasBelow(line, u) || v.covers(line, u) {
			continue
		}
		for x := lo; x < hi; x++ {
			if v.covers(line, x) {
				counts[x-lo] += v.weight[line]
			}
		}
	}
	return slices.Min(counts)
}
