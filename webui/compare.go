package webui

import (
	"fmt"
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
	loss := chart.Bars{Title: lossOf, Series: []string{lossOf}, Colors: []string{colorAfter}}
	found := chart.Bars{Title: foundOf, Series: []string{foundOf}, Colors: []string{colorBefore}}
	loss.Words, found.Words = report.Percent, report.Percent
	a.p.locked(func() {
		for _, r := range a.p.runs {
			if r.Outcome == nil {
				continue
			}
			label := fmt.Sprintf("run %d", r.N)
			lost, left := firstLoss(r.Outcome), underK(r.Outcome)
			loss.Rows = append(loss.Rows, chart.Row{Label: label, Values: []float64{lost.Value}})
			found.Rows = append(found.Rows, chart.Row{Label: label, Values: []float64{left}})
			v.Rows = append(v.Rows, r.compared(lost, left))
		}
	})
	if len(v.Rows) > 1 {
		for _, b := range []chart.Bars{loss, found} {
			svg := template.HTML(chart.Unstyled(b.SVG()))
			v.Charts = append(v.Charts, drawnChart{b.Title, svg})
		}
	}
	return a.show("compare", v)
}

// compared is the row of a run that ended with a release.
func (r *run) compared(lost report.Loss, left float64) compareRow {
	return compareRow{N: r.N, Title: r.Title(), Values: []string{
		lost.Name + " " + report.Percent(lost.Value),
		report.Number(r.Outcome.Report.Published.Items), shareOr(left),
		r.Ended.Sub(r.Began).Round(1e8).String(),
	}}
}

// firstLoss is the loss that the family's algorithms keep small.
func firstLoss(o *report.Outcome) report.Loss {
	if len(o.Custodian.Losses) == 0 {
		return report.Loss{}
	}
	return o.Custodian.Losses[0]
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

func shareOr(share float64) string {
	if math.IsNaN(share) {
		return ""
	}
	return report.Percent(share)
}
