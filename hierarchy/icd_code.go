package hierarchy

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/internal/lazy"
)

// This file reads codes of ICD-9-CM and ICD-10, and tables of their chapters and blocks.

// ICDVersion is an edition of the classification: codes are written in different ways.
type ICDVersion int

// The editions.
const (
	ICD9  ICDVersion = 9  // ICD-9-CM: 001-999, E000-E999, V01-V91, and up to two more digits
	ICD10 ICDVersion = 10 // ICD-10 and national editions: A00-Z99, up to four more characters
)

// CodeRange is a chapter, a block or a category: the categories From to To, as a table has them.
type CodeRange struct {
	From, To string // categories, in one spelling
	Title    string
	Table    string
	Line     int // of the table
}

// categoryLen is how many characters of a code without dots name its category.
func (v ICDVersion) categoryLen(code string) int {
	if v == ICD9 && strings.HasPrefix(code, "E") {
		return 4
	}
	return 3
}

// marks follow codes of ICD-10: dagger and asterisk, and what national editions add.
const marks = "†*+!#"

// spell is a code in one spelling: in capital letters, without dot and marks, and of ICD-9-CM with
// the leading zeros of its category; ok is false for what is no code.
func (v ICDVersion) spell(text string) (code string, ok bool) {
	code = strings.ToUpper(strings.TrimSpace(text))
	if v == ICD10 {
		code = strings.Replace(strings.TrimRight(code, marks), ".", "", 1)
		return code, icd10().MatchString(code)
	}
	letter, digits := "", code
	if strings.HasPrefix(code, "E") || strings.HasPrefix(code, "V") {
		letter, digits = code[:1], code[1:]
	}
	width := 3
	if letter == "V" {
		width = 2
	}
	category, rest, dotted := strings.Cut(digits, ".")
	if n := width - len(category); n > 0 && (dotted || rest == "") {
		category = strings.Repeat("0", n) + category
	}
	code = letter + category + rest
	return code, icd9().MatchString(code) && digits != "" && (!dotted || len(category) == width)
}

var (
	icd9  = lazy.Regexp(`^([0-9]{3}|V[0-9]{2}|E[0-9]{3})[0-9]{0,2}$`)
	icd10 = lazy.Regexp(`^[A-Z][0-9][0-9A-Z][0-9A-Z]{0,4}$`)
)

// A line of a table: a range or a single code in one or two columns, then its title.
var (
	codeText  = `"?([A-Za-z]?[0-9][0-9A-Za-z]{0,3}(?:\.[0-9A-Za-z]+)?)"?`
	rangeText = lazy.Regexp(`^\s*"?` + codeText + `\s*[-–—]\s*` + codeText + `(?:$|[\s,;|"])(.*)$`)
	twoText   = lazy.Regexp(`^\s*` + codeText + `\s*[,;|\t]\s*` + codeText + `\s*[,;|\t](.*)$`)
	oneText   = lazy.Regexp(`^\s*` + codeText + `(?:$|[\s,;|])(.*)$`)
)

// place is where a range is written, before what is said of it.
func (r CodeRange) place() string {
	if r.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", r.Table, r.Line)
}

// ReadCodeRanges reads a table of chapters, blocks and categories: a line for each, with its first
// and its last category ("001-139,Infectious diseases", "A00;B99;Infectious diseases") or one
// alone, and its title. A first line without a code is a header. Codes below a category are passed
// over, so that a list of all codes does no harm. What is wrong is a *dataset.Faults.
func ReadCodeRanges(r io.Reader, name string) ([]CodeRange, error) {
	text, err := readAll(r, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s, err := newSource(strings.TrimPrefix(text, "\ufeff"), ReadOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out []CodeRange
	for i, line := range s.lines() {
		from, to, title, ok := cutRange(line)
		switch {
		case ok:
			out = append(out, CodeRange{from, to, strings.Trim(title, " \t\r,;|\""), name, i + 1})
		case i > 0 && !strings.HasPrefix(line, "#"):
			s.bad.Addf(i+1, "%.60q is no range of codes: a line must read as 001-139,Infectious "+
				"diseases", line)
		}
	}
	if len(out) == 0 && !s.bad.Any() {
		s.bad.Addf(0, "the table of code ranges is empty: it needs lines such as 001-139,Infectious "+
			"diseases")
	}
	return out, s.bad.Err(name)
}

func cutRange(line string) (from, to, title string, ok bool) {
	if m := rangeText().FindStringSubmatch(line); m != nil {
		return m[1], m[2], m[3], true
	}
	if m := twoText().FindStringSubmatch(line); m != nil {
		return m[1], m[2], m[3], true
	}
	if m := oneText().FindStringSubmatch(line); m != nil {
		return m[1], m[1], m[2], true
	}
	return "", "", "", false
}

// VersionOf is the edition that a table is of: only categories of ICD-9-CM begin with a digit.
func VersionOf(ranges []CodeRange) ICDVersion {
	digit := func(r CodeRange) bool { return r.From != "" && r.From[0] >= '0' && r.From[0] <= '9' }
	if slices.ContainsFunc(ranges, digit) {
		return ICD9
	}
	return ICD10
}

// icdRange is a range with those inside it.
type icdRange struct {
	CodeRange
	inside []*icdRange
}

// nested puts ranges into each other. Two that overlap, neither inside the other, are a fault.
func (v ICDVersion) nested(ranges []CodeRange, bad *dataset.Faults) []*icdRange {
	var all []*icdRange
	for _, r := range ranges {
		from, okFrom := v.spell(r.From)
		to, okTo := v.spell(r.To)
		switch {
		case !okFrom || !okTo:
			bad.Addf(0, "%s%s-%s are no codes of ICD-%d", r.place(), r.From, r.To, v)
		case len(from) > v.categoryLen(from) || len(to) > v.categoryLen(to):
			// below a category
		case from > to:
			bad.Addf(0, "%sthe range %s-%s ends before it begins", r.place(), r.From, r.To)
		default:
			all = append(all, &icdRange{CodeRange: CodeRange{from, to, r.Title, r.Table, r.Line}})
		}
	}
	slices.SortStableFunc(all, func(a, b *icdRange) int {
		if c := strings.Compare(a.From, b.From); c != 0 {
			return c
		}
		return strings.Compare(b.To, a.To)
	})
	top := &icdRange{}
	open := []*icdRange{top}
	for _, r := range all {
		for len(open) > 1 && open[len(open)-1].To < r.From {
			open = open[:len(open)-1]
		}
		up := open[len(open)-1]
		switch {
		case up == top || r.To <= up.To && (r.From != up.From || r.To != up.To):
			up.inside, open = append(up.inside, r), append(open, r)
		case r.From == up.From && r.To == up.To: // the same again, in another table
		default:
			bad.Addf(0, "%sthe range %s-%s overlaps %s-%s (%s:%d), and neither is inside the other",
				r.place(), r.From, r.To, up.From, up.To, up.Table, up.Line)
		}
	}
	return top.inside
}
