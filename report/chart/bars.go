package chart

import "strings"

// Bars is a chart of lying bars: a group a row, a bar a series, each with its value in words.
type Bars struct {
	Title  string   // what a screen reader says
	Series []string // what the bars of a row are
	Colors []string // of the series
	Rows   []Row
	Words  func(float64) string // a value in words
}

// Row is a group of bars.
type Row struct {
	Label  string
	Values []float64 // one a series; none is drawn for what is not a number, or below 0
}

// What a chart of bars measures. Its width is that of a phone, where its letters are readable.
const (
	barsWidth = 380
	barHeight = 14
	barGap    = 10
	labelRoom = 180  // the width of a label
	greatest  = 1e15 // the largest value that is drawn: a report may have been changed
)

// SVG draws the chart.
func (b Bars) SVG() string {
	var labels, words []string
	high := 0.0
	for _, r := range b.Rows {
		labels = append(labels, Shorten(r.Label))
		for _, v := range r.Values {
			if drawn(v) {
				high, words = max(high, v), append(words, b.Words(v))
			}
		}
	}
	left := widest(labels) + 10
	room := max(40, barsWidth-left-widest(words)-8)
	group := float64(len(b.Series)*barHeight + barGap)
	d := newDrawing(barsWidth, group*float64(len(b.Rows)), b.Title, b.description())
	for i, r := range b.Rows {
		top := float64(i)*group + barGap/2
		d.addf(`<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`, left-8,
			top+(group-barGap)/2+4, text(labels[i]))
		for s, v := range r.Values {
			if !drawn(v) {
				continue
			}
			at, length := top+float64(s*barHeight), 0.0
			if high > 0 {
				length = room * v / high
			}
			d.addf(`<path fill="%s" d="M%.1f %.1fh%.1fv%dh%.1fZ"/>`, b.Colors[s], left, at+1, length,
				barHeight-2, -length)
			d.addf(`<text x="%.1f" y="%.1f">%s</text>`, left+length+5, at+barHeight-3,
				text(b.Words(v)))
		}
	}
	d.addf(`<path class="mc-axis" d="M%.1f 0V%.1f"/>`, left, d.height)
	return d.svg()
}

func drawn(v float64) bool { return v >= 0 && v <= greatest }

// description is every value in words.
func (b *Bars) description() string {
	var rows []string
	for _, r := range b.Rows {
		var values []string
		for s, v := range r.Values {
			if drawn(v) {
				words := b.Words(v)
				if len(b.Series) > 1 {
					words = b.Series[s] + " " + words
				}
				values = append(values, words)
			}
		}
		rows = append(rows, Shorten(r.Label)+": "+strings.Join(values, ", "))
	}
	return strings.Join(rows, "; ")
}
