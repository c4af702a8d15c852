package measure

import (
	"maps"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// PublishedLoss is what a published file alone tells of its NCP. How many items of the original
// stand behind a published label is not told by it, only that there is at least one, and at most as
// many as there are leaves below the label that no lower label of the same line stands for.
type PublishedLoss struct {
	Least  float64 // of all originals that the published file can be made from
	Labels float64 // where one item stands behind every label: the mean over the published labels
	Most   float64
}

// PublishedNCP bounds the NCP of published data, whose items are node ids of t, over all originals
// that it can be made from when nothing is suppressed: every item is published as the lowest node
// of its line at or above it. Where items may be suppressed Most does not hold: each suppressed one
// loses 1, which is at least any ratio, so Least does. It takes one pass over the data.
//
// Both bounds are ratios of sums, (Σ w·n)/(|I|·Σ n) with the weights w of NCP and a range for each
// number of items n. Such a ratio is least where the n of the lightest weights are at their most,
// as long as the weight is below the ratio, and all others at their least; it is greatest the other
// way round. Sums are floating-point numbers: their products can be beyond 64 bits.
func PublishedNCP(t *hierarchy.Tree, published *dataset.Dataset) (PublishedLoss, error) {
	if err := t.CheckBoundPublished(published); err != nil {
		return PublishedLoss{}, err
	}
	labels := map[int]float64{} // by weight in leaves
	more := map[int]float64{}   // further items that labels of a weight can have
	if used := published.Supports(); t.Antichain(used) {
		for u, n := range used {
			if n > 0 {
				w := weight(t, int32(u))
				labels[w] += float64(n)
				more[w] += float64(n) * float64(t.LeafCount(int32(u))-1)
			}
		}
		return rangeOf(labels, more, float64(t.Leaves())), nil
	}
	room := make([]int, t.Nodes()) // leaves of a label that no lower one stands for
	line := make([]int, t.Nodes()) // the last line with this node, from 1
	rows := published.Cursor()
	for i := range published.Len() {
		tx := rows.Tx(i)
		for _, u := range tx {
			line[u], room[u] = i+1, t.LeafCount(u)
		}
		for _, u := range tx {
			above := t.Parent(u)
			for above >= 0 && line[above] != i+1 {
				above = t.Parent(above)
			}
			if above >= 0 {
				room[above] -= t.LeafCount(u)
			}
		}
		for _, u := range tx {
			w := weight(t, u)
			labels[w]++
			more[w] += float64(max(0, room[u]-1))
		}
	}
	return rangeOf(labels, more, float64(t.Leaves())), nil
}

// weight is what an item published as u loses, in leaves.
func weight(t *hierarchy.Tree, u int32) int {
	if t.IsLeaf(u) {
		return 0
	}
	return t.LeafCount(u)
}

// rangeOf finds the least and the greatest ratio for the numbers of labels and of further items by
// weight.
func rangeOf(labels, more map[int]float64, domain float64) PublishedLoss {
	weights := slices.Sorted(maps.Keys(labels))
	extreme := func(order []int, goesOn func(weight, ratio float64) bool) float64 {
		sum, n := 0.0, 0.0
		for _, w := range weights {
			// converted: the same on any machine
			sum, n = sum+float64(float64(w)*labels[w]), n+labels[w]
		}
		if n == 0 {
			return 0
		}
		for _, w := range order {
			if !goesOn(float64(w), sum/n) {
				break
			}
			sum, n = sum+float64(float64(w)*more[w]), n+more[w]
		}
		return sum / n / domain
	}
	falling := slices.Clone(weights)
	slices.Reverse(falling)
	return PublishedLoss{
		Least:  extreme(weights, func(w, ratio float64) bool { return w < ratio }),
		Labels: extreme(nil, nil),
		Most:   extreme(falling, func(w, ratio float64) bool { return w > ratio }),
	}
}
