package measure

import (
	"math/big"

	"mingle/release"
)

// BagsNCP is the normalized certainty penalty of a release of numbers (gkountouna-2014, section 3.3).
//
//	NCP(v) = 0 if v is published as itself, else (b-a)/(max-min) for the range [a, b] it is published as,
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
	out := BagsNCP{Occurrences: r.Data.Occurrences()}
	count := make([]int64, len(r.Terms))
	for pos := range r.Data.Items() {
		count[r.Term(pos)]++
	}
	sum := new(big.Rat)
	for t, n := range count {
		switch {
		case n == 0:
		case r.Terms[t].IsPoint():
			out.Values++
		default:
			out.Ranges++
			out.Generalized += int(n)
			sum.Add(sum, new(big.Rat).Mul(r.Terms[t].Width(), big.NewRat(n, 1)))
		}
	}
	lowest, highest, ok := r.Data.ActiveDomain()
	if !ok || out.Generalized == 0 {
		return out
	}
	if width := highest.Sub(lowest); width.Sign() > 0 {
		sum.Quo(sum, width.Mul(width, big.NewRat(int64(out.Occurrences), 1)))
		out.NCP, _ = sum.Float64()
	}
	return out
}
