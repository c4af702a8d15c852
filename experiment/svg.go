package experiment

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The colours are told apart by most colour-blind people (Okabe and Ito), the shapes by all.
var (
	colors = []color.Color{
		color.RGBA{0, 114, 178, 255},
		color.RGBA{213, 94, 0, 255},
		color.RGBA{0, 158, 115, 255},
		color.RGBA{204, 121, 167, 255},
		color.RGBA{86, 180, 233, 255},
		color.RGBA{230, 159, 0, 255},
		color.RGBA{0, 0, 0, 255},
		color.RGBA{120, 120, 120, 255},
	}
	shapes = []draw.GlyphDrawer{
		draw.CircleGlyph{},
		draw.SquareGlyph{},
		draw.TriangleGlyph{},
		draw.CrossGlyph{},
		draw.PlusGlyph{},
		draw.RingGlyph{},
		draw.BoxGlyph{},
		draw.PyramidGlyph{},
	}
)

// WriteSVG draws the chart.
func (c *Chart) WriteSVG(w io.Writer) error {
	p, err := c.drawing()
	if err != nil {
		return err
	}
	canvas := vgsvg.New(16*vg.Centimeter, 10*vg.Centimeter)
	p.Draw(draw.New(canvas))
	_, err = canvas.WriteTo(w)
	return err
}

func (c *Chart) drawing() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = c.Title
	if s := c.Subtitle(); s != "" {
		p.Title.Text += "\n" + s
	}
	p.X.Label.Text, p.Y.Label.Text = c.X, c.Y
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label,
		&p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
	}
	p.Title.TextStyle.Font.Size = 11
	p.Add(plotter.NewGrid())
	c.scales(p)
	for i, l := range c.Lines {
		if err := addLine(p, c, l, i); err != nil {
			return nil, err
		}
	}
	if c.Nominal != nil {
		p.NominalX(c.Nominal...)
	}
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	return p, nil
}

// scales sets the axes; y begins at 0 where it is not logarithmic, and leaves room for the legend.
// A chart without points has plain axes.
func (c *Chart) scales(p *plot.Plot) {
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		for _, pt := range l.Points {
			if c.shows(pt) {
				left, right = min(left, pt.X), max(right, pt.X)
				low, high = min(low, pt.Y), max(high, pt.Y)
			}
		}
	}
	if left > right {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		return
	}
	p.Y.Min, p.Y.Max = 0, 1.35*high
	if high <= 0 {
		p.Y.Max = 1
	}
	if c.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		p.Y.Min, p.Y.Max = low/2, high*8
	}
	if c.LogX && c.Nominal == nil {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		p.X.Min, p.X.Max = left/1.2, right*1.2
	}
}

// shows tells whether a point has a place on the axes.
func (c *Chart) shows(p Point) bool {
	return (!c.LogY || p.Y > 0) && (!c.LogX || c.Nominal != nil || p.X > 0)
}

func addLine(p *plot.Plot, c *Chart, l Line, i int) error {
	var xys plotter.XYs
	for _, pt := range l.Points {
		if c.shows(pt) {
			xys = append(xys, plotter.XY{X: pt.X, Y: pt.Y})
		}
	}
	if len(xys) == 0 {
		return nil
	}
	line, points, err := plotter.NewLinePoints(xys)
	if err != nil {
		return err
	}
	line.Color, line.Width = colors[i%len(colors)], vg.Points(1.4)
	points.Color, points.Shape = colors[i%len(colors)], shapes[i%len(shapes)]
	points.Radius = vg.Points(3)
	if c.Nominal == nil {
		p.Add(line, points)
		p.Legend.Add(l.Name, line, points)
		return nil
	}
	p.Add(points) // there is nothing between names
	p.Legend.Add(l.Name, points)
	return nil
}
