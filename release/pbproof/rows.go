package pbproof

import "encoding/binary"

// rules are what the clauses say about the free variables of a situation.
type rules struct {
	w       *writer
	s       *situation
	free    []bool
	clauses map[string]int32   // free variables, ascending, of which one is lifted: the clause
	pairs   map[[2]int32]int32 // two of them, ascending
}

func (w *writer) saidBy(s *situation, free []bool) *rules {
	r := &rules{
		w: w, s: s, free: free, clauses: map[string]int32{}, pairs: map[[2]int32]int32{},
	}
next:
	for _, c := range s.open {
		var left []int32
		for _, v := range w.program.Clauses[c].Vars {
			if s.known[v] == notLifted {
				continue
			}
			if !free[v] {
				continue next // a node of another part, which may be lifted
			}
			left = append(left, v)
		}
		r.clauses[key(left)] = c
		if len(left) == 2 {
			r.pairs[[2]int32(left)] = c
		}
	}
	return r
}

func key(vars []int32) string {
	b := make([]byte, 0, 4*len(vars))
	for _, v := range vars {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return string(b)
}

// row derives that of the variables, which are free and ascending, at least need are lifted; 0:
// that does not follow.
func (r *rules) row(vars []int32, need int) int {
	if c, is := r.clauses[key(vars)]; is && need == 1 {
		return r.w.sum(r.shortened(nil, c))
	}
	if need != len(vars)-1 || need < 1 {
		return 0
	}
	return r.clique(vars)
}

// shortened is a clause without its nodes that are not lifted.
func (r *rules) shortened(ts terms, c int32) terms {
	ts = ts.constraint(r.w.clause(c), 1)
	for _, v := range r.w.program.Clauses[c].Vars {
		if r.s.known[v] == notLifted {
			ts = ts.constraint(r.s.why[v], 1)
		}
	}
	return ts
}

// clique derives that all but one of the variables are lifted, from a clause on every two of them.
// With one more variable at a time: if all but one of j are, the sum of that j-1 times, and of the
// clauses of the new variable with each, is j times what is wanted, once it is rounded up.
func (r *rules) clique(vars []int32) int {
	id := 0
	for j := 1; j < len(vars); j++ {
		sum := terms{}.constraint(id, int64(j-1))
		for _, v := range vars[:j] {
			pair, ok := r.pair(v, vars[j])
			if !ok {
				return 0
			}
			sum = append(sum, pair...)
		}
		id = r.w.divided(sum, int64(j))
	}
	return id
}

// pair is that one of two variables is lifted: a clause says so of them, or of nodes above them.
func (r *rules) pair(a, b int32) (terms, bool) {
	for u := a; u >= 0 && r.free[u]; u = r.w.parent[u] {
		for v := b; v >= 0 && r.free[v]; v = r.w.parent[v] {
			c, is := r.pairs[[2]int32{min(u, v), max(u, v)}]
			if !is {
				continue
			}
			ts := r.shortened(nil, c)
			for x := a; x != u; x = r.w.parent[x] {
				ts = ts.constraint(r.w.below[x], 1)
			}
			for x := b; x != v; x = r.w.parent[x] {
				ts = ts.constraint(r.w.below[x], 1)
			}
			return ts, true
		}
	}
	return nil, false
}
