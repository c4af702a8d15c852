package cover

import (
	"context"
	"slices"
)

// ascent climbs the bound by subgradient steps and turns the choices it meets into solutions.
type ascent struct {
	t *task
	b *bound
	r *repairer

	y     []int64 // best multipliers
	lower int64   // L(y)
	x     []bool  // best solution found; nil: none yet
	upper int64   // its weight, or what was to be beaten

	now    []int64
	missed []int32 // by clause: see gradient
	choice []bool
	lambda float64
}

// newAscent starts from the multipliers of a task. Only solutions that weigh less than upper are of
// interest.
func newAscent(t *task, upper int64) *ascent {
	a := &ascent{
		t: t, b: newBound(t.Program), r: newRepairer(t.Program), y: slices.Clone(t.y),
		upper: upper, lambda: 1,
	}
	a.choice = make([]bool, t.Vars())
	a.lower = a.b.evaluate(a.y, a.choice)
	a.now, a.missed = slices.Clone(t.y), make([]int32, len(t.y))
	a.solution()
	return a
}

// solution completes the present choice.
func (a *ascent) solution() {
	x := slices.Clone(a.choice)
	a.r.complete(x, a.b.slack)
	if cost := a.t.Cost(x); cost < a.upper {
		a.x, a.upper = x, cost
	}
}

// climb makes at most so many steps; it ends early when the bound has met the best solution.
func (a *ascent) climb(ctx context.Context, steps int) {
	const patience = 10
	stale := 0
	for i := range steps {
		if a.lower >= a.upper || ctx.Err() != nil {
			return
		}
		value := a.b.evaluate(a.now, a.choice)
		if value > a.lower {
			if value-a.lower > (a.upper-a.lower)/200 {
				stale = 0
			}
			a.lower = value
			copy(a.y, a.now)
		} else {
			stale++
		}
		if i%8 == 0 {
			a.solution()
		}
		if stale >= patience {
			stale = 0
			a.lambda *= 0.7
			copy(a.now, a.y)
			a.b.evaluate(a.now, a.choice)
		}
		if !a.step(value) {
			return
		}
	}
}

// step moves the multipliers; it reports false when there is nowhere to go.
func (a *ascent) step(value int64) bool {
	norm := int64(0)
	for c := range a.missed {
		g := int64(a.gradient(c))
		a.missed[c] = int32(g)
		if g > 0 || a.now[c] > 0 {
			norm += g * g
		}
	}
	if norm == 0 {
		return false
	}
	gap := float64(a.upper - value)
	size := int64(a.lambda * gap / float64(norm))
	if size == 0 {
		size = 1
	}
	for c, g := range a.missed {
		a.now[c] = max(0, a.now[c]+size*int64(g))
	}
	return true
}

// gradient is by how much clause c is missed: 1 when nothing in it is chosen, 0 when one is,
// negative when more are.
func (a *ascent) gradient(c int) int32 {
	g := a.t.need[c]
	for _, v := range a.t.Clause(c) {
		one := int32(0) // without a jump, which would be foreseen badly
		if a.choice[v] {
			one = 1
		}
		g -= one
	}
	return g
}
