package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"mingle/report"
)

// Figure is a chart as the page shows it.
type Figure struct {
	Name, Title, Says string
	Keys              []key
	SVG               template.HTML
}

// drawAll draws charts, and leaves out those without rows.
func drawAll(charts ...*chart) []Figure {
	var out []Figure
	for _, c := range charts {
		if c != nil && len(c.Rows) > 0 {
			out = append(out, Figure{c.Name, c.Title, c.Says, c.keys(), c.SVG()})
		}
	}
	return out
}

// attackFigures answer the three questions with what the attacks gained. What is known are labels
// of a published line, or items of a person.
func attackFigures(a *report.Attack, columns []report.SensitiveColumn) []Figure {
	if a == nil {
		return nil
	}
	who := "persons of whom what the adversary knows fits fewer than %d records, their own " +
		"included."
	what, of := "items", "person"
	if a.OfLabels() {
		who = "published lines of which what the adversary knows is on fewer than %d lines."
		what, of = "labels", "line"
	}
	charts := []*chart{
		attackChart(a, report.FigureUnderK, &chart{
			Name: "singled-out", Title: "Singling out", Says: fmt.Sprintf("Share of "+who, a.K),
		}),
		attackChart(a, report.FigureLinked, &chart{
			Name: "linked", Title: "Linking", Says: fmt.Sprintf("How often two sources that "+
				"know different "+
				"%s of a %s find out that it is the same %s. Guessing is right half of the time.",
				what, of, of),
		}),
		attackChart(a, report.FigureItem, &chart{
			Name: "inferred", Title: "Inference", Says: fmt.Sprintf("Probability that the "+
				"adversary gives to a "+
				"further %s which the %s in fact has. Guessing goes by how frequent %s are.",
				what[:len(what)-1], of, what),
		}),
		attackChart(a, report.FigureSensitive, &chart{
			Name: "inferred-sensitive", Title: "Inference of sensitive items", Says: "The same " +
				"for sensitive items.",
		}),
	}
	for n, c := range columns {
		charts = append(charts, attackChart(a, report.FigureOfColumn(c.Name), &chart{
			Name: fmt.Sprintf("inferred-column-%d", n+1), Title: "Inference of " + c.Name,
			Says: "The same for the values of the sensitive column, of lines that have one.",
		}))
	}
	return drawAll(charts...)
}

// attackChart puts in the attempts with one figure: before, where the original was attacked too,
// after, and by guessing.
func attackChart(a *report.Attack, figure string, c *chart) *chart {
	c.Values = report.Percent
	attempts := a.Of(figure)
	before := a.HasBefore()
	guess := slices.ContainsFunc(attempts, func(t report.Attempt) bool { return t.Baseline > 0 })
	promised := slices.ContainsFunc(attempts, func(t report.Attempt) bool { return t.Promised })
	if before {
		c.Series = append(c.Series, seriesOriginal)
	}
	c.Series = append(c.Series, seriesPublished)
	if guess {
		c.Series = append(c.Series, seriesGuessing)
	}
	beyond, drawn := false, false
	for _, t := range attempts {
		label := t.KnownItems() + " known"
		if promised && !t.Promised {
			label, beyond = label+" *", true
		}
		var values []float64
		if before {
			was := math.NaN()
			if t.Before != nil {
				was = t.Before.Value
			}
			values = append(values, was)
		}
		values = append(values, t.After.Value)
		if guess {
			values = append(values, t.Baseline)
		}
		c.add(label, values...)
		drawn = drawn || !t.Exact
	}
	if drawn && a.Draws > 0 {
		c.Says += fmt.Sprintf(" Of %s draws, where there are too many combinations.",
			report.Number(a.Draws))
	}
	if beyond {
		c.Says += " * Beyond what is promised."
	}
	return c
}

