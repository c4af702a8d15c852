package measure

import (
	"strings"
	"testing"

	"mingle/dataset"
)

// One frequent itemset of 20 items foretells more than a million of its parts: the search ends
// there, and not when it has gone down 10,000 items.
func TestManyItemsetsAreForetold(t *testing.T) {
	long := func(items int) *dataset.Dataset {
		labels := make([]string, items)
		for i := range labels {
			labels[i] = strings.Repeat("x", i+1)
		}
		b := dataset.NewBuilder(dataset.MustDictionary(labels))
		for range 3 {
			var tx []int32
			for i := range int32(items) {
				tx = append(tx, i)
			}
			b.Add(tx)
		}
		return b.Build()
	}
	found, err := mined(t, long(2000), 2, 1_000_000, 1)
	deepest := 0
	for set := range found {
		deepest = max(deepest, len(itemsOf(set)))
	}
	if err == nil || deepest != 19 { // one more, and it ended
		t.Errorf("it went down %d items: %v", deepest, err)
	}
	for _, c := range []struct{ items, limit int }{{3, 7}, {4, 15}, {10, 1023}} {
		if got, err := mined(t, long(c.items), 2, c.limit, 2); err != nil ||
			len(got) != c.limit {
			t.Errorf("%d itemsets of %d: %v", len(got), c.limit, err)
		}
		if _, err := mined(t, long(c.items), 2, c.limit-1, 1); err == nil {
			t.Errorf("%d itemsets are %d at most", c.limit, c.limit-1)
		}
	}
}

func mined(t *testing.T, d *dataset.Dataset, least, limit, workers int) (frequent, error) {
	return (&mining{least: least, limit: limit, workers: workers}).run(t.Context(), d)
}
