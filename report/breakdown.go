package report

import (
	"cmp"
	"fmt"
	"slices"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/release"
)

// Breakdown splits up what is published. It is counted from the published file alone, and from the
// hierarchy, so that anyone can count it again.
type Breakdown struct {
	By   string `json:"by"`   // level, category, label, width, uncertainty or rarity
	Unit string `json:"unit"` // of Count: occurrences, transactions or records
	Rows []Part `json:"rows"`
}

// Part is one row of a breakdown.
type Part struct {
	Name   string `json:"name"`
	Labels int    `json:"labels,omitempty"` // distinct published labels in it
	Count  int    `json:"count"`
	// Loss is the mean of leaves(u)/|I| over the published occurrences, 0 for items published as
	// themselves and, of the original, 1 for those that were left out; for ranges of
	// (b-a)/(max-min), of the published values.
	Loss float64 `json:"loss"`
}

// What is split up by.
const (
	ByLevel       = "level"
	ByCategory    = "category"
	ByLabel       = "label"
	ByWidth       = "width"
	ByUncertainty = "uncertainty"
	ByRarity      = "rarity" // by how many records a label is in, the rarest first
)

// mostParts is how many rows a breakdown has; the rest is one row more.
const mostParts = 12

// Breakdowns of a release over a hierarchy: by levels of the tree, by the categories below its
// root, and by the commonest labels. Published data holds node ids of t.
func Breakdowns(t *hierarchy.Tree, published *dataset.Dataset) []Breakdown {
	levels := make([]Part, t.Height(t.Root())+1)
	for h := range levels {
		levels[h].Name = levelName(h, len(levels)-1)
	}
	top := topNode(t)
	categories := map[int32]*Part{}
	var labels []Part
	for u, n := range published.Supports() {
		if n == 0 {
			continue
		}
		u := int32(u)
		loss := penalty(t, u)
		levels[t.Height(u)].add(n, loss)
		c := u
		for c != top && t.Covers(top, c) && t.Parent(c) != top {
			c = t.Parent(c)
		}
		if categories[c] == nil {
			categories[c] = &Part{Name: t.Label(c)}
		}
		categories[c].add(n, loss)
		labels = append(labels, Part{t.Label(u), 1, n, loss * float64(n)})
	}
	var tops []Part
	for c := range t.Nodes() {
		if p := categories[int32(c)]; p != nil {
			tops = append(tops, *p)
		}
	}
	return shown(Breakdown{ByLevel, "occurrences", levels},
		Breakdown{ByCategory, "occurrences", largest(tops)},
		Breakdown{ByLabel, "transactions", largest(labels)})
}

// penalty of a published node is leaves(u)/|I|, and 0 of an item published as itself.
func penalty(t *hierarchy.Tree, u int32) float64 {
	return float64(t.Penalty(u)) / float64(t.Leaves())
}

// BreakdownOfLoss is of the occurrences of the original by what became of them.
func BreakdownOfLoss(t *hierarchy.Tree, l measure.Loss) []Breakdown {
	rows, root := []Part{}, t.Height(t.Root())
	for _, level := range l.Levels {
		rows = append(rows, Part{
			Name: levelName(level.Height, root), Labels: level.Nodes, Count: level.Occurrences,
			Loss: float64(level.Penalty) / float64(l.Domain),
		})
	}
	leftOut := Part{Name: "left out", Count: l.Suppressed, Loss: float64(l.Suppressed)}
	rows = append(rows, leftOut)
	return shown(Breakdown{ByLevel, ofOriginal, rows})
}

// ofOriginal is the unit of a breakdown of the original.
const ofOriginal = "occurrences of the original"

// topNode is the lowest node above all leaves.
func topNode(t *hierarchy.Tree) int32 {
	u := t.Root()
	for !t.IsLeaf(u) && len(t.Children(u)) == 1 {
		u = t.Children(u)[0]
	}
	return u
}

func levelName(height, root int) string {
	switch {
	case height == 0:
		return "items as they are"
	case height == root:
		return "everything in one"
	case height == 1:
		return "groups 1 level up"
	}
	return fmt.Sprintf("groups %d levels up", height)
}

// rarities are the least supports of the rows of a breakdown by rarity, in multiples of k.
// Sensitive and private items may be in fewer than k transactions.
var rarities = []int{0, 1, 2, 5, 20}

