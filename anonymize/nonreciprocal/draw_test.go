package nonreciprocal

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDrawIsAnAssignmentOfTheGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(61, 62))
	for range 300 {
		n := 1 + rng.IntN(40)
		degree := 1 + rng.IntN(min(n, 9))
		g := Ring(toInt32(rng.Perm(n)), degree)
		if rng.IntN(2) == 0 && degree < max(2, n/3) {
			g = randomRegular(rng, n, degree)
		}
		match, err := Draw(t.Context(), g, rng)
		if err != nil {
			t.Fatal(err)
		}
		taken := make([]bool, n)
		for u, v := range match {
			if taken[v] || !slices.Contains(g.Slots(int32(u)), v) {
				t.Fatalf(
					"n %d, degree %d: record %d got slot %d, taken or not one of its own %v", n,
					degree, u, v, g.Slots(int32(u)),
				)
			}
			taken[v] = true
		}
	}
}

// Every edge is drawn with the frequency 1/degree, for degrees that are halved, peeled, and both,
// by each way to draw. A record's counts are tested by chi-square at the level 0.001/10 each
// (Bonferroni over the 10 records): the chance of a false alarm is below 0.001 a degree and way,
// and as the seeds are fixed a test fails always or never.
func TestEveryEdgeIsDrawnEquallyOften(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	const n, draws = 10, 6000
	for _, degree := range []int{2, 3, 4, 5, 6, 7, 8} {
		g := Ring(toInt32(rand.New(rand.NewPCG(63, 64)).Perm(n)), degree)
		for name, draw := range map[string]func(rng *rand.Rand) ([]int32, error){
			"draw": func(rng *rand.Rand) ([]int32, error) {
				return Draw(t.Context(), g, rng)
			},
			"closed walk": func(rng *rand.Rand) ([]int32, error) {
				return oneOf(ClosedWalk(t.Context(), g, rng))(rng)
			},
			"backtracking": func(rng *rand.Rand) ([]int32, error) {
				return oneOf(Backtracking(t.Context(), g, rng))(rng)
			},
		} {
			counts := [n][n]int{}
			for s := range draws {
				match, err := draw(rand.New(
					rand.NewChaCha8([32]byte{byte(s), byte(s >> 8), byte(degree)}),
				))
				if err != nil {
					t.Fatal(err)
				}
				for u, v := range match {
					counts[u][v]++
				}
			}
			for u := range n {
				chi := 0.0
				expected := float64(draws) / float64(degree)
				for _, v := range g.Slots(int32(u)) {
					d := float64(counts[u][v]) - expected
					chi += d * d / expected
				}
				if limit := upperChiSquare(degree-1, 0.001/n); chi > limit {
					t.Errorf(
						"%s, degree %d, record %d: chi-square %.1f above %.1f", name, degree, u,
						chi, limit,
					)
				}
			}
		}
	}
}

func oneOf(all [][]int32, _ int64, err error) func(rng *rand.Rand) ([]int32, error) {
	return func(rng *rand.Rand) ([]int32, error) {
		if err != nil {
			return nil, err
		}
		return all[rng.IntN(len(all))], nil
	}
}

// upperChiSquare is the upper quantile by Wilson and Hilferty's approximation.
func upperChiSquare(freedom int, level float64) float64 {
	z := math.Sqrt2 * math.Erfinv(1-2*level)
	f := float64(freedom)
	return f * math.Pow(1-2/(9*f)+z*math.Sqrt(2/(9*f)), 3)
}

// BenchmarkDraw reports how many visits each of the 16 edges of a record of a ring takes: the
// floor is one.
func BenchmarkDraw(b *testing.B) {
	g := Ring(toInt32(rand.New(rand.NewPCG(1, 1)).Perm(51136)), 16)
	for name, draw := range extractors {
		b.Run(name, func(b *testing.B) {
			var steps int64
			for b.Loop() {
				_, steps, _ = draw(b.Context(), g, rand.New(rand.NewChaCha8([32]byte{})))
			}
			b.ReportMetric(float64(steps)/float64(g.Len()*16), "visits/edge")
		})
	}
	b.Run("draw of one", func(b *testing.B) {
		for b.Loop() {
			if _, err := Draw(b.Context(), g, rand.New(rand.NewChaCha8([32]byte{}))); err != nil {
				b.Fatal(err)
			}
		}
	})
}
