package levels

import "mingle/internal/par"

// A level goes through all lines a few times to find out who publishes which of its nodes: once to
// count them, and once for each group of nodes to list them.

// leastRows and usualRows are how many bytes the lists of a group of nodes take, and as much again
// the rows of a step: the latter without a bound on memory, the former at least.
const (
	leastRows = 4 << 20
	usualRows = 512 << 20
)

// rowBytes is how many bytes lists, or rows, may take.
func rowBytes(memory int64) int {
	if memory > 0 {
		return max(leastRows, int(memory/16))
	}
	return usualRows
}

// publishing is how many lines publish each group at a depth.
type publishing struct {
	all    []int32
	shares [][]int32 // of the lines of each worker
}

// share is the lines, or rows, that are one of some workers'.
func share(n, worker, workers int) (from, to int) {
	return n * worker / workers, n * (worker + 1) / workers
}

// each has the workers go through their shares of the lines side by side.
func (r *run) each(n int, do func(worker, from, to int)) {
	workers := r.workers
	if n < fewRows {
		workers = 1
	}
	var group par.Group
	for worker := 1; worker < workers; worker++ {
		group.Go(func() {
			from, to := share(n, worker, workers)
			do(worker, from, to)
		})
	}
	from, to := share(n, 0, workers)
	group.Try(func() { do(0, from, to) })
	group.Wait()
}

// fewRows is so few that one worker has done with them before others have begun.
const fewRows = 1 << 12

// groups calls do with each line of a share and each group at depth d that it publishes.
func (r *run) groups(d, from, to int, do func(line int, u int32)) {
	at, leaves := uint8(d), int32(r.tree.Leaves())
	above, lines := r.above[d], r.in.Data.Cursor()
	for i := from; i < to; i++ {
		tx, start := lines.TxAt(i)
		depths := r.depths[start : start+len(tx)]
		last := int32(-1)
		for j, it := range tx {
			if depths[j] != at {
				continue
			}
			if u := above[it]; u != last && u >= leaves {
				last = u
				do(i, u)
			}
		}
	}
}

func (r *run) publishing(d int) publishing {
	p := publishing{all: make([]int32, r.tree.Nodes()), shares: make([][]int32, r.workers)}
	for worker := range p.shares {
		p.shares[worker] = make([]int32, r.tree.Nodes())
	}
	r.each(r.in.Data.Len(), func(worker, from, to int) {
		own := p.shares[worker]
		r.groups(d, from, to, func(_ int, u int32) { own[u]++ })
	})
	for _, own := range p.shares {
		for u, n := range own {
			p.all[u] += n
		}
	}
	return p
}

// group is as many of the first nodes as can be listed at once, one at least.
func (r *run) group(nodes, lines []int32) []int32 {
	room := rowBytes(r.in.Memory) / 4
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
		r.groups(d, from, to, func(line int, u int32) {
			if i := slot[u] - 1; i >= 0 {
				lists[i][next[i]] = int32(line)
				next[i]++
			}
		})
	})
	return lists
}
