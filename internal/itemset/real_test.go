package itemset

import (
	"testing"

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

// The numbers of maximal frequent itemsets that the literature gives (the empty set not counted),
// and that Borgelt's pyfim 6.28 counts too; see bench/mine.
func TestKnownNumbersOfItemsets(t *testing.T) {
	for _, c := range []struct {
		file    string
		support int
		maximal int
	}{
		{"chess/chess.dat.gz", 1918, 3323},
		{"chess/chess.dat.gz", 1598, 11463},
		{"mushroom/mushroom.dat.gz", 813, 547},
		{"retail/retail.dat.gz", 89, 3452},
		{"bms-webview-1/bms-webview-1.dat.gz", 60, 2067},
		{"bms-webview-2/bms-webview-2.dat.gz", 78, 3803},
		{"t10i4d100k/t10i4d100k.dat.gz", 100, 4054},
	} {
		n := 0
		in := Input{Data: DataOf(dataset.Unmerged(open(t, c.file))), MinSupport: c.support}
		err := Maximal(t.Context(), in, func([]int32, int) error { n++; return nil })
		if err != nil || n != c.maximal {
			t.Errorf("%s at %d: %d maximal itemsets (%v), want %d", c.file, c.support, n, err,
				c.maximal)
		}
	}
}

// A rare itemset's support is not enough to be minimal: here they are counted a second time from
// the frequent ones. On groceries at 20 every minimal rare pair is a pair of frequent items that
// occurs and is not frequent.
func TestMinimalRareOnRealData(t *testing.T) {
	d := open(t, "groceries/groceries.dat.gz")
	in := Input{Data: DataOf(dataset.Unmerged(d)), MinSupport: 20, MaxLen: 2}
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
	err := minimalRare(t.Context(), in, func(items []int32, support int) error {
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

// BenchmarkMaximal is sparse data, where projections are small.
func BenchmarkMaximal(b *testing.B) {
	in := Input{Data: DataOf(dataset.Unmerged(open(b, "retail/retail.dat.gz"))), MinSupport: 60}
	for b.Loop() {
		if err := Maximal(b.Context(), in, func([]int32, int) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
