package attack

import "math"

// Estimate is a figure and the interval in which it lies with 95 % confidence: the figure itself
// where it is exact.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func exactly(v float64) Estimate { return Estimate{v, v, v} }

// z is the quantile of the normal distribution that leaves 2.5 % on either side.
const z = 1.959963984540054

// share estimates a proportion from hits among n draws: Wilson's interval (1927).
func share(hits, n float64) Estimate {
	p := hits / n
	// products are converted: the same on any machine
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := float64(z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)))
	return Estimate{p, max(0, min(p, middle-half)), min(1, max(p, middle+half))}
}

// logarithm is that of 3/0.05.
const logarithm = 4.094344562222100684830468813065066480

// mean estimates the mean of n draws between 0 and 1 from their sum and sum of squares: the
// empirical Bernstein interval (Audibert, Munos, Szepesvari 2009, theorem 1), which holds for any
// distribution.
func mean(sum, squares, n float64) Estimate {
	m := sum / n
	variance := max(0, squares/n-float64(m*m)) // converted: see share
	half := math.Sqrt(2*variance*logarithm/n) + 3*logarithm/n
	return Estimate{m, max(0, m-half), min(1, m+half)}
}

// risk is how much of what a baseline leaves an attack gains (Anonymeter): 0 where it is no better.
func risk(success, baseline float64) float64 {
	if baseline >= 1 {
		return 0
	}
	return max(0, (success-baseline)/(1-baseline))
}
