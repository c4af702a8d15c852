package levels

import (
	"context"
	"slices"

	"mingle/internal/par"
)

// judging is working space of a worker that counts sensitive items.
type judging struct {
	counts []int32   // by node; zero between uses
	met    []int32   // nodes that were counted
	marked [][]int32 // by mark and node: the lines that have the mark
	all    []int32   // by sensitive item and node: the lines that have both (see countAll)
	beside []int32   // nodes
}

// sensitiveRow is a sensitive item and a row that has it.
type sensitiveRow uint64

func newSensitiveRow(item int32, row int) sensitiveRow {
	return sensitiveRow(item)<<32 | sensitiveRow(uint32(row))
}

func (r sensitiveRow) item() int32 { return int32(r >> 32) }

func (r sensitiveRow) row() int { return int(uint32(r)) }

// sensitiveRowBytes is how many bytes a sensitive row takes.
const sensitiveRowBytes = 8

// judge finds how many lines may go back from each set with a stale child before a share can be too
// large: the sensitive items of the rows that leave with a child are counted one after the other,
// beside all nodes. Children are judged side by side, as many at once as there is room for.
func (s *step) judge() {
	if !slices.Contains(s.shares.stale, true) {
		return
	}
	shares := make([][]int, s.workers) // of each worker: of the sensitive rows, by child
	s.each(len(s.lines), func(worker, from, to int) {
		own := make([]int, len(s.children))
		s.eachSensitiveRow(from, to, func(c int32, tx []int32, _ int) { own[c] += len(tx) })
		shares[worker] = own
	})
	room, all := s.room/sensitiveRowBytes, make([]int, len(s.children))
	for _, own := range shares {
		for c, n := range own {
			all[c] += n
		}
	}
	for from := 0; from < len(s.children); {
		to, n := from+1, all[from]
		for ; to < len(s.children) && n+all[to] <= room; to++ {
			n += all[to]
		}
		s.judgeSome(from, to, shares, all)
		from = to
	}
	clear(s.shares.stale)
}

// eachSensitiveRow calls do with each row of a share that leaves and has sensitive items, for each
// stale child that it is below.
func (s *step) eachSensitiveRow(from, to int, do func(c int32, tx []int32, row int)) {
	read, tell := s.reader(), s.shares.teller()
	for i := from; i < to && !s.ended(i); i++ {
		if s.stay(i) {
			continue
		}
		tx := tell.of(s.lines[i])
		if len(tx) == 0 {
			continue
		}
		own, _ := parts(read(i))
		for _, c := range own {
			if s.shares.stale[c] {
				do(c, tx, i)
			}
		}
	}
}

// judgeSome judges some children, given how many sensitive rows each has, in all and of each
// worker.
func (s *step) judgeSome(first, end int, shares [][]int, all []int) {
	lists := make([][]sensitiveRow, end-first)
	next := make([][]int, len(shares)) // of each worker: its place in each list
	for worker := range next {
		next[worker] = make([]int, end-first)
	}
	for n := range lists {
		lists[n] = make([]sensitiveRow, all[first+n])
		for worker := 1; worker < len(shares); worker++ {
			if shares[worker] != nil {
				next[worker][n] = next[worker-1][n] + shares[worker-1][first+n]
			}
		}
	}
	s.each(len(s.lines), func(worker, from, to int) {
		own := next[worker]
		s.eachSensitiveRow(from, to, func(c int32, tx []int32, row int) {
			n := int(c) - first
			if n < 0 || n >= len(lists) {
				return
			}
			for _, x := range tx {
				lists[n][own[n]] = newSensitiveRow(x, row)
				own[n]++
			}
		})
	})
	workers := s.workers
	if len(s.lines) < fewRows {
		workers = 1
	}
	space := func(worker int) *judging { return &s.shares.spaces[worker] }
	_ = par.EachIn(s.ctx, workers, len(lists), space,
		func(_ context.Context, own *judging, n int) error {
			if c := int32(first + n); s.shares.stale[c] {
				s.judgeOne(c, lists[n], own)
			}
			lists[n] = nil
			return nil
		})
}

