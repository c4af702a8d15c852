package cover

import (
	"context"
	"math"
	"slices"
)

// Unbounded is an upper bound that bounds nothing.
const Unbounded = math.MaxInt64 / 4

// Options bound a search. The zero value searches until the optimum is proven.
type Options struct {
	Upper int64  // only solutions that weigh less are of interest; 0: any
	Nodes int    // after so many nodes of the search tree the rest is left open; 0: never
	Room  int64  // the same, when the proof takes so many bytes, about; 0: never
	Fix   []int8 // In or Out for variables that are to be fixed, Free for others; nil: none
}

// Result is what a search found.
type Result struct {
	X    []bool // the lightest solution found under Options.Upper; nil: none
	Cost int64  // its weight
	// proven: no solution weighs less, or, where Options.Upper is less, none weighs less than that
	Lower int64
	Proof *Proof // of Lower
	Nodes int    // of the search tree
}

// Solve looks for the lightest solution by branch and bound. A node of the search: clauses on two
// variables become cliques, the bound climbs, variables that would cost too much either way are
// fixed, what remains falls into components, and a component that is still open is branched on. The
// result depends on the program and the options alone, unless ctx ends: then the bound is what was
// proven so far.
func (p *Program) Solve(ctx context.Context, o Options) Result {
	s := &solver{ctx: ctx, limit: o.Nodes, room: o.Room}
	fix := make([]int8, p.Vars())
	copy(fix, o.Fix)
	upper := o.Upper
	if upper == 0 {
		upper = Unbounded
	}
	r, ok := reduce(&task{Program: p, y: make([]int64, p.Clauses()), orig: identity(p.Vars())}, fix)
	if !ok {
		return Result{Lower: upper, Proof: &Proof{}}
	}
	x, lower, parts := s.parts(r.task, upper-r.base)
	out := Result{Lower: min(upper, lower+r.base), Nodes: s.nodes, Proof: &Proof{Parts: parts}}
	if x != nil {
		out.X = r.lift(x)
		out.Cost = p.Cost(out.X)
	}
	return out
}

func identity(n int) []int32 {
	out := make([]int32, n)
	for v := range out {
		out[v] = int32(v)
	}
	return out
}

// task is a part of a program that is searched by itself.
type task struct {
	*Program
	y    []int64 // multipliers to start from
	orig []int32 // its variables as numbered in the whole
}

// solver is one search.
type solver struct {
	ctx   context.Context
	limit int
	nodes int
	room  int64 // see Options.Room
	taken int64 // of it
}

// spent tells whether the search must not go deeper.
func (s *solver) spent() bool {
	return s.ctx.Err() != nil || s.limit > 0 && s.nodes >= s.limit ||
		s.room > 0 && s.taken >= s.room
}

// keep counts what a part of the proof takes.
func (s *solver) keep(p *Proof) *Proof {
	s.taken += p.Rows.bytes()
	return p
}

// search finds the lightest solution under upper, or nil, a bound that no solution is under (or
// upper, if that is less), and the bound's proof.
func (s *solver) search(t *task, upper int64) ([]bool, int64, *Proof) {
	s.nodes++
	t = t.cliques()
	a := newAscent(t, upper)
	for range t.climbs() {
		a.climb(s.ctx, stepsPerClimb)
		if a.lower >= a.upper || s.spent() {
			return a.x, min(a.lower, a.upper), s.keep(a.proof())
		}
		r, ok := a.fixings()
		if !ok {
			return a.x, a.upper, s.keep(a.proof())
		}
		if r.Vars() < t.Vars() {
			return s.smaller(a, r)
		}
	}
	return s.branch(a)
}

// A node climbs at most so often, so many steps at a time, and goes on as soon as a variable can be
// fixed.
const mostClimbs, stepsPerClimb = 3, 30

// climbs is how often a task climbs: once where it has multipliers to start from. For these are of
// the node above, and nearly as good as they get.
func (t *task) climbs() int {
	if slices.ContainsFunc(t.y, func(y int64) bool { return y > 0 }) {
		return 1
	}
	return mostClimbs
}

