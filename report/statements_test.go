package report

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mingle/internal/soak"
	"mingle/privacy"
)

// all are statements of which none is missing.
func allStatements() Statements {
	said := Statements{}
	for _, f := range AllFields() {
		said[f.Name] = "said of " + f.Name
	}
	return said
}

// Every name is one of a flag and of a file, and none stands for two fields; each of the twelve
// asks for something, and each field says for what.
func TestFieldsAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range AllFields() {
		if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(f.Name) || seen[f.Name] ||
			f.Label == "" || f.Hint == "" {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
	if len(Chapters) != 12 {
		t.Errorf("there are %d statements", len(Chapters))
	}
	for _, c := range Chapters {
		if len(c.Fields) == 0 || c.Title == "" {
			t.Errorf("%q asks for nothing", c.Title)
		}
	}
}

// A statement has a letter or a digit that can be seen.
func TestStatementsSaySomething(t *testing.T) {
	owner := Field{Name: "owner"}
	for _, text := range []string{"A", "7", " ward 3 ", "病院", "é"} {
		if (Statements{"owner": text}).Value(owner, nil) != strings.TrimSpace(text) {
			t.Errorf("%+q says something", text)
		}
	}
	for _, text := range []string{
		"\u200b", "\u2060", "\ufeff", "\u00ad", "\u2800", "\u3164", "\uffa0", "-", "...", "\u0301", "\x00",
	} {
		if (Statements{"owner": text}).Value(owner, nil) != "" {
			t.Errorf("%+q says nothing", text)
		}
	}
}

// What is missing is named, all of it and nothing else; blanks say nothing.
func TestMissingStatements(t *testing.T) {
	r := sample()
	if missing := allStatements().Missing(r); len(missing) != 0 {
		t.Errorf("%v", missing)
	}
	for _, f := range AllFields() {
		said := allStatements()
		said[f.Name] = " \n\t"
		missing := said.Missing(r)
		if ahead := said.MissingAhead(false); len(ahead) != len(missing) {
			t.Errorf("without %s: %v, before the work %v", f.Name, missing, ahead)
		}
		if f.Default != nil && f.Default(r) != "" {
			if len(missing) != 0 || said.Value(f, r) == "" {
				t.Errorf("%s has no default", f.Name)
			}
			continue
		}
		if len(missing) != 1 || missing[0].Name != f.Name {
			t.Errorf("without %s: %v", f.Name, missing)
		}
		if err := (&Incomplete{missing}).Error(); !strings.Contains(err, "\n  "+f.Name+": ") ||
			!strings.Contains(err, "1 statement is missing") {
			t.Error(err)
		}
	}
	nothing := &Incomplete{Statements{}.Missing(r)}
	for _, f := range AllFields() {
		if named := strings.Contains(nothing.Error(), "\n  "+f.Name+": "); named !=
			(f.Default == nil || f.Default(r) == "") {
			t.Errorf("%s is named: %v", f.Name, named)
		}
	}
}

// Before the work the same is missing: with persons the unit need not be said.
func TestMissingAheadOfPersons(t *testing.T) {
	now := len(Statements{}.Missing(sample()))
	without, with := len(Statements{}.MissingAhead(false)), len(Statements{}.MissingAhead(true))
	if without != now || with != without-1 {
		t.Errorf("%d are missing, before the work %d, with persons %d", now, without, with)
	}
}

// What cannot be meant is refused, all at once, up to 20 and a count.
func TestStatementsThatCannotBeMeant(t *testing.T) {
	if err := allStatements().Check(); err != nil {
		t.Error(err)
	}
	said := Statements{"ownr": "x", "purpose": strings.Repeat("x", LongestStatement+1)}
	err := said.Check()
	if err == nil || !strings.Contains(err.Error(), `"ownr" is not known`) ||
		!strings.Contains(err.Error(), `"purpose" has more than 10,000`) {
		t.Error(err)
	}
	for i := range 30 {
		said[fmt.Sprint("unknown", i)] = ""
	}
	if err = said.Check(); strings.Count(err.Error(), "\n") != 20 ||
		!strings.Contains(err.Error(), "and 12 more") {
		t.Error(err)
	}
}

// Whole percent add up to a hundred, and nobody's share is off by a whole one.
func TestHundredAddsUp(t *testing.T) {
	for seed := range 20_000 {
		x := uint32(seed)*2654435761 + 12345
		var rows []Part
		sum := 0
		for range 1 + seed%7 {
			x = x*1664525 + 1013904223
			rows = append(rows, Part{Count: int(x>>16) % 1000})
			sum += rows[len(rows)-1].Count
		}
		total := 0
		for i, n := range hundred(rows) {
			total += n
			exact := 100 * float64(rows[i].Count) / float64(max(1, sum))
			if float64(n)-exact >= 1 || exact-float64(n) >= 1 {
				t.Fatalf("%v: %d %% for %v", rows, n, exact)
			}
		}
		if sum > 0 && total != 100 {
			t.Fatalf("%v: %d", rows, total)
		}
	}
}

func TestReadings(t *testing.T) {
	o := sampleOutcome()
	o.Custodian.Breakdowns = []Breakdown{{ByLevel, ofOriginal, []Part{
		{Name: "items as they are", Count: 720},
		{Name: "groups 1 level up", Count: 275},
		{Name: "left out", Count: 5},
	}}}
	want := "Of 100 occurrences of the original, 72 are items as they are, 28 groups 1 level up, " +
		"under 1 left out."
	if got := o.Readings(); len(got) != 1 || got[0] != want {
		t.Error(got)
	}
	o.Custodian = nil
	want = "Of 100 published occurrences, 75 are items as they are, 25 groups 1 level up."
	if got := o.Readings(); len(got) != 1 || got[0] != want {
		t.Error(got)
	}
}

func TestSuperscript(t *testing.T) {
	for text, want := range map[string]string{
		"5^2-anonymity with 3^12-diversity": "5²-anonymity with 3¹²-diversity",
		"l^m-diversity":                     "lᵐ-diversity",
		"x^":                                "x^",
		`2^2-anonymity, but "CO^2m" stays`:  `2²-anonymity, but "CO^2m" stays`,
		"no power":                          "no power",
	} {
		if got := Superscript(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

const sealable = "<!DOCTYPE html>\n" + `<tr class="input" data-role="hierarchy" ` +
	`data-name="a&amp;b" data-format="" data-bytes="7" data-sha256="ab" data-keyed="">` +
	`<code id="of-report">`

func sealed(t testing.TB) string {
	t.Helper()
	page, err := Seal(sealable + NoHash + "</code>" + SealMark + NoHash + "</code>")
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// A page whose bytes are changed anywhere has not the hash that it ends with.
func TestSeal(t *testing.T) {
	page := sealed(t)
	p, err := ReadPage([]byte(page))
	if err != nil || !p.Intact || p.Report != NoHash || len(p.Inputs) != 1 ||
		p.Inputs[0] != (File{Role: "hierarchy", Name: "a&b", Bytes: 7, SHA256: "ab"}) {
		t.Fatalf("%+v %v", p, err)
	}
	for at := range page {
		changed := page[:at] + string(page[at]^1) + page[at+1:]
		if p, err := ReadPage([]byte(changed)); err == nil && p.Intact {
			t.Fatalf("byte %d can be changed: %q", at, changed)
		}
	}
	if p, err := ReadPage([]byte(page + "<p>")); err != nil || p.Intact {
		t.Error("something can be added")
	}
	if _, err := ReadPage([]byte(page + page)); err == nil {
		t.Error("two hashes are taken for one")
	}
	if _, err := Seal("no place"); err == nil {
		t.Error("a page without a place for its hash is sealed")
	}
}

func FuzzReadPage(f *testing.F) {
	f.Add([]byte(sealed(f)))
	f.Add([]byte("<!DOCTYPE html>"))
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		IsPage(text)
		p, err := ReadPage(text)
		if err == nil && p.Intact && !strings.Contains(string(text), SealMark) {
			t.Error("a page without a seal is intact")
		}
	})
}

// The error is one that callers can tell from others.
func TestIncompleteIsAnError(t *testing.T) {
	var incomplete *Incomplete
	if !errors.As(fmt.Errorf("x: %w", &Incomplete{}), &incomplete) {
		t.Error("not found")
	}
}

// Where persons are counted the program knows the unit, and no human needs to say it.
func TestUnitOfPersons(t *testing.T) {
	o := sampleOutcome()
	said := allStatements()
	delete(said, "unit")
	if missing := said.Missing(o.Report); len(missing) != 1 || missing[0].Name != "unit" {
		t.Errorf("%v", missing)
	}
	o.Report.Guarantee = KM(privacy.KM{K: 5, M: 2, Persons: true}, false)
	if missing := said.Missing(o.Report); len(missing) != 0 {
		t.Errorf("%v", missing)
	}
	if unit := aboutUnit(o); !strings.Contains(unit[0], "one person") {
		t.Error(unit)
	}
}

// What leaves is named whole: sensitive items and columns beside the labels too.
func TestMinimisationNamesAllThatLeaves(t *testing.T) {
	o := &Outcome{Report: sample()}
	o.Report.Guarantee = KM(privacy.KM{K: 5, M: 2, L: 3, Columns: []string{"ward"}}, false)
	o.Report.Beside = []Beside{{Columns: []string{"age"}}}
	got := strings.Join(aboutMinimisation(o), " ")
	for _, want := range []string{
		"Published as they are: the sensitive items, beside these: the column ward", "unchanged: age",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}
