package order

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// What tours are compared with.

// SpanningTree is the weight of a minimum spanning tree of the records (Prim, O(n²)). No path
// through all of them is shorter.
func SpanningTree(records []int32, m *Distances) int64 {
	n := len(records)
	nearest := make([]int32, n) // the distance of each record to the tree
	for i := range nearest {
		nearest[i] = math.MaxInt32
	}
	total, at := int64(0), 0
	for range n - 1 {
		nearest[at] = -1
		next := -1
		for i, d := range nearest {
			if d < 0 {
				continue
			}
			if e := m.Between(records[at], records[i]); e < d {
				nearest[i] = e
			}
			if next < 0 || nearest[i] < nearest[next] {
				next = i
			}
		}
		total += int64(nearest[next])
		at = next
	}
	return total
}

// Genetic reorders the inside of a path by a plain genetic algorithm for about the given time: 30
// paths, the given one among them and the others shuffled, order crossover of the better of two
// random parents each, a random reversal of a child in 3 of 10 cases, the worst path replaced by
// the child if that is shorter. The path is never lengthened.
func Genetic(path []int32, m *Distances, budget time.Duration, rng *rand.Rand) {
	n := len(path)
	if n < 4 {
		return
	}
	g := newTour(path, m) // for its table of distances
	length := func(p []int32) (total int64) {
		for i := 1; i < n; i++ {
			total += int64(g.d(p[i-1], p[i]))
		}
		return total
	}
	const size = 30
	paths, lengths := make([][]int32, size), make([]int64, size)
	for i := range paths {
		paths[i] = slices.Clone(g.at)
		if i > 0 {
			inside := paths[i][1 : n-1]
			rng.Shuffle(len(inside), func(a, b int) { inside[a], inside[b] = inside[b], inside[a] })
		}
		lengths[i] = length(paths[i])
	}
	better := func() int {
		a, b := rng.IntN(size), rng.IntN(size)
		if lengths[b] < lengths[a] {
			return b
		}
		return a
	}
	for start := time.Now(); time.Since(start) < budget; {
		child := crossover(paths[better()], paths[better()], rng)
		if rng.IntN(10) < 3 {
			i := 1 + rng.IntN(n-2)
			j := i + rng.IntN(n-1-i)
			slices.Reverse(child[i : j+1])
		}
		worst := 0
		for i := range lengths {
			if lengths[i] > lengths[worst] {
				worst = i
			}
		}
		if l := length(child); l < lengths[worst] {
			paths[worst], lengths[worst] = child, l
		}
	}
	best := 0
	for i := range lengths {
		if lengths[i] < lengths[best] {
			best = i
		}
	}
	out := make([]int32, n)
	for p, c := range paths[best] {
		out[p] = path[c]
	}
	copy(path, out)
}

// crossover keeps a run of one parent in its place and fills the rest in the order of the other.
func crossover(a, b []int32, rng *rand.Rand) []int32 {
	n := len(a)
	i := 1 + rng.IntN(n-2)
	j := i + rng.IntN(n-1-i)
	child := slices.Clone(a)
	kept := make([]bool, n)
	for _, c := range a[i : j+1] {
		kept[c] = true
	}
	at := 1
	for _, c := range b[1 : n-1] {
		if kept[c] {
			continue
		}
		if at == i {
			at = j + 1
		}
		child[at] = c
		at++
	}
	return child
}
