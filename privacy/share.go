package privacy

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
)

// A share is written as a decimal number and kept as the binary number nearest to it: 0.29 is a
// little less than 29/100, and 0.29 times 100 less than 29. What follows from a share is computed
// from the decimal number that was written.

// decimal is the decimal number that x stands for: the shortest of those to which x is nearest. It
// is 0 where x is no number.
func decimal(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		return new(big.Rat)
	}
	return r
}

// Hundredth is the number nearest to so many percent: 0.011 of 1.1, where 1.1/100 is more.
func Hundredth(percent float64) float64 {
	r := decimal(percent)
	x, _ := r.Quo(r, big.NewRat(100, 1)).Float64()
	return x
}

// MostOf is the largest whole number that is at most a share, from 0 to 1, of n.
func MostOf(share float64, n int) int {
	part := partOf(share, n)
	return int(new(big.Int).Div(part.Num(), part.Denom()).Int64())
}

// LeastOf is the smallest whole number that is at least a share, from 0 to 1, of n.
func LeastOf(share float64, n int) int { return -MostOf(-share, n) }

func partOf(share float64, n int) *big.Rat {
	part := decimal(share)
	return part.Mul(part, big.NewRat(int64(n), 1))
}

var plainDecimal = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?|\.[0-9]+)$`)

// ParseShare reads h as it is written: a plain decimal number such as 0.29, not rounded. One with
// more digits than H keeps, about 17, is refused.
func ParseShare(text string) (h float64, err error) {
	if !plainDecimal.MatchString(text) {
		return 0, fmt.Errorf("%q is not a plain decimal number such as 0.29", text)
	}
	exact, ok := new(big.Rat).SetString(text)
	h, err = strconv.ParseFloat(text, 64)
	if !ok || err != nil || exact.Cmp(decimal(h)) != 0 {
		return 0, fmt.Errorf("%q has more digits than are kept: the nearest number is %v", text, h)
	}
	return h, nil
}
