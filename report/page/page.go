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
	"sync"

	"mingle/attack"
	"mingle/report"
)

//go:embed page.html
var page string

//go:embed page.css
var style string

// shownRules is the number of recoding rules that the page spells out; the JSON has all.
const shownRules = 60

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(functions).Parse(page))
})

var functions = template.FuncMap{
	"number": func(n any) string {
		switch n := n.(type) {
		case int:
			return report.Number(n)
		case int64:
			return report.Number(int(n))
		}
		return fmt.Sprint(n)
	},
	"six":     report.LossText,
	"two":     func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"share":   report.Percent,
	"percent": percent,
	"mega":    func(b uint64) uint64 { return b >> 20 },
	"shown":   func(items []string) []string { return items[:min(len(items), report.ShownItems)] },
	"hidden":  func(items []string) int { return max(0, len(items)-report.ShownItems) },
	"rules": func(rules []report.Rule) []report.Rule {
		return rules[:min(len(rules), shownRules)]
	},
	"inc":       func(i int) int { return i + 1 },
	"losses":    func(id, title string, l []report.Loss) lossTable { return lossTable{id, title, l} },
	"moreRules": func(rules []report.Rule) int { return max(0, len(rules)-shownRules) },
}

// lossTable is a table of losses with its id and the title of its first column.
type lossTable struct {
	ID, Title string
	Losses    []report.Loss
}

// percent is a share in words, with the half-width of its 95 % interval where it was drawn.
func percent(e attack.Estimate) string {
	value := fmt.Sprintf("%.2f", 100*e.Value)
	if 0 < e.Value && e.Value < 0.0001 { // somebody is not nobody
		value = "under 0.01"
	} else if 0.99995 <= e.Value && e.Value < 1 {
		value = "over 99.99"
	}
	if e.Low == e.High {
		return value + " %"
	}
	half := 50 * (e.High - e.Low)
	if half < 0.005 { // what was drawn is not known to the last digit
		return value + " ± under 0.01 %"
	}
	return fmt.Sprintf("%s ± %.2f %%", value, half)
}

// Write renders a report as the page that is signed, with what only the custodian may see where it
// is known. The page ends with its own hash: see [report.Seal].
func Write(w io.Writer, o *report.Outcome) error {
	content, err := contentOf(o)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := pageTemplate().Execute(&page, content); err != nil {
		return err
	}
	sealed, err := report.Seal(report.Visible(page.String()))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, sealed)
	return err
}
