package page

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// chart is one picture of the page: lying bars, one group a row, each bar with its value in words.
// Drawn as SVG into the page, it needs no script, and prints as it is shown: see
// docs/decisions/0005.
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
var seriesColors = []color.RGBA{{213, 94, 0, 255}, {0, 114, 178, 255}, {140, 140, 140, 255}}

// The series of attacks.
const (
	seriesOriginal  = "the original"
	seriesPublished = "what is published"
	seriesGuessing  = "guessing"
)

// color is that of a series; what is no attack is about what is published, and has its colour.
func (c *chart) color(series int) color.RGBA {
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
		rgb := c.color(i)
		out = append(out, key{name, template.CSS(fmt.Sprintf("#%02x%02x%02x", rgb.R, rgb.G,
			rgb.B))})
	}
	return out
}

// alt is the drawing in words, for whoever does not see it.
func (c *chart) alt() string {
	var rows []string
	for _, r := range c.Rows {
		var values []string
		for i, v := range r.Values {
			if !(v >= 0 && v <= most) {
				continue
			}
			text := c.Values(v)
			if len(c.Series) > 1 {
				text = c.Series[i] + " " + text
			}
			values = append(values, text)
		}
		rows = append(rows, r.Label+": "+strings.Join(values, ", "))
	}
	return c.Title + ". " + strings.Join(rows, "; ")
}

// Sizes in points. The width is such that letters stay readable on a phone, which shows it at about
// nine tenths.
const (
	chartWidth = 300
	barHeight  = 11
	barGap     = 8
	letters    = 9
	longest    = 26   // letters of a label; the JSON has all
	most       = 1e15 // the largest value that is drawn

	// spare is between labels and bars: without a font of the same widths, letters are wider than
	// drawn for.
	spare = 14
)

// SVG draws the chart.
func (c *chart) SVG() (template.HTML, error) {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.HideX()
	p.Y.Tick.Label.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: letters}
	group := vg.Length(len(c.Series)*barHeight + barGap)
	labels := make([]string, len(c.Rows))
	for i, r := range c.Rows {
		labels[len(c.Rows)-1-i] = shorten(r.Label)
	}
	high := 0.0
	for s := range c.Series {
		if err := c.addSeries(p, s, &high); err != nil {
			return "", err
		}
	}
	p.NominalY(labels...)
	p.Y.Padding = spare
	p.Y.Min, p.Y.Max = -0.5, float64(len(c.Rows))-0.5
	p.X.Min, p.X.Max = 0, 1.45*max(high, 1e-12) // room for the words behind the longest bar
	return render(p, group*vg.Length(len(c.Rows)))
}

// addSeries adds the bars of one series with their words; the first is on top.
func (c *chart) addSeries(p *plot.Plot, s int, high *float64) error {
	n := len(c.Rows)
	values := make(plotter.Values, n)
	words := plotter.XYLabels{XYs: make(plotter.XYs, n), Labels: make([]string, n)}
	for i, r := range c.Rows {
		at := n - 1 - i
		v := r.Values[s]
		words.XYs[at].Y = float64(at)
		if !(v >= 0 && v <= most) { // no value; or a report that somebody has changed
			continue
		}
		values[at], words.XYs[at].X, words.Labels[at] = v, v, c.Values(v)
		*high = max(*high, v)
	}
	b, err := plotter.NewBarChart(values, barHeight-2)
	if err != nil {
		return err
	}
	b.Horizontal, b.Color, b.LineStyle.Width = true, c.color(s), 0
	b.Offset = barHeight * (vg.Length(len(c.Series)-1)/2 - vg.Length(s))
	l, err := plotter.NewLabels(words)
	if err != nil {
		return err
	}
	l.Offset = vg.Point{X: 3, Y: b.Offset}
	for i := range l.TextStyle {
		l.TextStyle[i].Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: letters - 1}
		l.TextStyle[i].YAlign = draw.YCenter
	}
	p.Add(b, l)
	return nil
}

// render gives the drawing alone, to stand inside a page.
func render(p *plot.Plot, height vg.Length) (template.HTML, error) {
	canvas := vgsvg.New(chartWidth, height)
	p.Draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	at := strings.Index(b.String(), "<svg")
	if at < 0 {
		return "", fmt.Errorf("report: a chart came out without a drawing")
	}
	text := b.String()[at:] // the library escapes the labels in it
	// Of no use inside a page, and addresses would look as if they were loaded.
	for _, name := range []string{"xmlns", "xmlns:xlink"} {
		text = regexp.MustCompile(`\s`+name+`="[^"]*"`).ReplaceAllString(text, "")
	}
	return template.HTML(text), nil
}

// shorten keeps a label's beginning.
func shorten(label string) string {
	if strings.ContainsFunc(label, unicode.IsControl) { // shown as \x1b and the like
		label = strings.Trim(strconv.QuoteToASCII(label), `"`)
	}
	if r := []rune(label); len(r) > longest {
		return strings.TrimSpace(string(r[:longest-1])) + "…"
	}
	return label
}
