package nonreciprocal

import (
	"context"
	"math/rand/v2"
)

// Backtracking draws assignments as Wong, Mamoulis and Cheung do ("Non-homogeneous generalization
// in privacy preserving data publishing", SIGMOD 2010): the walk never revisits a record, and
// where all next hops are in the walk already it goes back a step and tries another. It is the
// comparator of [ClosedWalk].
//
// A record that was left by going back is not entered again in the same walk: nothing that could
// be reached from it then can be reached from it later. Without that the time would not even be
// quadratic.
func Backtracking(ctx context.Context, g *Graph, rng *rand.Rand) ([][]int32, int64, error) {
	return extract(ctx, g, rng, (*walker).backtrackingWalk)
}

func (w *walker) backtrackingWalk(start int32) error {
	w.walk++
	end := w.slot[start]
	stack := []int32{start}
	w.seen[start], w.tried[start] = w.walk, 0
	for {
		if w.steps++; w.steps&0xffff == 0 && w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		u := stack[len(stack)-1]
		v, found := w.pickUnvisited(u, end)
		if !found {
			stack = stack[:len(stack)-1] // a dead end; the start itself never is one (theorem 4.1)
			continue
		}
		w.child[u] = v
		if v == end {
			return nil
		}
		next := w.holder[v]
		w.seen[next], w.tried[next] = w.walk, 0
		stack = append(stack, next)
	}
}

// pickUnvisited takes a random untried edge of u to a record that is not in the walk, or to the
// end.
func (w *walker) pickUnvisited(u, end int32) (int32, bool) {
	row := w.row(u, w.left)
	for int(w.tried[u]) < len(row) {
		rest := row[w.tried[u]:]
		j := w.rng.IntN(len(rest))
		rest[0], rest[j] = rest[j], rest[0]
		w.tried[u]++
		if v := rest[0]; v == end || w.seen[w.holder[v]] != w.walk {
			return v, true
		}
	}
	return 0, false
}
