package page

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mingle/attack"
	"mingle/privacy"
	"mingle/report"
	"mingle/verify"
)

const hostile = `"><script>alert(1)</script><b id='x' onmouseover=alert(2)>&amp;` + "\x1b[2J\u202e"

// full is an outcome with something in every chapter; every text that comes from data, names or
// people is s.
func full(s string) *report.Outcome {
	share := attack.Estimate{Value: 0.125, Low: 0.1, High: 0.15}
	attempts := func(of string, before *attack.Estimate) *report.Attack {
		return &report.Attack{K: 5, Draws: 100, Notes: []string{s}, Attempts: []report.Attempt{{
			Question: report.SinglingOut, Figure: report.FigureUnderK, Known: 2, Of: of,
			Promised: true, Before: before, After: share, Baseline: 0.1,
		}}}
	}
	hash := strings.Repeat("a", 64)
	breakdown := []report.Breakdown{
		{By: report.ByLevel, Unit: "occurrences", Rows: []report.Part{{Name: "items as they are", Count: 3}}},
		{By: report.ByLabel, Unit: "transactions", Rows: []report.Part{{Name: s, Labels: 1, Count: 3}}},
		{By: report.ByRarity, Unit: "occurrences", Rows: []report.Part{{Name: "labels in 5 to 9 transactions", Labels: 2, Count: 9}}},
	}
	ncp := 0.25
	o := &report.Outcome{
		Statements: report.Statements{}, FromFile: true,
		Report: &report.Report{
			Schema: report.Schema, Program: report.Program{Name: "mingle", Version: "0"}, Command: s,
			Inputs:    []report.File{{Role: "hierarchy", Name: s, SHA256: hash, Bytes: 3}, {Role: "transactions", Name: s, Keyed: hash}},
			Outputs:   []report.File{{Role: report.RolePublished, Name: s, SHA256: hash, Bytes: 3}},
			Guarantee: report.KM(privacy.KM{K: 5, M: 2}, false), Algorithm: "aa",
			Verification: &report.Verification{Holds: true, Compared: true, Recoding: "local"},
			Published: report.Published{
				Transactions: 1200, Occurrences: 3400, Items: 56, Longest: 7,
			},
			Beside:       []report.Beside{{Columns: []string{s}, Distinct: 3, Unique: 0.25}},
			Losses:       []report.Loss{{Name: "NCP, labels", Value: 0.125, Formula: "f", Source: "s"}},
			Recoding:     []report.Rule{{Label: s, Items: []string{s, s}}},
			NotPublished: []string{s}, Breakdowns: breakdown, Attack: attempts("label", nil),
			Decided:    &attack.Decided{Labels: 2},
			Cautions:   []report.Caution{{About: report.AboutColumns, Says: s, Try: []string{s}}},
			Warnings:   []string{s},
			OfOriginal: []string{s},
		},
		Custodian: &report.Custodian{
			Method: s,
			Verification: &verify.Finding{
				Holds: true, Transactions: 3, Itemsets: 4, Notes: []string{s},
			},
			Losses:     []report.Loss{{Name: "NCP", Value: 0.5, Formula: s, Source: s}},
			Suppressed: []string{s}, Withheld: 2, Attack: attempts("item", &share),
			Tried:    []report.Trial{{Algorithm: s, NCP: &ncp, Note: s}, {Algorithm: "aa", NCP: &ncp}},
			Warnings: []string{s},
			Measured: &report.Measured{Phases: []report.Phase{{Name: "read", Seconds: 1}}, Seconds: 1},
		},
	}
	for _, f := range report.AllFields() {
		o.Statements[f.Name] = s
	}
	return o
}