// BreakdownByRarity is of published labels by the number of transactions that they are in, and of
// the sensitive items of the same lines, as in [Count]. Published data holds node ids of t; nil:
// items are published as they are.
func BreakdownByRarity(
	t *hierarchy.Tree, published, sensitive *dataset.Dataset, k int,
) []Breakdown {
	var rows []Part
	for i, from := range rarities {
		name := fmt.Sprintf("labels in %d or more transactions", from*k)
		switch {
		case from == 0:
			name = fmt.Sprintf("labels in fewer than %d transactions", k)
		case i+1 < len(rarities):
			name = fmt.Sprintf("labels in %d to %d transactions", from*k, rarities[i+1]*k-1)
		}
		rows = append(rows, Part{Name: name})
	}
	supports := published.Supports()
	if sensitive != nil {
		supports = slices.Concat(supports, sensitive.Supports())
	}
	for u, n := range supports {
		if n == 0 {
			continue
		}
		loss := 0.0
		if t != nil && u < t.Nodes() { // sensitive items come behind the nodes
			loss = penalty(t, int32(u))
		}
		row, _ := slices.BinarySearch(rarities, n/k+1)
		rows[row-1].add(n, loss)
	}
	return shown(Breakdown{ByRarity, "occurrences", rows})
}

// BreakdownOfItems is of data in which items are published as they are or not at all.
func BreakdownOfItems(published *dataset.Dataset) []Breakdown {
	var labels []Part
	for _, it := range published.Occurring() {
		labels = append(labels, Part{published.Dict().Label(it), 1, published.Supports()[it], 0})
	}
	return shown(Breakdown{ByLabel, "transactions", largest(labels)})
}

// widths are the least shares of the domain that the ranges of a row have, in percent.
var widths = []float64{0, 0.1, 0.5, 1, 2, 5, 10, 20, 50}

// BreakdownOfRanges is by the width of published ranges, as a share of all published values' span.
func BreakdownOfRanges(b *bag.Bags) []Breakdown {
	lowest, highest, ok := b.ActiveDomain()
	if !ok {
		return nil
	}
	span, _ := highest.Sub(lowest).Float64()
	rows := []Part{{Name: "values as they are"}}
	for i, w := range widths {
		name := fmt.Sprintf("wider than %v %%", w)
		if i+1 < len(widths) {
			name = fmt.Sprintf("%v to %v %% wide", w, widths[i+1])
		}
		rows = append(rows, Part{Name: name})
	}
	counts := make([]int, len(b.Terms()))
	for _, it := range b.Items() {
		counts[it]++
	}
	for id, t := range b.Terms() {
		row, loss := 0, 0.0
		if !t.IsPoint() {
			width, _ := t.Width().Float64()
			loss = width / span
			for row = 1; row < len(widths) && 100*loss > widths[row]; row++ {
			}
		}
		rows[row].add(counts[id], loss)
	}
	return shown(Breakdown{ByWidth, "occurrences", rows})
}

// uncertainties are the least numbers of uncertain items of a row.
var uncertainties = []int{0, 1, 3, 6, 11, 21, 51, 101}

// BreakdownOfNonreciprocal is by the number of uncertain items a record has.
func BreakdownOfNonreciprocal(r *release.Nonreciprocal) []Breakdown {
	var rows []Part
	for i, from := range uncertainties {
		name := fmt.Sprintf("more than %d uncertain items", from-1)
		switch {
		case from == 0:
			name = "no uncertain item"
		case i+1 < len(uncertainties):
			name = fmt.Sprintf("%d to %d uncertain items", from, uncertainties[i+1]-1)
		}
		rows = append(rows, Part{Name: name})
	}
	for i := range r.Len() {
		row, _ := slices.BinarySearch(uncertainties, len(r.Uncertain.Tx(i))+1)
		rows[row-1].Count++
	}
	return shown(Breakdown{ByUncertainty, "records", rows})
}

// add counts occurrences of one label; until the mean is taken, Loss is a sum.
func (p *Part) add(n int, loss float64) {
	p.Labels++
	p.Count += n
	p.Loss += float64(n) * loss
}

// largest keeps the rows with the highest counts, in falling order, and sums the rest up in one
// row.
func largest(rows []Part) []Part {
	slices.SortStableFunc(rows, func(a, b Part) int { return cmp.Compare(b.Count, a.Count) })
	if len(rows) <= mostParts {
		return rows
	}
	rest := Part{Name: fmt.Sprintf("%s others", Number(len(rows)-mostParts))}
	for _, r := range rows[mostParts:] {
		rest.Labels += r.Labels
		rest.Count += r.Count
		rest.Loss += r.Loss
	}
	return append(rows[:mostParts:mostParts], rest)
}

// shown leaves out rows that count nothing, and breakdowns without rows, and takes the means.
func shown(all ...Breakdown) []Breakdown {
	var out []Breakdown
	for _, b := range all {
		b.Rows = slices.DeleteFunc(b.Rows, func(p Part) bool { return p.Count == 0 })
		for i := range b.Rows {
			b.Rows[i].Loss /= float64(b.Rows[i].Count)
		}
		if len(b.Rows) > 0 {
			out = append(out, b)
		}
	}
	return out
}
