// Package page renders a report as one HTML page that needs nothing else: no script, no network. It
// is a package of its own so that whoever reads or writes reports does not pull in fonts and
// plotting.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"mingle/attack"
	"mingle/report"
)

//go:embed page.html
var page string

// shownRules is the number of recoding rules that the page spells out; the JSON has all.
const shownRules = 60

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"number": func(n any) string {
		switch n := n.(type) {
		case int:
			return report.Number(n)
		case int64:
			return report.Number(int(n))
		}
		return fmt.Sprint(n)
	},
	"six":     func(x float64) string { return fmt.Sprintf("%.6f", x) },
	"two":     func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"share":   report.Percent,
	"percent": percent,
	"mega":    func(b uint64) uint64 { return b >> 20 },
	"shown":   func(items []string) []string { return items[:min(len(items), report.ShownItems)] },
	"hidden":  func(items []string) int { return max(0, len(items)-report.ShownItems) },
	"rules": func(rules []report.Rule) []report.Rule {
		return rules[:min(len(rules), shownRules)]
	},
	"moreRules": func(rules []report.Rule) int { return max(0, len(rules)-shownRules) },
}).Parse(page))

// percent is a share in words, with the half-width of its 95 % interval where it was drawn.
func percent(e attack.Estimate) string {
	if e.Low == e.High {
		return fmt.Sprintf("%.2f %%", 100*e.Value)
	}
	return fmt.Sprintf("%.2f ± %.2f %%", 100*e.Value, 50*(e.High-e.Low))
}

// headline is one figure at the top of the page.
type headline struct{ Name, Value string }

// headlines are the losses that are shares, and the size of the domain that is left.
func headlines(o *report.Outcome) []headline {
	out := []headline{{"distinct labels", report.Number(o.Report.Published.Items)}}
	losses := o.Report.Losses
	if o.Custodian != nil {
		losses = o.Custodian.Losses
	}
	names := map[string]string{
		"NCP": "information lost (NCP)", "NCP, labels": "loss of a published label (NCP)",
		"error rate": "error rate", "nuggets kept": "patterns kept (nuggets)",
	}
	for _, l := range losses {
		if name, ok := names[l.Name]; ok && len(out) < 3 {
			out = append(out, headline{name, report.Percent(l.Value)})
		}
	}
	return out
}

// colour is that of the verdict.
func colour(o *report.Outcome) string {
	switch {
	case !o.Report.Verification.Holds:
		return "broken"
	case len(o.Cautions()) > 0:
		return "caution"
	}
	return "holds"
}

// Write renders a report, with what only the custodian may see where it is known.
func Write(w io.Writer, o *report.Outcome) error {
	attacks, err := attackFigures(o.Test())
	if err != nil {
		return err
	}
	losses, err := lossFigures(o)
	if err != nil {
		return err
	}
	warning := ""
	if o.FromFile {
		warning = report.Unverified
	}
	var page bytes.Buffer
	err = pageTemplate.Execute(&page, struct {
		*report.Report
		Custodian                  *report.Custodian
		Unverified, CustodiansPage string
		FullVerdict, Colour        string
		Cautions                   []report.Caution
		Headlines                  []headline
		Test                       *report.Attack
		AttackFigures, LossFigures []figure
	}{
		o.Report, o.Custodian, warning, report.CustodiansPage, o.Verdict(), colour(o),
		o.Cautions(), headlines(o), o.Test(), attacks,
		losses,
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, report.Visible(page.String()))
	return err
}
