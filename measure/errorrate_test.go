package measure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mingle/dataset"
	"mingle/measure"
)

func bitmaps(rows ...string) *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{
		"Jogging", "Swimming", "Tennis",
		"Soccer",
	}))
	for _, row := range rows {
		var tx []int32
		for i, c := range row {
			if c == '1' {
				tx = append(tx, int32(i))
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// A worked example: r1' to r6' are 1101 1110 0111 0111 1100 1110, so the flipped bits
// are 1 of 2, 1 of 2, 2 of 3, 0 of 3, 1 of 3 and 2 of 3.
func TestErrorRateWorkedExample(t *testing.T) {
	original := bitmaps("1100", "0110", "1101", "0111", "1110", "1011")
	// rows of r2' r4' r3' r1' r5' r6'
	base := bitmaps("1110", "0111", "0111", "1101", "1100", "1110")
	got, err := measure.ErrorRate(original, base, []int32{3, 0, 2, 1, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	if want := (1.0/2 + 1.0/2 + 2.0/3 + 0 + 1.0/3 + 2.0/3) / 6; math.Abs(got-want) > 1e-12 {
		t.Errorf("ER %v, by hand %v", got, want)
	}
}

// With all four items to draw from and queries of all four, the answers are known: no record has
// all, all records have some.
func TestBaseQueryErrorByHand(t *testing.T) {
	original := bitmaps("1100", "0000", "1111")
	base := bitmaps("1111", "1111", "0000")
	got, err := measure.BaseQueryError(rand.New(rand.NewPCG(1, 1)), original, base,
		measure.BaseQueryOptions{Queries: 5, Present: 4, Absent: 4})
	if err != nil {
		t.Fatal(err)
	}
	// type I: 1 against 2 of 3 records; type II: 1 (the empty one) against 1.
	if math.Abs(got.TypeI-1.0/3) > 1e-12 || got.TypeII != 0 {
		t.Errorf("QE %v and %v, by hand 1/3 and 0", got.TypeI, got.TypeII)
	}
}

func TestBaseQueryErrorAgainstScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	rows := func() *dataset.Dataset {
		var out []string
		for range 30 {
			row := ""
			for range 4 {
				row += string(rune('0' + rng.IntN(2)))
			}
			out = append(out, row)
		}
		return bitmaps(out...)
	}
	original, base := rows(), rows()
	got, err := measure.BaseQueryError(rand.New(rand.NewPCG(9, 9)), original, base,
		measure.BaseQueryOptions{Queries: 20, Present: 1, Absent: 2})
	if err != nil {
		t.Fatal(err)
	}
	one, two := 0.0, 0.0
	r := rand.New(rand.NewPCG(9, 9)) // the same draws, answered by a scan
	for range 20 {
		in, ex := drawn(r, 1), drawn(r, 2)
		one += math.Abs(float64(scan(original, in, 1)-scan(base, in, 1))) / 30
		two += math.Abs(float64(scan(original, ex, 0)-scan(base, ex, 0))) / 30
	}
	if math.Abs(got.TypeI-one/20) > 1e-12 || math.Abs(got.TypeII-two/20) > 1e-12 {
		t.Errorf("QE %v and %v, by scan %v and %v", got.TypeI, got.TypeII, one/20, two/20)
	}
}

func drawn(r *rand.Rand, count int) map[int32]bool {
	out := map[int32]bool{}
	for len(out) < count {
		out[int32(r.IntN(4))] = true
	}
	return out
}

func scan(d *dataset.Dataset, items map[int32]bool, hits int) int {
	out := 0
	for i := range d.Len() {
		h := 0
		for _, it := range d.Tx(i) {
			if items[it] {
				h++
			}
		}
		if h == hits {
			out++
		}
	}
	return out
}
