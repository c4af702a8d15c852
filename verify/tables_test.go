package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

// tablesOf makes tables whether they pay or not, in passes of so few cells that a node has room,
// and some cells more.
func tablesOf(t *testing.T, d *dataset.Dataset, p privacy.KM, more int) *tables {
	t.Helper()
	made := &tables{published: d, k: p.K, m: min(p.M, d.MaxLen())}
	made.numberNodes()
	made.choose = binomials(made.m, len(made.label))
	if !made.plan(cellsOfANode(made)+more, 1<<30) {
		t.Fatal("that was not enough for a node")
	}
	return made
}

// cellsOfANode is how many combinations of one size have the same last node, at most.
func cellsOfANode(t *tables) int {
	most := 0
	for s := 2; s <= t.m; s++ {
		for x := range t.label {
			most = max(most, t.choose[s][x+1]-t.choose[s][x])
		}
	}
	return most
}

// Tables find the minimal rare combinations, each once, in any number of passes, for any number of
// workers, in plain and packed data; and they count what occurs.
func TestSoakTablesAgainstEnumeration(t *testing.T) {
	r := soak.Rand(5, 60)
	for range soak.Rounds(t, soak.Share(short(1000, 100), 12_000)) {
		in := randomInput(r)
		p := privacy.KM{K: in.Promise.K, M: in.Promise.M}
		d := in.Published
		if r.IntN(2) == 0 {
			d = d.Pack()
		}
		made := tablesOf(t, d, p, r.IntN(1<<r.IntN(10)))
		if err := made.check(t.Context(), &pool{workers: 1 + r.IntN(3)}); err != nil {
			t.Fatal(err)
		}
		minimal, _ := rareSets(d, p)
		if made.found.count != int64(minimal) {
			t.Fatalf("%v: found %d, minimal %d\n%v", p, made.found.count, minimal, spellAll(d))
		}
		occurring := map[string]bool{}
		for _, line := range d.All() {
			for _, c := range subsets(line, p.M) {
				occurring[key(c)] = true
			}
		}
		delete(occurring, "")
		if made.counted != int64(len(occurring)) {
			t.Fatalf("%v: counted %d, there are %d", p, made.counted, len(occurring))
		}
		for _, w := range made.found.kept {
			if n := supportOf(d, w.nodes); n != w.support || n >= p.K {
				t.Fatalf("%v is said to have support %d: it is %d", w.nodes, w.support, n)
			}
		}
	}
}

func supportOf(d *dataset.Dataset, set []int32) int {
	n := 0
	for _, line := range d.All() {
		if contains(line, set) {
			n++
		}
	}
	return n
}

// A cell is of one combination, and tells it.
func TestTableCells(t *testing.T) {
	const n = 9
	for m := 2; m <= 5; m++ {
		made := &tables{m: m, choose: binomials(m, n)}
		set := make([]int32, m)
		for cell := range made.choose[m][n] {
			made.decode(cell, set)
			if !slices.IsSorted(set) || set[0] < 0 || set[m-1] >= n {
				t.Fatalf("cell %d of size %d is %v", cell, m, set)
			}
			back := 0
			for i, x := range set {
				back += made.choose[i+1][x]
			}
			if back != cell {
				t.Fatalf("cell %d of size %d is %v, which has cell %d", cell, m, set, back)
			}
		}
	}
}

// Tables are left where they do not pay, or could not be had: numbers that overflow are not taken
// for small ones.
func TestTablesWhereTheyPay(t *testing.T) {
	of, all := linesOf, allNodes
	million := of(8, all(8)).Select(make([]int32, 1<<20)) // that line, so often
	for name, c := range map[string]struct {
		d     *dataset.Dataset
		m     int
		cells int // of a worker
		pays  bool
	}{
		"a table as large as the sets":  {of(2, all(2)), 2, 1 << 20, true},
		"more cells than sets":          {of(4, []int32{0, 1}, []int32{2, 3}), 2, 1 << 20, false},
		"only single nodes are known":   {of(2, all(2)), 1, 1 << 20, false},
		"eight nodes are known":         {of(9, all(9)), 8, 1 << 20, true},
		"nine nodes are known":          {of(9, all(9)), 9, 1 << 20, false},
		"as many sets as may be":        {of(129, all(129)), 2, 1 << 20, true},
		"too many sets for their items": {of(130, all(130)), 2, 1 << 20, false},
		"more sets than can be counted": {of(4000, all(4000)), 8, 1 << 20, false},
		"no lines":                      {of(3), 2, 1 << 20, true},
		// Of eight nodes the x-th has x cells. Two passes pay for pairs:
		"cells to 5, to 7":        {of(8, all(8)), 2, 15, true},
		"cells to 4, to 6, and 7": {of(8, all(8)), 2, 14, false},
		// and three where the other method needs as many for 8 million items.
		"three passes, many lines": {million, 2, 11, true},
		"four passes, many lines":  {million, 2, 10, false},
	} {
		if got := newTables(c.d, 2, c.m, tableCells/c.cells) != nil; got != c.pays {
			t.Errorf("%s: tables %v, want %v", name, got, c.pays)
		}
	}
}

