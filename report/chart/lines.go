package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Lines is a chart of points along an axis, joined where the axis has numbers.
type Lines struct {
	Title      string // what a screen reader says
	X, Y       string // the names of the axes, with their units
	LogX, LogY bool
	Names      []string // along x, instead of numbers: a point's X is an index
	Series     []Series
}

// Series is one line of a chart.
type Series struct {
	Name   string
	Points []Point // ascending in X
}

// Point is a value at a place.
type Point struct{ X, Y float64 }

// What a chart of lines measures.
const (
	plotWidth, plotHeight = 440, 300
	rowHeight             = 15 // of the names beside the lines
	leadWidth             = 26 // between the end of a line and its name
)

// SVG draws the chart. Where an axis is logarithmic, points that are not above 0 are left out. The
// names of the lines stand beside their ends.
func (l Lines) SVG() string {
	l.Series = l.shown()
	x, y := l.axes()
	rows := float64(len(l.Series) * rowHeight)
	height := max(plotHeight, rows)
	yTicks := y.ticks(6)
	var labels, names []string
	for _, t := range yTicks {
		labels = append(labels, t.label)
	}
	for _, s := range l.Series {
		names = append(names, s.Name)
	}
	left := widest(labels) + 34
	x.from, x.to = left, left+plotWidth
	y.from, y.to = height+14, 14
	d := newDrawing(x.to+leadWidth+widest(names)+8, height+62, l.Title, l.description())
	l.frame(d, x, y, yTicks)
	for i, s := range l.Series {
		l.line(d, x, y, s, looks(i))
	}
	l.legend(d, x, y)
	return d.svg()
}

