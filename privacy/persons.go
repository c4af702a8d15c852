package privacy

import (
	"errors"
	"fmt"
)

// The unit of privacy is a person who may have several transactions, each a line of the file. The
// support of a set of published items is the number of distinct persons with a single line that
// publishes all of it. Counting lines is too weak: many lines of a single person would be enough.
// So is uniting the lines of a person: who knows a transaction looks for one line.
//
// A line without a person must meet the condition, and adds nothing to any support: it may be
// anybody's.
//
// With l both shares are bounded: of the lines, as somebody looks for the line of a person, and of
// the persons, as that line is one of theirs and each of them is as likely as the other.
//
// Where sensitive items may be known, the sets are of published items and of sensitive ones, all of
// a single line, and the shares are those of the sensitive items that are not in the set.

// Unit names what is counted: "persons" or "transactions".
func (p KM) Unit() string {
	if p.Persons {
		return "persons"
	}
	return "transactions"
}

// BeyondSupports tells whether more is asked than that what occurs has a support of k: shares, or
// what a person does not have. It may be lost as nodes are lifted, and as they come down.
func (p KM) BeyondSupports() bool {
	return p.Diverse() || p.NegativeKnowledge || p.PersonShare > 0
}

// validatePersons refuses what is not defined with persons, or not proven.
func (p KM) validatePersons() error {
	var faults []error
	switch {
	case !p.Persons && p.PersonShare != 0:
		return errors.New("a bound on the share of one person needs the column of the persons: " +
			"give it with --person-column")
	case !p.Persons:
		return nil
	case p.PersonShare < 0 || p.PersonShare == 1:
		faults = append(faults, fmt.Errorf("the largest share of one person (1/%d) must be 1/2 or "+
			"less", p.PersonShare))
	}
	if p.NegativeKnowledge {
		faults = append(faults, errors.New("negative knowledge is not defined where persons have "+
			"several transactions: leave out negative knowledge, or the persons"))
	}
	if p.AgainstAlgorithm() {
		faults = append(faults, errors.New("the adversary \"algorithm\" is not defined where "+
			"persons have several transactions: promise against the adversary \"data\", or leave "+
			"out the persons"))
	}
	return errors.Join(faults...)
}

// inequalityOfPersons spells out the condition that is checked.
func (p KM) inequalityOfPersons() string {
	known, others := "", ""
	if p.SensitiveKnown {
		known, others = p.Only(""), " that is not in c"
	}
	s := fmt.Sprintf("persons(c) >= %d for every set c of at most %s%s that "+
		"occurs, where persons(c) are the distinct persons with a single transaction that "+
		"publishes all of c; lines(J) = 0 or persons(J) >= %d for every set J of at most %s"+
		"%s, where an item may be in a line at a label with nothing else at or below the "+
		"label's child above it", p.K, count(p.M, "published item"),
		p.Only(","), p.K, count(p.M, "item"), known)
	if p.PersonShare > 0 {
		s += fmt.Sprintf("; at most 1/%d of the lines with c are of one person, for every such c, "+
			"the empty set included, and of those with each item of J or a label above it",
			p.PersonShare)
	}
	if p.HasSensitiveItems() {
		s += fmt.Sprintf("; lines(c and s)/lines(c) <= 1/%d and persons(c and s)/persons(c) <= "+
			"1/%d for every such c, the empty set included, and every sensitive item s%s, and the "+
			"same for the transactions with each item of J or a label above it", p.L, p.L, others)
	}
	if len(p.Columns) > 0 {
		s += fmt.Sprintf("; of the lines with c that have a value, at most 1/%d have any one%s, "+
			"and of the persons with such a line at most 1/%d have any one in such a line%s, for "+
			"every such c, the empty set included, and %s, and the same for the transactions with "+
			"each item of J or a label above it", p.L, p.ButOpen(""), p.L, p.ButOpen(""),
			p.columnNames())
	}
	return s
}

// notCoveredByUnit is what the promise does not say of several transactions of a person.
func (p KM) notCoveredByUnit() []string {
	if !p.Persons {
		return []string{"The unit is a transaction. Where a person has several, the k " +
			"transactions may all be that person's: nothing is promised then. Name the column of " +
			"the persons with --person-column."}
	}
	likely := "The k persons are not equally likely where some of them have more of the matching " +
		"transactions than others"
	if p.PersonShare > 0 {
		likely += fmt.Sprintf(", though nobody has more than 1/%d of these", p.PersonShare)
	}
	out := []string{
		"The unit is a person, and what is known is of one transaction. Who knows items of " +
			"several transactions of a person, or how many the person has, may single the person " +
			"out.",
		likely + ".",
	}
	if p.Diverse() || p.PersonShare > 0 {
		out = append(out, "Shares are those of the persons who are named in the original: whose "+
			"the lines without a person are is not taken into account.")
	}
	if len(p.Columns) > 0 {
		out = append(out, "Values of a sensitive column may tell which lines are of one person, "+
			"where few other persons have them: that is not bounded.")
	}
	return out
}

// ofShare says how much of what matches may be of one person; "" where that is not bounded.
func (p KM) ofShare() string {
	if p.PersonShare == 0 {
		return ""
	}
	return fmt.Sprintf(", none of them with more than 1/%d of what matches", p.PersonShare)
}