func write(t *testing.T, o *report.Outcome) string {
	t.Helper()
	var out strings.Builder
	if err := Write(&out, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Labels, names and statements come from anybody. None of them is markup, wherever it stands, and
// none has a control character left; the page's own hash holds for it, and can be read back.
func TestHostileTextsAreText(t *testing.T) {
	for _, final := range []bool{false, true} {
		o := full(hostile)
		o.Final = final
		text := write(t, o)
		for _, banned := range []string{"<script", "<b id", "onmouseover=alert(2)>&amp;\x1b", "\x1b", "\u202e"} {
			if strings.Contains(text, banned) {
				t.Errorf("final %v: the page has %q", final, banned)
			}
		}
		if n := strings.Count(text, "&lt;script&gt;"); n < 25+len(o.Statements) {
			t.Errorf("final %v: the text is shown %d times", final, n)
		}
		p, err := report.ReadPage([]byte(text))
		if err != nil || !p.Intact || len(p.Inputs) != 2 || len(p.Outputs) != 1 ||
			p.Outputs[0].Name != report.Visible(hostile) {
			t.Errorf("final %v: %+v %v", final, p, err)
		}
	}
}

// A name of letters that are written from right to left does not turn the names around it: each
// stands for itself (bdi).
func TestNamesStandForThemselves(t *testing.T) {
	const name = "تفاح 12"
	text := write(t, full(name))
	list := "<bdi>" + name + "</bdi>, <bdi>" + name + "</bdi>"
	if !strings.Contains(text, "<bdi>"+name+"</bdi></th><td>"+list) {
		t.Error("names of a rule are not apart from each other")
	}
	for _, before := range []string{"stands for: ", "Suppressed: "} {
		if !strings.Contains(text, before+"<bdi>"+name+"</bdi>") {
			t.Errorf("the name after %q is not apart", before)
		}
	}
}

// Every chapter is there, and says what it is about.
func TestChapters(t *testing.T) {
	text := write(t, full("told"))
	for _, id := range []string{
		"sheet", "secret", "beside", "order", "verdict", "tries", "words", "in-short", "signature", "guarantee", "answers",
		"not-covered", "attempts", "decided", "unverified", "notes", "losses-published",
		"losses-exact", "of-original", "files", "of-report", "seal", "own-hash", "singled-out",
		"levels", "labels", "tried",
	} {
		if strings.Count(text, `id="`+id+`"`) != 1 {
			t.Errorf("%q is there %d times", id, strings.Count(text, `id="`+id+`"`))
		}
	}
	for i, c := range report.Chapters {
		if !strings.Contains(text, fmt.Sprintf(`id="statement-%d"`, i+1)) ||
			!strings.Contains(text, strings.ReplaceAll(c.Title, "'", "&#39;")) {
			t.Errorf("statement %d, %s, is missing", i+1, c.Title)
		}
	}
	for _, want := range []string{
		"VERIFIED, WITH CAUTION: the published data keeps 5²-anonymity", "one in 5 (20 %)",
		"NOT FOR PUBLICATION", "Suppressed transactions: 2", "2 labels, in 5 to 9 transactions",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// What is missing can be typed in; of a final page nothing but the signature can.
func TestFieldsAreThereToBeFilledIn(t *testing.T) {
	fieldsOf := func(text string) int { return strings.Count(text, `contenteditable="true"`) }
	o := full("told")
	if n := fieldsOf(write(t, o)); n != len(report.AllFields())-1+3 { // the title is the heading
		t.Errorf("%d fields", n)
	}
	o.Final = true
	if text := write(t, o); fieldsOf(text) != 3 || strings.Contains(text, `id="draft"`) {
		t.Errorf("%d fields", fieldsOf(text))
	}
	o.Final, o.Statements = false, nil
	if !strings.Contains(write(t, o), `id="draft"`) {
		t.Error("a page without statements does not say that it is a draft")
	}
}

// A report with as little in it as can be is a page too.
func TestEmptyReport(t *testing.T) {
	for _, holds := range []bool{true, false} {
		text := write(t, &report.Outcome{Report: &report.Report{
			Verification: &report.Verification{Holds: holds},
		}})
		want := map[bool]string{true: `class="verdict holds"`, false: `class="verdict broken"`}[holds]
		if !strings.Contains(text, want) || strings.Contains(text, "NaN") {
			t.Errorf("%v: %.3000s", holds, text)
		}
		if p, err := report.ReadPage([]byte(text)); err != nil || !p.Intact {
			t.Errorf("%+v %v", p, err)
		}
	}
}

// Every cell that heads a row or a column says which, every drawing is told in words, every field
// has a name, and headings go down by one.
func TestAccessible(t *testing.T) {
	text := write(t, full("told"))
	for _, th := range regexp.MustCompile(`<th[^>]*>`).FindAllString(text, -1) {
		if !strings.HasPrefix(th, "<thead") && !strings.Contains(th, `scope="`) {
			t.Errorf("%s has no scope", th)
		}
	}
	for _, svg := range regexp.MustCompile(`<svg[^>]*>`).FindAllString(text, -1) {
		words := regexp.MustCompile(`role="img".* aria-label="[^"]{20,}: [^"]+"`)
		if !words.MatchString(svg) {
			t.Errorf("%s: a drawing that is not told", svg)
		}
	}
	if n := strings.Count(text, "<svg"); n < 4 {
		t.Errorf("%d drawings", n)
	}
	for _, field := range regexp.MustCompile(`<div class="field"[^>]*>`).FindAllString(text, -1) {
		if !regexp.MustCompile(`role="textbox".* aria-label="[^"]+"`).MatchString(field) {
			t.Errorf("%s has no name", field)
		}
	}
	last := 0
	for _, h := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(text, -1) {
		level, _ := strconv.Atoi(h[1])
		if level > last+1 {
			t.Errorf("a heading of level %d follows one of %d", level, last)
		}
		last = level
	}
	for _, want := range []string{`<html lang="en">`, "<main>", "<title>", `name="viewport"`} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is there %d times", want, strings.Count(text, want))
		}
	}
}

// Letters stand out from what is behind them, in light, in the dark and on paper, by 4.5 to 1
// (WCAG 2.2, 1.4.3), bars by 3 to 1 where they are on a screen (1.4.11).
func TestContrast(t *testing.T) {
	blocks := regexp.MustCompile(`:root \{[^}]*\}`).FindAllString(style, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d sets of colours", len(blocks))
	}
	for i, block := range blocks {
		is := map[string]color.RGBA{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]+)`).FindAllStringSubmatch(block, -1) {
			is[m[1]] = colorOf(t, m[2])
		}
		for _, pair := range [][2]string{
			{"ink", "paper"},
			{"soft", "paper"},
			{"ink", "box"},
			{"soft", "box"},
			{"ink", "good-box"},
			{"ink", "warn-box"},
			{"ink", "bad-box"},
		} {
			if c := contrast(is[pair[0]], is[pair[1]]); c < 4.5 {
				t.Errorf("set %d: %s on %s: %.2f", i, pair[0], pair[1], c)
			}
		}
		for n, c := range seriesColors {
			if got := contrast(colorOf(t, c[1:]), is["paper"]); got < 3 {
				t.Errorf("set %d: bars of series %d: %.2f", i, n, got)
			}
		}
	}
}

func colorOf(t *testing.T, digits string) color.RGBA {
	t.Helper()
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 6 {
		t.Fatalf("%q is no colour", digits)
	}
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
}

// contrast is that of WCAG 2.2: of relative luminances.
func contrast(a, b color.RGBA) float64 {
	luminance := func(c color.RGBA) float64 {
		part := func(v uint8) float64 {
			if s := float64(v) / 255; s > 0.04045 {
				return math.Pow((s+0.055)/1.055, 2.4)
			} else {
				return s / 12.92
			}
		}
		return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
	}
	high, low := luminance(a), luminance(b)
	if high < low {
		high, low = low, high
	}
	return (high + 0.05) / (low + 0.05)
}

// Of the three questions the first sheet has the first sentence of each answer, with its limit.
func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"Not by 0.5 of them: 5 match. Beyond that, no.": "Not by 0.5 of them: 5 match; beyond that, no.",
		"At most 1/2. For others, no. See there.":       "At most 1/2; for others, no.",
		"All may share it. Sensitive items need l.":     "All may share it.",
		"One only.": "One only.",
		"":          "",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What is more than nothing does not look like nothing.
// A figure that was drawn says so; one that is exact does not.
func TestDrawnFiguresSayOfHowManyDraws(t *testing.T) {
	for _, exact := range []bool{false, true} {
		a := full("x").Custodian.Attack
		a.Attempts[0].Exact = exact
		says := attackFigures(a, nil)[0].Says
		if strings.Contains(says, "Of 100 draws") == exact {
			t.Errorf("exact: %v: %s", exact, says)
		}
	}
}

func TestPercentOfAnEstimate(t *testing.T) {
	for e, want := range map[attack.Estimate]string{
		{}:                                   "0.00 %",
		{Value: 3e-5, Low: 3e-5, High: 3e-5}: "under 0.01 %",
		{Value: 0.99997, Low: 0.99997, High: 0.99997}: "over 99.99 %",
		{Value: 3e-5, High: 0.001}:                    "under 0.01 ± 0.05 %",
		{Value: 0.5, Low: 0.5, High: 0.5}:             "50.00 %",
		{High: 0.001}:                                 "0.00 ± 0.05 %",
		{Value: 0.5, Low: 0.49999, High: 0.50001}:     "50.00 ± under 0.01 %",
	} {
		if got := percent(e); got != want {
			t.Errorf("%v: %q, want %q", e, got, want)
		}
	}
}
