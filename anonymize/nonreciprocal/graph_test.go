package nonreciprocal

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"mingle/anonymize/order"
	"mingle/dataset"
)

func randomSets(rng *rand.Rand, n, items int, density float64) *dataset.Dataset {
	var labels []string
	for i := range items {
		labels = append(labels, strconv.Itoa(i))
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for range n {
		var tx []int32
		for it := range int32(items) {
			if rng.Float64() < density {
				tx = append(tx, it)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// checkRegular: every record has degree different slots, and every slot is matched by degree
// records.
func checkRegular(t *testing.T, g *Graph, degree int) {
	t.Helper()
	in := make([]int, g.Len())
	for u := range int32(g.Len()) {
		row := slices.Clone(g.Slots(u))
		slices.Sort(row)
		if len(slices.Compact(row)) != degree {
			t.Fatalf("record %d matches %v, want %d different slots", u, g.Slots(u), degree)
		}
		for _, v := range row {
			in[v]++
		}
	}
	for v, c := range in {
		if c != degree {
			t.Fatalf("slot %d is matched by %d records, want %d", v, c, degree)
		}
	}
}

func sumOf(g *Graph, m *order.Distances) int64 {
	total := int64(0)
	for u := range int32(g.Len()) {
		for _, v := range g.Slots(u) {
			total += int64(m.Between(u, v))
		}
	}
	return total
}

func TestNearestIsRegularAndNearerThanTheRing(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(21, 22))
	in := Input{}.withDefaults()
	near, ring := int64(0), int64(0)
	for trial := range 150 {
		n := 2 + rng.IntN(70)
		degree := 2 + rng.IntN(min(n-1, 9))
		// few items: many copies
		d := randomSets(rng, n, 1+rng.IntN(12), []float64{0.1, 0.3, 0.6}[trial%3])
		g, err := Nearest(t.Context(), d, degree, in)
		if err != nil {
			t.Fatal(err)
		}
		checkRegular(t, g, degree)
		m := order.NewDistances(d)
		near, ring = near+sumOf(g, m), ring+sumOf(Ring(order.Gray(d, nil), degree), m)
	}
	if near > ring*3/4 {
		t.Errorf("sum of distances %d, the rings' is %d", near, ring)
	}
}

// On small data the sum of distances is compared with the least there is, found by successive
// shortest paths over all pairs (a minimum-cost flow).
func TestNearestIsCloseToTheLeast(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(23, 24))
	in := Input{}.withDefaults()
	got, least := int64(0), int64(0)
	for range 25 {
		n := 8 + rng.IntN(16)
		degree := 2 + rng.IntN(4)
		d := randomSets(rng, n, 14, 0.4)
		m := order.NewDistances(d)
		g, err := Nearest(t.Context(), d, degree, in)
		if err != nil {
			t.Fatal(err)
		}
		sum, best := sumOf(g, m), leastRegular(n, degree, m)
		if sum < best {
			t.Fatalf("sum of distances %d below the least %d: the twin is wrong", sum, best)
		}
		got, least = got+sum, least+best
	}
	if float64(got) > 1.08*float64(least) {
		t.Errorf(
			"sum of distances %d, %.3f times the least; expected at most 1.08", got,
			float64(got)/float64(least),
		)
	}
	t.Logf("sum of distances %.4f times the least", float64(got)/float64(least))
}

// leastRegular is the naive twin: minimum-cost flow from records to slots, one unit at a time by
// Bellman and Ford.
func leastRegular(n, degree int, m *order.Distances) int64 {
	used := make([][]bool, n)
	for u := range used {
		used[u] = make([]bool, n)
	}
	out, in := make([]int, n), make([]int, n)
	total := int64(0)
	for range n * degree {
		dist := make([]int64, 2*n)
		from := make([]int, 2*n)
		for i := range dist {
			dist[i], from[i] = math.MaxInt32, -1
			if i < n && out[i] < degree {
				dist[i] = 0
			}
		}
		for changed := true; changed; {
			changed = false
			for u := range n {
				for v := range n {
					c := int64(m.Between(int32(u), int32(v)))
					switch {
					case !used[u][v] && dist[u]+c < dist[n+v]:
						dist[n+v], from[n+v], changed = dist[u]+c, u, true
					case used[u][v] && dist[n+v]-c < dist[u]:
						dist[u], from[u], changed = dist[n+v]-c, n+v, true
					}
				}
			}
		}
		end := -1
		for v := range n {
			if in[v] < degree && (end < 0 || dist[n+v] < dist[end]) {
				end = n + v
			}
		}
		total += dist[end]
		in[end-n]++
		for end >= 0 {
			prev := from[end]
			if prev < 0 {
				out[end]++
			} else if end >= n {
				used[prev][end-n] = true
			} else {
				used[end][prev-n] = false
			}
			end = prev
		}
	}
	return total
}

func TestNeighboursAreTheNearest(t *testing.T) {
	d := randomSets(rand.New(rand.NewPCG(25, 26)), 120, 20, 0.3)
	m := order.NewDistances(d)
	lists, err := neighbours(t.Context(), d, 7, thorough, 3)
	if err != nil {
		t.Fatal(err)
	}
	for u := range int32(d.Len()) {
		var all []int32
		for v := range int32(d.Len()) {
			if v != u {
				all = append(all, v)
			}
		}
		slices.SortFunc(all, func(a, b int32) int {
			if c := m.Between(u, a) - m.Between(u, b); c != 0 {
				return int(c)
			}
			return int(a - b)
		})
		if ids, _ := lists.of(u); !slices.Equal(ids, all[:7]) {
			t.Fatalf("record %d: neighbours %v, by definition %v", u, ids, all[:7])
		}
	}
}

// Beyond allPairs the lists are found by search: most true neighbours are in them, and nothing
// depends on workers.
func TestSearchedNeighbours(t *testing.T) {
	how := thorough
	how.allPairs = 1000
	d := randomSets(rand.New(rand.NewPCG(27, 28)), how.allPairs+2000, 40, 0.1)
	m := order.NewDistances(d)
	lists, err := neighbours(t.Context(), d, 8, how, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := neighbours(t.Context(), d, 8, how, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(lists.ids, again.ids) || !slices.Equal(lists.dists, again.dists) {
		t.Error("the lists depend on the number of workers")
	}
	farther, all := int64(0), int64(0)
	for u := int32(0); u < int32(d.Len()); u += 25 {
		var dists []int32
		for v := range int32(d.Len()) {
			if v != u {
				dists = append(dists, m.Between(u, v))
			}
		}
		slices.Sort(dists)
		_, found := lists.of(u)
		for i, dist := range found {
			farther += int64(dist - dists[i])
			all += int64(dists[i])
		}
	}
	t.Logf(
		"searched neighbours are %.2f %% farther than the nearest",
		100*float64(farther)/float64(all),
	)
	if float64(farther) > 0.1*float64(all) {
		t.Errorf(
			"searched neighbours are %.1f %% farther than the nearest, expected at most 10",
			100*float64(farther)/float64(all),
		)
	}
}
