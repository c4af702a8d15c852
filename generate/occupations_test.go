package generate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mingle/generate"
)

// Labels fall with their number, and the commonest is on 3.7 % of the records.
func TestOccupations(t *testing.T) {
	const n = 200_000
	count := map[string]int{}
	for _, label := range generate.Occupations(rand.New(rand.NewPCG(1, 2)), n) {
		count[label]++
	}
	if share := float64(count["label000"]) / n; math.Abs(share-0.037) > 0.002 {
		t.Errorf("the commonest label is on %.4f of the records", share)
	}
	if first, last := count["label000"], count["label469"]; last == 0 || last*40 > first ||
		len(count) != 470 {
		t.Errorf("%d labels, %d and %d times the first and the last", len(count), first, last)
	}
}
