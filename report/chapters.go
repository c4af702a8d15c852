package report

import (
	"fmt"
	"math"
	"strings"

	"mingle/privacy"
)

// Chapter is one of the twelve statements that regulators ask for: docs/report.md says which of
// them ask, and where. Machine says what the program knows of it; Fields are what a human must say.
type Chapter struct {
	Title   string
	Machine func(*Outcome) []string
	Fields  []Field
}

// Chapters are the twelve, in the order of the page.
var Chapters = []Chapter{
	{
		"Verdict for each actor", aboutActors,
		[]Field{
			{
				Name: "actor-publisher", Label: "The publisher",
				Hint: "with the original or the audit file: means, cost, time; and who keeps them from it",
			},
			{
				Name: "actor-recipient", Label: "The recipient",
				Hint: "means, cost and time to single somebody out; your verdict",
			},
			{
				Name: "actor-outsider", Label: "An outsider",
				Hint: "who gets hold of the file: means, cost, time; your verdict",
			},
		},
	},
	{
		"Unit of privacy", aboutUnit,
		[]Field{{
			Name: "unit", Label: "Persons and records",
			Hint: "how many records a person has at most, and why this unit protects persons",
			Default: func(r *Report) string {
				if !countsPersons(r.Guarantee) {
					return "" // the program cannot know
				}
				return "Several records of a person count once."
			},
		}},
	},
	{
		"Release model and the recipient's controls", nothing,
		[]Field{
			{
				Name: "release-model", Label: "Release model",
				Hint: "public, under a contract, or in a protected environment",
			},
			{
				Name: "controls", Label: "Controls on the recipient",
				Hint: "contract, access, security, ban on re-identification, onward sharing",
			},
		},
	},
	{
		"Test by a motivated intruder", aboutIntruder,
		[]Field{
			{Name: "intruder-who", Label: "Who tested", Hint: "independent of who made the release"},
			{Name: "intruder-sources", Label: "Sources used", Hint: "public and other data"},
			{Name: "intruder-effort", Label: "Effort", Hint: "days, cost, skills"},
			{Name: "intruder-result", Label: "Result", Hint: "who was found, how certainly"},
			{Name: "intruder-date", Label: "Date of the test", Hint: "such as 2026-11-15"},
		},
	},
	{
		"Maximum and average risk", aboutRisk,
		[]Field{{
			Name: "residual-risk", Label: "Residual risk, in your judgement",
			Hint: "against which threshold, and why it is acceptable",
		}},
	},
	{
		"Other releases about the same people",
		func(o *Outcome) []string {
			return []string{"The promise is about this file alone: it does not add up over releases."}
		},
		[]Field{{
			Name: "other-releases", Label: "Other releases",
			Hint: "which there are or may be, to whom, and what they tell together",
		}},
	},
	{
		"Minimisation and purpose", aboutMinimisation,
		[]Field{{
			Name: "minimisation", Label: "Why no less would do",
			Hint: "why these records, items and columns are needed for the purpose",
		}},
	},
	{
		"Utility for the purpose", func(o *Outcome) []string { return o.Readings() },
		[]Field{{
			Name: "utility", Label: "Utility, in your judgement",
			Hint: "what the recipient can and cannot find out from the published file",
		}},
	},
	{
		"Risk of subgroups", aboutSubgroups,
		[]Field{{
			Name: "subgroups", Label: "Subgroups looked at",
			Hint: "people with rare codes, small places, minorities: what singles them out",
		}},
	},
	{
		"Expert and method", aboutMethod,
		[]Field{{
			Name: "expert", Label: "Expert",
			Hint: "who judged the risk, with which knowledge and experience",
		}},
	},
	{
		"Expiry, review, incidents", nothing,
		[]Field{
			{Name: "expires", Label: "Valid until", Hint: "when the release is withdrawn or judged anew"},
			{
				Name: "review-triggers", Label: "To be reviewed when",
				Hint: "new data, new attacks, a changed recipient",
			},
			{
				Name: "incident-plan", Label: "Incident plan",
				Hint: "who acts when somebody is found, and how",
			},
		},
	},
	{
		"What is not claimed, and the source", aboutNotClaimed,
		[]Field{{
			Name: "source-fate", Label: "What becomes of the source",
			Hint: "original, audit file and keys: who keeps them, how long, or when they are destroyed",
		}},
	},
}

func nothing(*Outcome) []string { return nil }

func aboutActors(o *Outcome) []string {
	return []string{
		"The promise is about somebody who " + o.Report.Guarantee.Adversary + ".",
		"What matches is counted, whatever somebody's means, cost and time. It is not weighed: " +
			"what somebody concludes who knows more, or runs the algorithm in mind, is under \"What " +
			"is not covered\".",
	}
}

// aboutUnit says what is counted. A promise about persons says so in its parameters.
func aboutUnit(o *Outcome) []string {
	if countsPersons(o.Report.Guarantee) {
		return []string{"The unit that is counted is one person: whose several transactions count " +
			"once. What is known is of one transaction."}
	}
	record := "published transaction"
	switch o.Report.Guarantee.Model {
	case "continuous", "nonreciprocal":
		record = "published record"
	}
	return []string{"The unit that is counted is one " + record + ". A person with several is " +
		"counted several times, and what they tell together is not taken into account."}
}

// countsPersons tells whether persons are counted, not records.
func countsPersons(g Guarantee) bool {
	p, is := g.Parameters.(privacy.KM)
	return is && p.Persons
}

func aboutIntruder(o *Outcome) []string {
	text := o.Test().summary()
	if text == "" {
		return []string{"The program made no adversarial test of this release."}
	}
	return []string{"The program's own test, which takes the place of no human one: " + text + "."}
}

