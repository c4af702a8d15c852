package order_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize/order"
	"mingle/dataset"
)

// example is table 1 of xue-2012: items Jogging, Swimming, Tennis, Soccer are the bits from the
// left.
func example() *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{
		"Jogging", "Swimming", "Tennis",
		"Soccer",
	}))
	for _, bitmap := range []string{"1100", "0110", "1101", "0111", "1110", "1011"} {
		b.Add(bitsOf(bitmap))
	}
	return b.Build()
}

func bitsOf(bitmap string) []int32 {
	var tx []int32
	for i, c := range bitmap {
		if c == '1' {
			tx = append(tx, int32(i))
		}
	}
	return tx
}

// rankOf is the naive twin: the bitmap as a number, decoded from Gray to binary bit by bit.
func rankOf(tx, rank []int32, width int) *big.Int {
	set := make([]bool, width)
	for _, it := range tx {
		if rank != nil {
			it = rank[it]
		}
		set[it] = true
	}
	out, odd := new(big.Int), false
	for _, s := range set {
		odd = odd != s
		out.Lsh(out, 1)
		if odd {
			out.SetBit(out, 0, 1)
		}
	}
	return out
}

func TestGrayWorkedExample(t *testing.T) {
	d := example()
	var ranks []int64
	for i := range d.Len() {
		ranks = append(ranks, rankOf(d.Tx(i), nil, 4).Int64())
	}
	if want := []int64{8, 4, 9, 5, 11, 13}; !slices.Equal(ranks, want) {
		t.Fatalf("the twin's Gray ranks are %v, spec 04 says %v", ranks, want)
	}
	if got, want := order.Gray(d, nil), []int32{1, 3, 0, 2, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("Gray order %v, figure 4 says %v", got, want)
	}
}

func TestGrayAgreesWithDecodedRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		width := 1 + rng.IntN(90)
		d := randomData(rng, 1+rng.IntN(60), width, []float64{0.05, 0.3, 0.7}[trial%3])
		var rank []int32
		if trial%2 == 1 {
			for _, p := range rng.Perm(width) {
				rank = append(rank, int32(p))
			}
		}
		want := make([]int32, d.Len())
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int {
			return rankOf(d.Tx(int(a)), rank, width).Cmp(rankOf(d.Tx(int(b)), rank, width))
		})
		if got := order.Gray(d, rank); !slices.Equal(got, want) {
			t.Fatalf("trial %d, %d items: Gray order\n%v, by decoded rank\n%v", trial, width, got,
				want)
		}
	}
}

func TestByFrequency(t *testing.T) {
	d := example() // supports: Jogging 4, Swimming 5, Tennis 4, Soccer 3
	if got, want := order.ByFrequency(d, false), []int32{1, 0, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("most frequent first: %v, want %v", got, want)
	}
	if got, want := order.ByFrequency(d, true), []int32{1, 3, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("rarest first: %v, want %v", got, want)
	}
}

func randomData(rng *rand.Rand, n, width int, density float64) *dataset.Dataset {
	labels := make([]string, width)
	for i := range labels {
		labels[i] = string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for range n {
		var tx []int32
		for it := range width {
			if rng.Float64() < density {
				tx = append(tx, int32(it))
			}
		}
		b.Add(tx)
	}
	return b.Build()
}
