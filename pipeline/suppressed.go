package pipeline

import (
	"slices"

	"mingle/dataset"
	"mingle/release"
	"mingle/report"
)

// withoutLines is data without the withheld transactions, which are ascending.
func withoutLines(d *dataset.Dataset, withheld []int32) *dataset.Dataset {
	if len(withheld) == 0 {
		return d
	}
	stay := make([]int32, 0, d.Len()-len(withheld))
	for i := range int32(d.Len()) {
		if _, gone := slices.BinarySearch(withheld, i); !gone {
			stay = append(stay, i)
		}
	}
	return d.Select(stay)
}

// dropped are the places of the transactions that have no line in the published file, ascending.
func (t *kmTask) dropped() []int32 {
	if !t.Drop {
		return nil
	}
	return t.release.Withheld
}

// undropped is published data with an empty line for each transaction that has none.
func undropped(published *dataset.Dataset, dropped []int32) *dataset.Dataset {
	if len(dropped) == 0 {
		return published
	}
	b := dataset.NewBuilder(published.Dict())
	line, lines := 0, published.Len()+len(dropped)
	for i := range int32(lines) {
		if len(dropped) > 0 && dropped[0] == i {
			dropped = dropped[1:]
			b.Add(nil)
			continue
		}
		b.Add(published.Tx(line))
		line++
	}
	return b.Build()
}

// suppressedItems are the items that occur and are published nowhere, by label; nil where whole
// transactions were suppressed.
func suppressedItems(g *release.Generalized) []string {
	if g.Withheld != nil {
		return nil
	}
	occurs, published := make([]bool, g.Tree.Leaves()), make([]bool, g.Tree.Leaves())
	if g.IsGlobal() {
		for leaf, n := range g.Data.Supports() {
			occurs[leaf], published[leaf] = n > 0, g.Map[leaf] != release.Suppressed
		}
	} else {
		g.Each(func(leaf, node int32) {
			occurs[leaf] = true
			published[leaf] = published[leaf] || node != release.Suppressed
		})
	}
	var out []string
	for leaf, is := range occurs {
		if is && !published[leaf] {
			out = append(out, g.Tree.Label(int32(leaf)))
		}
	}
	return out
}

// trials is what was tried, without what differs from run to run.
func trials(g *release.Generalized) []report.Trial {
	var out []report.Trial
	for _, t := range g.Tried {
		one := report.Trial{Algorithm: t.Name, Note: t.Note}
		if t.Done {
			one.NCP = &t.NCP
		}
		out = append(out, one)
	}
	return out
}
