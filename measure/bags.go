package measure

import (
	"fmt"
	"math/big"

	"mingle/dataset/bag"
	"mingle/release"
)

// BagsNCP is the normalized certainty penalty of a release of numbers (gkountouna-2014, section
// 3.3).
//
//	NCP(v) = 0 if v is published as itself, else (b-a)/(max-min) for its range [a, b],
//	max and min those of the values of the original (its active domain);
//	NCP    = the sum over all occurrences, duplicates counted, divided by their number.
type BagsNCP struct {
	NCP         float64 `json:"ncp"`
	Generalized int     `json:"generalized_occurrences"`
	Occurrences int     `json:"occurrences"`
	Ranges      int     `json:"ranges"` // distinct ranges published
	Values      int     `json:"values"` // distinct values published as they are
}

// Bags measures a release of numbers. Widths are exact; the result is rounded once.
func Bags(r *release.Ranges) BagsNCP {
	count := make([]int64, len(r.Terms))
	for pos := range r.Data.Items() {
		count[r.Term(pos)]++
	}
	return bagsNCP(r.Data, r.Terms, count)
}

// PublishedBags measures a published file against its original. Every value stands for one
// published term, so it does not matter which. A published file that has not as many records, or
// values in a record, is an error; whether the terms contain the values is for the verifier to say.
func PublishedBags(original, published *bag.Bags) (BagsNCP, error) {
	if original.Len() != published.Len() {
		return BagsNCP{}, fmt.Errorf("the published file has %d records, the original %d",
			published.Len(), original.Len())
	}
	for i := range original.Len() {
		if o, p := len(original.Record(i)), len(published.Record(i)); o != p {
			return BagsNCP{}, fmt.Errorf("line %d of the published file has %d values, line %d "+
				"of the original %d", published.Line(i), p, original.Line(i), o)
		}
	}
	count := make([]int64, len(published.Terms()))
	for _, t := range published.Items() {
		count[t]++
	}
	return bagsNCP(original, published.Terms(), count), nil
}

// bagsNCP measures terms, each published so many times for a value of the data.
func bagsNCP(data *bag.Bags, terms []bag.Term, count []int64) BagsNCP {
	out := BagsNCP{Occurrences: data.Occurrences()}
	sum := new(big.Rat)
	for t, n := range count {
		switch {
		case n == 0:
		case terms[t].IsPoint():
			out.Values++
		default:
			out.Ranges++
			out.Generalized += int(n)
			sum.Add(sum, new(big.Rat).Mul(terms[t].Width(), big.NewRat(n, 1)))
		}
	}
	lowest, highest, ok := data.ActiveDomain()
	if !ok || out.Generalized == 0 {
		return out
	}
	if width := highest.Sub(lowest); width.Sign() > 0 {
		sum.Quo(sum, width.Mul(width, big.NewRat(int64(out.Occurrences), 1)))
		out.NCP, _ = sum.Float64()
	}
	return out
}
