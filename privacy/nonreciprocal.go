package privacy

import (
	"errors"
	"fmt"
)

// Nonreciprocal is k-anonymity or l-diversity without groups (xue-2012, definition 1). A published
// record is a base set, a set of uncertain items and a threshold t; an original record matches it
// if the two differ in at most t places, all of them uncertain items.
//
// k-anonymity: every original record matches at least k published records, each of which is its
// true match with a probability of at most 1/k, and every published record is matched by at least k
// original ones.
//
// l-diversity: moreover the published records that an original record matches carry at least l
// different labels, and each label is the record's with a probability of at most 1/l.
//
// The probabilities are those of an adversary who knows all original records without their labels,
// the algorithm and everything published, but not the random numbers: the assignment of records is
// drawn such that each match is equally likely. By l it is a random permutation of blocks that are
// chosen such that what can be seen of the choice makes no label likelier (package
// anonymize/nonreciprocal). The probability of a label is that of an adversary to whom all ways to
// give the labels to the records are equally likely before he sees the release. A published file
// shows the matches; the probabilities are a property of the program.
type Nonreciprocal struct {
	K int `json:"k,omitempty"` // at least 2; 0: L is given instead
	L int `json:"l,omitempty"` // at least 2; 0: no diversity asked

	// GroupsSeeLabels says that which records came together was chosen by their labels (cahd). Then
	// labels have no bound against somebody who knows how that was done.
	GroupsSeeLabels bool `json:"groups_see_labels,omitempty"`
}

// Validate returns every fault of the parameters at once.
func (p Nonreciprocal) Validate() error {
	var faults []error
	switch {
	case p.K == 0 && p.L == 0:
		faults = append(faults, errors.New("one of k and l must be given"))
	case p.K != 0 && p.L != 0:
		faults = append(faults, fmt.Errorf("k (%d) and l (%d) are both given: "+
			"l-diversity includes l-anonymity, give one of them", p.K, p.L))
	}
	if p.K != 0 {
		faults = append(faults, atLeast("k", p.K, 2))
	}
	if p.L != 0 {
		faults = append(faults, atLeast("l", p.L, 2))
	}
	return errors.Join(append(faults, countable("k", p.K), countable("l", p.L))...)
}

// Parameters are k or l, and what the groups were made by.
func (p Nonreciprocal) Parameters() []Parameter {
	out := []Parameter{{"k", p.K}}
	if p.Diverse() {
		out[0] = Parameter{"l", p.L}
	}
	if p.GroupsSeeLabels {
		out = append(out, Parameter{"groups_see_labels", true})
	}
	return out
}

// Diverse tells whether l-diversity is promised.
func (p Nonreciprocal) Diverse() bool { return p.L > 0 }

// Matches is how many published records every original one matches at least: k, or l.
func (p Nonreciprocal) Matches() int { return max(p.K, p.L) }

func (p Nonreciprocal) String() string {
	if p.Diverse() {
		return fmt.Sprintf("%d-diversity by nonreciprocal recoding", p.L)
	}
	return fmt.Sprintf("%d-anonymity by nonreciprocal recoding", p.K)
}

// Inequality spells out the condition that is checked.
func (p Nonreciprocal) Inequality() string {
	s := fmt.Sprintf("matches(r) >= %d for every original record r, and matches(r') >= %d for "+
		"every published record r'", p.Matches(), p.Matches())
	if p.Diverse() {
		s += fmt.Sprintf("; labels(matches of r) >= %d for every original record r", p.L)
	}
	return s
}

// Adversary is the knowledge against which the promise holds.
func (p Nonreciprocal) Adversary() string {
	const items = "knows all original records, every item of them"
	switch {
	case !p.Diverse():
		return items + ", and how the release was made, but not the random numbers it was made with"
	case p.GroupsSeeLabels:
		return items + "; does not know the labels, nor how the groups were made"
	}
	return items + ", and how the release was made, but not the random numbers it was made " +
		"with; does not know the labels, " +
		"and before the release every way to give them to the records is equally likely to him"
}

// NotCovered lists what the promise does not protect against.
func (p Nonreciprocal) NotCovered() []string {
	out := []string{
		"That a person is in the data at all (membership) is not hidden.",
		"Inference of items: published base sets are close to the original records, so an " +
			"adversary who knows a part of a person's items learns much about the rest, the " +
			"more so the lower the error rate.",
		"Linking: a published record keeps most of one person's items together, so two sources " +
			"that know different items of a person may find out that it is the same person.",
		"Several records of one person, or a second release of overlapping data, are not taken " +
			"into account.",
		"Whoever has the seed or the audit file knows every true match.",
	}
	if !p.Diverse() {
		return append(out, "A label that is published may be the same in all matches of a "+
			"person, and whoever knows a person's label can exclude matches.")
	}
	out = append(out,
		"Labels are told apart only as equal or different: all labels of a person's matches may "+
			"be of one kind.",
		"An adversary who knows labels of other persons can exclude matches.",
		"What a release tells of the labels of several persons together, for instance that two "+
			"persons have the same one, is not bounded; "+
			"so an adversary who has reason to expect some labels for some persons may learn "+
			"more than the bound says.",
		"Making several releases and publishing the one that looks best is not taken into "+
			"account: that choice may tell of labels.")
	if p.GroupsSeeLabels {
		out = append(out, "The groups were made by looking at the labels: somebody who knows "+
			"all original records and how groups are made may be certain of a label.")
	}
	return out
}
