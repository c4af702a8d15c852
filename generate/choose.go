package generate

import (
	"math"
	"math/rand/v2"
	"slices"
)

// picker draws indices with given weights in constant time (Walker's alias method, Vose 1991).
type picker struct {
	keep  []float64
	other []int32
}

func newPicker(weights []float64) picker {
	n := len(weights)
	p := picker{make([]float64, n), make([]int32, n)}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	var small, large []int32
	for i, w := range weights {
		p.keep[i], p.other[i] = float64(w*float64(n))/sum, int32(i)
		if p.keep[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		p.other[s] = l
		p.keep[l] -= 1 - p.keep[s]
		if p.keep[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range slices.Concat(small, large) { // what rounding left over
		p.keep[i] = 1
	}
	return p
}

func (p picker) pick(r *rand.Rand) int32 {
	i := int32(r.Uint64N(uint64(len(p.keep))))
	if r.Float64() < p.keep[i] {
		return i
	}
	return p.other[i]
}

// poissonWeights are those of 0, 1, 2, ..., at most limit, of a Poisson distribution, up to a
// common factor.
func poissonWeights(mean float64, limit int) []float64 {
	if mean <= 0 {
		return []float64{1}
	}
	n := min(limit, int(mean+float64(12*math.Sqrt(mean)))+30)
	w := make([]float64, n+1)
	mode := min(n, int(mean))
	w[mode] = 1
	for k := mode; k > 0; k-- {
		w[k-1] = float64(w[k]*float64(k)) / mean
	}
	for k := mode; k < n; k++ {
		w[k+1] = float64(w[k]*mean) / float64(k+1)
	}
	return w
}

// geometricWeights are weights q^k of 0 ≤ k ≤ limit whose mean is the given one: falling for means
// below limit/2, rising above.
func geometricWeights(mean float64, limit int) []float64 {
	if mean > float64(limit)/2 {
		w := geometricWeights(float64(limit)-mean, limit)
		slices.Reverse(w)
		return w
	}
	lo, hi := 0.0, 1.0 // the mean rises with q from 0 to limit/2
	for range 60 {
		if q := (lo + hi) / 2; geometricMean(q, limit) < mean {
			lo = q
		} else {
			hi = q
		}
	}
	w := make([]float64, limit+1)
	w[0] = 1
	for k := range limit {
		w[k+1] = w[k] * lo
	}
	return w
}

func geometricMean(q float64, limit int) float64 {
	sum, moment := 0.0, 0.0
	for k, w := 0, 1.0; k <= limit && w > 1e-18; k++ {
		sum += w
		moment += float64(w * float64(k))
		w = float64(w * q)
	}
	return moment / sum
}

// zipfWeights are 1/rank^exponent, rank = 1..n.
func zipfWeights(n int, exponent float64) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = power(float64(i+1), -exponent)
	}
	return w
}

// permutation is 0..n-1 in random order.
func permutation(r *rand.Rand, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	shuffle(r, out)
	return out
}

func shuffle(r *rand.Rand, a []int32) {
	for i := len(a) - 1; i > 0; i-- {
		j := int(r.Uint64N(uint64(i + 1)))
		a[i], a[j] = a[j], a[i]
	}
}

// normal is a standard normal number, near enough: the sum of twelve uniform ones less six.
func normal(r *rand.Rand) float64 {
	s := -6.0
	for range 12 {
		s += r.Float64()
	}
	return s
}

// exponential is an exponential number of mean 1.
func exponential(r *rand.Rand) float64 { return -ln(1 - r.Float64()) }

// set collects distinct items of one transaction.
type set struct {
	items []int32
	in    []bool // by item
}

func newSet(items int) *set { return &set{in: make([]bool, items)} }

func (s *set) add(item int32) bool {
	if s.in[item] {
		return false
	}
	s.in[item] = true
	s.items = append(s.items, item)
	return true
}

// fill draws items until there are n. Where draws hit what is there already, the next free item of
// a random place is taken: so dense transactions end too.
func (s *set) fill(n int, r *rand.Rand, draw func() int32) {
	const tries = 32
	for misses := 0; len(s.items) < n; {
		if s.add(draw()) {
			misses = 0
			continue
		}
		if misses++; misses < tries {
			continue
		}
		at := r.Uint64N(uint64(len(s.in)))
		for !s.add(int32(at)) {
			at = (at + 1) % uint64(len(s.in))
		}
		misses = 0
	}
}

// emit sorts, hands over and empties.
func (s *set) emit(emit Emit) error {
	slices.Sort(s.items)
	err := emit(s.items)
	for _, it := range s.items {
		s.in[it] = false
	}
	s.items = s.items[:0]
	return err
}
