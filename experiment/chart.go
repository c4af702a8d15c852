package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mingle/dataset"
)

// Chart is a plot with its points.
type Chart struct {
	Plot
	Lines   []Line
	Nominal []string // the names along x, where they are not numbers
	Missing []string // cells that should be in it and have no value, and why
	Stands  []string // "retail for BMS-POS"
}

// Line is one line of a chart.
type Line struct {
	Name   string
	Points []Point // ascending
}

// Point is one value; X is an index of Nominal where that is set.
type Point struct{ X, Y float64 }

// Charts are the plots of a plan with the points that rows give.
func (p *Plan) Charts(rows []Row) []Chart {
	var out []Chart
	for _, plot := range p.Plots {
		c := Chart{Plot: plot}
		if len(c.Series) == 0 {
			c.Series = texts{"algorithm"}
		}
		var chosen []Row
		for _, r := range rows {
			if plot.wants(&r) {
				chosen = append(chosen, r)
			}
		}
		c.fill(chosen)
		c.stands(p.Data, chosen)
		out = append(out, c)
	}
	return out
}

func (p *Plot) wants(r *Row) bool {
	for column, values := range p.Where {
		if !slices.Contains(strings.Fields(values), r.Text(column)) {
			return false
		}
	}
	return true
}

func (c *Chart) fill(rows []Row) {
	points := c.points(rows)
	lines := map[string]int{}
	for _, r := range rows {
		if r.Status != StatusDone {
			c.Missing = append(c.Missing, r.Cell.String()+": "+cmp.Or(r.Message, r.Status))
			continue
		}
		for _, p := range points(&r) {
			if math.IsNaN(p.Y) {
				continue
			}
			name := c.lineOf(&r)
			i, there := lines[name]
			if !there {
				i = len(c.Lines)
				lines[name] = i
				c.Lines = append(c.Lines, Line{Name: name})
			}
			c.Lines[i].Points = append(c.Lines[i].Points, p)
		}
	}
	for _, l := range c.Lines {
		slices.SortStableFunc(l.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	}
}

// lineOf names the line of a row by the values of the series' columns; numbers are told with their
// column.
func (c *Chart) lineOf(r *Row) string {
	var words []string
	for _, column := range c.Series {
		v := r.Text(column)
		if _, err := strconv.ParseFloat(v, 64); err == nil {
			v = column + "=" + v
		}
		words = append(words, v)
	}
	return strings.Join(words, " ")
}

// points are those of a row: one, or one a column of Over.
func (c *Chart) points(rows []Row) func(*Row) []Point {
	if len(c.Over) == 0 {
		at := c.axis(rows)
		return func(r *Row) []Point { return []Point{{at(r), r.Number(c.Y)}} }
	}
	c.Nominal = c.Over
	return func(r *Row) []Point {
		var out []Point
		for i, column := range c.Over {
			out = append(out, Point{float64(i), r.Number(column)})
		}
		return out
	}
}

// axis finds where a row stands along x.
func (c *Chart) axis(rows []Row) func(*Row) float64 {
	var names []string
	numeric := true
	for _, r := range rows {
		v := r.Text(c.X)
		numeric = numeric && !math.IsNaN(r.Number(c.X))
		if !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	if numeric {
		return func(r *Row) float64 { return r.Number(c.X) }
	}
	c.Nominal = names
	return func(r *Row) float64 { return float64(slices.Index(names, r.Text(c.X))) }
}

func (c *Chart) stands(data []Data, rows []Row) {
	for _, d := range data {
		used := slices.ContainsFunc(rows, func(r Row) bool { return r.Data == d.Name })
		if d.InsteadOf != "" && used {
			c.Stands = append(c.Stands, d.Name+" for "+d.InsteadOf)
		}
	}
}

// XText is a place along x in words.
func (c *Chart) XText(x float64) string {
	if c.Nominal != nil {
		return c.Nominal[int(x)]
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// places are the places along x where any line has a value.
func (c *Chart) places() []float64 {
	var out []float64
	for _, l := range c.Lines {
		for _, p := range l.Points {
			out = append(out, p.X)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// At is the value of a line at x.
func (l *Line) At(x float64) (float64, bool) {
	for _, p := range l.Points {
		if p.X == x {
			return p.Y, true
		}
	}
	return 0, false
}

// figure is a number with as many digits as are worth reading.
func figure(y float64) string {
	switch a := math.Abs(y); {
	case y == math.Trunc(y) && a < 1e15:
		return strconv.FormatFloat(y, 'f', -1, 64)
	case a >= 100:
		return strconv.FormatFloat(y, 'f', 0, 64)
	case a >= 1:
		return strconv.FormatFloat(y, 'f', 2, 64)
	}
	return strconv.FormatFloat(y, 'g', 3, 64)
}

// line finds a line by its name.
func (c *Chart) line(name string) *Line {
	for i := range c.Lines {
		if c.Lines[i].Name == name {
			return &c.Lines[i]
		}
	}
	return nil
}

// Table spells the points out: a header, then one line a place.
func (c *Chart) Table() [][]string {
	lines := slices.Clone(c.Lines)
	byName := func(a, b Line) int { return dataset.CompareLabels(a.Name, b.Name) }
	slices.SortStableFunc(lines, byName)
	head := []string{c.X}
	for _, l := range lines {
		head = append(head, l.Name)
	}
	out := [][]string{head}
	for _, x := range c.places() {
		row := []string{c.XText(x)}
		for _, l := range lines {
			text := ""
			if y, ok := l.At(x); ok {
				text = figure(y)
			}
			row = append(row, text)
		}
		out = append(out, row)
	}
	return out
}

// Subtitle says what is not as in the paper.
func (c *Chart) Subtitle() string {
	if len(c.Stands) == 0 {
		return ""
	}
	return fmt.Sprintf("not the paper's data: %s", strings.Join(c.Stands, ", "))
}
