package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
)

// figure is a chart as the page shows it.
type figure struct {
	Name, Title, Says string
	Keys              []key
	SVG               template.HTML
}

// drawAll draws charts, and leaves out those without rows.
func drawAll(charts ...*chart) ([]figure, error) {
	var out []figure
	for _, c := range charts {
		if c == nil || len(c.Rows) == 0 {
			continue
		}
		svg, err := c.SVG()
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", c.Name, err)
		}
		out = append(out, figure{c.Name, c.Title, c.Says, c.keys(), svg})
	}
	return out, nil
}

// attackFigures answer the three questions with what the attacks gained.
func (o *Outcome) attackFigures() ([]figure, error) {
	a := o.attack()
	if a == nil {
		return nil, nil
	}
	if a.OfLabels() {
		return drawAll(
			a.chart(figureUnderK, "singled-out", "Singling out",
				fmt.Sprintf("Share of published lines of which what the adversary knows is on fewer than %d lines.", a.K)),
			a.chart(figureLinked, "linked", "Linking",
				"How often two sources that know different labels of a line find out that it is the same line. Guessing is right half of the time."),
			a.chart(figureItem, "inferred", "Inference",
				"Probability that the adversary gives to a further label which the line in fact has. Guessing goes by how frequent labels are."),
			a.chart(figureSensitive, "inferred-sensitive", "Inference of sensitive items", "The same for sensitive items."),
		)
	}
	return drawAll(
		a.chart(figureUnderK, "singled-out", "Singling out",
			fmt.Sprintf("Share of persons of whom what the adversary knows fits fewer than %d records, their own included.", a.K)),
		a.chart(figureLinked, "linked", "Linking",
			"How often two sources that know different items of a person find out that it is the same person. Guessing is right half of the time."),
		a.chart(figureItem, "inferred", "Inference",
			"Probability that the adversary gives to a further item which the person in fact has. Guessing goes by how frequent items are."),
		a.chart(figureSensitive, "inferred-sensitive", "Inference of sensitive items", "The same for sensitive items."),
	)
}

// chart draws the attempts with one figure: before, where the original was attacked too, after, and by guessing.
func (a *Attack) chart(figure, name, title, says string) *chart {
	c := &chart{Name: name, Title: title, Says: says, Values: percentOf}
	attempts := a.of(figure)
	before := a.HasBefore()
	guess := slices.ContainsFunc(attempts, func(t Attempt) bool { return t.Baseline > 0 })
	promised := slices.ContainsFunc(attempts, func(t Attempt) bool { return t.Promised })
	if before {
		c.Series = append(c.Series, seriesOriginal)
	}
	c.Series = append(c.Series, seriesPublished)
	if guess {
		c.Series = append(c.Series, seriesGuessing)
	}
	beyond := false
	for _, t := range attempts {
		row := bars{Label: t.KnownItems() + " known"}
		if promised && !t.Promised {
			row.Label, beyond = row.Label+" *", true
		}
		if before {
			was := math.NaN()
			if t.Before != nil {
				was = t.Before.Value
			}
			row.Values = append(row.Values, was)
		}
		row.Values = append(row.Values, t.After.Value)
		if guess {
			row.Values = append(row.Values, t.Baseline)
		}
		c.Rows = append(c.Rows, row)
	}
	if beyond {
		c.Says += " * Beyond what is promised."
	}
	return c
}

// lossFigures show what became of the data.
func (o *Outcome) lossFigures() ([]figure, error) {
	r := o.Report
	return drawAll(
		r.shareChart(byLevel, "levels", "How far items are generalized", "Share of what is published, by the level of the hierarchy it is published at."),
		r.lossChart(),
		r.shareChart(byWidth, "widths", "How wide the published ranges are", "Share of what is published, by its width as a share of the span of all values."),
		r.shareChart(byUncertainty, "uncertainty", "How uncertain the published records are", "Share of published records, by their number of items that may or may not be there."),
		r.labelChart(),
		o.measuresChart(),
		o.trialChart(),
	)
}

func (r *Report) breakdown(by string) (Breakdown, int) {
	for _, b := range r.Breakdowns {
		if b.By == by {
			sum := 0
			for _, p := range b.Rows {
				sum += p.Count
			}
			return b, sum
		}
	}
	return Breakdown{}, 1
}

// shareChart shows what share of the whole each row is.
func (r *Report) shareChart(by, name, title, says string) *chart {
	b, sum := r.breakdown(by)
	c := &chart{Name: name, Title: title, Says: says, Series: []string{b.Unit}, Values: percentOf}
	for _, p := range b.Rows {
		c.Rows = append(c.Rows, bars{p.Name, []float64{float64(p.Count) / float64(sum)}})
	}
	return c
}

// lossChart shows in which categories of items the loss is.
func (r *Report) lossChart() *chart {
	b, _ := r.breakdown(byCategory)
	if !slices.ContainsFunc(b.Rows, func(p Part) bool { return p.Loss > 0 }) {
		return nil
	}
	c := &chart{
		Name: "categories", Title: "Where it is lost", Series: []string{"loss"}, Values: percentOf,
		Says: "Mean loss of a published item, by the categories right below the top of the hierarchy, those with most items published first: 0 % where items are published as they are, 100 % where only \"something\" is.",
	}
	for _, p := range b.Rows {
		c.Rows = append(c.Rows, bars{p.Name, []float64{p.Loss}})
	}
	return c
}

// labelChart shows the commonest labels that are published.
func (r *Report) labelChart() *chart {
	b, _ := r.breakdown(byLabel)
	c := &chart{
		Name: "labels", Title: "What is published most", Says: "Published transactions that contain each of the commonest labels.",
		Series: []string{b.Unit}, Values: func(n float64) string { return Number(int(math.Round(n))) },
	}
	for _, p := range b.Rows {
		if p.Labels == 1 {
			c.Rows = append(c.Rows, bars{p.Name, []float64{float64(p.Count)}})
		}
	}
	return c
}

// measuresChart shows losses that are shares, where there is more than one and no other chart of losses.
func (o *Outcome) measuresChart() *chart {
	model := o.Report.Guarantee.Model
	if model != "coherence" && model != "nonreciprocal" || o.Custodian == nil {
		return nil
	}
	c := &chart{Name: "losses", Title: "What was lost", Says: "The losses against the original that are shares.", Series: []string{"share"}, Values: percentOf}
	for _, l := range o.Custodian.Losses {
		if l.Value >= 0 && l.Value <= 1 {
			c.Rows = append(c.Rows, bars{l.Name, []float64{l.Value}})
		}
	}
	return c
}

// trialChart compares the algorithms that were tried.
func (o *Outcome) trialChart() *chart {
	if o.Custodian == nil {
		return nil
	}
	c := &chart{
		Name: "tried", Title: "What other algorithms would have lost", Series: []string{"NCP"}, Values: percentOf,
		Says: "NCP of every algorithm that was tried; the release with the least was taken.",
	}
	for _, t := range o.Custodian.Tried {
		if t.NCP != nil {
			c.Rows = append(c.Rows, bars{t.Algorithm, []float64{*t.NCP}})
		}
	}
	if len(c.Rows) < 2 {
		return nil
	}
	return c
}
