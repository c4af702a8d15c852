// Package chart draws the charts of reports and comparisons as SVG: [Lines] along an axis, and
// lying [Bars]. A drawing needs no script, no font of its own and nothing from elsewhere. It stands
// inside a page or in a file, follows the reader's light or dark mode, and says every value in
// words where it is pointed at and to a screen reader (docs/decisions/0022).
package chart

import (
	"fmt"
	"html"
	"strings"
)

// drawing is an SVG under way. Lengths are in its own units, about a CSS pixel each.
type drawing struct {
	strings.Builder
	height float64
}

// Style colours what is drawn by the mode of the page or the reader. The classes begin with mc, so
// that they mean nothing else in a page.
const Style = `.mc{color:#1a1a1a;font:12px system-ui,-apple-system,"Segoe UI",Arial,sans-serif}
.mc text{fill:currentColor}
.mc .mc-grid{stroke:currentColor;stroke-opacity:.14}
.mc .mc-axis{stroke:currentColor;stroke-opacity:.55;fill:none}
.mc .mc-lead{stroke:currentColor;stroke-opacity:.35;fill:none}
@media (prefers-color-scheme:dark){.mc{color:#e8e8e8}}
@media print{.mc{color:#1a1a1a}}
`

const style = "<style>\n" + Style + "</style>"

func newDrawing(width, height float64, title, description string) *drawing {
	d := &drawing{height: height}
	d.addf(`<svg class="mc" role="img" width="%.0f" `+
		`height="%.0f" viewBox="0 0 %.0f %.0f" aria-label="%s">%s`, width, height, width, height,
		text(title+". "+description), style)
	return d
}

// File makes a file of a drawing, which stands inside a page else.
func File(svg string) string {
	return strings.Replace(svg, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1)
}

// Unstyled is a drawing without its style, for a page that has [Style] in its own and forbids
// styles elsewhere.
func Unstyled(svg string) string { return strings.Replace(svg, style, "", 1) }

// addf adds to the drawing; words among the arguments must have gone through text.
func (d *drawing) addf(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *drawing) svg() string { return d.String() + "</svg>\n" }

// text makes words safe in an SVG.
func text(words string) string { return html.EscapeString(words) }

// widest is the width of the widest of some words.
func widest(all []string) float64 {
	most := 0.0
	for _, words := range all {
		most = max(most, wide(words))
	}
	return most
}

// look is how a series is drawn, such that it is told from all others by colour, and without colour
// by its dashes and its marks.
type look struct {
	color, dash string
	mark        mark
}

// colors are told apart by most colour-blind people (Okabe and Ito), and seen on light and dark.
var colors = []string{
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#808080",
}

var dashes = []string{"", "6 3", "2 2", "8 3 2 3"}

// looks is how the i-th series is drawn: no two of the first 28 have the same colour and dashes.
func looks(i int) look {
	return look{
		color: colors[i%len(colors)], dash: dashes[i/len(colors)%len(dashes)],
		mark: marks[i%len(marks)],
	}
}

// mark draws a point at x, y.
type mark func(x, y float64) string

const half = 3.6 // the size of a mark

var marks = []mark{
	func(x, y float64) string {
		return fmt.Sprintf("M%.1f %.1fa%g %g 0 1 0 %g 0a%g %g 0 1 0 -%g 0Z", x-half, y, half, half,
			2*half, half, half, 2*half)
	},
	polygon([]float64{-1, -1, 1, -1, 1, 1, -1, 1}),
	polygon([]float64{0, -1.2, 1.1, 0.9, -1.1, 0.9}),
	polygon([]float64{0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0}),
	polygon([]float64{0, 1.2, 1.1, -0.9, -1.1, -0.9}),
	polygon([]float64{ // a cross
		-.4, -1.2, .4, -1.2, .4, -.4, 1.2, -.4, 1.2, .4, .4, .4,
		.4, 1.2, -.4, 1.2, -.4, .4, -1.2, .4, -1.2, -.4, -.4, -.4,
	}),
}

// polygon is a mark with corners at the places given, x and y by turns, in halves of its size.
func polygon(corners []float64) mark {
	return func(x, y float64) string {
		var s strings.Builder
		verb := byte('M')
		for i := 0; i < len(corners); i += 2 {
			fmt.Fprintf(&s, "%c%.1f %.1f", verb, x+half*corners[i], y+half*corners[i+1])
			verb = 'L'
		}
		return s.String() + "Z"
	}
}
