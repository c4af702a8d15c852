package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html
var page string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"number": func(n any) string {
		switch n := n.(type) {
		case int:
			return Number(n)
		case int64:
			return Number(int(n))
		}
		return fmt.Sprint(n)
	},
	"six":       func(x float64) string { return fmt.Sprintf("%.6f", x) },
	"two":       func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"share":     percentOf,
	"percent":   percent,
	"mega":      func(b uint64) uint64 { return b >> 20 },
	"shown":     func(items []string) []string { return items[:min(len(items), shownItems)] },
	"hidden":    func(items []string) int { return max(0, len(items)-shownItems) },
	"rules":     func(rules []Rule) []Rule { return rules[:min(len(rules), shownRules)] },
	"moreRules": func(rules []Rule) int { return max(0, len(rules)-shownRules) },
}).Parse(page))

// shownItems is the number of items of one recoding rule that the page spells out, shownRules that of rules; the JSON has all.
const (
	shownItems = 12
	shownRules = 60
)

// headline is one figure at the top of the page.
type headline struct{ Name, Value string }

// headlines are the losses that are shares, and the size of the domain that is left.
func (r *Report) headlines() []headline {
	out := []headline{{"distinct labels", Number(r.Published.Items)}}
	for _, l := range r.Losses {
		if (l.Name == "NCP" || l.Name == "error rate" || l.Name == "nuggets kept") && len(out) < 3 {
			name := map[string]string{"NCP": "information lost (NCP)", "error rate": "error rate", "nuggets kept": "patterns kept (nuggets)"}[l.Name]
			out = append(out, headline{name, percentOf(l.Value)})
		}
	}
	return out
}

// WriteHTML renders the report as one page that needs nothing else: no script, no network.
func (r *Report) WriteHTML(w io.Writer) error {
	attacks, err := r.attackFigures()
	if err != nil {
		return err
	}
	losses, err := r.lossFigures()
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, struct {
		*Report
		Verdict, RecodingSummary   string
		Headlines                  []headline
		AttackFigures, LossFigures []figure
	}{r, r.verdict(), r.recodingSummary(), r.headlines(), attacks, losses})
}