// shown are the series with the points that have a place on the axes.
func (l *Lines) shown() []Series {
	var out []Series
	for _, s := range l.Series {
		s.Points = slices.DeleteFunc(slices.Clone(s.Points), func(p Point) bool {
			return !l.hasPlace(p)
		})
		if len(s.Points) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// hasPlace tells whether a point is on the axes.
func (l *Lines) hasPlace(p Point) bool {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	named := l.Names == nil || p.X >= 0 && int(p.X) < len(l.Names)
	return finite(p.X) && finite(p.Y) && named && !(l.LogY && p.Y <= 0) && !(l.logX() && p.X <= 0)
}

func (l *Lines) logX() bool { return l.LogX && l.Names == nil }

// axes span all points; y begins at 0 where it is not logarithmic.
func (l *Lines) axes() (x, y *axis) {
	x = &axis{low: math.Inf(1), high: math.Inf(-1), log: l.logX(), names: l.Names}
	y = &axis{low: math.Inf(1), high: math.Inf(-1), log: l.LogY}
	for _, s := range l.Series {
		for _, p := range s.Points {
			x.low, x.high = min(x.low, p.X), max(x.high, p.X)
			y.low, y.high = min(y.low, p.Y), max(y.high, p.Y)
		}
	}
	if len(l.Series) == 0 {
		return &axis{high: 1, names: l.Names}, &axis{high: 1}
	}
	switch {
	case l.Names != nil:
		x.low, x.high = -0.5, float64(len(l.Names))-0.5
	case x.low == x.high && x.log:
		x.low, x.high = x.low/2, x.high*2
	case x.low == x.high:
		x.low, x.high = x.low-1, x.high+1
	}
	switch {
	case y.log && y.high < 10*y.low: // a part of a decade would have nearly no numbers
		middle := math.Sqrt(y.low * y.high)
		y.low, y.high = middle/4, middle*4
	case y.log:
		y.low, y.high = y.low/1.15, y.high*1.15
	default:
		y.low, y.high = min(0, y.low), max(y.high, 0)
		step := roundStep((y.high - y.low) / 6)
		y.low, y.high = step*math.Floor(y.low/step), step*math.Ceil(y.high/step)
		if y.high == y.low {
			y.high = y.low + 1
		}
	}
	return x, y
}

// frame draws grid, numbers and names of the axes.
func (l *Lines) frame(d *drawing, x, y *axis, yTicks []tick) {
	bottom, top := y.from, y.to
	for _, t := range yTicks {
		at := y.at(t.at)
		d.addf(`<path class="mc-grid" d="M%.1f %.1fH%.1f"/>`, x.from, at, x.to)
		if t.label != "" {
			d.addf(`<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`, x.from-6, at+4,
				text(t.label))
		}
	}
	free := math.Inf(-1) // what is right of the last label
	for _, t := range x.ticks(7) {
		at := x.at(t.at)
		d.addf(`<path class="mc-axis" d="M%.1f %.1fv4"/>`, at, bottom)
		if w := wide(t.label); t.label != "" && at-w/2 > free {
			free = at + w/2 + wide("0")
			d.addf(`<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, at, bottom+18,
				text(t.label))
		}
	}
	d.addf(`<path class="mc-axis" d="M%.1f %.1fV%.1fH%.1f"/>`, x.from, top, bottom, x.to)
	d.addf(`<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, (x.from+x.to)/2, bottom+38,
		text(l.X))
	d.addf(`<text transform="translate(12 %.1f) rotate(-90)" text-anchor="middle">%s</text>`,
		(top+bottom)/2, text(l.Y))
}

// line draws one series.
func (l *Lines) line(d *drawing, x, y *axis, s Series, look look) {
	var path strings.Builder
	verb := 'M'
	for _, p := range s.Points {
		fmt.Fprintf(&path, "%c%.1f %.1f", verb, x.at(p.X), y.at(p.Y))
		verb = 'L'
	}
	if l.Names == nil { // there is nothing between names
		d.addf(`<path fill="none" stroke="%s" stroke-width="1.8"%s d="%s"/>`, look.color,
			dashed(look.dash), path.String())
	}
	for _, p := range s.Points {
		d.addf(`<path fill="%s" fill-opacity=".85" d="%s"><title>%s</title></path>`, look.color,
			look.mark(x.at(p.X), y.at(p.Y)), text(l.says(s.Name, p)))
	}
}

func dashed(dash string) string {
	if dash == "" {
		return ""
	}
	return fmt.Sprintf(` stroke-dasharray="%s"`, dash)
}

// says is a point in words.
func (l *Lines) says(name string, p Point) string {
	place := Number(p.X)
	if l.Names != nil {
		place = l.Names[int(p.X)]
	}
	return fmt.Sprintf("%s: %s %s, %s %s", name, l.X, place, l.Y, Number(p.Y))
}

// legend names the lines beside their ends, as near as there is room, with a lead to each.
func (l *Lines) legend(d *drawing, x, y *axis) {
	type end struct {
		series int
		at     Point // of the last point, as it is drawn
		row    float64
	}
	var ends []end
	for i, s := range l.Series {
		last := s.Points[len(s.Points)-1]
		p := Point{x.at(last.X), y.at(last.Y)}
		ends = append(ends, end{i, p, p.Y})
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.row, b.row) })
	rows := make([]float64, len(ends))
	for i, e := range ends {
		rows[i] = e.row
	}
	spread(rows, rowHeight, y.to, y.from)
	for i, e := range ends {
		look, name := looks(e.series), l.Series[e.series].Name
		d.addf(`<path class="mc-lead" d="M%.1f %.1fL%.1f %.1f"/>`, e.at.X+half+2, e.at.Y,
			x.to+leadWidth-14, rows[i])
		d.addf(`<path fill="%s" d="%s"/>`, look.color, look.mark(x.to+leadWidth-8, rows[i]))
		d.addf(`<text x="%.1f" y="%.1f">%s</text>`, x.to+leadWidth, rows[i]+4, text(name))
	}
}

// spread moves ascending places apart, so that neighbours are at least so far from each other and
// all lie between low and high, if they fit there.
func spread(at []float64, apart, low, high float64) {
	for i := range at {
		at[i] = max(at[i], low)
		if i > 0 {
			at[i] = max(at[i], at[i-1]+apart)
		}
	}
	for i := len(at) - 1; i >= 0; i-- {
		at[i] = min(at[i], high-apart*float64(len(at)-1-i))
	}
}

// description is the chart in words: what it has, and the ends of each line.
func (l *Lines) description() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s against %s.", l.Y, l.X)
	for _, series := range l.Series {
		first, last := series.Points[0], series.Points[len(series.Points)-1]
		fmt.Fprintf(&s, " %s", l.says(series.Name, first))
		if len(series.Points) > 1 {
			fmt.Fprintf(&s, " to %s", strings.TrimPrefix(l.says("", last), ": "))
		}
		s.WriteByte('.')
	}
	return s.String()
}