// judgeOne judges a child, given who leaves with it.
func (s *step) judgeOne(c int32, list []sensitiveRow, space *judging) {
	sh, nodes := s.shares, s.tree.Nodes()
	if space.counts == nil {
		space.counts = make([]int32, nodes)
		for range sh.marks {
			space.marked = append(space.marked, make([]int32, nodes))
		}
	}
	column := s.table[int(c)*nodes : (int(c)+1)*nodes]
	slack := sh.slack[int(c)*nodes : (int(c)+1)*nodes]
	copy(slack, column)
	each := s.eachItem
	if s.countsAll(len(list)) {
		s.countAll(c, list, space)
		each = s.eachCounted
	} else {
		slices.Sort(list)
	}
	if len(sh.marks) > 0 {
		each(c, list, space, func(x int32) {
			if sh.among[x] == nothing {
				own := space.marked[slices.Index(sh.marks, x)]
				for _, y := range space.met {
					own[y] = space.counts[y]
				}
			}
		})
	}
	each(c, list, space, func(x int32) {
		of := column
		switch g := sh.among[x]; {
		case g == nothing:
			return
		case g >= 0:
			of = space.marked[g]
		}
		for _, y := range space.met {
			slack[y] = min(slack[y], sh.spare(of[y], space.counts[y]))
		}
	})
	for _, own := range space.marked {
		clear(own)
	}
}

// eachItem calls do with each sensitive item of a list, which is sorted, when its rows have been
// counted beside all nodes.
func (s *step) eachItem(c int32, list []sensitiveRow, space *judging, do func(item int32)) {
	read := s.reader()
	for len(list) > 0 {
		x := list[0].item()
		for ; len(list) > 0 && list[0].item() == x; list = list[1:] {
			space.beside = s.beside(space.beside[:0], c, read(list[0].row()))
			for _, y := range space.beside {
				space.add(y)
			}
		}
		do(x)
		for _, y := range space.met {
			space.counts[y] = 0
		}
		space.met = space.met[:0]
	}
}

// beside appends the nodes of the sets of a row with a child: those of its column.
func (s *step) beside(to []int32, c int32, row []int32) []int32 {
	own, others := parts(row)
	if to = append(to, s.children[c]); !s.pairs {
		return to
	}
	for _, more := range own[slices.Index(own, c)+1:] {
		to = append(to, s.children[more])
	}
	return append(to, others...)
}

// countsAll tells whether all sensitive items of a list of so many are counted at once: that takes
// a table, and reads the rows one after the other, in place of those of each item for itself.
func (s *step) countsAll(n int) bool {
	cells := len(s.shares.among) * s.tree.Nodes()
	return cells <= 16*n && 4*cells*s.workers <= s.room
}

// countAll counts the rows of a list, as they come, by sensitive item and node.
func (s *step) countAll(c int32, list []sensitiveRow, space *judging) {
	nodes := s.tree.Nodes()
	space.all = emptied(space.all, len(s.shares.among)*nodes)
	read, last := s.reader(), -1
	for _, b := range list {
		if row := b.row(); row != last {
			last = row
			space.beside = s.beside(space.beside[:0], c, read(row))
		}
		counts := space.all[int(b.item())*nodes:][:nodes]
		for _, y := range space.beside {
			counts[y]++
		}
	}
}

// eachCounted is eachItem of what was counted at once.
func (s *step) eachCounted(_ int32, _ []sensitiveRow, space *judging, do func(item int32)) {
	nodes, counts := s.tree.Nodes(), space.counts
	for x := range s.shares.among {
		space.counts, space.met = space.all[x*nodes:][:nodes], space.met[:0]
		for y, n := range space.counts {
			if n > 0 {
				space.met = append(space.met, int32(y))
			}
		}
		do(int32(x))
	}
	space.counts, space.met = counts, space.met[:0]
}

func (j *judging) add(y int32) {
	if j.counts[y]++; j.counts[y] == 1 {
		j.met = append(j.met, y)
	}
}
