package page

import (
	"html/template"

	drawn "mingle/report/chart"
)

// chart is one picture of the page: lying bars, one group a row, each bar with its value in words.
// Drawn as SVG into the page, it needs no script, and prints as it is shown: see
// docs/decisions/0005 and 0022.
type chart struct {
	Name, Title string
	Says        string   // what to read in it, in a sentence or two
	Series      []string // named above the drawing where there is more than one
	Rows        []bars
	Values      func(float64) string // a value in words
}

// bars are the values of one row, one a series; NaN: none.
type bars struct {
	Label  string
	Values []float64
}

// add adds a row.
func (c *chart) add(label string, values ...float64) {
	c.Rows = append(c.Rows, bars{label, values})
}

// seriesColors are those that most colour-blind people tell apart (Okabe and Ito), and that differ
// when printed in grey.
var seriesColors = []string{"#d55e00", "#0072b2", "#8c8c8c"}

// The series of attacks.
const (
	seriesOriginal  = "the original"
	seriesPublished = "what is published"
	seriesGuessing  = "guessing"
)

// color is that of a series; what is no attack is about what is published, and has its colour.
func (c *chart) color(series int) string {
	switch c.Series[series] {
	case seriesOriginal:
		return seriesColors[0]
	case seriesGuessing:
		return seriesColors[2]
	}
	return seriesColors[1]
}

// key is the name of a series with its colour.
type key struct {
	Name  string
	Color template.CSS
}

func (c *chart) keys() []key {
	if len(c.Series) < 2 {
		return nil
	}
	var out []key
	for i, name := range c.Series {
		out = append(out, key{name, template.CSS(c.color(i))})
	}
	return out
}

// SVG draws the chart.
func (c *chart) SVG() template.HTML {
	b := drawn.Bars{Title: c.Title, Series: c.Series, Words: c.Values}
	for i := range c.Series {
		b.Colors = append(b.Colors, c.color(i))
	}
	for _, r := range c.Rows {
		b.Rows = append(b.Rows, drawn.Row(r))
	}
	return template.HTML(b.SVG())
}