// linesOf are lines of so many different nodes.
func linesOf(nodes int, lines ...[]int32) *dataset.Dataset {
	labels := make([]string, nodes)
	for u := range labels {
		labels[u] = string(rune('a'+u%26)) + string(rune('a'+u/26%26)) + string(rune('a'+u/676))
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for _, line := range lines {
		b.Add(slices.Clone(line))
	}
	return b.Build()
}

// allNodes are the numbers below n.
func allNodes(n int) []int32 {
	all := make([]int32, n)
	for u := range all {
		all[u] = int32(u)
	}
	return all
}

// The sets of the lines are counted as often as they occur: two lines of three nodes have three
// pairs and one triple each, a line of two has one pair.
func TestSetsOfLines(t *testing.T) {
	d := linesOf(3, allNodes(3), allNodes(3), allNodes(2), nil)
	for m, want := range map[int]float64{2: 7, 3: 9} {
		made := &tables{published: d, m: m, choose: binomials(m, 3)}
		if got := made.sets(); got != want {
			t.Errorf("%v sets of at most %d nodes, want %v", got, m, want)
		}
	}
}

// Passes have each cell once, each as many as it has room for, and none more; and there are as many
// as are needed, or none are made.
func TestTablePlan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 300 {
		n := 2 + r.IntN(9)
		made := &tables{m: 2 + r.IntN(4), label: allNodes(n)}
		made.choose = binomials(made.m, n)
		room := cellsOfANode(made) + r.IntN(20)
		if !made.plan(room, 1<<30) {
			t.Fatalf("%d cells are not enough for %d of %d nodes", room, made.m, n)
		}
		size, next := 2, 1
		for _, p := range made.passes {
			if next == n {
				size, next = size+1, size
			}
			first := made.choose[size]
			if p.size != size || p.from != next || first[p.to]-first[p.from] > room ||
				p.to < n && first[p.to+1]-first[p.from] <= room {
				t.Fatalf("passes of %d cells for %d of %d nodes: %v", room, made.m, n, made.passes)
			}
			next = p.to
		}
		if next != n || size != min(made.m, n) {
			t.Fatalf("passes end at size %d, %d of %d: %v", size, next, n, made.passes)
		}
		needed := len(made.passes)
		for most := range needed + 2 {
			made.passes = nil
			if got := made.plan(room, most); got != (most >= needed) {
				t.Fatalf("%d passes are needed: %d are enough %v", needed, most, got)
			}
		}
		made.passes = nil
		if made.plan(cellsOfANode(made)-1, needed) || slices.ContainsFunc(made.passes,
			func(p tablePass) bool { return p.to == p.from }) {
			t.Fatalf("passes with no room for a node: %v", made.passes)
		}
	}
}

// A pass has the supports of all its combinations, and nothing else, whoever counted them: several
// workers with several tasks each, who counted another pass before.
func TestTablePassesCount(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var lines [][]int32
	for range 5*linesPerTask + 100 {
		lines = append(lines, []int32{r.Int32N(3), 3 + r.Int32N(2), 5 + r.Int32N(2)})
	}
	d := linesOf(7, lines...)
	support := map[string]int32{}
	for _, line := range lines {
		for _, c := range subsets(line, 3) {
			support[key(c)]++
		}
	}
	for _, workers := range []int{1, 2, 3} {
		made := tablesOf(t, d, privacy.KM{K: 2, M: 3}, 0)
		cells := make([][]int32, workers)
		for _, p := range made.passes {
			if err := made.count(t.Context(), &pool{workers: workers}, p, cells); err != nil {
				t.Fatal(err)
			}
			from, to := made.choose[p.size][p.from], made.choose[p.size][p.to]
			if len(cells[0]) != to-from {
				t.Fatalf("%v: %d cells", p, len(cells[0]))
			}
			set := make([]int32, p.size)
			for i, n := range cells[0] {
				if made.decode(from+i, set); n != support[key(set)] {
					t.Errorf("%v: %v has %d, want %d", p, set, n, support[key(set)])
				}
			}
		}
	}
}

// A worker who came too late for a pass adds nothing, whatever is in his cells from the last one.
func TestCellsOfWorkersAddUp(t *testing.T) {
	counted := &tableCounter{}
	for _, c := range []struct {
		counters []*tableCounter
		want     []int32
	}{
		{[]*tableCounter{counted, nil, counted}, []int32{101, 202}},
		{[]*tableCounter{nil, counted, nil}, []int32{10, 20}},
	} {
		cells := [][]int32{{1, 2}, {10, 20}, {100, 200}}
		if (&tables{}).sum(c.counters, cells, 2); !slices.Equal(cells[0], c.want) {
			t.Errorf("%v, want %v", cells[0], c.want)
		}
	}
}

// Cells are used again where there are enough, and none keeps what was counted.
func TestEmptiedCells(t *testing.T) {
	for n := range 5 {
		old := []int32{7, 7, 7}
		got := emptied(old, n)
		if len(got) != n || slices.ContainsFunc(got, func(c int32) bool { return c != 0 }) {
			t.Errorf("%d cells: %v", n, got)
		}
		if same := n > 0 && &got[0] == &old[0]; same != (n > 0 && n <= 3) {
			t.Errorf("%d cells in the memory of three: %v", n, same)
		}
	}
}

// Progress never goes back, and ends at its total.
func TestTablesProgress(t *testing.T) {
	var lines [][]int32
	r := rand.New(rand.NewPCG(7, 7))
	for range 3 * linesPerTask {
		lines = append(lines, []int32{r.Int32N(3), 3 + r.Int32N(3), 6 + r.Int32N(3)})
	}
	labels := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for _, line := range lines {
		b.Add(line)
	}
	made := tablesOf(t, b.Build(), privacy.KM{K: 2, M: 3}, 0)
	var before, end int64
	workers := &pool{workers: 2, progress: func(stage string, done, total int64) {
		if stage != "itemsets" || done < before || end > 0 && total != end {
			t.Errorf("%s: %d of %d after %d of %d", stage, done, total, before, end)
		}
		before, end = done, total
	}}
	if err := made.check(t.Context(), workers); err != nil {
		t.Fatal(err)
	}
	if len(made.passes) < 3 || before != end || end == 0 {
		t.Errorf("%d passes, progress ends at %d of %d", len(made.passes), before, end)
	}
}
