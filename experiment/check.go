package experiment

import (
	"cmp"
	"fmt"
	"math"
)

// Verdict is what the figures say to a claim.
type Verdict struct {
	Held, Compared int
	Against        []string // the first comparisons that speak against it
}

// mostAgainst is how many counterexamples are spelled out.
const mostAgainst = 3

func (v *Verdict) compare(ok bool, format string, args ...any) {
	v.Compared++
	if ok {
		v.Held++
	} else if len(v.Against) < mostAgainst {
		v.Against = append(v.Against, fmt.Sprintf(format, args...))
	}
}

// String is the verdict in words.
func (v Verdict) String() string {
	switch {
	case v.Compared == 0:
		return "not checked"
	case v.Held == v.Compared:
		return fmt.Sprintf("holds here (%d of %d comparisons)", v.Held, v.Compared)
	case v.Held == 0:
		return fmt.Sprintf("does not hold here (0 of %d comparisons)", v.Compared)
	}
	return fmt.Sprintf("holds here in %d of %d comparisons", v.Held, v.Compared)
}

// Verdict checks the claim of a chart.
func (c *Chart) Verdict() Verdict {
	var v Verdict
	for _, k := range c.Check {
		switch {
		case k.Less != nil:
			c.pair(k, k.Less, func(x, a, b float64) {
				v.compare(
					a*cmp.Or(k.Factor, 1) <= b, "at %s %s: %s %s, %s %s", c.X, c.XText(x),
					k.Less[0], figure(a), k.Less[1], figure(b),
				)
			})
		case k.Near != nil:
			c.pair(k, k.Near, func(x, a, b float64) {
				ok := max(a, b) <= cmp.Or(k.Factor, 1.25)*min(a, b)
				v.compare(
					ok, "at %s %s: %s %s, %s %s", c.X, c.XText(x), k.Near[0], figure(a), k.Near[1],
					figure(b),
				)
			})
		case k.Rising != "":
			c.steps(k, k.Rising, func(l *Line, a, b Point) {
				v.compare(
					b.Y*cmp.Or(k.Factor, 1.05) >= a.Y, "%s falls from %s to %s at %s %s", l.Name,
					figure(a.Y), figure(b.Y), c.X, c.XText(b.X),
				)
			})
		case k.Falling != "":
			c.steps(k, k.Falling, func(l *Line, a, b Point) {
				v.compare(
					a.Y*cmp.Or(k.Factor, 1.05) >= b.Y, "%s rises from %s to %s at %s %s", l.Name,
					figure(a.Y), figure(b.Y), c.X, c.XText(b.X),
				)
			})
		default:
			c.bound(k, &v)
		}
	}
	return v
}

func (c *Chart) bound(k Check, v *Verdict) {
	high := cmp.Or(k.Below, math.Inf(1))
	low := cmp.Or(k.Above, math.Inf(-1))
	for _, l := range c.Lines {
		for _, p := range l.Points {
			if !k.within(p.X) {
				continue
			}
			v.compare(
				p.Y < high && p.Y > low, "%s is %s at %s %s", l.Name, figure(p.Y), c.X,
				c.XText(p.X),
			)
		}
	}
}

// within tells whether a check is about this place.
func (k Check) within(x float64) bool { return x >= k.From && (k.To == 0 || x <= k.To) }

// pair visits the places where both of two lines have values.
func (c *Chart) pair(k Check, names []string, visit func(x, a, b float64)) {
	first, second := c.line(names[0]), c.line(names[1])
	if first == nil || second == nil {
		return
	}
	for _, p := range first.Points {
		if y, ok := second.At(p.X); ok && k.within(p.X) {
			visit(p.X, p.Y, y)
		}
	}
}

// steps visits neighbouring points of one line, or of all.
func (c *Chart) steps(k Check, name string, visit func(l *Line, a, b Point)) {
	for i := range c.Lines {
		l := &c.Lines[i]
		if name != "*" && l.Name != name {
			continue
		}
		for j := 1; j < len(l.Points); j++ {
			if k.within(l.Points[j-1].X) && k.within(l.Points[j].X) {
				visit(l, l.Points[j-1], l.Points[j])
			}
		}
	}
}
