// Package privacy states the promises a release can keep, as values: definition, assumption, what
// is not covered.
//
// A promise says nothing about how it is kept (package anonymize) or how it is checked (package
// verify).
package privacy

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Promise is what a release guarantees.
type Promise interface {
	// Validate returns every fault of the parameters at once.
	Validate() error
	// Parameters are the promise's parameters by their own names, those that are not used left out.
	Parameters() []Parameter
	// String is the promise with its parameters, such as "5^2-anonymity".
	String() string
	// Inequality spells out the condition that is checked.
	Inequality() string
	// Adversary is the knowledge against which the promise holds.
	Adversary() string
	// NotCovered lists, one sentence each, what the promise does not protect against.
	NotCovered() []string
}

// Every family's promise.
var (
	_ Promise = KM{}
	_ Promise = Continuous{}
	_ Promise = Nonreciprocal{}
	_ Promise = Coherence{}
)

// Parameter is one parameter of a promise under its own name, such as p of coherence.
type Parameter struct {
	Name  string
	Value any // int, float64, bool or string
}

// atLeast refuses a parameter below the least value that means something.
func atLeast(name string, value, least int) error {
	if value < least {
		return fmt.Errorf("%s (%d) must be at least %d", name, value, least)
	}
	return nil
}

// countable refuses a parameter that is more than any data has lines, or a line has items: products
// of two that are not would not fit into 64 bits.
func countable(name string, value int) error {
	if value > math.MaxInt32 {
		return fmt.Errorf("%s (%d) must be at most %d", name, value, math.MaxInt32)
	}
	return nil
}

// KM is k^m-anonymity, and with L ≥ 2 also l^m-diversity.
//
// k^m-anonymity (terrovitis-2008, definition 1): every set of at most m published items that occurs
// in the release at all occurs in at least k of its transactions.
//
// l^m-diversity (terrovitis-2011, section 5.2): moreover, for every such set c, the empty set
// included, and every sensitive item s, sup(c and s)/sup(c) ≤ 1/l.
type KM struct {
	K int `json:"k"` // at least 2
	M int `json:"m"` // at least 1; more than the longest transaction means all of it
	L int `json:"l"` // 0: no diversity asked; else at least 2

	// NegativeKnowledge widens the adversary's knowledge to items that a person does not have
	// (terrovitis-2011, 5.1; corrected: docs/definitions.md).
	NegativeKnowledge bool `json:"negative_knowledge,omitempty"`

	// SensitiveKnown widens the adversary's knowledge to sensitive items (see sensitive.go).
	SensitiveKnown bool `json:"sensitive_known,omitempty"`
	// Columns are sensitive columns, whose values must not be inferred; ColumnsOnly: no item is
	// sensitive, L is about values alone. NullIsValue: an empty value is a value, too. OpenValues:
	// some values are listed as not sensitive, and nothing is promised of these.
	Columns     []string `json:"sensitive_columns,omitempty"`
	ColumnsOnly bool     `json:"columns_only,omitempty"`
	NullIsValue bool     `json:"null_is_value,omitempty"`
	OpenValues  bool     `json:"open_values,omitempty"`

	// Knows is what the adversary has beside those items: the data that was published, or the
	// algorithm too.
	Knows Knowledge `json:"adversary,omitempty"`

	// Persons says that the unit of privacy is a person, who may have several transactions: see
	// persons.go. Without it the unit is a transaction.
	Persons bool `json:"persons,omitempty"`
	// PersonShare is the n of the 1/n of the lines with a set that may be of one person, at most;
	// 0: no such bound. Only with Persons.
	PersonShare int `json:"max_person_share_1_in,omitempty"`
}

// AgainstAlgorithm tells whether the promise holds against somebody who runs the algorithm in mind.
func (p KM) AgainstAlgorithm() bool { return p.Knows == OfAlgorithm }

// Validate returns every fault of the parameters at once.
func (p KM) Validate() error {
	var diversity error
	if p.L != 0 && p.L < 2 {
		diversity = fmt.Errorf("l (%d) must be at least 2, or 0 for no diversity", p.L)
	}
	return errors.Join(
		atLeast("k", p.K, 2), atLeast("m", p.M, 1), diversity,
		p.validateSensitive(), p.Knows.validate(p), p.validatePersons(),
		countable("k", p.K), countable("m", p.M), countable("l", p.L),
		countable("the share of a person", p.PersonShare),
	)
}

