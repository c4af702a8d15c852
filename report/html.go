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
	"six":    func(x float64) string { return fmt.Sprintf("%.6f", x) },
	"two":    func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"mega":   func(b uint64) uint64 { return b >> 20 },
	"shown":  func(items []string) []string { return items[:min(len(items), shownItems)] },
	"hidden": func(items []string) int { return max(0, len(items)-shownItems) },
}).Parse(page))

// shownItems is the number of items of one recoding rule that the page spells out; the JSON has all.
const shownItems = 12

// WriteHTML renders the report as one page that needs nothing else: no script, no network.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, struct {
		*Report
		Verdict         string
		RecodingSummary string
	}{r, r.verdict(), r.recodingSummary()})
}
