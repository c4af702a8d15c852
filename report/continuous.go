package report

import (
	"fmt"

	"mingle/dataset/bag"
	"mingle/privacy"
)

// Continuous spells out k^m-anonymity of bags of numbers.
func Continuous(p privacy.Continuous) Guarantee {
	who := fmt.Sprintf("somebody who knows at most %s of a person's record and judges "+
		"by the published file", plural(p.M, "value"))
	terms := fmt.Sprintf("%d published values or ranges", p.M)
	if p.M == 1 {
		terms = "1 published value or range"
	}
	g := guarantee("continuous", p)
	g.Words = fmt.Sprintf("Every combination of up to %s that "+
		"occurs at all is in at "+
		"least %d records: whoever knows up to %s of a person finds at least %d records "+
		"that match.",
		terms, p.K, plural(p.M, "value"), p.K)
	g.Answers = answers(
		fmt.Sprintf("Not by %s: at least %d published records match. Beyond that it is not "+
			"bounded.", who, p.K),
		linked(who, p.K, "records", ""),
		"Not bounded: all records that match may share a further value or a narrow range.")
	return g
}

// CountBags counts what anyone can count in published bags.
func CountBags(b *bag.Bags) Published {
	return Published{
		Transactions: b.Len(), Empty: b.Len() - b.AtLeast(1), Occurrences: b.Occurrences(),
		Items: len(b.Terms()), Longest: b.Longest(),
	}
}

// RecodingOfRanges lists the published ranges with their two ends.
func RecodingOfRanges(b *bag.Bags) []Rule {
	rules := []Rule{}
	for _, t := range b.Terms() {
		if !t.IsPoint() {
			rules = append(rules, Rule{t.String(), []string{t.Lo.String(), t.Hi.String()}})
		}
	}
	return rules
}

// RecodingKindOfRanges is "global" where no two published values or ranges overlap, so that every
// value has one of them only, and "local" otherwise.
func RecodingKindOfRanges(b *bag.Bags) string {
	terms := b.Terms() // ascending by their lower end
	for i := 1; i < len(terms); i++ {
		if terms[i].Lo.Compare(terms[i-1].Hi) <= 0 {
			return "local"
		}
	}
	return "global"
}
