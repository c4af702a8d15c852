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
			if !slices.Equal(linesIn(c.coverAt(1, u)), covered) ||
				!slices.Equal(linesIn(c.of(u)), covered) {
				t.Errorf("round %d: %s is covered by other lines", round, v.tree.Label(u))
			}
			if !slices.Equal(linesIn(c.belowAt(1, u)), below) ||
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
