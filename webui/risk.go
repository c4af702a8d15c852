package webui

import (
	"html/template"

	"mingle/dataset/profile"
	"mingle/report/chart"
)

// riskView is the page of what a few known items single out.
type riskView struct {
	Reading, Looked bool
	Err             error
	Profile         *profile.Profile
	Rows            []riskRow
	Chart           template.HTML
	Most            int
}

type riskRow struct {
	Known, Count int
	Share        float64
	Done         bool
}

// The colours of charts: those of the report's page.
const (
	colorBefore = "#d55e00"
	colorAfter  = "#0072b2"
)

func showRisk(a *asked) error {
	p := a.p
	v := riskView{Most: mostUnique}
	p.locked(func() {
		v.Reading, v.Err, v.Profile, v.Looked =
			p.data.Reading, p.data.Err, p.data.Profile, p.data.Looked
	})
	if v.Profile == nil {
		return a.show("risk", v)
	}
	w := a.wording()
	bars := chart.Bars{
		Title: w.said("Transactions singled out"), Series: []string{w.said("share")},
		Colors: []string{colorBefore}, Words: w.percent,
	}
	for i := range mostUnique {
		r := riskRow{Known: i + 1}
		if r.Done = i < len(v.Profile.Unique); r.Done {
			r.Count = v.Profile.Unique[i]
			r.Share = float64(r.Count) / float64(max(1, v.Profile.Transactions))
			bars.Rows = append(bars.Rows, chart.Row{
				Label: w.said("up to %d known", r.Known), Values: []float64{r.Share},
			})
		} else if v.Looked {
			break // nobody has so many items
		}
		v.Rows = append(v.Rows, r)
	}
	if len(bars.Rows) > 0 {
		v.Chart = template.HTML(chart.Unstyled(bars.SVG()))
	}
	return a.show("risk", v)
}