// Parameters are k and m, and what widens the promise.
func (p KM) Parameters() []Parameter {
	out := []Parameter{{"k", p.K}, {"m", p.M}}
	if p.Diverse() {
		out = append(out, Parameter{"l", p.L})
	}
	if p.NegativeKnowledge {
		out = append(out, Parameter{"negative_knowledge", true})
	}
	out = append(out, p.sensitiveParameters()...)
	if p.AgainstAlgorithm() {
		out = append(out, Parameter{"adversary", string(p.Knows)})
	}
	if p.Persons {
		out = append(out, Parameter{"persons", true})
	}
	if p.PersonShare > 0 {
		out = append(out, Parameter{"max_person_share", fmt.Sprintf("1/%d", p.PersonShare)})
	}
	return out
}

// Diverse tells whether l^m-diversity is promised too.
func (p KM) Diverse() bool { return p.L >= 2 }

func (p KM) String() string {
	s := fmt.Sprintf("%d^%d-anonymity", p.K, p.M)
	if p.Diverse() {
		s += fmt.Sprintf(" with %d^%d-diversity", p.L, p.M) + p.ofColumns()
	}
	known := ""
	if p.SensitiveKnown {
		known = ", known sensitive items included"
	}
	if !p.Persons {
		s += known
	}
	if p.NegativeKnowledge {
		s += " against negative knowledge"
	}
	if p.AgainstAlgorithm() {
		s += " against any algorithm in mind"
	}
	if p.Persons {
		s += " of persons" + p.ofShare() + known
	}
	return s
}

// Inequality spells out the condition that is checked.
func (p KM) Inequality() string {
	if p.Persons {
		return p.inequalityOfPersons()
	}
	s := fmt.Sprintf(
		"support(c) >= %d for every set c of at most %s%s that occurs", p.K,
		count(p.M, "published item"), p.Only(","),
	)
	if p.NegativeKnowledge {
		s = fmt.Sprintf("support(c) = 0 or support(c) >= %d for every set c of published items "+
			"and of items that a person lacks, together at most %d, "+
			"counting the transactions that publish the former and come from some original "+
			"without the latter", p.K, p.M)
	}
	if p.AgainstAlgorithm() {
		// It implies k lines for every reading of them that has originals.
		return s + "; " + certainInequality(p)
	}
	s += fmt.Sprintf("; lines(J) = 0 or lines(J) >= %d for every set J of at most %s%s, "+
		"where an item may be in a line at a label with nothing else at or below the label's "+
		"child above it", p.K, count(p.M, "item"), p.Only(""))
	return s + p.ratios()
}

// Adversary is the knowledge against which the promise holds.
func (p KM) Adversary() string {
	var s strings.Builder
	of := "a person's transaction"
	if p.Persons {
		of = "one transaction of a person"
	}
	fmt.Fprintf(&s, "knows up to %s of %s%s, the hierarchy, and the published data",
		count(p.M, "item"), of, p.Only(""))
	if p.NegativeKnowledge {
		s.WriteString("; may also know items that the person does not have")
	}
	if len(p.Columns) > 0 {
		s.WriteString("; knows no value of a sensitive column")
	}
	if p.AgainstAlgorithm() {
		s.WriteString(algorithmInMind)
	}
	return s.String()
}

// inMind is what counting candidates leaves to somebody who knows the algorithm;
// docs/threat-model.md says what is proven of it.
const inMind = "Candidates are counted, not weighed. What somebody concludes who also runs the " +
	"algorithm in mind is not bounded: " +
	"one of the k candidates may be far more likely than the others, in small enumerated worlds " +
	"all but certain; " +
	"and fewer than k may be left: with lra and with suppression it happens, with l-diversity " +
	"it is ruled out for local and auto alone, " +
	"docs/threat-model.md says what is known of which algorithm. " +
	"A promise against the adversary \"algorithm\" bounds it."

// NotCovered lists what the promise does not protect against.
func (p KM) NotCovered() []string {
	out := []string{
		fmt.Sprintf("An adversary who knows more than %s of a person may single the "+
			"person out.", count(p.M, "item")),
		"That a person is in the data at all (membership) is not hidden.",
		"A second release of overlapping data is not taken into account.",
	}
	out = append(out, p.notCoveredByUnit()...)
	if p.AgainstAlgorithm() {
		out = append(out, notAgainstAlgorithm...)
	} else {
		out = append(out, inMind)
	}
	if !p.NegativeKnowledge {
		out = append(out, "Knowledge of items that a person does not have is not taken into "+
			"account.")
	}
	if !p.Diverse() {
		out = append(out, "Inference: all matching transactions may share a further item, which "+
			"is then learned without singling anyone out.")
	} else {
		out = append(out, p.notCoveredOfSensitive()...)
	}
	return out
}
