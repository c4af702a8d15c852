package privacy

import (
	"errors"
	"fmt"
)

// Continuous is k^m-anonymity of bags of numbers (gkountouna-2014, definition 1, on bags): every
// bag of at most m published values that occurs in the release at all occurs in at least k of its
// records. A record supports a bag that it contains value for value, each at least as often. A
// published value is a number or a range, and is compared as it stands.
type Continuous struct {
	K int `json:"k"` // at least 2
	M int `json:"m"` // at least 1; more than the longest record means all of it
}

// Validate returns every fault of the parameters at once.
func (p Continuous) Validate() error {
	return errors.Join(atLeast("k", p.K, 2), atLeast("m", p.M, 1), countable("k", p.K),
		countable("m", p.M))
}

// Parameters are k and m.
func (p Continuous) Parameters() []Parameter { return []Parameter{{"k", p.K}, {"m", p.M}} }

func (p Continuous) String() string {
	return fmt.Sprintf("%d^%d-anonymity of bags of values", p.K, p.M)
}

// Inequality spells out the condition that is checked.
func (p Continuous) Inequality() string {
	return fmt.Sprintf("support(c) >= %d for every bag c of at most %s that "+
		"occurs, duplicates counted", p.K, count(p.M, "published value"))
}

// Adversary is the knowledge against which the promise holds.
func (p Continuous) Adversary() string {
	return fmt.Sprintf("knows up to %s of a person's record, exactly or as ranges, and "+
		"how often each occurs; judges by the published file and does not run the algorithm in "+
		"mind", count(p.M, "value"))
}

// NotCovered lists what the promise does not protect against.
func (p Continuous) NotCovered() []string {
	return []string{
		fmt.Sprintf("An adversary who knows more than %s of a person may single the "+
			"person out.", count(p.M, "value")),
		"The number of values of a record is published as it is: an adversary who knows it, " +
			"beside values, is not taken into account.",
		"That a person is in the data at all (membership) is not hidden.",
		"Aggregates of a record, such as its sum, are not taken into account as knowledge.",
		"Knowledge of values that a person does not have is not taken into account.",
		"Somebody who runs the algorithm in mind and asks which originals it publishes like " +
			"this may be left with fewer candidates, down to one (acd and local; " +
			"docs/threat-model.md has figures).",
		"The ends of a range are values that somebody among those with the range has, unless a " +
			"hierarchy that was made without looking at the data gives the ranges (of ranges of " +
			"a given width the first begins with the least value of the data, and the last ends " +
			"with the greatest); of two people with a range of two values, each learns the " +
			"other's value. A narrow range tells a value nearly.",
		"Inference: all matching records may share a further value, which is then learned " +
			"without singling anyone out.",
	}
}
