package webui

import (
	"html/template"
	"math"

	"mingle/report"
	"mingle/report/chart"
)

// compareView is the page of all releases of a data set.
type compareView struct {
	Columns []string
	Rows    []compareRow
	Charts  []drawnChart
}

type compareRow struct {
	N      int
	Title  string
	Values []string
}

type drawnChart struct {
	Title string
	Of    string // the measure
	SVG   template.HTML
}

// The figures that releases are compared by.
const (
	lossOf   = "Loss"
	labelsOf = "Different labels"
	foundOf  = "Fewer than k candidates, most items known"
	timeOf   = "Time"
)

func showCompare(a *asked) error {
	v := compareView{Columns: []string{lossOf, labelsOf, foundOf, timeOf}}
	w := a.wording()
	var all []measured
	a.p.locked(func() {
		for _, r := range a.p.runs {
			if r.Outcome == nil {
				continue
			}
			loss, left := lossOfRun(r.choice.Family, r.Outcome), underK(r.Outcome)
			v.Rows = append(v.Rows, r.compared(w, loss, left))
			if loss.Name != "" {
				what := r.choice.Family + ", " + loss.Name
				all = append(all, measured{lossOf, what, colorAfter, r.N, loss.Value})
			}
			if !math.IsNaN(left) {
				all = append(all, measured{foundOf, r.choice.Family, colorBefore, r.N, left})
			}
		}
	})
	v.Charts = chartsOf(w, all)
	return a.show("compare", v)
}

// measured is a figure of a run. Those of one measure can be compared.
type measured struct {
	title, of string // what it is, and of which measure
	color     string
	run       int
	value     float64
}

// chartsOf draws each measure that several runs have, in a chart of its own.
func chartsOf(w wording, all []measured) []drawnChart {
	var charts []chart.Bars
	var of []string
	at := map[[2]string]int{}
	for _, m := range all {
		i, known := at[[2]string{m.title, m.of}]
		if !known {
			i = len(charts)
			at[[2]string{m.title, m.of}] = i
			charts, of = append(charts, chart.Bars{
				Title: w.said(m.title), Series: []string{w.said(m.title)},
				Colors: []string{m.color}, Words: w.percent,
			}), append(of, m.of)
		}
		label := w.said("run %d", m.run)
		charts[i].Rows = append(charts[i].Rows, chart.Row{Label: label, Values: []float64{m.value}})
	}
	var out []drawnChart
	for i, c := range charts {
		if len(c.Rows) > 1 {
			out = append(out, drawnChart{c.Title, of[i], template.HTML(chart.Unstyled(c.SVG()))})
		}
	}
	return out
}

// compared is the row of a run that ended with a release.
func (r *run) compared(w wording, loss report.Loss, left float64) compareRow {
	lost := ""
	if loss.Name != "" {
		lost = loss.Name + " " + w.percent(loss.Value)
	}
	return compareRow{N: r.N, Title: r.Title(), Values: []string{
		lost, w.number(r.Outcome.Report.Published.Items), shareOr(w, left),
		w.seconds(r.Ended.Sub(r.Began)),
	}}
}

// lossOfRun is the loss that releases of a family are compared by; without a name: it is not known.
func lossOfRun(family string, o *report.Outcome) report.Loss {
	name := map[string]string{
		km: "NCP", continuous: "NCP", nonreciprocal: "error rate", coherence: "occurrences",
	}[family]
	for _, l := range o.Custodian.Losses {
		if l.Name == name {
			return l
		}
	}
	return report.Loss{}
}

// underK is the share of attempts with most known items that are left with fewer than k; no number
// where there was no attack.
func underK(o *report.Outcome) float64 {
	share := math.NaN()
	if test := o.Test(); test != nil {
		for _, t := range test.Of(report.FigureUnderK) {
			share = t.After.Value
		}
	}
	return share
}

func shareOr(w wording, share float64) string {
	if math.IsNaN(share) {
		return ""
	}
	return w.percent(share)
}
