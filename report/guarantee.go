package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"mingle/privacy"
)

// Guarantee is the promise in words.
type Guarantee struct {
	Model      string          `json:"model"`      // km, continuous, coherence, nonreciprocal
	Parameters privacy.Promise `json:"parameters"` // by the names that the model gives them
	Statement  string          `json:"statement"`
	Words      string          `json:"words"` // for whoever does not know the statement's name
	Inequality string          `json:"inequality"`
	Adversary  string          `json:"adversary"`
	NotCovered []string        `json:"not_covered"`
	Answers    []Answer        `json:"answers"`
	// Sensitive are the sensitive items that the published file or the hierarchy has.
	Sensitive []string `json:"sensitive,omitempty"`
	// Columns are the sensitive columns, as the published file shows them.
	Columns []SensitiveColumn `json:"columns,omitempty"`
}

// SensitiveColumn is a column of the published file whose values must not be inferred.
type SensitiveColumn struct {
	Name   string   `json:"name"`
	Rows   int      `json:"rows"`           // lines with a value
	Values int      `json:"values"`         // distinct ones
	Open   []string `json:"open,omitempty"` // those that were listed as not sensitive
}

// Text says so in a line.
func (c SensitiveColumn) Text() string {
	s := fmt.Sprintf("%s: %s in %s", c.Name, plural(c.Values, "distinct value"),
		plural(c.Rows, "line"))
	if len(c.Open) > 0 {
		s += "; not sensitive: " + summary(c.Open, "value")
	}
	return s
}

// Answer is what the guarantee says to one of the three questions of WP216.
type Answer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// guarantee takes over what a promise says of itself.
func guarantee(model string, p privacy.Promise) Guarantee {
	return Guarantee{
		Model: model, Parameters: p, Statement: p.String(), Inequality: p.Inequality(),
		Adversary: p.Adversary(), NotCovered: p.NotCovered(),
	}
}

// schema2 is the layout before: every model had the parameters k, m and l, where m was p of
// coherence, whose own stood beside them, and k of nonreciprocal was l where l was promised.
const schema2 = "mingle.report/2"

// UnmarshalJSON reads the parameters as those of the model.
func (g *Guarantee) UnmarshalJSON(text []byte) error {
	type plain Guarantee
	in := struct {
		*plain
		Parameters json.RawMessage    `json:"parameters"`
		Coherence  *privacy.Coherence `json:"coherence"`
	}{plain: (*plain)(g)}
	if err := strictly(text, &in); err != nil || in.Parameters == nil {
		return err
	}
	var p struct {
		privacy.KM
		H               float64 `json:"h"`
		P               int     `json:"p"`
		GroupsSeeLabels bool    `json:"groups_see_labels"`
	}
	if err := strictly(in.Parameters, &p); err != nil {
		return err
	}
	switch g.Model {
	case "km":
		g.Parameters = p.KM
	case "continuous":
		g.Parameters = privacy.Continuous{K: p.K, M: p.M}
	case "nonreciprocal":
		if p.L > 0 {
			p.K = 0
		}
		g.Parameters = privacy.Nonreciprocal{K: p.K, L: p.L, GroupsSeeLabels: p.GroupsSeeLabels}
	case "coherence":
		g.Parameters = privacy.Coherence{H: p.H, K: p.K, P: p.P}
		if in.Coherence != nil {
			g.Parameters = *in.Coherence
		}
	}
	return nil
}

// KM spells out k^m-anonymity, of a release that may leave something of the original out or not:
// who knows what is left out may find nothing that matches.
func KM(p privacy.KM, leavesOut bool) Guarantee {
	g := guarantee("km", p)
	only, none := p.Only(","), ""
	if leavesOut {
		none = ", or none"
	}
	items, published := plural(p.M, "item"), plural(p.M, "published item")
	who := fmt.Sprintf("somebody who knows at most %s of a person's transaction%s", items,
		p.Only(""))
	g.Words = fmt.Sprintf("Every combination of up to %s%s that occurs at all is "+
		"in at least %d "+
		"transactions: whoever knows up to %s of a person%s is left with at least %d "+
		"candidates%s.",
		published, only, p.K, items, only, p.K, none)
	matching := fmt.Sprintf("at least %d published transactions match%s", p.K, none)
	if p.Persons {
		who, matching, g.Words = ofPersons(p, none)
	}
	open := ""
	if s := p.KnownSensitive(); s != "" {
		open = " " + s
	}
	if p.HasSensitiveItems() {
		g.Words += fmt.Sprintf(" Of those, at most one in %d has any one of the sensitive items%s.",
			p.L, ofOthers(p))
	}
	if len(p.Columns) > 0 {
		g.Words += fmt.Sprintf(" Of the candidates that have a value in a sensitive column, at "+
			"most one in %d has any one value%s.", p.L, p.ButOpen(""))
	}
	g.Words += open
	g.Answers = answers(
		fmt.Sprintf("Not by %s: %s. Beyond that it is not bounded.%s", who, matching, open),
		linked(who, p.K, "transactions", none)+open,
		inference(p, who))
	return g
}

// ofPersons says it where the unit is a person.
func ofPersons(p privacy.KM, none string) (who, matching, words string) {
	items := plural(p.M, "item")
	who = fmt.Sprintf("somebody who knows at most %s of one transaction of a person%s", items,
		p.Only(""))
	matching = fmt.Sprintf("published transactions of at least %d different persons match%s", p.K,
		none)
	words = fmt.Sprintf("The unit is a person, who may have several transactions. Every "+
		"combination of up to %s%s that occurs at all is in transactions of at "+
		"least %d different persons: whoever knows up to %s of one transaction of a "+
		"person%s is left with at least %d persons%s.", plural(p.M, "published item"), p.Only(","),
		p.K, items, p.Only(","), p.K, none)
	return who, matching, words
}

// ofOthers says that of the sensitive items those are meant that are not known, where some may be.
func ofOthers(p privacy.KM) string {
	if !p.SensitiveKnown {
		return ""
	}
	return " that are not known"
}

// answers are those to the three questions of WP216.
func answers(singledOut, linked, inferred string) []Answer {
	return []Answer{
		{"Can somebody be singled out?", singledOut},
		{"Can records of one person be linked?", linked},
		{"Can something be inferred?", inferred},
	}
}

// linked is the answer about linking of what promises k candidates, or none.
func linked(who string, k int, records, none string) string {
	if none != "" {
		none += ","
	}
	return fmt.Sprintf("Not bounded beyond the above: %s finds at least %d candidates%s in this "+
		"release; several "+
		"%s of a person, or several releases, are not taken into account.", who, k, none, records)
}

func inference(p privacy.KM, who string) string {
	if !p.Diverse() {
		return "Not bounded: all transactions that match may share a further item. " +
			"Sensitive items need l^m-diversity."
	}
	var what []string
	if p.HasSensitiveItems() {
		what = append(what, "the sensitive items"+ofOthers(p))
	}
	if len(p.Columns) > 0 {
		what = append(what, "the values of sensitive columns"+p.ButOpen(","))
	}
	others := "items"
	if p.OpenValues {
		others += " and values"
	}
	s := fmt.Sprintf("For %s only: %s learns any of them with a probability of at most 1/%d. "+
		"For all other %s it is not bounded.", strings.Join(what, " and "), who, p.L, others)
	if open := p.KnownSensitive(); open != "" {
		s += " " + open
	}
	return s
}
