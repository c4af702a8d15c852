package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mingle/attack"
)

// Attack is an adversarial test: the attacks of package attack. That of a report attacks the
// published file alone: the adversary knows some labels of a published line. That of the custodian
// attacks the original and the release with items of the original. Shares are not rounded: one
// person of a million is not 0, and thresholds look at them.
type Attack struct {
	K        int       `json:"k"`               // fewer than k matches are told
	Draws    int       `json:"draws,omitempty"` // persons drawn where not all were looked at
	Attempts []Attempt `json:"attempts"`
	Notes    []string  `json:"notes"`
}

// Attempt is one figure of one attack, before and after.
type Attempt struct {
	Question string `json:"question"` // one of the three of WP216: singling out, linking, inference
	Figure   string `json:"figure"`   // what the share is of, in words
	Known    int    `json:"known"`    // items, or labels, that the adversary knows
	// what they are: item, of the original, or label, of a published line
	Of string `json:"of"`
	// Promised says that the guarantee bounds the figure for so many known items.
	Promised bool `json:"promised"`
	Exact    bool `json:"exact"`
	// of an adversary who knows neither the original nor the release
	Baseline float64          `json:"baseline"`
	Before   *attack.Estimate `json:"before,omitempty"` // nil: of the published file alone
	After    attack.Estimate  `json:"after"`
}

// The three questions of WP216.
const (
	SinglingOut = "singling out"
	Linking     = "linking"
	Inference   = "inference"
)

// The figures that are told.
const (
	FigureUnderK    = "fewer than k records match"
	figureUnique    = "one record matches"
	figureSuccess   = "the right record is picked"
	FigureLinked    = "items of one person are told to belong together"
	FigureItem      = "probability given to a further item"
	FigureSensitive = "probability given to a sensitive item"
)

// FigureOfColumn is that of inferring the value of a sensitive column.
func FigureOfColumn(name string) string { return figureOfColumn + strconv.Quote(name) }

const figureOfColumn = "probability given to the value of column "

// The kinds of what is known.
const (
	ofItems  = "item"
	ofLabels = "label"
)

// NewPublicAttack takes the figures from the result of attacking the published file with its own
// lines.
func NewPublicAttack(r *attack.Result, promised int, sensitive bool) *Attack {
	a := NewAttack(r, promised, sensitive)
	for i := range a.Attempts {
		a.Attempts[i].Before, a.Attempts[i].Of = nil, ofLabels
	}
	return a
}

// NewAttack takes the figures from the result of attacking an original and its release. The promise
// is about at most promised known items; sensitive: it bounds the inference of sensitive items too.
func NewAttack(r *attack.Result, promised int, sensitive bool) *Attack {
	a := &Attack{K: r.K, Attempts: []Attempt{}, Notes: append([]string{}, r.Notes...)}
	if r.Missing > 0 {
		// how many would be the support of an item that alone is left out
		a.Notes = append(a.Notes, attack.MissingNote)
	}
	for _, s := range r.SinglingOut {
		a.Draws = max(a.Draws, s.Draws)
		base := Attempt{
			Question: SinglingOut, Known: s.Known, Promised: s.Known <= promised,
			Exact: s.Exact,
		}
		a.add(base, FigureUnderK, boolShare(r.Records < r.K), s.Before.UnderK, s.After.UnderK)
		a.add(base, figureUnique, boolShare(r.Records == 1), s.Before.Unique, s.After.Unique)
		a.add(base, figureSuccess, s.Baseline, s.Before.Success, s.After.Success)
	}
	for _, l := range r.Linking {
		a.Draws = max(a.Draws, l.Draws)
		a.add(Attempt{Question: Linking, Known: l.Known}, FigureLinked, l.Baseline, l.Before,
			l.After)
	}
	for _, i := range r.Inference {
		a.Draws = max(a.Draws, i.Draws)
		base := Attempt{Question: Inference, Known: i.Known, Exact: i.Exact}
		figure := FigureItem
		if i.Of == "sensitive" {
			figure, base.Promised = FigureSensitive, sensitive && i.Known <= promised
		}
		if i.Column != "" {
			figure, base.Promised = FigureOfColumn(i.Column), sensitive && i.Known <= promised
		}
		a.add(base, figure, i.Baseline.Average.Value, i.Before.Average, i.After.Average)
	}
	return a
}

func boolShare(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (a *Attack) add(base Attempt, figure string, baseline float64, before, after attack.Estimate) {
	before = attack.Estimate{
		Value: digits(before.Value), Low: digits(before.Low), High: digits(before.High),
	}
	base.Figure, base.Baseline = figure, digits(baseline)
	base.Before, base.Of = &before, ofItems
	base.After = attack.Estimate{
		Value: digits(after.Value), Low: digits(after.Low), High: digits(after.High),
	}
	a.Attempts = append(a.Attempts, base)
}

// digits keeps the twelve leading digits of a figure. The others depend on the order in which
// shares were added up, and that is another one on a cluster. The smallest share stays above zero.
func digits(x float64) float64 {
	kept, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		return x
	}
	return kept
}

// Of are the attempts with one figure, in the order of known items.
func (a *Attack) Of(figure string) []Attempt {
	var out []Attempt
	if a == nil {
		return nil
	}
	for _, t := range a.Attempts {
		if t.Figure == figure {
			out = append(out, t)
		}
	}
	return out
}

// summary says for the most items that the promise is about, and for more, how many persons match
// fewer than k records.
func (a *Attack) summary() string {
	var parts []string
	for _, t := range a.Of(FigureUnderK) {
		note := ""
		if !t.Promised {
			note = " (more than is promised)"
		}
		what := fmt.Sprintf("%s known%s: ", t.KnownItems(), note)
		if t.Before != nil {
			what += fmt.Sprintf("%s of persons match fewer than %d records before, %s after",
				Percent(t.Before.Value), a.K, Percent(t.After.Value))
		} else {
			what += fmt.Sprintf("%s of published lines are among fewer than %d that match",
				Percent(t.After.Value), a.K)
		}
		if !t.Exact && a.Draws > 0 {
			what += " (of " + plural(a.Draws, "draw") + ")"
		}
		parts = append(parts, what)
	}
	if len(parts) > 2 {
		parts = parts[len(parts)-2:]
	}
	return strings.Join(parts, "; ")
}

// DecidedText says how many labels can be one item only; "" where there are none above items.
func (r *Report) DecidedText() string {
	d := r.Decided
	if d == nil || d.Labels == 0 {
		return ""
	}
	return fmt.Sprintf("Of %s published labels above items, %s can be one item only for "+
		"whoever looks at the line, "+
		"and %s for whoever knows that all items below a child of a label move together.",
		Number(d.Labels), Number(d.ByLowestNode), Number(d.ChildByChild))
}

// OfLabels tells whether the published file alone was attacked, by somebody who knows published
// labels.
func (a *Attack) OfLabels() bool { return len(a.Attempts) > 0 && a.Attempts[0].Of == ofLabels }

// HasBefore tells whether the original was attacked too.
func (a *Attack) HasBefore() bool {
	return slices.ContainsFunc(a.Attempts, func(t Attempt) bool { return t.Before != nil })
}

// KnownItems names what the adversary knows.
func (t *Attempt) KnownItems() string { return plural(t.Known, t.Of) }
