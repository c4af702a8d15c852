package nonreciprocal

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"mingle/anonymize/order"
	"mingle/dataset"
)

func TestGroupsHaveDifferentLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(33, 34))
	for range 300 {
		size := 2 + rng.IntN(6)
		d, labels := tightLabels(rng, size)
		ids, counts := labelIDs(labels)
		blocks := makeBlocks(order.Gray(d, nil), ids, counts, size, order.NewDistances(d))
		checkBlocks(t, blocks, ids, d.Len(), size)
	}
}

// tightLabels makes data whose commonest label is on as many records as blocks of that size allow.
func tightLabels(rng *rand.Rand, size int) (*dataset.Dataset, []string) {
	blocks := 1 + rng.IntN(8)
	n := blocks*size + rng.IntN(size)
	d := randomSets(rng, n, 8, 0.4)
	var labels []string
	for s := 0; len(labels) < n; s++ {
		for range min(1+rng.IntN(blocks), n-len(labels)) {
			labels = append(labels, "s"+strconv.Itoa(s))
		}
		if s == 0 {
			for len(labels) < blocks {
				labels = append(labels, "s0")
			}
		}
	}
	rng.Shuffle(n, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	return d, labels
}

func checkBlocks(t *testing.T, blocks [][]int32, labels []int32, n, size int) {
	t.Helper()
	seen := make([]bool, n)
	for _, block := range blocks {
		if len(block) < size {
			t.Fatalf("block of %d records, want at least %d", len(block), size)
		}
		has := map[int32]bool{}
		for _, u := range block {
			if seen[u] || has[labels[u]] {
				t.Fatalf("block %v: record %d twice, or label %d", block, u, labels[u])
			}
			seen[u], has[labels[u]] = true, true
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		t.Fatalf("record %d is in no block", i)
	}
}
