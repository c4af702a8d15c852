package report

import (
	"fmt"

	"mingle/privacy"
	"mingle/release"
)

// Nonreciprocal spells out k-anonymity and l-diversity by nonreciprocal recoding.
func Nonreciprocal(p privacy.Nonreciprocal) Guarantee {
	who := "somebody who knows all items of all persons, but not which published record is whose"
	if p.GroupsSeeLabels {
		who += " and not how groups were made"
	}
	g := guarantee("nonreciprocal", p)
	g.Answers = answers(
		fmt.Sprintf("Not in the published file by %s: at least %d published records match "+
			"every person, each the "+
			"person's own with a probability of at most 1/%d.", who, p.Matches(), p.Matches()),
		"Yes, not bounded: a published record keeps most of one person's items together, so "+
			"two sources that know "+
			"different items of a person may find out that they know the same person about as "+
			"well as on the original. "+
			"Several records of a person, or several releases, are not taken into account.",
		"Not bounded: published records are close to the original ones, and somebody who knows "+
			"a part of a person's "+
			"items learns much about the rest.")
	g.Words = fmt.Sprintf("Every person fits at least %d published records, and each of them "+
		"is the person's own with a "+
		"probability of at most 1/%d, even for whoever knows all items of everybody.", p.Matches(),
		p.Matches())
	if p.GroupsSeeLabels {
		g.Words = fmt.Sprintf("Every person fits at least %d published records, and for "+
			"somebody who does not know how "+
			"the groups were made each of them is the person's own with a probability of at "+
			"most 1/%d.",
			p.Matches(), p.Matches())
	}
	if p.Diverse() {
		g.Words += fmt.Sprintf(" The records that fit carry at least %d different labels.", p.L)
		g.Answers[2].Answer = diversityAnswer(p)
	}
	return g
}

// diversityAnswer says what can be inferred where there are labels.
func diversityAnswer(p privacy.Nonreciprocal) string {
	const items = " For items it is not bounded."
	if p.GroupsSeeLabels {
		return fmt.Sprintf("For the label only, and only by somebody who does not know how the "+
			"groups were made: "+
			"such a one learns it with a probability of at most 1/%d. "+
			"Whoever knows all records and how groups are made may be certain of it.", p.L) + items
	}
	return fmt.Sprintf("For the label only: somebody who knows all items of all persons and "+
		"how the release was made, "+
		"but no labels, and expects no label rather for one person than for another, learns "+
		"it with "+
		"a probability of at most 1/%d. Of several labels together more may be learned.", p.L) +
		items
}

// CountNonreciprocal counts what anyone can count in the published bases.
func CountNonreciprocal(r *release.Nonreciprocal) Published { return Count(r.Base, nil) }

// uncertainBases is the share of what records may hold that is uncertain above which little is left
// of them. At a half the error rate may still be a fifth, as thresholds are those of the farthest
// match; at two thirds it is about a half.
const uncertainBases = 2.0 / 3

// CautionOfBases says where the published file itself tells that little is left of the records: a
// record holds the sure items of its base, but for as many places as the threshold says.
func CautionOfBases(r *release.Nonreciprocal) []Caution {
	var mean, sure, places float64
	for i, threshold := range r.Threshold {
		base, open := float64(len(r.Base.Tx(i))), float64(threshold)
		sure, places = sure+base, places+open
		if open > 0 {
			mean += open / (base + open)
		}
	}
	n := float64(r.Len())
	if n == 0 || mean/n <= uncertainBases {
		return nil
	}
	return []Caution{{
		About: AboutLoss,
		Says: fmt.Sprintf("little is left of the data: a published record has %.1f sure items, "+
			"and the one behind it may differ from them in %.1f places, in the mean", sure/n,
			places/n),
		Try: TryLoss("nonreciprocal"),
	}}
}

// Match is what the audit file tells of one record: the lines of the published file.
type Match struct {
	Line  int   `json:"line"`  // of the original
	Match int32 `json:"match"` // the published line that is its true match
	Own   int32 `json:"own"`   // the published line that was made for it
}

// Draw is the secret of a nonreciprocal release.
type Draw struct {
	// 256 bits, hexadecimal; with it and the original the release can be made again
	Seed    string  `json:"seed"`
	Fixed   bool    `json:"fixed"`
	Matches []Match `json:"matches"`
}
