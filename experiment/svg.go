package experiment

import (
	"io"
	"strings"

	"mingle/report/chart"
)

// WriteSVG draws the chart.
func (c *Chart) WriteSVG(w io.Writer) error {
	_, err := io.WriteString(w, chart.File(c.svg()))
	return err
}

func (c *Chart) svg() string {
	l := chart.Lines{
		Title: c.Title, Names: c.Nominal,
		X: axisName(c.X), LogX: c.LogX, Y: axisName(c.Y), LogY: c.LogY,
	}
	for _, line := range c.Lines {
		s := chart.Series{Name: line.Name}
		for _, p := range line.Points {
			s.Points = append(s.Points, chart.Point(p))
		}
		l.Series = append(l.Series, s)
	}
	return l.SVG()
}

// axisNames are those of the columns whose names do not say what they count in.
var axisNames = map[string]string{
	"ncp": "loss (NCP, 0 to 1)", "least": "least loss (NCP, 0 to 1)",
	"seconds": "time (s)", "cpu_seconds": "processor time (s)", "walk_seconds": "time (s)",
	"peak_mb": "memory (MB)", "error_rate": "error rate (0 to 1)", "first": "transactions",
}

// axisName is a column as an axis names it.
func axisName(column string) string {
	if name, ok := axisNames[column]; ok {
		return name
	}
	return strings.ReplaceAll(column, "_", " ")
}
