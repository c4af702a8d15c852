package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

// tablesOf makes tables whether they pay or not, with so few cells that several passes are needed.
func tablesOf(t *testing.T, d *dataset.Dataset, p privacy.KM, cells int) *tables {
	t.Helper()
	made := &tables{published: d, k: p.K, m: min(p.M, d.MaxLen())}
	made.numberNodes()
	made.choose = binomials(made.m, len(made.label))
	if !made.plan(cells, 1<<30) {
		t.Fatalf("%d cells are not enough for a node", cells)
	}
	return made
}

// Tables find the minimal rare combinations, each once, in any number of passes, for any number of
// workers, in plain and packed data; and they count what occurs.
func TestSoakTablesAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 60))
	for range soak.Share(short(1000, 100), 12_000) {
		in := randomInput(r)
		p := privacy.KM{K: in.Promise.K, M: in.Promise.M}
		d := in.Published
		if r.IntN(2) == 0 {
			d = d.Pack()
		}
		made := tablesOf(t, d, p, 1<<(7+r.IntN(8)))
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
	every := make([]int32, 4000)
	for u := range every {
		every[u] = int32(u)
	}
	of := func(nodes int, lines ...[]int32) *dataset.Dataset {
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
	for name, c := range map[string]struct {
		d    *dataset.Dataset
		m    int
		pays bool
	}{
		"a table as large as the sets":  {of(2, []int32{0, 1}), 2, true},
		"more cells than sets":          {of(4, []int32{0, 1}, []int32{2, 3}), 2, false},
		"only single nodes are known":   {of(2, []int32{0, 1}), 1, false},
		"too many sets for their items": {of(4000, every), 2, false},
		"more sets than can be counted": {of(4000, every), 8, false},
		"no lines":                      {of(3), 2, true},
	} {
		if got := newTables(c.d, 2, c.m, 2) != nil; got != c.pays {
			t.Errorf("%s: tables %v, want %v", name, got, c.pays)
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
	made := tablesOf(t, b.Build(), privacy.KM{K: 2, M: 3}, 28)
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
