package webui

import (
	"context"
	"errors"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"mingle/dataset/rows"
	"mingle/pipeline"
	"mingle/report"
	"mingle/report/chart"
	"mingle/report/page"
)

// look is what is read to look at a release; it is read when somebody looks.
type look struct {
	begun bool
	sides *pipeline.Sides
	items []pipeline.Became
	err   error
}

// lookView is the page of before and after.
type lookView struct {
	N                int
	Title, View      string
	HasLines         bool // the files can be laid beside each other
	HasItems         bool // items are published as others
	Reading          bool
	Err              error
	Lines            []lineView
	Items            []itemView
	From, To, Of     int
	Before, After    int // pages beside; 0: none
	Page, Pages      int
	Query            string
	Losses           []report.Loss
	Attacks, Figures []page.Figure
	Tried            []report.Trial
	Attack           *report.Attack
	Cautions         []report.Caution
	Verdict, Colour  string
}

type lineView struct {
	Line, Of      int
	Before, After []labelView
}

// labelView is a label on one side, and whether the other side lacks it.
type labelView struct {
	Label string
	Alone bool
}

type itemView struct {
	pipeline.Became
	Kept float64 // share of the occurrences that are published as they are
}

// Lines and items on a page.
const (
	linesAPage = 50
	itemsAPage = 100
)

func showLook(a *asked) error {
	r := a.run
	v := lookView{N: r.N, View: a.FormValue("view"), Query: strings.TrimSpace(a.FormValue("q"))}
	v.Page, _ = strconv.Atoi(a.FormValue("page"))
	v.Page = max(1, v.Page)
	v.Title = r.Title()
	out, l := r.looked(!a.isLive())
	if out == nil {
		return errNotThere
	}
	v.Verdict, v.Colour, v.Cautions = out.Verdict(), colour(out), out.Cautions()
	v.HasItems, v.HasLines = r.choice.Family == km, r.choice.Family != nonreciprocal
	if v.View == "" && !v.HasLines {
		v.View = "losses"
	}
	switch v.View {
	case "losses":
		v.Losses, v.Tried = out.Custodian.Losses, out.Custodian.Tried
		_, v.Figures = page.Figures(out)
	case "attack":
		v.Attack = out.Test()
		v.Attacks, _ = page.Figures(out)
	case "items":
		v.showItems(l)
	default:
		v.View = "rows"
		v.showLines(a.Context(), l)
	}
	for _, all := range [][]page.Figure{v.Figures, v.Attacks} {
		for i := range all {
			all[i].SVG = template.HTML(chart.Unstyled(string(all[i].SVG)))
		}
	}
	return a.show("look", v)
}

// looked is the outcome with what was read to look at it. Who looks first begins the reading. What
// was refused for its memory is read again, if that is wanted: there may be room now.
func (r *run) looked(again bool) (*report.Outcome, look) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if r.Outcome != nil && (!r.look.begun || again && refused(r.look.err)) {
		r.look = look{begun: true}
		r.p.server.within(r.p.ctx, bounded{
			do:    r.read,
			ended: func(err error) { r.p.change(func() { r.look.err = err }) },
			giveUp: func(err error) {
				r.p.change(func() { r.look = look{begun: true, err: advised(err)} })
			},
		})
	}
	return r.Outcome, r.look
}

// errOtherRows is shown in place of lines: each would stand beside that of somebody else.
var errOtherRows = errors.New("the rows of the database are no longer those that this run read: " +
	"the lines cannot be laid beside each other. Run again to see them as they are now")

// read reads both files.
func (r *run) read(ctx context.Context) error {
	pair := pipeline.Pair{
		Family: r.job.Family, Original: r.p.path, Published: r.files.published,
		PublishedFormat: r.job.OutputFormat, PublishedDelimiter: r.job.Delimiter,
		Files: r.p.server.sources(), Audit: r.files.audit,
	}
	sides, err := pair.Sides(ctx)
	var stranger *pipeline.Stranger
	if errors.As(err, &stranger) && stranger.As == "original" && rows.Is(r.p.path) {
		err = errOtherRows
	}
	var items []pipeline.Became
	if err == nil && r.choice.Family == km {
		items, err = sides.Items(ctx)
	}
	if err == nil {
		r.p.change(func() {
			if ctx.Err() == nil { // else the data set may be closed
				r.look.sides, r.look.items = sides, items
			}
		})
	}
	return err
}

// turn sets the page among so many things.
func (v *lookView) turn(of, each int) (from, to int) {
	v.Of, v.Pages = of, max(1, (of+each-1)/each)
	v.Page = min(v.Page, v.Pages)
	from = (v.Page - 1) * each
	to = min(of, from+each)
	v.From, v.To = min(from+1, of), to
	v.Before = v.Page - 1
	if v.Page < v.Pages {
		v.After = v.Page + 1
	}
	return from, to
}

func (v *lookView) showLines(ctx context.Context, l look) {
	v.Reading, v.Err = l.sides == nil && l.err == nil, l.err
	if l.sides == nil {
		return
	}
	if v.Query != "" {
		v.find(ctx, l.sides)
		return
	}
	from, to := v.turn(l.sides.Len(), linesAPage)
	for i := from; i < to; i++ {
		v.Lines = append(v.Lines, lineOf(l.sides.Line(i), i))
	}
}

// find looks for lines that have an item before or after; the first page of them.
func (v *lookView) find(ctx context.Context, s *pipeline.Sides) {
	query := strings.ToLower(v.Query)
	found, err := s.Find(ctx, func(label string) bool {
		return strings.Contains(strings.ToLower(label), query)
	}, linesAPage)
	v.Err = err
	for _, i := range found {
		v.Lines = append(v.Lines, lineOf(s.Line(i), i))
	}
	v.turn(len(v.Lines), linesAPage)
}

func lineOf(line pipeline.Line, i int) lineView {
	beside := func(all, other []string) (out []labelView) {
		for _, label := range all {
			out = append(out, labelView{label, !slices.Contains(other, label)})
		}
		return out
	}
	return lineView{
		Line: i + 1, Of: line.Of,
		Before: beside(line.Before, line.After), After: beside(line.After, line.Before),
	}
}

func (v *lookView) showItems(l look) {
	v.Reading, v.Err = l.items == nil && l.err == nil, l.err
	items := l.items
	if v.Query != "" {
		items = nil
		for _, it := range l.items {
			if strings.Contains(strings.ToLower(it.Item), strings.ToLower(v.Query)) {
				items = append(items, it)
			}
		}
	}
	from, to := v.turn(len(items), itemsAPage)
	for _, it := range items[from:to] {
		shown := itemView{Became: it}
		for _, as := range it.As {
			if as.Height == 0 {
				shown.Kept = float64(as.Count) / float64(it.Occurrences)
			}
		}
		v.Items = append(v.Items, shown)
	}
}
