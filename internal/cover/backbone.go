package cover

import "context"

// Backbone tells, without branching, which variables are In in every solution that weighs less than
// upper; the others are Free.
func (p *Program) Backbone(ctx context.Context, upper int64) []int8 {
	backbone := make([]int8, p.Vars())
	t := &task{Program: p, y: make([]int64, p.Clauses()), orig: identity(p.Vars())}
	fix := make([]int8, p.Vars())
	for ctx.Err() == nil {
		before := t.Vars()
		r, ok := reduce(t, fix)
		if !ok {
			break // no such solution
		}
		for v, state := range r.fix {
			if state == In {
				backbone[t.orig[v]] = In
			}
		}
		upper -= r.base
		if t = r.task.cliques(); t.Vars() == 0 || t.Vars() == before {
			break
		}
		a := newAscent(t, upper)
		a.climb(ctx, mostClimbs*stepsPerClimb)
		if fix = a.forced(upper); fix == nil {
			break
		}
		t.y = a.y
	}
	return backbone
}
