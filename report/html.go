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
func (o *Outcome) headlines() []headline {
	out := []headline{{"distinct labels", Number(o.Report.Published.Items)}}
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
			out = append(out, headline{name, percentOf(l.Value)})
		}
	}
	return out
}

// Unverified is what a page or text says that was made from a report file.
const Unverified = "This shows what a report file says; mingle report has verified nothing. " +
	"`mingle report --check` compares the file with what was published, `mingle verify` judges that anew."

// CustodiansPage is what a page or text says that holds the figures of an audit file.
const CustodiansPage = "NOT FOR PUBLICATION: this page holds figures of the original, from the audit " +
	"file. Keep it where the original is kept."

// WriteHTML renders the report as one page that needs nothing else: no script, no network.
func (r *Report) WriteHTML(w io.Writer) error { return (&Outcome{Report: r}).WriteHTML(w) }

// WriteHTML renders the page, with what only the custodian may see where it is known.
func (o *Outcome) WriteHTML(w io.Writer) error {
	attacks, err := o.attackFigures()
	if err != nil {
		return err
	}
	losses, err := o.lossFigures()
	if err != nil {
		return err
	}
	warning := ""
	if o.FromFile {
		warning = Unverified
	}
	return pageTemplate.Execute(w, struct {
		*Report
		Custodian                                 *Custodian
		Verdict, RecodingSummary, How, Unverified string
		CustodiansPage                            string
		Headlines                                 []headline
		Test                                      *Attack
		AttackFigures, LossFigures                []figure
		CustodiansNotes                           []string
	}{
		o.Report, o.Custodian, o.Report.verdict(), o.Report.recodingSummary(), o.Report.Verification.how(),
		warning, CustodiansPage, o.headlines(), o.attack(), attacks, losses, o.Custodian.notes(),
	})
}
