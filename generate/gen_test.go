package generate

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mingle/dataset"
)

// generators are all of them, at a small size.
var generators = map[string]struct {
	transactions, items int
	run                 func(seed uint64, emit Emit) error
}{
	"quest": {2000, 100, func(seed uint64, emit Emit) error {
		return Quest(QuestParams{
			Transactions: 2000, Items: 100, Patterns: 50, AvgLength: 8,
			AvgPattern: 4, Correlation: Correlation, Corruption: Corruption, Seed: seed,
		}, emit)
	}},
	"quest, all items": {300, 10, func(seed uint64, emit Emit) error {
		return Quest(QuestParams{
			Transactions: 300, Items: 10, Patterns: 3, AvgLength: 9,
			AvgPattern: 2, Correlation: Correlation, Corruption: Corruption, Seed: seed,
		}, emit)
	}},
	"zipf": {2000, 200, func(seed uint64, emit Emit) error {
		return Zipf(ZipfParams{
			Transactions: 2000, Items: 200, Average: 5, Exponent: 1.1,
			Seed: seed,
		}, emit)
	}},
	"zipf, dense": {500, 20, func(seed uint64, emit Emit) error {
		return Zipf(ZipfParams{
			Transactions: 500, Items: 20, Average: 19.5, Exponent: 3,
			Lengths: Geometric, Seed: seed,
		}, emit)
	}},
	"shape": {2000, 500, func(seed uint64, emit Emit) error {
		return Shape(ShapeParams{
			Transactions: 2000, Items: 500, Longest: 60, Average: 5.5,
			Exponent: 1, Seed: seed,
		}, emit)
	}},
	"shop": {2000, 300, func(seed uint64, emit Emit) error {
		s, err := NewShop(ShopParams{Transactions: 2000, Products: 300, Seed: seed})
		if err != nil {
			return err
		}
		return s.Baskets(emit)
	}},
}

