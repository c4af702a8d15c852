package generate

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestExactFunctions(t *testing.T) {
	for x := 1e-12; x < 1e12; x *= 1.37 {
		if got, want := ln(x), math.Log(x); math.Abs(got-want) > 1e-14*max(1, math.Abs(want)) {
			t.Errorf("ln(%v) = %v, want %v", x, got, want)
		}
		if got, want := power(x, -1.1), math.Pow(x, -1.1); math.Abs(got/want-1) > 1e-13 {
			t.Errorf("power(%v, -1.1) = %v, want %v", x, got, want)
		}
	}
	for x := -700.0; x < 700; x += 1.23 {
		if got, want := exp(x), math.Exp(x); math.Abs(got/want-1) > 1e-13 {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestPickerHasTheWeights adds up what the alias table gives to every index.
func TestPickerHasTheWeights(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(0, 1e3), 1, 40).Draw(rt, "weights")
		weights[0]++
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		p := newPicker(weights)
		got := make([]float64, len(weights))
		for i, keep := range p.keep {
			got[i] += keep / float64(len(weights))
			got[p.other[i]] += (1 - keep) / float64(len(weights))
		}
		for i, w := range weights {
			if math.Abs(got[i]-w/sum) > 1e-12 {
				rt.Errorf("index %d is drawn with probability %v, want %v", i, got[i], w/sum)
			}
		}
	})
}

func TestPoissonWeights(t *testing.T) {
	for _, mean := range []float64{0, 0.3, 1, 9, 39, 600} {
		w := poissonWeights(mean, 5000)
		sum, moment, square := moments(w)
		if m, v := moment/sum, square/sum-moment*moment/sum/sum; math.Abs(m-mean) > 1e-6*(1+mean) ||
			math.Abs(v-mean) > 1e-4*(1+mean) {
			t.Errorf("mean %v: mean %v, variance %v", mean, m, v)
		}
	}
}

func TestGeometricWeights(t *testing.T) {
	for _, limit := range []int{0, 1, 2, 75, 160, 20000} {
		for _, share := range []float64{0, 0.001, 0.1, 0.5, 0.73, 1} {
			w := geometricWeights(share*float64(limit), limit)
			sum, moment, _ := moments(w)
			if len(w) != limit+1 ||
				math.Abs(moment/sum-share*float64(limit)) > 1e-6*float64(limit+1) {
				t.Errorf("mean %v of %d: %v", share*float64(limit), limit, moment/sum)
			}
			if falls := slices.IsSortedFunc(w,
				func(a, b float64) int { return -compare(a, b) }); share < 0.5 && !falls {
				t.Errorf("mean %v of %d: weights do not fall", share*float64(limit), limit)
			}
		}
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func moments(w []float64) (sum, moment, square float64) {
	for k, x := range w {
		sum += x
		moment += x * float64(k)
		square += x * float64(k*k)
	}
	return sum, moment, square
}

// TestNormalAndExponential: 200,000 draws with a fixed seed; the tolerances are five standard
// errors.
func TestNormalAndExponential(t *testing.T) {
	const n = 200_000
	r := newRand(1, 1)
	for name, c := range map[string]struct {
		draw           func() float64
		mean, variance float64
		fourth         float64 // E(x-mean)^4, for the error of the variance
	}{
		"normal":      {func() float64 { return normal(r) }, 0, 1, 2.9},
		"exponential": {func() float64 { return exponential(r) }, 1, 1, 9},
	} {
		sum, square := 0.0, 0.0
		for range n {
			x := c.draw() - c.mean
			sum += x
			square += x * x
		}
		if m := sum / n; math.Abs(m) > 5*math.Sqrt(c.variance/n) {
			t.Errorf("%s: mean is off by %v", name, m)
		}
		if v := square / n; math.Abs(v-c.variance) > 5*math.Sqrt((c.fourth-1)/n) {
			t.Errorf("%s: variance %v", name, v)
		}
	}
}
