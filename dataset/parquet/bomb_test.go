package parquet_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/dataset/parquet"
	"mingle/internal/memtest"
	"mingle/internal/soak"
)

// Encodings, with their numbers in the format.
const (
	plain       = 0
	deltaLength = 6
	deltaText   = 7
	dictionary  = 8
)

type page = parquet.ForgedPage

func lists(pages ...page) []parquet.ForgedColumn {
	return []parquet.ForgedColumn{{Name: "items", List: true, Pages: pages}}
}

func texts(pages ...page) []parquet.ForgedColumn {
	return []parquet.ForgedColumn{{Name: "items", Pages: pages}}
}

func word(text []byte) page {
	return page{Dictionary: true, Values: 1, Data: parquet.Text(text)}
}

// repeated is a page in which a run says that the same word of one is there n times.
func repeated(n uint64, levels ...[]byte) page {
	b := append(bytes.Join(levels, nil), 0)
	b = append(b, parquet.Runs(0, [2]uint64{0, n})...)
	return page{Values: int64(n), Encoding: dictionary, Data: b}
}

// alternating are the levels of n lists with m elements each, all of which have definition level d.
func alternating(n int, m, d uint64) []byte {
	var reps [][2]uint64
	for range n {
		reps = append(reps, [2]uint64{0, 1}, [2]uint64{1, m - 1})
	}
	return slices.Concat(parquet.Levels(reps...), parquet.Levels([2]uint64{d, uint64(n) * m}))
}

// TestBombsSoak: small files that say much are refused, in bounded memory and before much was done.
func TestBombsSoak(t *testing.T) {
	const mb = 1 << 20
	one := parquet.Levels([2]uint64{1, 1})
	all := func(n uint64) []byte { return parquet.Levels([2]uint64{1, n}) }
	large := bytes.Repeat([]byte("x"), 16*mb)
	slow := []string{"rows of NULL", "lists of no word", "a large word, and others"}
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"page", "a page is larger than 128 MiB", parquet.Forge(
			texts(page{Values: 1, Data: make([]byte, 129*mb)}), []int64{1})},
		{"pages without values", "unpacks to over 2048 MiB", parquet.Forge(
			texts(page{Data: slices.Concat(one, make([]byte, 64*mb)), Times: 40}), []int64{1})},
		{"groups of the same pages", "unpacks to over 2048 MiB", parquet.Forge(
			texts(word(make([]byte, 64*mb)), repeated(1, one)), slices.Repeat([]int64{1}, 1<<10))},
		{"a run in a list", "more than 16 million elements", parquet.Forge(
			lists(word([]byte("a")), repeated(math.MaxInt32,
				parquet.Levels([2]uint64{0, 1}, [2]uint64{1, math.MaxInt32 - 1}),
				all(math.MaxInt32),
			)), []int64{1})},
		{"lists of no word", "unpacks to over 2048 MiB", parquet.Forge(
			lists(word(nil), repeated(1<<31, alternating(1<<11, 1<<20, 1))), []int64{1 << 11})},
		{"lists of one word", "takes over 256", parquet.Forge(
			lists(word([]byte("a")), repeated(1<<31, alternating(1<<11, 1<<20, 1))), []int64{1 << 11})},
		{"rows of one word", "takes over 256", parquet.Forge(
			texts(word([]byte("a")), repeated(1<<31, all(1<<31))), []int64{1 << 31})},
		{"rows of NULL", "takes over 256", parquet.Forge(
			texts(page{Values: 1 << 31, Data: parquet.Levels([2]uint64{0, 1 << 31})}),
			[]int64{1 << 31})},
		{"a large word on many rows", "the texts of a few rows take more than 256", parquet.Forge(
			texts(word(large), repeated(4096, all(4096))), []int64{4096})},
		{"a large word, and others", "take more than 256", parquet.Forge(
			texts(word(large), repeated(4000, all(4000)),
				page{
					Values: 96, Data: slices.Concat(all(96), bytes.Repeat(parquet.Text(nil), 96)),
				}),
			[]int64{4096})},
		{"shared beginnings", "take more than 256", parquet.Forge(
			texts(page{Values: 4096, Encoding: deltaText, Data: slices.Concat(all(4096),
				beginnings(len(large), 4096), large)}), []int64{4096})},
		{"lengths", "a page is damaged", parquet.Forge(
			texts(page{Values: 100 * mb, Encoding: deltaLength, Data: slices.Concat(all(100*mb),
				parquet.Same(0, 100*mb))}), []int64{100 * mb})},
		{"a decimal", "a decimal has more than 128 bytes", parquet.Forge(
			[]parquet.ForgedColumn{{Name: "items", Converted: 5, Pages: []page{
				{Values: 1, Data: slices.Concat(one, parquet.Text(large))},
			}}}, []int64{1})},
		{
			"length of the schema", "the metadata are damaged",
			slices.Concat([]byte("PAR1"), parquet.Footer([]byte{
				0x15, 4, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0,
			})),
		},
		{
			"length of the groups", "the metadata are damaged",
			slices.Concat([]byte("PAR1"), parquet.Footer([]byte{
				0x15, 4, 0x39, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0,
			})),
		},
		{"groups without columns", "the metadata are damaged", slices.Concat([]byte("PAR1"),
			parquet.Footer(slices.Concat(
				[]byte{0x49, 0xfc, 0x80, 0x80, 0x80, 4}, make([]byte, 8*mb+1),
			)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if slices.Contains(slow, c.name) && soak.Share(0, 1) == 0 {
				t.Skip("in make soak")
			}
			var err error
			memtest.Within(t, 3<<29, func() {
				opts := dataset.Options{Format: dataset.Parquet, Workers: 1}
				opts.Size = int64(len(c.file))
				_, err = dataset.Read(t.Context(), bytes.NewReader(c.file), opts)
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d bytes: error %.300v, want one with %q", len(c.file), err, c.want)
			}
		})
	}
}

// beginnings are texts of n values: the first has so many bytes, the others begin as it does.
func beginnings(size, n int) []byte {
	shared := parquet.Steps(0, int64(size), n)
	tails := parquet.Steps(int64(size), -int64(size), n)
	return slices.Concat(shared, tails)
}
