package mine

import (
	"testing"
	"time"

	"mingle/dataset"
	"mingle/internal/testdata"
)

func open(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Open(t.Context(), testdata.Path(t, name), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The numbers of frequent and of maximal frequent itemsets that the literature gives (the empty set not counted), and
// that Borgelt's pyfim 6.28 counts too; see bench/mine.
func TestKnownNumbersOfItemsets(t *testing.T) {
	for _, c := range []struct {
		file              string
		support           int
		frequent, maximal int
	}{
		{"chess/chess.dat.gz", 1918, 254944, 3323},
		{"chess/chess.dat.gz", 1598, 1272932, 11463},
		{"mushroom/mushroom.dat.gz", 813, 574431, 547},
		{"retail/retail.dat.gz", 89, 7589, 3452},
		{"bms-webview-1/bms-webview-1.dat.gz", 60, 3991, 2067},
		{"bms-webview-2/bms-webview-2.dat.gz", 78, 23294, 3803},
		{"t10i4d100k/t10i4d100k.dat.gz", 100, 27532, 4054},
	} {
		in := Input{Data: open(t, c.file), MinSupport: c.support}
		for _, m := range []struct {
			name string
			mine miner
			want int
		}{{"frequent", Frequent, c.frequent}, {"maximal", Maximal, c.maximal}} {
			n := 0
			if err := m.mine(t.Context(), in, func([]int32, int) error { n++; return nil }); err != nil || n != m.want {
				t.Errorf("%s at %d: %d %s itemsets (%v), want %d", c.file, c.support, n, m.name, err, m.want)
			}
		}
	}
}

// A rare itemset's support is not enough to be minimal: here they are counted a second time from the frequent ones. On
// groceries at 20 every minimal rare pair is a pair of frequent items that occurs and is not frequent.
func TestMinimalRareOnRealData(t *testing.T) {
	d := open(t, "groceries/groceries.dat.gz")
	in := Input{Data: d, MinSupport: 20, MaxLen: 2}
	supports := d.Supports()
	pairs := map[[2]int32]int{}
	for i := range d.Len() {
		tx := d.Tx(i)
		for x := range tx {
			for y := x + 1; y < len(tx); y++ {
				pairs[[2]int32{tx[x], tx[y]}]++
			}
		}
	}
	want := 0
	for it := range supports {
		if n := supports[it]; n > 0 && n < in.MinSupport {
			want++
		}
	}
	for p, n := range pairs {
		if n < in.MinSupport && supports[p[0]] >= in.MinSupport && supports[p[1]] >= in.MinSupport {
			want++
		}
	}
	got := 0
	err := MinimalRare(t.Context(), in, func(items []int32, support int) error {
		if len(items) == 2 && pairs[[2]int32{items[0], items[1]}] != support {
			t.Errorf("%v: support %d, want %d", items, support, pairs[[2]int32{items[0], items[1]}])
		}
		got++
		return nil
	})
	if err != nil || got != want {
		t.Errorf("%d minimal rare itemsets (%v), want %d", got, err, want)
	}
}

// The floor of mining frequent itemsets is handing each on: x/floor says how much finding them adds to that.
func BenchmarkFrequentChess(b *testing.B) {
	in := Input{Data: open(b, "chess/chess.dat.gz"), MinSupport: 1918, Workers: 1}
	var sets [][]int32
	if err := Frequent(b.Context(), in, func(items []int32, _ int) error {
		sets = append(sets, append([]int32(nil), items...))
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	for b.Loop() {
		if err := Frequent(b.Context(), in, func([]int32, int) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	each := time.Since(start) / time.Duration(b.N)
	start = time.Now()
	err := inOrder(b.Context(), 1, 1, func(_, _ int, out *output) {
		for _, s := range sets {
			out.emit(s, 0)
		}
	}, func([]int32, int) error { return nil }, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(each)/float64(time.Since(start)), "x/floor")
}