func collect(t testing.TB, run func(Emit) error) [][]int32 {
	t.Helper()
	var out [][]int32
	if err := run(func(tx []int32) error {
		out = append(out,
			slices.Clone(tx))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryGenerator(t *testing.T) {
	for name, g := range generators {
		t.Run(name, func(t *testing.T) {
			seeded := func(seed uint64) [][]int32 {
				return collect(t, func(emit Emit) error { return g.run(seed, emit) })
			}
			txs := seeded(7)
			if len(txs) != g.transactions {
				t.Errorf("%d transactions, want %d", len(txs), g.transactions)
			}
			for i, tx := range txs {
				if !slices.IsSorted(tx) || len(slices.Compact(slices.Clone(tx))) != len(tx) ||
					len(tx) == 0 || tx[0] < 0 || int(tx[len(tx)-1]) >= g.items {
					t.Fatalf("transaction %d: %v", i, tx)
				}
			}
			if !slices.EqualFunc(txs, seeded(7), slices.Equal) {
				t.Error("the same seed gave other transactions")
			}
			if slices.EqualFunc(txs, seeded(8), slices.Equal) {
				t.Error("another seed gave the same transactions")
			}
			stop, calls := errors.New("stop"), 0
			err := g.run(7, func([]int32) error {
				if calls++; calls == 3 {
					return stop
				}
				return nil
			})
			if !errors.Is(err, stop) || calls != 3 {
				t.Errorf("the callback's error on call 3 gave %v after %d calls", err, calls)
			}
		})
	}
}

func TestDataset(t *testing.T) {
	g := generators["zipf"]
	d, err := Dataset(Labels(g.items), func(emit Emit) error { return g.run(1, emit) })
	if err != nil {
		t.Fatal(err)
	}
	txs := collect(t, func(emit Emit) error { return g.run(1, emit) })
	for i, tx := range txs {
		if !slices.Equal(tx, d.Tx(i)) {
			t.Fatalf("transaction %d: %v became %v", i, tx, d.Tx(i))
		}
	}
	if !slices.IsSortedFunc(Labels(120), dataset.CompareLabels) {
		t.Error("labels are not in natural order")
	}
}

// TestQuestMakesThePublishedSets: T10I4D100K has 870 items of 1,000, the longest transaction 29,
// 10.10 on average, the most frequent item in 7.8 %; T40I10D100K 942, 77, 39.6 and 28.7 % (the last
// of its first 10,000 transactions). Tolerances are what other seeds vary by: 4 % of the items, 8 %
// of the longest, 1 % of the average, 30 % of the most frequent.
func TestQuestMakesThePublishedSets(t *testing.T) {
	for _, c := range []struct {
		t, i                          float64
		items, longest, average, most float64
	}{
		{10, 4, 870, 29, 10.10, 0.078},
		{40, 10, 942, 77, 39.6, 0.287},
	} {
		const n = 100_000
		d, err := Dataset(Labels(1000), func(emit Emit) error {
			return Quest(QuestParams{
				Transactions: n, AvgLength: c.t, AvgPattern: c.i,
				Correlation: Correlation, Corruption: Corruption, Seed: 1,
			}, emit)
		})
		if err != nil {
			t.Fatal(err)
		}
		supports := d.Supports()
		used := 1000 - count(supports, 0)
		near(t, "items", float64(used), c.items, 0.04)
		near(t, "longest", float64(d.MaxLen()), c.longest, 0.08)
		near(t, "average", float64(d.Occurrences())/n, c.average, 0.01)
		near(t, "most frequent", float64(slices.Max(supports))/n, c.most, 0.3)
	}
}

func count(values []int, x int) int {
	n := 0
	for _, v := range values {
		if v == x {
			n++
		}
	}
	return n
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got/want-1) > tolerance {
		t.Errorf("%s: %v, want %v to within %v %%", what, got, want, 100*tolerance)
	}
}

// TestQuestHasPatterns: pairs of items occur together far more often than if they were independent.
// Of independent items the most frequent pairs would exceed their expectation by a few standard
// deviations; here by a factor.
func TestQuestHasPatterns(t *testing.T) {
	d, err := Dataset(Labels(200), func(emit Emit) error {
		return Quest(QuestParams{
			Transactions: 20_000, Items: 200, Patterns: 100, AvgLength: 8,
			AvgPattern: 4, Correlation: Correlation, Corruption: Corruption, Seed: 3,
		}, emit)
	})
	if err != nil {
		t.Fatal(err)
	}
	pairs := map[[2]int32]int{}
	for i := range d.Len() {
		tx := d.Tx(i)
		for a := range tx {
			for _, b := range tx[a+1:] {
				pairs[[2]int32{tx[a], b}]++
			}
		}
	}
	supports, lifted := d.Supports(), 0
	for pair, n := range pairs {
		expected := float64(supports[pair[0]]) * float64(supports[pair[1]]) / float64(d.Len())
		if expected > 20 && float64(n) > 3*expected {
			lifted++
		}
	}
	if lifted < 50 {
		t.Errorf("only %d pairs occur three times as often as independent ones would", lifted)
	}
}

// TestQuestCorruption: of a single pattern that is never corrupted every transaction is a copy; a
// corrupted one comes in pieces.
func TestQuestCorruption(t *testing.T) {
	distinct := func(corruption float64) int {
		p := QuestParams{
			Transactions: 500, Items: 50, Patterns: 1, AvgLength: 4, AvgPattern: 8,
			Corruption: corruption, Seed: 2,
		}
		txs := collect(t, func(emit Emit) error { return Quest(p, emit) })
		slices.SortFunc(txs, slices.Compare)
		return len(slices.CompactFunc(txs, slices.Equal))
	}
	if whole, pieces := distinct(0), distinct(Corruption); whole != 1 || pieces < 10 {
		t.Errorf("%d different transactions without corruption, %d with", whole, pieces)
	}
}

// TestZipfPopularity: with one item a transaction, counts are multinomial. The seed is fixed; for
// another one a count is off by more than five standard deviations with probability below 1e-6, one
// of 50 below 5e-5.
func TestZipfPopularity(t *testing.T) {
	const n, items = 200_000, 50
	for _, exponent := range []float64{0, 0.8, 1.5} {
		d, err := Dataset(Labels(items), func(emit Emit) error {
			return Zipf(ZipfParams{
				Transactions: n, Items: items, Average: 1, Exponent: exponent,
				Seed: 5,
			}, emit)
		})
		if err != nil {
			t.Fatal(err)
		}
		got := d.Supports()
		slices.SortFunc(got, func(a, b int) int { return b - a })
		sum := 0.0
		for r := range items {
			sum += math.Pow(float64(r+1), -exponent)
		}
		for r, n1 := range got {
			p := math.Pow(float64(r+1), -exponent) / sum
			if sd := math.Sqrt(n * p * (1 - p)); math.Abs(float64(n1)-n*p) > 5*sd {
				t.Errorf("exponent %v, rank %d: %d, want %.0f, standard deviation %.1f", exponent,
					r+1, n1, n*p, sd)
			}
		}
	}
}

// TestZipfLengths: mean to within five standard errors, for both distributions.
func TestZipfLengths(t *testing.T) {
	const n, average = 100_000, 6.5
	for lengths, variance := range map[Lengths]float64{
		Poisson:   average - 1,
		Geometric: (average - 1) * average,
	} {
		sum := 0
		err := Zipf(ZipfParams{
			Transactions: n, Items: 1657, Average: average, Exponent: 0.7,
			Lengths: lengths, Seed: 2,
		}, func(tx []int32) error {
			sum += len(tx)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(sum) / n; math.Abs(got-average) > 5*math.Sqrt(variance/n) {
			t.Errorf("%s: average %v, want %v", lengths, got, average)
		}
	}
}

func checkShape(t interface {
	Errorf(string, ...any)
	Fatal(...any)
}, p ShapeParams,
) {
	used := make([]bool, p.Items)
	n, occurrences, longest, shortest := 0, int64(0), 0, p.Items
	err := Shape(p, func(tx []int32) error {
		n++
		occurrences += int64(len(tx))
		longest, shortest = max(longest, len(tx)), min(shortest, len(tx))
		for _, it := range tx {
			used[it] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != p.Transactions || longest != p.Longest || shortest < 1 ||
		occurrences != p.Occurrences() || slices.Contains(used, false) {
		t.Errorf("%+v: %d transactions of %d to %d items, %d occurrences, all items used: %v", p, n,
			shortest, longest, occurrences, !slices.Contains(used, false))
	}
}

// TestShapeIsExact: whatever shape is possible comes out exactly.
func TestShapeIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := ShapeParams{
			Transactions: rapid.IntRange(1, 60).Draw(rt, "transactions"),
			Longest:      rapid.IntRange(1, 20).Draw(rt, "longest"),
			Exponent:     rapid.SampledFrom([]float64{0, 1, 5}).Draw(rt, "exponent"),
			Seed:         rapid.Uint64().Draw(rt, "seed"),
		}
		all := rapid.IntRange(p.Longest+p.Transactions-1, p.Longest*p.Transactions).Draw(rt,
			"occurrences")
		p.Items = rapid.IntRange(p.Longest, all).Draw(rt, "items")
		p.Average = float64(all) / float64(p.Transactions)
		checkShape(rt, p)
	})
}

// TestShapesOfPublicSets are the numbers by which the papers describe their data.
func TestShapesOfPublicSets(t *testing.T) {
	for _, p := range []ShapeParams{
		{Transactions: 59_602, Items: 497, Longest: 267, Average: 2.5106, Exponent: 1},
		{Transactions: 77_512, Items: 3340, Longest: 161, Average: 4.6222, Exponent: 1},
		{Transactions: 88_162, Items: 16_470, Longest: 76, Average: 10.3058, Exponent: 1},
		{Transactions: 3196, Items: 75, Longest: 37, Average: 37, Exponent: 1},
	} {
		checkShape(t, p)
	}
}

func TestWrongParametersAreAllNamed(t *testing.T) {
	for _, c := range []struct {
		err  error
		want []string
	}{
		{Quest(QuestParams{
			AvgPattern: 0.5, Items: -1, Patterns: -1, Correlation: 2,
			Corruption: -1,
		}, nil), []string{
			"transactions (0) must be at least 1", "items (-1)", "patterns (-1)",
			"average length (0)", "average pattern length (0.5)", "correlation (2)",
			"corruption (-1)",
		}},
		{
			Zipf(ZipfParams{Exponent: math.NaN(), Lengths: "even"}, nil),
			[]string{
				"transactions (0)", "items (0)", "average length (0)", "exponent (NaN)",
				"lengths (even) must be poisson or geometric",
			},
		},
		{Shape(ShapeParams{}, nil), []string{"transactions (0)", "items (0)", "longest (0)"}},
		{
			Shape(ShapeParams{Transactions: 5, Items: 3, Longest: 4, Average: 2}, nil),
			[]string{"longest (4) must be at most the number of items (3)"},
		},
		{
			Shape(ShapeParams{Transactions: 5, Items: 9, Longest: 4, Average: 5}, nil),
			[]string{"average (5) must be between 1 and 4"},
		},
		{
			Shape(ShapeParams{Transactions: 5, Items: 4, Longest: 4, Average: 1.2}, nil),
			[]string{"average (1.2) is too small", "at least 1.6"},
		},
		{
			Shape(ShapeParams{Transactions: 5, Items: 20, Longest: 4, Average: 2}, nil),
			[]string{"average (2) is too small: 20 items occur only if it is at least 4"},
		},
		{
			shopErr(ShopParams{Products: 9, Average: -1, Exponent: 11, Affinity: 2, Outliers: 1}),
			[]string{
				"transactions (0)", "products (9) must be between 43", "average length (-1)",
				"exponent (11)", "affinity (2)", "outliers (1) must be at most",
			},
		},
	} {
		for _, want := range c.want {
			if c.err == nil || !strings.Contains(c.err.Error(), want) {
				t.Errorf("%q is not in: %v", want, c.err)
			}
		}
	}
}

func shopErr(p ShopParams) error {
	_, err := NewShop(p)
	return err
}

// benchmark reports the time an occurrence beside the floor: one weighted draw an occurrence and
// nothing else.
func benchmark(b *testing.B, items int, run func(Emit) error) {
	occurrences := 0
	for b.Loop() {
		occurrences = 0
		if err := run(func(tx []int32) error { occurrences += len(tx); return nil }); err != nil {
			b.Fatal(err)
		}
	}
	took := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(occurrences)
	p, r := newPicker(zipfWeights(items, 1)), newRand(1, 1)
	start, sum := time.Now(), int32(0)
	for range occurrences {
		sum += p.pick(r)
	}
	floor := float64(time.Since(start).Nanoseconds()) / float64(occurrences)
	b.ReportMetric(took, "ns/occurrence")
	b.ReportMetric(took/floor, "x-floor")
	_ = sum
}

// BenchmarkShape makes data of the size of the project's generated comparison file.
func BenchmarkShape(b *testing.B) {
	benchmark(b, 1657, func(emit Emit) error {
		return Shape(ShapeParams{
			Transactions: 515_597, Items: 1657, Longest: 164, Average: 6.5,
			Exponent: 0.8,
		}, emit)
	})
}

// BenchmarkQuest makes T40I10D100K.
func BenchmarkQuest(b *testing.B) {
	benchmark(b, 1000, func(emit Emit) error {
		return Quest(QuestParams{
			Transactions: 100_000, AvgLength: 40, AvgPattern: 10,
			Correlation: Correlation, Corruption: Corruption,
		}, emit)
	})
}
