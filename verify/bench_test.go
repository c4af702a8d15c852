package verify

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/testdata"
	"mingle/privacy"
)

// countAll is the floor: it counts every combination of up to m (2 or 3) items that occurs, once,
// in the plainest way that is fast: items by ascending support, a projection on the first, the last
// two levels in a dense triangle. It merges nothing, leaves nothing out and keeps no witness. It
// returns the number of rare combinations.
func countAll(d *dataset.Dataset, k, m int) (rare int) {
	r := &rows{
		items: slices.Clone(d.Items()), start: make([]uint32, d.Len()+1),
		weight: slices.Repeat([]int32{1}, d.Len()),
	}
	for i := range r.start {
		r.start[i] = uint32(d.Start(i))
	}
	n := r.relabel(d.Supports())
	behind := make([][][]int32, n)
	for i := range r.weight {
		row := r.row(i)
		for pos, z := range row {
			behind[z] = append(behind[z], row[pos+1:])
		}
	}
	isRare := func(c int32) {
		if c > 0 && int(c) < k {
			rare++
		}
	}
	local, count := make([]int32, n), make([]int32, n)
	var items, triangle []int32
	for a := range n {
		isRare(int32(len(behind[a])))
		items = items[:0]
		for _, rest := range behind[a] {
			for _, z := range rest {
				if count[z] == 0 {
					items = append(items, z)
				}
				count[z]++
			}
		}
		for i, z := range items {
			isRare(count[z])
			count[z], local[z] = 0, int32(i)
		}
		if m == 2 {
			continue
		}
		cells := len(items) * (len(items) - 1) / 2
		if len(triangle) < cells {
			triangle = make([]int32, cells)
		}
		for _, rest := range behind[a] {
			for x, y := range rest {
				i := int(local[y])
				for _, z := range rest[x+1:] {
					lo, hi := min(i, int(local[z])), max(i, int(local[z]))
					triangle[hi*(hi-1)/2+lo]++
				}
			}
		}
		for i, c := range triangle[:cells] {
			isRare(c)
			triangle[i] = 0
		}
	}
	return rare
}

// The floor finds what the check finds, where nothing rare hides something else that is rare.
func TestFloorCountsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 500 {
		in := randomInput(r)
		for _, m := range []int{2, 3} {
			p := privacy.KM{K: in.Promise.K, M: m}
			_, all := rareSets(in.Published, p)
			if got := countAll(in.Published, p.K, m); got != all {
				t.Fatalf("%v: the floor counts %d rare combinations, there are %d", p, got, all)
			}
		}
	}
}

// readFimi reads lines of items separated by blanks.
func readFimi(t testing.TB, path string) *dataset.Dataset {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var txs [][]string
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		txs = append(txs, strings.Fields(in.Text()))
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
	return dataset.FromLabels(txs)
}

// zipf generates transactions of geometric length over items of Zipf popularity.
func zipf(n, items int) *dataset.Dataset {
	r := rand.New(rand.NewPCG(11, 12))
	z := rand.NewZipf(r, 1.2, 4, uint64(items-1))
	txs := make([][]string, n)
	for i := range txs {
		for range 1 + int(r.ExpFloat64()*6) {
			txs[i] = append(txs[i], strconv.FormatUint(z.Uint64(), 10))
		}
		slices.Sort(txs[i])
		txs[i] = slices.Compact(txs[i])
	}
	return dataset.FromLabels(txs)
}

// coarse is a release of the kind a heuristic finds: the cut is lifted, where a combination of up
// to m nodes is rare, from the nodes of least support, until none is.
func coarse(t testing.TB, d *dataset.Dataset, p privacy.KM) KMInput {
	t.Helper()
	tree, err := hierarchy.Fanout(slices.Clone(d.Dict().Labels()), 5)
	if err != nil {
		t.Fatal(err)
	}
	original, err := tree.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	cut := hierarchy.BottomCut(tree)
	in := KMInput{Tree: tree, Original: original, Promise: p, Workers: 1}
	for least := p.K; ; least += least/2 + 1 {
		supports := original.Recode(tree.Dict(), cut.Map()).Supports()
		for _, u := range cut.Nodes() {
			if supports[u] < least && tree.Parent(u) >= 0 && cut.Of(firstLeaf(tree, u)) == u {
				cut.Lift(tree.Parent(u))
			}
		}
		in.Published = original.Recode(tree.Dict(), cut.Map())
		if f, err := KM(context.Background(), in); err != nil || f.Holds {
			return in
		}
	}
}

func firstLeaf(t *hierarchy.Tree, u int32) int32 {
	lo, _ := t.Range(u)
	return lo
}

// BenchmarkKM verifies releases, and states beside the time how many times that of the floor it is:
// counting each combination of the published data once, on one core. raw is the data as it is,
// which is refused.
func BenchmarkKM(b *testing.B) {
	sources := map[string]func(b *testing.B) *dataset.Dataset{"zipf": func(*testing.B) *dataset.Dataset { return zipf(50_000, 2_000) }}
	for _, name := range []string{"bms-webview-1", "bms-webview-2", "retail", "chess"} {
		sources[name] = func(b *testing.B) *dataset.Dataset {
			return readFimi(b, testdata.Path(b, name+"/"+name+".dat.gz"))
		}
	}
	for _, name := range []string{"zipf", "bms-webview-1", "bms-webview-2", "retail", "chess"} {
		b.Run(name, func(b *testing.B) {
			d := sources[name](b)
			for _, m := range []int{2, 3} {
				in := coarse(b, d, privacy.KM{K: 5, M: m})
				b.Run(fmt.Sprintf("m=%d", m), func(b *testing.B) { ratioToFloor(b, in) })
				raw := in
				raw.Published = in.Original.Recode(in.Tree.Dict(),
					hierarchy.BottomCut(in.Tree).Map())
				b.Run(fmt.Sprintf("raw/m=%d", m), func(b *testing.B) { ratioToFloor(b, raw) })
			}
		})
	}
}

func ratioToFloor(b *testing.B, in KMInput) {
	shortest := math.Inf(1)
	for range 3 {
		begin := time.Now()
		countAll(in.Published, in.Promise.K, in.Promise.M)
		shortest = min(shortest, float64(time.Since(begin).Nanoseconds()))
	}
	for b.Loop() {
		if _, err := KM(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
	own := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(own/shortest, "x-floor")
	b.ReportMetric(shortest, "floor-ns/op")
}

// relabel numbers the items in use by ascending support, in place, and returns how many there are.
func (r *rows) relabel(supports []int) int {
	var used []int32
	for u, n := range supports {
		if n > 0 {
			used = append(used, int32(u))
		}
	}
	slices.SortFunc(used, func(a, b int32) int { return cmp.Or(supports[a]-supports[b], int(a-b)) })
	number := make([]int32, len(supports))
	for i, u := range used {
		number[u] = int32(i)
	}
	for i := range r.weight {
		row := r.row(i)
		for n, u := range row {
			row[n] = number[u]
		}
		slices.Sort(row)
	}
	return len(used)
}