// aboutRisk gives the risk as counted: the most for an adversary as assumed, and the average.
func aboutRisk(o *Outcome) []string {
	var out []string
	if k := candidates(o.Report.Guarantee); k > 0 {
		out = append(out, fmt.Sprintf("Maximum, as counted: one in %d (%s) for somebody as assumed.",
			k, Percent(1/float64(k))))
	}
	for _, t := range o.Test().Of(figureSuccess) {
		if !t.Promised {
			continue
		}
		of := "persons"
		if t.Of == ofLabels {
			of = "published lines"
		}
		out = append(out, fmt.Sprintf("Average over %s, with %s known: %s.", of, t.KnownItems(),
			Percent(t.After.Value)))
	}
	if len(out) > 2 { // the most that is promised
		out = append(out[:1], out[len(out)-1])
	}
	return out
}

// candidates is how many records match at least, by the parameters of the promise.
func candidates(g Guarantee) int {
	if g.Parameters == nil {
		return 0
	}
	for _, name := range []string{"k", "l"} { // nonreciprocal has one of the two
		for _, p := range g.Parameters.Parameters() {
			if n, is := p.Value.(int); is && p.Name == name {
				return n
			}
		}
	}
	return 0
}

// aboutMinimisation says what leaves: the labels, and what stands beside them.
func aboutMinimisation(o *Outcome) []string {
	r := o.Report
	out := []string{fmt.Sprintf("Published are %s with %s of %s.",
		plural(r.Published.Transactions, "record"), plural(r.Published.Occurrences, "occurrence"),
		plural(r.Published.Items, "distinct label"))}
	if p, is := r.Guarantee.Parameters.(privacy.KM); is && p.Diverse() {
		out = append(out, sensitiveLeave(p, r.LeavesOut))
	}
	if n := len(r.Beside); n > 0 {
		out = append(out, "Columns are published beside them, unchanged: "+r.Beside[n-1].Name()+".")
	}
	return out
}

// sensitiveLeave names what is sensitive and published as it is: items, which are among the labels
// but in reports of versions before 0.3.0, and values beside the labels.
func sensitiveLeave(p privacy.KM, leavesOut bool) string {
	var what []string
	if p.HasSensitiveItems() {
		what = append(what, "the sensitive items")
	}
	for n, c := range p.Columns {
		name := "the column " + c
		if n == 0 {
			name = "beside these: " + name
		}
		what = append(what, name)
	}
	how := "Published as they are: "
	if leavesOut {
		how = "Published as they are, or left out: "
	}
	return how + strings.Join(what, ", ") + "."
}

func aboutSubgroups(o *Outcome) []string {
	for _, b := range o.Report.Breakdowns {
		if b.By != ByRarity || len(b.Rows) == 0 {
			continue
		}
		first := b.Rows[0]
		return []string{fmt.Sprintf("The rarest published labels: %s, %s.",
			plural(first.Labels, "label"), strings.TrimPrefix(first.Name, "labels "))}
	}
	return nil
}

func aboutMethod(o *Outcome) []string {
	r := o.Report
	return []string{
		fmt.Sprintf("%s %s, algorithm %s: %s.", r.Program.Name, r.Program.Version, r.Algorithm,
			r.RecodingSummary()),
		"Checked " + r.Verification.How() + ". The command is under \"How it was done\".",
	}
}

func aboutNotClaimed(o *Outcome) []string {
	return []string{fmt.Sprintf("%s under \"What is not covered\".",
		plural(len(o.Report.Guarantee.NotCovered), "limit"))}
}

// hundred are shares of a whole in whole percent that add up to 100: what is cut off goes to those
// of whom most was.
func hundred(rows []Part) []int {
	sum := 0
	for _, p := range rows {
		sum += p.Count
	}
	out, left := make([]int, len(rows)), 100
	for i, p := range rows {
		out[i] = int(100 * float64(p.Count) / float64(max(1, sum)))
		left -= out[i]
	}
	for ; left > 0 && sum > 0; left-- {
		best, most := 0, math.Inf(-1)
		for i, p := range rows {
			if cut := 100*float64(p.Count)/float64(sum) - float64(out[i]); cut > most {
				best, most = i, cut
			}
		}
		out[best]++
	}
	return out
}

// Reading is a breakdown in a sentence; "" where there is nothing to be read in it.
func (b Breakdown) Reading() string {
	whole := map[string]string{
		ByLevel: "published occurrences", ByWidth: "published values",
		ByUncertainty: "published records",
	}[b.By]
	if b.Unit == ofOriginal {
		whole = ofOriginal
	}
	if whole == "" || len(b.Rows) == 0 {
		return ""
	}
	verb := "are"
	if b.By == ByUncertainty {
		verb = "have"
	}
	var parts []string
	for i, n := range hundred(b.Rows) {
		share := fmt.Sprint(n)
		if n == 0 {
			share = "under 1"
		}
		if i == 0 {
			share += " " + verb
		}
		parts = append(parts, share+" "+b.Rows[i].Name)
	}
	return "Of 100 " + whole + ", " + strings.Join(parts, ", ") + "."
}

// Readings say what is left, in words: against the original where it is known, and else of the
// published file.
func (o *Outcome) Readings() []string {
	all := o.Report.Breakdowns
	if o.Custodian != nil && len(o.Custodian.Breakdowns) > 0 {
		all = o.Custodian.Breakdowns
	}
	var out []string
	for _, b := range all {
		if text := b.Reading(); text != "" {
			out = append(out, text)
		}
	}
	return out
}
