package nonreciprocal

import (
	"math"
	"slices"
)

// partSize is the size of the parts that a block is divided into, l times a power of two; 0: it is
// not divided. It depends on nothing but how often the block has each label.
//
// growth is by how much the block that a record ends in may be expected to grow because parts
// cannot stand alone. The size is the smallest at which this is little; if there is none, then of
// an even block the smallest there is, because its parts can be grouped, and of others the one
// that is likeliest to succeed.
func (d *divider) partSize(block []int32) int {
	n := len(block)
	if n < 2*d.l {
		return 0
	}
	t := d.tallyOf(block)
	var counts []int
	for _, c := range t.count {
		counts = append(counts, c)
	}
	slices.Sort(counts)
	even, best, least := d.isEven(n), 0, math.Inf(1)
	for size := d.l; 2*size <= n; size *= 2 {
		if n/size > mostParts {
			continue
		}
		growth := 2 * float64(size) * d.unfit(n, size, counts)
		if !even {
			growth += float64(n) * d.unfit(n, n-(n/size-1)*size, counts)
		}
		if growth <= mostGrowth*float64(d.l) {
			return size
		}
		if best == 0 || !even && growth < least {
			best, least = size, growth
		}
	}
	return best
}

// unfit bounds the probability that a part of a block of n records has a label on more than 1/l of
// it, if the labels are spread at random. counts are how many records have each label, ascending.
func (d *divider) unfit(n, size int, counts []int) float64 {
	sum, last, chance := 0.0, 0, 0.0
	for _, c := range slices.Backward(counts) {
		if c <= size/d.l {
			break
		}
		if c != last {
			last, chance = c, moreThan(size/d.l, n, c, size)
		}
		if sum += chance; sum >= 1 {
			return 1
		}
	}
	return sum
}

// moreThan is the probability that of size records drawn from n, of which c are marked, more than
// most are (hypergeometric).
func moreThan(most, n, c, size int) float64 {
	sum := 0.0
	for x := most + 1; x <= min(c, size); x++ {
		if size-x > n-c {
			continue
		}
		p := math.Exp(choices(c, x) + choices(n-c, size-x) - choices(n, size))
		sum += p
		if p < sum*1e-12 && x > c*size/n {
			break
		}
	}
	return sum
}

// choices is the logarithm of n over k.
func choices(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
