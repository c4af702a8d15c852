package verify

import (
	"cmp"
	"slices"

	"mingle/dataset"
	"mingle/release"
)

// matchIndex finds the published records that a set of items can match, without trying all.
//
// A published record has its base without the uncertain items for certain: its core. A record that matches it has the
// whole core. So a published record is filed under the rarest item of its core (in the original), and only records that
// have this item are tried. Without a core, everything such a record can have is its base and its uncertain items; it
// is filed under each of those, and a record is tried only with what is filed under its own rarest item. The empty
// record is tried with everything that has no core. So no match is missed.
type matchIndex struct {
	groups  []matchGroup
	labels  []string // of the published file, distinct
	byCore  [][]int32
	byWorld [][]int32
	noCore  []int32
	support []int // of each item in the original
}

// matchGroup are equal published records.
type matchGroup struct {
	base, uncertain []int32
	threshold       int
	rows            []int32
	labels          []int32 // distinct
}

func newMatchIndex(original *dataset.Dataset, p *release.Nonreciprocal) *matchIndex {
	items := p.Dict().Len()
	x := &matchIndex{byCore: make([][]int32, items), byWorld: make([][]int32, items), support: make([]int, items)}
	copy(x.support, original.Supports())
	x.fold(p)
	for g, group := range x.groups {
		if core := without(group.base, group.uncertain); len(core) > 0 {
			at := x.rarest(core)
			x.byCore[at] = append(x.byCore[at], int32(g))
			continue
		}
		x.noCore = append(x.noCore, int32(g))
		for _, it := range group.uncertain { // the base is among them
			x.byWorld[it] = append(x.byWorld[it], int32(g))
		}
	}
	return x
}

// fold puts equal published records together.
func (x *matchIndex) fold(p *release.Nonreciprocal) {
	rows := make([]int32, p.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	compare := func(a, b int32) int {
		return cmp.Or(
			slices.Compare(p.Base.Tx(int(a)), p.Base.Tx(int(b))),
			slices.Compare(p.Uncertain.Tx(int(a)), p.Uncertain.Tx(int(b))),
			cmp.Compare(p.Threshold[a], p.Threshold[b]))
	}
	slices.SortStableFunc(rows, compare)
	ids := map[string]int32{}
	for begin := 0; begin < len(rows); {
		end := begin + 1
		for end < len(rows) && compare(rows[begin], rows[end]) == 0 {
			end++
		}
		first := int(rows[begin])
		g := matchGroup{p.Base.Tx(first), p.Uncertain.Tx(first), int(p.Threshold[first]), rows[begin:end], nil}
		if p.Labels != nil {
			for _, row := range g.rows {
				id, known := ids[p.Labels[row]]
				if !known {
					id = int32(len(x.labels))
					ids[p.Labels[row]] = id
					x.labels = append(x.labels, p.Labels[row])
				}
				g.labels = append(g.labels, id)
			}
			slices.Sort(g.labels)
			g.labels = slices.Compact(g.labels)
		}
		x.groups = append(x.groups, g)
		begin = end
	}
}

func (x *matchIndex) rarest(items []int32) int32 {
	best := items[0]
	for _, it := range items {
		if x.support[it] < x.support[best] {
			best = it
		}
	}
	return best
}

// matches calls found with every group of published records that a record with these items matches.
func (x *matchIndex) matches(tx []int32, found func(g int)) {
	try := func(groups []int32) {
		for _, g := range groups {
			if x.groups[g].matches(tx) {
				found(int(g))
			}
		}
	}
	for _, it := range tx {
		try(x.byCore[it])
	}
	if len(tx) == 0 {
		try(x.noCore)
		return
	}
	try(x.byWorld[x.rarest(tx)])
}

// matches is the definition: the record differs from the base in at most threshold places, all uncertain.
func (g *matchGroup) matches(tx []int32) bool {
	base, uncertain, left := g.base, g.uncertain, g.threshold
	if len(tx)-len(base) > left || len(base)-len(tx) > left {
		return false
	}
	for len(base) > 0 || len(tx) > 0 {
		var differs int32
		switch {
		case len(base) > 0 && len(tx) > 0 && base[0] == tx[0]:
			base, tx = base[1:], tx[1:]
			continue
		case len(tx) == 0 || len(base) > 0 && base[0] < tx[0]:
			differs, base = base[0], base[1:]
		default:
			differs, tx = tx[0], tx[1:]
		}
		for len(uncertain) > 0 && uncertain[0] < differs {
			uncertain = uncertain[1:]
		}
		if len(uncertain) == 0 || uncertain[0] != differs || left == 0 {
			return false
		}
		left--
	}
	return true
}

// without are the items of a that are not in b; both ascending.
func without(a, b []int32) []int32 {
	var out []int32
	for _, it := range a {
		for len(b) > 0 && b[0] < it {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != it {
			out = append(out, it)
		}
	}
	return out
}
