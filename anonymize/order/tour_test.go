package order_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mingle/anonymize/order"
)

func pathLength(path []int32, m *order.Distances) int64 {
	total := int64(0)
	for p := 1; p < len(path); p++ {
		total += int64(m.Between(path[p-1], path[p]))
	}
	return total
}

// shortest is the naive twin: every permutation of the inside.
func shortest(path []int32, m *order.Distances) int64 {
	best := pathLength(path, m)
	var try func(p []int32, k int)
	try = func(p []int32, k int) {
		if k == len(p)-1 {
			best = min(best, pathLength(p, m))
			return
		}
		for i := k; i < len(p)-1; i++ {
			p[k], p[i] = p[i], p[k]
			try(p, k+1)
			p[k], p[i] = p[i], p[k]
		}
	}
	try(slices.Clone(path), 1)
	return best
}

func TestTourWorkedExample(t *testing.T) {
	d := example()
	m := order.NewDistances(d)
	path := order.Gray(d, nil)
	if got := m.Total([]int32{0, 1, 2, 3, 4, 5}); got != 14 {
		t.Errorf("cyclic sum as given %d, figure 4 says 14", got)
	}
	if got := m.Total(path); got != 12 {
		t.Errorf("cyclic sum of the Gray order %d, figure 4 says 12", got)
	}
	order.Tour(path, m, order.Kicks)
	if got, want := path, []int32{1, 3, 2, 0, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("Gray-TSP order %v, figure 4 says %v", got, want)
	}
	if got := m.Total(path); got != 10 {
		t.Errorf("cyclic sum of the Gray-TSP order %d, figure 4 says 10", got)
	}
}

func TestTourKeepsEndsAndNeverLengthens(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 200 {
		d := randomData(rng, 2+rng.IntN(80), 1+rng.IntN(30), 0.3)
		m := order.NewDistances(d)
		before := order.Gray(d, nil)
		after := slices.Clone(before)
		order.Tour(after, m, order.Kicks)
		if after[0] != before[0] || after[len(after)-1] != before[len(before)-1] {
			t.Fatalf("trial %d: the ends moved", trial)
		}
		if got, was := pathLength(after, m), pathLength(before, m); got > was {
			t.Fatalf("trial %d: %d, longer than Gray's %d", trial, got, was)
		}
		slices.Sort(after)
		slices.Sort(before)
		if !slices.Equal(after, before) {
			t.Fatalf("trial %d: not the same records", trial)
		}
	}
}

func TestTourIsShortestOnSmallPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	missed := 0
	for range 200 {
		d := randomData(rng, 8, 12, 0.4)
		m := order.NewDistances(d)
		path := order.Gray(d, nil)
		want := shortest(path, m)
		order.Tour(path, m, 20)
		if pathLength(path, m) != want {
			missed++
		}
	}
	if missed > 10 {
		t.Errorf("not the shortest path on %d of 200 paths of 8 records", missed)
	}
}

func TestImproveIsTheSameForAnyWorkers(t *testing.T) {
	d := randomData(rand.New(rand.NewPCG(9, 10)), 900, 40, 0.2)
	m := order.NewDistances(d)
	gray := order.Gray(d, nil)
	ends := order.Segments(len(gray), order.Bounds{Min: 50, Max: 60},
		func(j int) int32 { return m.Between(gray[j-1], gray[j]) })
	var first []int32
	for _, workers := range []int{1, 2, 5} {
		got := slices.Clone(gray)
		if err := order.Improve(context.Background(), got, ends, m, workers); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("%d workers give another order than one", workers)
		}
	}
	if got, was := m.Total(first), m.Total(gray); got >= was {
		t.Errorf("sum of distances %d, Gray's %d", got, was)
	}
}

func TestDistancesBothWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	// merged lists below about 1/450, else bitmaps
	for _, density := range []float64{0.002, 0.2, 0.9} {
		d := randomData(rng, 60, 600, density)
		m := order.NewDistances(d)
		for i := range int32(60) {
			for j := range int32(60) {
				set := map[int32]int{}
				for _, it := range d.Tx(int(i)) {
					set[it]++
				}
				for _, it := range d.Tx(int(j)) {
					set[it]++
				}
				want := int32(0)
				for _, n := range set {
					if n == 1 {
						want++
					}
				}
				if got := m.Between(i, j); got != want {
					t.Fatalf("density %v: distance %d, by definition %d", density, got, want)
				}
			}
		}
	}
}

func TestSpanningTreeAndGeneticBoundTheTour(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 20 {
		d := randomData(rng, 60, 25, 0.3)
		m := order.NewDistances(d)
		gray := order.Gray(d, nil)
		path, genetic := slices.Clone(gray), slices.Clone(gray)
		order.Tour(path, m, order.Kicks)
		order.Genetic(genetic, m, 3*time.Millisecond, rng)
		if got, least := pathLength(path, m), order.SpanningTree(gray, m); got < least {
			t.Fatalf("tour of %d, shorter than the spanning tree's %d", got, least)
		}
		if got, was := pathLength(genetic, m), pathLength(gray, m); got > was {
			t.Fatalf("the genetic algorithm's path of %d is longer than the %d it began with", got,
				was)
		}
		slices.Sort(genetic)
		for i, u := range genetic {
			if int32(i) != u {
				t.Fatal("the genetic algorithm lost a record")
			}
		}
	}
}

// BenchmarkTour reports the sum of distances within segments of 300 to 350 records as ratios to the
// floor, the sum of the segments' minimum spanning trees: of the Gray order, of the tour, and of a
// genetic algorithm given the time that the tour took.
func BenchmarkTour(b *testing.B) {
	d := randomData(rand.New(rand.NewPCG(15, 16)), 3000, 60, 0.2)
	m := order.NewDistances(d)
	gray := order.Gray(d, nil)
	ends := order.Segments(len(gray), order.Bounds{Min: 300, Max: 350},
		func(j int) int32 { return m.Between(gray[j-1], gray[j]) })
	var plain, tour, genetic, floor int64
	for b.Loop() {
		plain, tour, genetic, floor = 0, 0, 0, 0
		begin := 0
		for _, end := range ends {
			part := gray[begin:end]
			begin = end
			path, other := slices.Clone(part), slices.Clone(part)
			start := time.Now()
			order.Tour(path, m, order.Kicks)
			order.Genetic(other, m, time.Since(start), rand.New(rand.NewPCG(1, 1)))
			plain, tour, genetic = plain+pathLength(part, m), tour+pathLength(path, m),
				genetic+pathLength(other, m)
			floor += order.SpanningTree(part, m)
		}
	}
	b.ReportMetric(float64(plain)/float64(floor), "gray/tree")
	b.ReportMetric(float64(tour)/float64(floor), "tour/tree")
	b.ReportMetric(float64(genetic)/float64(floor), "genetic/tree")
}
