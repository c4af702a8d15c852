package levels

import (
	"context"
	"math"

	"mingle/internal/par"
)

// A level goes through all lines a few times to find out who publishes which of its nodes: once to
// count them, and once for each group of nodes to list them.

// leastRows and usualRows are how many bytes the lists of a group of nodes take, and as much again
// the rows of a step: the latter without a bound on memory, the former at least.
const (
	leastRows = 4 << 20
	usualRows = 512 << 20
	mostRows  = math.MaxInt32 // the ends of rows have 32 bits
)

// rowBytes is how many bytes lists, or rows, may take.
func rowBytes(memory int64) int {
	if memory > 0 {
		return int(min(max(leastRows, memory/16), mostRows))
	}
	return usualRows
}

// publishing is how many lines publish each group at a depth, and how many occurrences these have.
type publishing struct {
	all    []int32
	items  []int
	shares [][]int32 // of all: of the lines of each worker
}

// rowsOf is how many numbers the rows of a node's lines have at most.
func (p *publishing) rowsOf(u int32) int { return rowHead*int(p.all[u]) + p.items[u] }

// share is the lines, or rows, that are one of some workers'.
func share(n, worker, workers int) (from, to int) {
	return n * worker / workers, n * (worker + 1) / workers
}

// each has the workers go through their shares of n lines, or rows, side by side.
func (r *run) each(n int, do func(worker, from, to int)) {
	workers := r.workers
	if n < fewRows {
		workers = 1
	}
	_ = par.Each(r.ctx, workers, workers, func(_ context.Context, worker int) error {
		from, to := share(n, worker, workers)
		do(worker, from, to)
		return nil
	})
}

// ended tells, now and then, whether everything is to end.
func (r *run) ended(i int) bool { return i%(1<<16) == 0 && r.ctx.Err() != nil }

// fewRows is so few that one worker has done with them before others have begun.
const fewRows = 1 << 12

// groups calls do with each line of a share, the number of its items, and each group at depth d
// that it publishes.
func (r *run) groups(d, from, to int, do func(line, items int, u int32)) {
	at, leaves := uint8(d), int32(r.tree.Leaves())
	above, lines := r.above[d], r.in.Data.Cursor()
	for i := from; i < to && !r.ended(i); i++ {
		tx, start := lines.TxAt(i)
		depths := r.depths[start : start+len(tx)]
		last := int32(-1)
		for j, it := range tx {
			if depths[j] != at {
				continue
			}
			if u := above[it]; u != last && u >= leaves {
				last = u
				do(i, len(tx), u)
			}
		}
	}
}

func (r *run) publishing(d int) publishing {
	nodes := r.tree.Nodes()
	p := publishing{
		all: make([]int32, nodes), items: make([]int, nodes), shares: make([][]int32, r.workers),
	}
	items := make([][]int, r.workers)
	for worker := range r.workers {
		p.shares[worker], items[worker] = make([]int32, nodes), make([]int, nodes)
	}
	r.each(r.in.Data.Len(), func(worker, from, to int) {
		own, sum := p.shares[worker], items[worker]
		r.groups(d, from, to, func(_, items int, u int32) {
			own[u]++
			sum[u] += items
		})
	})
	for worker, own := range p.shares {
		for u, n := range own {
			p.all[u] += n
			p.items[u] += items[worker][u]
		}
	}
	return p
}

// group is as many of the first nodes as can be listed at once, one at least.
func (r *run) group(nodes, lines []int32) []int32 {
	room := r.room / 4
	for i, u := range nodes {
		if room -= int(lines[u]); room < 0 && i > 0 {
			return nodes[:i]
		}
	}
	return nodes
}

// listed is the lines, ascending, that publish each node of a group at depth d.
func (r *run) listed(d int, group []int32, lines publishing) [][]int32 {
	lists := make([][]int32, len(group))
	slot := make([]int32, r.tree.Nodes()) // of the nodes of the group, counted from 1
	for i, u := range group {
		lists[i], slot[u] = make([]int32, lines.all[u]), int32(i+1)
	}
	begins := make([][]int, r.workers) // of each worker in each list
	for worker := range begins {
		begins[worker] = make([]int, len(group))
		for i, u := range group {
			if worker > 0 {
				begins[worker][i] = begins[worker-1][i] + int(lines.shares[worker-1][u])
			}
		}
	}
	r.each(r.in.Data.Len(), func(worker, from, to int) {
		next := begins[worker]
		r.groups(d, from, to, func(line, _ int, u int32) {
			if i := slot[u] - 1; i >= 0 {
				lists[i][next[i]] = int32(line)
				next[i]++
			}
		})
	})
	return lists
}
