package generate

import "math"

// The functions of package math differ in their last bit from machine to machine: some are written
// in assembly, and the compiler may fuse a product with a sum where the processor can. Here every
// product is rounded by a conversion, which the language forbids to fuse. Sums, quotients, square
// roots, Frexp and Ldexp are exact as they are.

// ln is the natural logarithm of x > 0, to about 1e-15.
func ln(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	// ln m = 2 artanh f, f = (m-1)/(m+1), |f| < 0.172
	f := (m - 1) / (m + 1)
	z := float64(f * f)
	s := 0.0
	for k := 23.0; k >= 1; k -= 2 {
		s = float64(s*z) + 1/k
	}
	return float64(2*float64(f*s)) + float64(float64(e)*math.Ln2)
}

// exp is e to the x, |x| < 700, to about 1e-14.
func exp(x float64) float64 {
	n := math.Round(x / math.Ln2)
	r := x - float64(n*math.Ln2)
	s := 1.0
	for k := 18.0; k >= 1; k-- {
		s = 1 + float64(s*r)/k
	}
	return math.Ldexp(s, int(n))
}

// power is x to the y, x > 0.
func power(x, y float64) float64 { return exp(float64(y * ln(x))) }
