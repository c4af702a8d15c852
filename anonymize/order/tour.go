package order

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"mingle/internal/par"
)

// Kicks is how many random changes a tour undergoes for each of its records; more is slower and
// better. At 2 the sum of distances is within a percent or two of that at 50, and below that of the
// genetic algorithm of the paper given the same time or ten times as much (see the benchmark).
const Kicks = 2

// Improve reorders the inside of every segment of an order in place, by shortening it as a
// travelling-salesman path whose first and last record are fixed (xue-2012 section 4.1). No segment
// gets longer. ends are those of Segments. The result does not depend on workers.
func Improve(ctx context.Context, order []int32, ends []int, m *Distances, workers int) error {
	var next atomic.Int64
	var group par.Group
	for range min(max(1, workers), max(1, len(ends))) {
		group.Go(func() {
			for ctx.Err() == nil {
				s := int(next.Add(1)) - 1
				if s >= len(ends) {
					return
				}
				begin := 0
				if s > 0 {
					begin = ends[s-1]
				}
				Tour(order[begin:ends[s]], m, Kicks)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// Tour shortens a path in place, its first and last record fixed, and never lengthens it. It is a
// local search with 2-opt and or-opt moves over neighbour lists, restarted from the best path after
// small random changes ("kicks", as in Johnson and McGeoch's iterated local search), kicks times
// the number of records. The random changes are always the same: the same path gives the same
// result.
//
// Memory 4 s² bytes for a path of s records; time O(s²) distances and about s moves of O(s) steps
// at worst a kick.
func Tour(path []int32, m *Distances, kicks int) {
	if len(path) < 4 {
		return
	}
	t := newTour(path, m)
	t.descend()
	t.kick(kicks*len(path), rand.New(rand.NewPCG(uint64(len(path)), 0)))
	out := make([]int32, len(path))
	for p, c := range t.at {
		out[p] = path[c]
	}
	copy(path, out)
}

// tour is a path over the cities 0..n-1, which are the positions of the path it started from.
type tour struct {
	n     int
	dist  []int32 // n x n
	near  []int32 // nearby cities of city c, nearest first: near[c*lists:(c+1)*lists]
	lists int
	at    []int32 // city at each position; at[0] = 0 and at[n-1] = n-1 always
	pos   []int32 // position of each city
	queue []int32 // cities whose surroundings changed since they were last looked at
	dirty []bool
	gain  int64 // how much shorter the path is since gain was last set to 0
}

// neighbours is the length of the neighbour lists: moves whose new edge is to none of the 8 nearest
// are not tried.
const neighbours = 8

func newTour(path []int32, m *Distances) *tour {
	n := len(path)
	t := &tour{
		n: n, dist: make([]int32, n*n), lists: min(neighbours, n-1),
		at: make([]int32, n), pos: make([]int32, n), dirty: make([]bool, n),
	}
	for a := range n {
		for b := range a {
			d := m.Between(path[a], path[b])
			t.dist[a*n+b], t.dist[b*n+a] = d, d
		}
	}
	t.near = make([]int32, 0, n*t.lists)
	all := make([]int32, n)
	for c := range n {
		t.near = append(t.near, t.nearest(int32(c), all)...)
	}
	for c := range n {
		t.at[c], t.pos[c] = int32(c), int32(c)
		t.touch(int32(c))
	}
	return t
}

// nearest are the nearest cities of c, by distance and then by number.
func (t *tour) nearest(c int32, all []int32) []int32 {
	best := all[:0]
	for o := range int32(t.n) {
		if o == c || len(best) == t.lists && t.d(c, o) >= t.d(c, best[len(best)-1]) {
			continue
		}
		if len(best) < t.lists {
			best = append(best, o)
		} else {
			best[len(best)-1] = o
		}
		for k := len(best) - 1; k > 0 && t.d(c, best[k]) < t.d(c, best[k-1]); k-- {
			best[k], best[k-1] = best[k-1], best[k]
		}
	}
	return best
}

func (t *tour) d(a, b int32) int32 { return t.dist[int(a)*t.n+int(b)] }

// descend applies moves until none at any queued city shortens the path.
func (t *tour) descend() {
	for len(t.queue) > 0 {
		c := t.queue[len(t.queue)-1]
		t.queue = t.queue[:len(t.queue)-1]
		t.dirty[c] = false
		for t.twoOpt(c) || t.orOpt(c) {
		}
	}
}

func (t *tour) touch(cities ...int32) {
	for _, c := range cities {
		if !t.dirty[c] {
			t.dirty[c] = true
			t.queue = append(t.queue, c)
		}
	}
}

// kick swaps two short neighbouring runs at a random place, descends, and takes it back where the
// path got longer.
func (t *tour) kick(times int, rng *rand.Rand) {
	if t.n < 8 {
		return
	}
	best := slices.Clone(t.at)
	for range times {
		t.gain = 0
		length := min(30, (t.n-2)/2)
		x, y := 1+rng.IntN(length), 1+rng.IntN(length)
		i := 1 + rng.IntN(t.n-1-x-y)
		t.swapRuns(i, x, y)
		t.descend()
		if t.gain < 0 {
			copy(t.at, best)
			for p, c := range t.at {
				t.pos[c] = int32(p)
			}
			continue
		}
		copy(best, t.at)
	}
}