// fixings fixes what would cost too much either way. It reports false when that leaves no solution.
func (a *ascent) fixings() (*reduced, bool) {
	fix := a.forced(a.upper)
	if fix == nil {
		return nil, false
	}
	return reduce(&task{a.t.Program, a.y, a.t.orig}, fix)
}

// forced are the variables that every solution under upper has In or Out; nil when there is no such
// solution.
func (a *ascent) forced(upper int64) []int8 {
	a.b.evaluate(a.y, a.choice)
	a.b.penalties()
	fix := make([]int8, a.t.Vars())
	for v := range fix {
		one, zero := a.lower+a.b.one[v] >= upper, a.lower+a.b.zero[v] >= upper
		switch {
		case one && zero:
			return nil
		case one:
			fix[v] = Out
		case zero:
			fix[v] = In
		}
	}
	return fix
}

// smaller goes on with what fixings left. a's own solution stands when nothing better is found.
func (s *solver) smaller(a *ascent, r *reduced) ([]bool, int64, *Proof) {
	proof := s.keep(a.proof())
	x, lower, parts := s.parts(r.task, a.upper-r.base)
	proof.Parts = parts
	lower = max(a.lower, min(a.upper, lower+r.base))
	if x == nil {
		return a.x, lower, proof
	}
	return r.lift(x), lower, proof
}

// parts searches the components of what is left. The solution is nil when there is none under
// upper.
func (s *solver) parts(t *task, upper int64) ([]bool, int64, []Part) {
	split := t.components()
	subs := t.splitInto(split)
	parts := make([]Part, len(subs))
	total := int64(0)
	for i, sub := range subs {
		parts[i] = Part{Vars: sub.orig, Proof: s.keep(&Proof{Rows: sub.rows(sub.y)})}
		parts[i].Bound = newBound(sub.Program).evaluate(sub.y, make([]bool, sub.Vars()))
		total += parts[i].Bound
	}
	x := make([]bool, t.Vars())
	failed := false
	for i, sub := range subs {
		if total >= upper {
			return nil, total, parts
		}
		own, lower, proof := s.search(sub, upper-total+parts[i].Bound)
		if lower >= parts[i].Bound {
			total += lower - parts[i].Bound
			parts[i].Bound, parts[i].Proof = lower, proof
		}
		failed = failed || own == nil
		for n, chosen := range own {
			x[split[i][n]] = chosen
		}
	}
	if failed || t.Cost(x) >= upper {
		return nil, total, parts
	}
	return x, total, parts
}

// branch tries the variable that is decided least both ways.
func (s *solver) branch(a *ascent) ([]bool, int64, *Proof) {
	proof := s.keep(a.proof())
	pick := a.undecided()
	proof.Branch = a.t.orig[pick]
	x, upper, lower := a.x, a.upper, int64(Unbounded)
	for i, side := range []int8{In, Out} {
		fix := make([]int8, a.t.Vars())
		fix[pick] = side
		proof.Sides[i] = &Proof{}
		r, ok := reduce(&task{a.t.Program, a.y, a.t.orig}, fix)
		if !ok {
			continue
		}
		own, bound, parts := s.parts(r.task, upper-r.base)
		proof.Sides[i].Parts = parts
		lower = min(lower, bound+r.base)
		if own != nil {
			x = r.lift(own)
			upper = a.t.Cost(x)
		}
	}
	return x, min(upper, max(a.lower, lower)), proof
}

// undecided is the variable for which the bound grows most whichever way it is fixed.
func (a *ascent) undecided() int32 {
	pick, most := int32(0), int64(-1)
	for v := range a.t.Vars() {
		one, zero := a.b.one[v], a.b.zero[v]
		if score := 3*min(one, zero) + one + zero; score > most {
			pick, most = int32(v), score
		}
	}
	return pick
}