// lossFigures show what became of the data.
func lossFigures(o *report.Outcome) []Figure {
	return drawAll(
		shareChart(o.Report, report.ByLevel, &chart{
			Name: "levels", Title: "How far items are generalized",
			Says: "Share of what is published, by the level of the hierarchy it is published at.",
		}),
		lossChart(o.Report),
		shareChart(o.Report, report.ByWidth, &chart{
			Name: "widths", Title: "How wide the published ranges are",
			Says: "Share of what is published, by its width as a share of the span of all values.",
		}),
		shareChart(o.Report, report.ByUncertainty, &chart{
			Name: "uncertainty", Title: "How uncertain the published records are",
			Says: "Share of published records, by their number of items that may or may not " +
				"be there.",
		}),
		labelChart(o.Report),
		measuresChart(o),
		trialChart(o),
	)
}

// breakdown finds one, and what its rows sum up to.
func breakdown(r *report.Report, by string) (report.Breakdown, int) {
	for _, b := range r.Breakdowns {
		if b.By == by {
			sum := 0
			for _, p := range b.Rows {
				sum += p.Count
			}
			return b, sum
		}
	}
	return report.Breakdown{}, 1
}

// shareChart shows what share of the whole each row is.
func shareChart(r *report.Report, by string, c *chart) *chart {
	b, sum := breakdown(r, by)
	c.Series, c.Values = []string{b.Unit}, report.Percent
	for _, p := range b.Rows {
		c.add(p.Name, float64(p.Count)/float64(sum))
	}
	return c
}

// lossChart shows in which categories of items the loss is.
func lossChart(r *report.Report) *chart {
	b, _ := breakdown(r, report.ByCategory)
	if !slices.ContainsFunc(b.Rows, func(p report.Part) bool { return p.Loss > 0 }) {
		return nil
	}
	c := &chart{
		Name: "categories", Title: "Where it is lost", Series: []string{"loss"},
		Values: report.Percent,
		Says: "Mean loss of a published item, by the categories right below the top of the " +
			"hierarchy, " +
			"those with most items published first: 0 % where items are published as they are, " +
			"100 % where only \"something\" is.",
	}
	for _, p := range b.Rows {
		c.add(p.Name, p.Loss)
	}
	return c
}

// labelChart shows the commonest labels that are published.
func labelChart(r *report.Report) *chart {
	b, _ := breakdown(r, report.ByLabel)
	c := &chart{
		Name: "labels", Title: "What is published most", Series: []string{b.Unit},
		Says:   "Published transactions that contain each of the commonest labels.",
		Values: func(n float64) string { return report.Number(int(math.Round(n))) },
	}
	for _, p := range b.Rows {
		if p.Labels == 1 {
			c.add(p.Name, float64(p.Count))
		}
	}
	return c
}

// measuresChart shows losses that are shares, where there is more than one and no other chart of
// losses.
func measuresChart(o *report.Outcome) *chart {
	model := o.Report.Guarantee.Model
	if model != "coherence" && model != "nonreciprocal" || o.Custodian == nil {
		return nil
	}
	c := &chart{
		Name: "losses", Title: "What was lost", Series: []string{"share"}, Values: report.Percent,
		Says: "The losses against the original that are shares.",
	}
	for _, l := range o.Custodian.Losses {
		if l.Value >= 0 && l.Value <= 1 {
			c.add(l.Name, l.Value)
		}
	}
	return c
}

// trialChart compares the algorithms that were tried.
func trialChart(o *report.Outcome) *chart {
	if o.Custodian == nil {
		return nil
	}
	c := &chart{
		Name: "tried", Title: "What other algorithms would have lost", Series: []string{"NCP"},
		Says:   "NCP of every algorithm that was tried; the release with the least was taken.",
		Values: report.Percent,
	}
	for _, t := range o.Custodian.Tried {
		if t.NCP != nil {
			c.add(t.Algorithm, *t.NCP)
		}
	}
	if len(c.Rows) < 2 {
		return nil
	}
	return c
}

// Figures are the charts of a report's page: what the attacks gained, and what became of the data.
func Figures(o *report.Outcome) (attacks, losses []Figure) {
	return attackFigures(o.Test(), o.Report.Guarantee.Columns), lossFigures(o)
}
