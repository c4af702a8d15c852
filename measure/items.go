package measure

import (
	"cmp"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// ItemSupport is what a release tells about one item: its support is between Lower, the
// transactions that publish it as itself, and Upper, those that publish it or an ancestor.
type ItemSupport struct {
	Item    string `json:"item"`
	Support int    `json:"support"`
	Lower   int    `json:"lower"`
	Upper   int    `json:"upper"`
}

// ItemLoss is what is left of the frequent items. The single items show an analyst who knows the
// original what to expect; they hold supports of the original, so they do not belong into a public
// report.
type ItemLoss struct {
	Threshold float64 `json:"threshold"` // share of the transactions
	Frequent  int     `json:"frequent"`  // items with at least that support in the original
	Found     int     `json:"found"`     // of these, published as themselves at least that often
	Exact     int     `json:"exact"`     // of these, published with their support

	// Underestimate is the average, over the frequent items, of the share of its occurrences that
	// are not published as the item itself.
	Underestimate float64 `json:"underestimate"`

	Items []ItemSupport `json:"-"` // all frequent items, by falling support, then in leaf order
}

// FrequentItems compares the supports of the items that are in at least a share of the original
// transactions.
func FrequentItems(t *hierarchy.Tree, original, published *dataset.Dataset,
	threshold float64,
) ItemLoss {
	loss := ItemLoss{Threshold: threshold}
	counter := NewCounter(t, original, published)
	least := threshold * float64(original.Len())
	supports := original.Supports()
	var order []int32
	for x, n := range supports {
		if n > 0 && float64(n) >= least-1e-9 {
			order = append(order, int32(x))
		}
	}
	slices.SortStableFunc(order, func(a,
		b int32,
	) int {
		return cmp.Compare(supports[b], supports[a])
	})
	lost := 0.0
	for _, x := range order {
		a := counter.Count([]int32{x})
		loss.Items = append(loss.Items, ItemSupport{t.Label(x), a.True, a.Lower, a.Upper})
		if float64(a.Lower) >= least-1e-9 && a.Lower > 0 {
			loss.Found++
		}
		if a.Lower == a.True {
			loss.Exact++
		}
		lost += float64(max(0, a.True-a.Lower)) / float64(a.True)
	}
	if loss.Frequent = len(order); loss.Frequent > 0 {
		loss.Underestimate = lost / float64(loss.Frequent)
	}
	return loss
}
