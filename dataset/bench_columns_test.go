package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// retailLike are generated sets of the shape of online-retail-ii: 5,000 items with names of 5 to 6
// characters, some far more frequent than others, and sets of about 22 of them, some of them large.
func retailLike(n int) [][]string {
	rng := rand.New(rand.NewPCG(22, 5))
	zipf := rand.NewZipf(rng, 1.1, 60, 4999)
	sets := make([][]string, n)
	for i := range sets {
		size := 1 + int(rng.ExpFloat64()*21)
		for range size {
			item := zipf.Uint64()
			name := fmt.Sprintf("%05d", 10_000+17*item)
			if item%4 == 3 {
				name += "A"
			}
			sets[i] = append(sets[i], name)
		}
	}
	return sets
}

// BenchmarkReadColumns reads the same data from csv and from files of columns, on one goroutine.
func BenchmarkReadColumns(b *testing.B) {
	d := FromLabels(retailLike(40_000))
	long := func(f Format) Options {
		return Options{Format: f, TransactionColumn: "transaction", ItemColumn: "item", Workers: 1}
	}
	for _, c := range []struct {
		name string
		opts Options
	}{
		{"csv-long", long(Long)},
		{"csv-table", Options{Format: Table, SetColumn: "items", Workers: 1}},
		{"parquet-long", long(Parquet)},
		{"parquet-lists", Options{Format: Parquet, Workers: 1}},
		{"arrow-long", long(Arrow)},
		{"arrow-lists", Options{Format: Arrow, Workers: 1}},
	} {
		text := []byte(mustWrite(b, d, c.opts))
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			items := 0
			c.opts.Size = int64(len(text))
			for range b.N {
				back, err := Read(b.Context(), bytes.NewReader(text), c.opts)
				if err != nil {
					b.Fatal(err)
				}
				items = back.Occurrences()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*items), "ns/item")
		})
	}
}
