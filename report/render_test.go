package report_test

import (
	"errors"
	"strings"
	"testing"

	"mingle/report"
	"mingle/report/page"
)

// render gives a report as text and as a page, without the page's style.
func render(t *testing.T, o *report.Outcome) (text, html string) {
	t.Helper()
	var a, b strings.Builder
	if err := errors.Join(o.WriteText(&a), page.Write(&b, o)); err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(b.String(), "<style>")
	_, after, _ := strings.Cut(rest, "</style>")
	return a.String(), before + after
}

// unwrapped is a text without its line breaks.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// What only the custodian may see is in no rendering of the report alone.
func TestReportRendersNothingOfTheCustodian(t *testing.T) {
	text, html := render(t, &report.Outcome{Report: report.Sample()})
	for _, secret := range []string{
		"0.227273", "34,567", "1,201", "lemon", "too long", "the reader", "a note", "a choice",
		"before",
		"NOT FOR PUBLICATION",
	} {
		for _, rendered := range []string{text, html} {
			if strings.Contains(rendered, secret) {
				t.Errorf("%q is in\n%s", secret, rendered)
			}
		}
	}
	for _, want := range []string{
		"0.125000", "1 label known: 0 % of published lines are among fewer than 5 that match",
		"melon", "keyed hash",
	} {
		if !strings.Contains(unwrapped(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// Whoever renders a report file is told that it was not verified, and what verifies it. With the
// figures of an audit file, text and page say that they are secret, the text before anything else.
func TestRenderedFilesSayThatNothingWasVerified(t *testing.T) {
	o := report.SampleOutcome()
	o.FromFile = true
	text, html := render(t, o)
	for _, rendered := range []string{text, html} {
		for _, want := range []string{
			"has verified nothing", "mingle report --check",
			"mingle verify",
		} {
			if !strings.Contains(unwrapped(rendered), want) {
				t.Errorf("%q is missing in\n%s", want, rendered)
			}
		}
	}
	if !strings.Contains(html, report.CustodiansPage) {
		t.Error("a page with the figures of an audit file does not say that it is secret")
	}
	if !strings.HasPrefix(unwrapped(text), report.CustodiansPage+" VERIFIED") {
		t.Errorf("a text with the figures of an audit file does not begin by saying that it is "+
			"secret:\n%s", text)
	}
	o.Custodian = nil
	if text, _ = render(t, o); !strings.HasPrefix(text, "VERIFIED") {
		t.Errorf("a text without such figures begins with\n%.200s", text)
	}
}

func TestHTMLNeedsNothingElse(t *testing.T) {
	_, html := render(t, report.SampleOutcome())
	for _, banned := range []string{
		"<script", "http://", "https://", "src=", "@import", "url(",
		"fruit <&>",
	} {
		if strings.Contains(html, banned) {
			t.Errorf("the page has %q", banned)
		}
	}
	for _, want := range []string{
		"VERIFIED", "0.227273", "fruit &lt;&amp;&gt;", "<bdi>apple</bdi>, <bdi>pear</bdi>",
		"signature", "singled out", "linked",
		"inferred", "is left with at least 5 candidates", `id="singled-out"`, `id="levels"`,
		"3 items known *", "12.50 ± 2.50 %", "an attack&#39;s note",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// A name may hold anything; what a reader sees of the page, or of its source on a terminal, is the
// name, and does nothing.
func TestPageHasNoControlCharacters(t *testing.T) {
	out := report.SampleOutcome()
	out.Report.Command = "mingle anonymize km a\x1b[2J\u202eb\u009b31m"
	_, html := render(t, out)
	if strings.ContainsAny(html, "\x1b\u202e\u009b") || !strings.Contains(html, `a\x1b[2J\u202eb`) {
		t.Error("control characters of a name are in the page as they are")
	}
}
