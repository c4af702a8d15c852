package report

import (
	"fmt"
	"io"
	"strings"
)

// Unverified is what a page or text says that was made from a report file.
const Unverified = "This shows what a report file says; mingle report has verified nothing. " +
	"`mingle report --check` compares the file with what was published, " +
	"`mingle verify` judges that anew."

// CustodiansPage is what a page or text says that holds the figures of an audit file.
const CustodiansPage = "NOT FOR PUBLICATION: this page holds figures of the original, from " +
	"the audit " +
	"file. Keep it where the original is kept."

// WriteText renders the report for a terminal: the verdict first, in at most 80 columns where
// labels allow.
func (r *Report) WriteText(w io.Writer) error { return (&Outcome{Report: r}).WriteText(w) }

// WriteText renders the report for a terminal, with what only the custodian may see where it is
// known. Where both were read from files, the text begins with the warning that it is secret.
func (o *Outcome) WriteText(w io.Writer) error {
	var s strings.Builder
	r := o.Report
	if o.FromFile && o.Custodian != nil { // a file that may go anywhere, not the screen of the run
		fmt.Fprintln(&s, strings.Join(wrap(CustodiansPage, 80), "\n"))
	}
	fmt.Fprintln(&s, o.Verdict())
	list(&s, "What may help", tries(o.Cautions()))
	list(&s, "Columns beside the "+r.BesideWhat(), o.besideText())
	if o.FromFile {
		list(&s, "Not verified", []string{Unverified})
	}
	field(&s, "condition", r.Guarantee.Inequality)
	field(&s, "adversary", r.Guarantee.Adversary)
	if items := r.Guarantee.Sensitive; len(items) > 0 {
		field(&s, "sensitive", itemSummary(items))
	}
	for _, c := range r.Guarantee.Columns {
		field(&s, "sensitive", "column "+c.Text())
	}
	field(&s, "checked", o.checked())
	p := r.Published
	field(&s, "published", fmt.Sprintf("%s, %s, %s", plural(p.Transactions, "transaction"),
		plural(p.Items, "distinct item"), plural(p.Occurrences, "occurrence")))
	if r.Shuffled || r.Ascending {
		field(&s, "order", r.OrderText())
	}
	field(&s, "algorithm", r.Algorithm)
	o.writeLosses(&s)
	field(&s, "recoding", r.RecodingSummary())
	if text := o.Report.DecidedText(); text != "" {
		field(&s, "decided", text)
	}
	if text := o.Test().summary(); text != "" {
		field(&s, "attacked", text)
	}
	o.writeCustodian(&s)
	if len(r.NotPublished) > 0 && o.Custodian == nil {
		field(&s, "not published", itemSummary(r.NotPublished))
	}
	for _, f := range r.Outputs {
		field(&s, f.Role, fmt.Sprintf("%s, sha256 %s", f.Name, f.SHA256))
	}
	if o.Custodian != nil && o.Custodian.Measured != nil {
		field(&s, "took", o.Custodian.Measured.String())
	}
	list(&s, "Not covered by this guarantee", r.Guarantee.NotCovered)
	list(&s, "Notes", append(append([]string{}, r.Warnings...), o.Custodian.Notes()...))
	list(&s, "Statements of the person who signs", o.said())
	if o.Custodian == nil {
		list(&s, "What this report itself tells of the original", r.OfOriginal)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// writeLosses writes the exact losses where they are known, and else those that the published file
// tells.
func (o *Outcome) writeLosses(s *strings.Builder) {
	losses := o.Report.Losses
	if o.Custodian != nil {
		losses = o.Custodian.Losses
	}
	for _, l := range losses {
		field(s, l.Name, fmt.Sprintf("%s (%s)", LossText(l.Value), l.Formula))
	}
}

// writeCustodian writes what was left out, and what was tried.
func (o *Outcome) writeCustodian(s *strings.Builder) {
	c := o.Custodian
	if c == nil {
		return
	}
	if len(c.Suppressed) > 0 {
		field(s, "suppressed", itemSummary(c.Suppressed))
	}
	if len(c.SuppressedSensitive) > 0 {
		field(s, "suppressed", sensitiveSummary(c.SuppressedSensitive))
	}
	if c.Withheld > 0 {
		field(s, "suppressed", plural(c.Withheld, "transaction"))
	}
	if c.Persons != nil {
		field(s, "persons", c.Persons.String())
	}
	if c.Proof != nil {
		field(s, "proof", c.Proof.Text())
	}
	if len(c.Tried) > 0 {
		field(s, "tried", trialSummary(c.Tried))
	}
}

// Test is the test of the original and the release where there is one, and else that of the
// release.
func (o *Outcome) Test() *Attack {
	if o.Custodian != nil && o.Custodian.Attack != nil {
		return o.Custodian.Attack
	}
	return o.Report.Attack
}

func (o *Outcome) checked() string {
	if o.Custodian == nil || o.Custodian.Verification == nil {
		return o.Report.Verification.How()
	}
	v := o.Custodian.Verification
	if v.Matches != nil {
		return v.Matches.String()
	}
	return fmt.Sprintf("%s counted one by one, the rest proved safe",
		plural(int(v.Itemsets), "combination"))
}

// How says how it was checked.
func (v *Verification) How() string {
	if v.Compared {
		return "by an independent verifier, which read the published file back and compared it " +
			"with the original"
	}
	return "by an independent verifier, on the published file alone"
}

func (r *Report) RecodingSummary() string {
	if r.Verification.Recoding == "nonreciprocal" {
		return "every record as a base set, uncertain items and a threshold, in random order"
	}
	if r.Verification.Recoding == "suppression" {
		return "items are published as they are, or nowhere"
	}
	what := "item"
	if r.ofRanges() {
		what = "value"
	}
	if len(r.Recoding) == 0 && r.LeavesOut {
		return "every " + what + " that is published is published as it is"
	}
	if len(r.Recoding) == 0 {
		return "every " + what + " is published as it is"
	}
	text := r.generalized()
	if r.Verification.Recoding == "local" {
		text += ", not in all lines alike"
	}
	return text
}

// generalized counts what is published for something else. Of ranges the two ends alone are told,
// not which values are between them.
func (r *Report) generalized() string {
	if r.ofRanges() {
		return "generalized to " + plural(len(r.Recoding), "range")
	}
	items := map[string]bool{} // of a local recoding, an item may be below several labels
	for _, rule := range r.Recoding {
		for _, item := range rule.Items {
			items[item] = true
		}
	}
	return fmt.Sprintf("%s generalized to %s", plural(len(items), "item"),
		plural(len(r.Recoding), "label"))
}

// ofRanges tells whether what is published for something else are ranges of values.
func (r *Report) ofRanges() bool { return r.Guarantee.Model == "continuous" }

// Span says which values a range stands for; "": the rule is of items, which it names.
func (r *Report) Span(rule Rule) string {
	if !r.ofRanges() || len(rule.Items) != 2 {
		return ""
	}
	return "from " + rule.Items[0] + " to " + rule.Items[1]
}

// ShownItems is how many items of a list are spelled out; the JSON has all.
const ShownItems = 12

// itemSummary names the first items and counts the rest.
func itemSummary(items []string) string { return summary(items, "item") }

// summary does so with what is called thing.
func summary(items []string, thing string) string {
	text := plural(len(items), thing) + ": " +
		strings.Join(items[:min(len(items), ShownItems)], ", ")
	if more := len(items) - ShownItems; more > 0 {
		text += ", and " + Number(more) + " more"
	}
	return text
}

// trialSummary says what each algorithm that was tried would have lost.
func trialSummary(tried []Trial) string {
	var parts []string
	for _, t := range tried {
		switch {
		case t.NCP == nil:
			parts = append(parts, t.Algorithm+" ("+t.Note+")")
		case t.Note != "":
			parts = append(parts, fmt.Sprintf("%s %s (%s)", t.Algorithm, t.Loss(), t.Note))
		default:
			parts = append(parts, t.Algorithm+" "+t.Loss())
		}
	}
	return strings.Join(parts, "; ")
}

func field(s *strings.Builder, name, value string) {
	const indent = 15
	lines := wrap(value, 80-indent)
	fmt.Fprintf(s, "  %-*s %s\n", indent-3, name, lines[0])
	for _, l := range lines[1:] {
		fmt.Fprintf(s, "%*s%s\n", indent, "", l)
	}
}

func list(s *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(s, "%s:\n", title)
	for _, l := range lines {
		for i, part := range wrap(l, 76) {
			fmt.Fprintf(s, "  %s %s\n", []string{"-", " "}[min(i, 1)], part)
		}
	}
}

// wrap breaks a text between words; there is at least one line.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// plural counts things, with the digits in groups of three.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Number(n) + " " + thing
}

// Number writes a number with its digits in groups of three.
func Number(n int) string {
	digits := fmt.Sprint(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(digits) - 3; i > start; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// LossText writes a loss with six decimals. What is lost is not nothing, and what is left neither.
func LossText(x float64) string {
	switch {
	case 0 < x && x <= 0.0000005:
		return "under 0.000001"
	case 0.9999995 <= x && x < 1:
		return "over 0.999999"
	}
	return fmt.Sprintf("%.6f", x)
}

// Percent writes a share with the digits that matter.
func Percent(x float64) string {
	p := 100 * x
	switch {
	case x == 0:
		return "0 %"
	case p < 0.01:
		return "under 0.01 %"
	case 99.995 <= p && x < 1: // somebody less than all
		return "over 99.99 %"
	case p < 1 || p > 99 && x != 1:
		return fmt.Sprintf("%.2f %%", p)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", p), ".0") + " %"
}
