package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"strings"

	"mingle/report"
)

// content is what the template shows.
type content struct {
	*report.Report
	Custodian *report.Custodian
	Final     bool

	// the sheet that is signed first
	Title, Statement, Words    string
	FullVerdict, Colour        string
	Unverified, CustodiansPage string
	Draft                      string // what is missing; "": nothing
	Top, Signature             []field
	Tries                      []string
	Beside                     []report.Beside // by persons, where these are known
	BesideNote                 string
	Short                      []report.Answer // the three questions, each in one sentence
	Headlines                  []headline
	Readings                   []string
	Limits, Noted              string // how many, to be read before signing
	Chapters                   []chapter
	Test                       *report.Attack
	AttackFigures, LossFigures []Figure
	Files                      []file
	OfReport, NoHash           string
	SealMark                   template.HTML
	Style                      template.CSS
}

// field is a statement as it is shown: to be typed into, unless the page is final.
type field struct {
	Label, Hint, Value string
	Final              bool
}

// chapter is one of the twelve statements.
type chapter struct {
	Title   string
	Machine []string
	Fields  []field
}

// file is a row of the table of files, and what --check reads of it.
type file struct {
	Kind string // input or output
	report.File
}

func contentOf(o *report.Outcome) (*content, error) {
	r := o.Report
	out := &content{
		Report: r, Custodian: o.Custodian, Final: o.Final, CustodiansPage: report.CustodiansPage,
		Statement: report.Superscript(r.Guarantee.Statement), Words: r.Guarantee.Words,
		FullVerdict: report.Superscript(o.Verdict()), Colour: colour(o),
		Top: fields(o, report.Top), Signature: signature(),
		Headlines: headlines(o), Readings: o.Readings(), Test: o.Test(), Draft: draft(o),
		Beside: o.Beside(), BesideNote: o.BesideNote(),
		NoHash: report.NoHash, SealMark: report.SealMark, Style: template.CSS(style),
	}
	out.Title, out.Top = out.Top[0].Value, out.Top[1:] // the title is the heading
	out.Limits = count(len(r.Guarantee.NotCovered), "limit")
	if n := len(r.Warnings) + len(o.Custodian.Notes()); n > 0 {
		out.Noted = count(n, "note")
	}
	if o.FromFile {
		out.Unverified = report.Unverified
	}
	for _, c := range o.Cautions() {
		out.Tries = append(out.Tries, c.Try...)
	}
	for _, a := range r.Guarantee.Answers {
		short := report.Answer{Question: a.Question, Answer: sentence(a.Answer)}
		out.Short = append(out.Short, short)
	}
	for _, c := range report.Chapters {
		out.Chapters = append(out.Chapters, chapter{c.Title, c.Machine(o), fields(o, c.Fields)})
	}
	for _, f := range r.Inputs {
		out.Files = append(out.Files, file{"input", f})
	}
	for _, f := range r.Outputs {
		out.Files = append(out.Files, file{"output", f})
	}
	var err error
	if out.OfReport, err = hashOf(o); err != nil {
		return nil, err
	}
	out.AttackFigures = attackFigures(o.Test(), o.Report.Guarantee.Columns)
	out.LossFigures = lossFigures(o)
	return out, nil
}

// count counts things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return report.Number(n) + " " + thing
}

// fields are statements with what is said.
func fields(o *report.Outcome, all []report.Field) []field {
	var out []field
	for _, f := range all {
		out = append(out, field{f.Label, f.Hint, o.Statements.Value(f, o.Report), o.Final})
	}
	return out
}

// signature is left to a pen, also where the page is final.
func signature() []field {
	var out []field
	for _, label := range []string{"Name and office", "Place and date", "Signature"} {
		out = append(out, field{Label: label})
	}
	return out
}

// draft says what is missing.
func draft(o *report.Outcome) string {
	n := len(o.Statements.Missing(o.Report))
	if o.Final || n == 0 {
		return ""
	}
	return fmt.Sprintf("A draft: %d of %d statements are empty. They can be typed in here for "+
		"printing; to keep them, mingle report REPORT.json -o statements.yaml writes a file for them.",
		n, len(report.AllFields()))
}

// sentence is the first sentence of an answer, with the limit that the second one names: without it
// the first would say too much.
func sentence(text string) string {
	first, rest, more := strings.Cut(text, ". ")
	if !more {
		return text
	}
	for _, limit := range []string{"Beyond ", "For "} {
		if strings.HasPrefix(rest, limit) {
			second, _, _ := strings.Cut(rest, ". ")
			return first + "; " + strings.ToLower(second[:1]) + strings.TrimSuffix(second[1:], ".") + "."
		}
	}
	return first + "."
}

// hashOf is the SHA-256 of the report's file.
func hashOf(o *report.Outcome) (string, error) {
	if o.SHA256 != "" {
		return o.SHA256, nil
	}
	var text bytes.Buffer
	if err := o.Report.WriteJSON(&text); err != nil {
		return "", err
	}
	sum := sha256.Sum256(text.Bytes())
	return hex.EncodeToString(sum[:]), nil
}

// headline is one figure at the top of the page.
type headline struct{ Name, Value string }

// headlines are the losses that are shares, and the size of the domain that is left.
func headlines(o *report.Outcome) []headline {
	out := []headline{{"distinct labels", report.Number(o.Report.Published.Items)}}
	losses := o.Report.Losses
	if o.Custodian != nil {
		losses = o.Custodian.Losses
	}
	names := map[string]string{
		"NCP": "information lost (NCP)", "NCP, labels": "loss of a published label (NCP)",
		"error rate": "error rate", "nuggets kept": "patterns kept (nuggets)",
		"ML2": "patterns lost (ML2)", "query error": "mean error of counts",
	}
	for _, l := range losses {
		if name, ok := names[l.Name]; ok && len(out) < 4 {
			out = append(out, headline{name, report.Percent(l.Value)})
		}
	}
	return out
}

// colour is that of the verdict.
func colour(o *report.Outcome) string {
	switch {
	case !o.Report.Verification.Holds:
		return "broken"
	case len(o.Cautions()) > 0:
		return "caution"
	}
	return "holds"
}
