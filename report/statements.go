package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mingle/privacy"
)

// Statements are what only a human can say about a release: who gives it to whom, for what, and how
// the rest of the risk was judged. They are by the names of [Fields]. They are no part of the
// [Report], which is a function of the release; the page that is signed has both.
type Statements map[string]string

// Field is one statement that a human makes.
type Field struct {
	Name  string // in a file of statements; the flag of those on top of the page
	Label string // on the page
	Hint  string // what is asked for
	// Default is what stands there where nothing is said; nil: it must be said.
	Default func(*Report) string
}

// Top are the fields of the top of the page.
var Top = []Field{
	{
		Name: "title", Label: "Title", Hint: "of this release",
		Default: func(r *Report) string { return "Release of " + publishedName(r) },
	},
	{Name: "data-set", Label: "Data set", Hint: "what the original is, of whom, of which time"},
	{Name: "owner", Label: "Owner", Hint: "who is responsible for the data"},
	{Name: "recipient", Label: "Recipient", Hint: "who gets the published file"},
	{Name: "purpose", Label: "Purpose", Hint: "what the recipient may use it for"},
	{Name: "date", Label: "Date", Hint: "of the release, such as 2026-11-30"},
	{
		Name: "release-id", Label: "Release id", Hint: "the beginning of the published file's hash",
		Default: func(r *Report) string { return publishedHash(r) },
	},
}

func publishedName(r *Report) string {
	for _, f := range r.Outputs {
		if f.Role == RolePublished {
			return f.Name
		}
	}
	return "set-valued data"
}

// publishedHash is as much of the published file's hash as tells releases apart.
func publishedHash(r *Report) string {
	for _, f := range r.Outputs {
		if f.Role == RolePublished && len(f.SHA256) >= 16 {
			return f.SHA256[:16]
		}
	}
	return ""
}

// AllFields are the fields of the whole page, in its order.
func AllFields() []Field {
	out := slices.Clone(Top)
	for _, s := range Chapters {
		out = append(out, s.Fields...)
	}
	return out
}

// LongestStatement is how many characters a statement has at most.
const LongestStatement = 10_000

// Check finds what is wrong with statements, all at once.
func (s Statements) Check() error {
	var names []string
	for _, f := range AllFields() {
		names = append(names, f.Name)
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(s)) {
		switch {
		case !slices.Contains(names, name):
			faults = append(faults, fmt.Errorf("statement %q is not known; known are: %s", name,
				strings.Join(names, ", ")))
		case utf8.RuneCountInString(s[name]) > LongestStatement:
			faults = append(faults, fmt.Errorf("statement %q has more than %s characters", name,
				Number(LongestStatement)))
		}
	}
	if more := len(faults) - 20; more > 0 {
		faults = append(faults[:20], fmt.Errorf("and %d more", more))
	}
	return errors.Join(faults...)
}

// Value is what a field says: the statement, or the field's default.
func (s Statements) Value(f Field, r *Report) string {
	if said := s.said(f); said != "" || f.Default == nil {
		return said
	}
	return f.Default(r)
}

// said is what a human says in a field; "": nothing. Without a letter or a digit that can be seen
// nothing is said: a dash, or a blank that is no space, fills no field in.
func (s Statements) said(f Field) string {
	text := strings.TrimSpace(s[f.Name])
	if strings.IndexFunc(text, legible) < 0 {
		return ""
	}
	return text
}

// legible tells whether a character says something: some letters, such as the Korean fillers, are
// shown as nothing.
func legible(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r)) &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Missing are the fields that say nothing yet, of the page of a report.
func (s Statements) Missing(r *Report) []Field {
	var out []Field
	for _, f := range AllFields() {
		if s.Value(f, r) == "" {
			out = append(out, f)
		}
	}
	return out
}

// MissingAhead are those that will be missing on the page of a report that is not made yet, whose
// promise counts persons or not.
func (s Statements) MissingAhead(persons bool) []Field {
	ahead := &Report{
		Guarantee: Guarantee{Parameters: privacy.KM{Persons: persons}},
		Outputs:   []File{{Role: RolePublished, Name: "published", SHA256: strings.Repeat("0", 64)}},
	}
	return s.Missing(ahead)
}

// Incomplete is the error where a page is to be final and is not.
type Incomplete struct{ Missing []Field }

func (e *Incomplete) Error() string {
	var out strings.Builder
	fmt.Fprintf(&out, "the page is not final: %s missing. Give them with --statements FILE "+
		"(mingle report REPORT.json -o statements.yaml writes one to be filled in), those of the "+
		"top also with their flags:", countStatements(len(e.Missing)))
	for _, f := range e.Missing {
		fmt.Fprintf(&out, "\n  %s: %s (%s)", f.Name, f.Label, f.Hint)
	}
	return out.String()
}

func countStatements(n int) string {
	if n == 1 {
		return "1 statement is"
	}
	return Number(n) + " statements are"
}

// said are the statements with their labels, as lines of text.
func (o *Outcome) said() []string {
	var out []string
	for _, f := range AllFields() {
		if text := o.Statements.said(f); text != "" {
			out = append(out, f.Label+": "+text)
		}
	}
	return out
}
