package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// occupations is how many labels there are in the tables and figures of l-diversity.
const occupations = 470

// Occupations draws one of 470 labels for each of n records, the i-th with a probability in
// proportion to 1/(i+5): the commonest is on 3.7 % of the records. (xue-2012 drew 470 occupations
// from a census, which is not at hand.)
func Occupations(rng *rand.Rand, n int) []string {
	sums := make([]float64, occupations)
	sum := 0.0
	for i := range sums {
		sum += 1 / float64(i+6)
		sums[i] = sum
	}
	out := make([]string, n)
	for i := range out {
		at, _ := slices.BinarySearch(sums, sum*rng.Float64())
		out[i] = fmt.Sprintf("label%03d", min(at, occupations-1))
	}
	return out
}
