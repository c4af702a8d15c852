package suppress

import (
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
	"mingle/release"
)

// transactions suppresses transactions. Identical ones go together.
type transactions struct {
	base
	// marked is the input in which it shows that a transaction has no value in a column any more
	marked anonymize.Input
}

func (s transactions) sizes() []int64 {
	out := make([]int64, s.merged.Len())
	for i, w := range s.lines {
		out[i] = int64(len(s.merged.Tx(i))) * int64(w)
	}
	return out
}

// pick takes the longest transaction.
func (s transactions) pick(x *itemset.Index, nodes []int32, gone []bool) []int32 {
	best, most := int32(-1), -1
	x.Each(nodes, func(i int32) bool {
		if n := len(s.merged.Tx(int(i))) * int(s.lines[i]); !gone[i] && n > most {
			best, most = i, n
		}
		return true
	})
	return []int32{best}
}

func (s transactions) rows(gone []bool) *dataset.Merged {
	b := dataset.NewBuilder(s.merged.Dict())
	b.Grow(s.merged.Len(), s.merged.Occurrences())
	for i := range s.merged.Len() {
		if gone[i] {
			b.Add(nil)
		} else {
			b.Add(s.merged.Tx(i))
		}
	}
	return s.like(b.Build())
}

// left is the transactions that stay: what is promised holds with and without empty lines for the
// others. Where absence is knowledge, empty lines matter, and are part of it; they have no value in
// any column.
func (s transactions) left(gone []bool) anonymize.Input {
	in := s.marked
	if in.Promise.NegativeKnowledge {
		in.Data = s.emptied(in.Data, gone)
		if in.Sensitive != nil {
			in.Sensitive = s.emptied(in.Sensitive, gone)
		}
		return in
	}
	var stay []int32
	for i, of := range s.merged.Of {
		if !gone[of] {
			stay = append(stay, int32(i))
		}
	}
	in.Data = in.Data.Select(stay)
	if in.Sensitive != nil {
		in.Sensitive = in.Sensitive.Select(stay)
	}
	in.Persons = anonymize.PersonsOf(in.Persons, stay)
	return in
}

// emptied is data with empty lines for the transactions that are gone.
func (s transactions) emptied(d *dataset.Dataset, gone []bool) *dataset.Dataset {
	b := dataset.NewBuilder(d.Dict())
	b.Grow(d.Len(), d.Occurrences())
	for i, of := range s.merged.Of {
		if gone[of] {
			b.Add(nil)
		} else {
			b.Add(d.Tx(i))
		}
	}
	return b.Build().WithProvenance(d)
}

func (s transactions) restore(g *release.Generalized, gone []bool) *release.Generalized {
	out := s.spread(g, func(i int, _ int32) bool { return gone[s.merged.Of[i]] })
	out.Parts = nil // they are numbered as in left
	if s.in.Sensitive != nil {
		out.Sensitive = s.emptied(s.in.Sensitive, gone)
	}
	for i, of := range s.merged.Of {
		if gone[of] {
			out.Withheld = append(out.Withheld, int32(i))
		}
	}
	return out
}

func (s transactions) losses(g *release.Generalized) []int64 {
	out := make([]int64, s.merged.Len())
	for i, of := range s.merged.Of {
		for pos := s.in.Data.Start(i); pos < s.in.Data.Start(i+1); pos++ {
			out[of] += s.tree.Penalty(g.Node(pos))
		}
	}
	return out
}

// mayReturn looks at the sets of one and two nodes that the transaction would publish.
func (s transactions) mayReturn(left func() *itemset.Index, cut []int32, unit int32) bool {
	need := s.in.Promise.K - int(s.merged.Weights[unit])
	if need <= 0 {
		return true
	}
	x, nodes := left(), []int32(nil)
	for _, leaf := range s.merged.Tx(int(unit)) {
		nodes = append(nodes, cut[leaf])
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	for a, u := range nodes {
		if !x.AtLeast([]int32{u}, need) {
			return false
		}
		for _, v := range nodes[a+1:] {
			if s.in.Promise.M > 1 && !x.AtLeast([]int32{u, v}, need) {
				return false
			}
		}
	}
	return true
}

// touched is what all transactions publish of the nodes that one of them would.
func (s transactions) touched(cut []int32, gone []bool, unit int32) (*dataset.Merged, int) {
	has := make([]bool, s.tree.Nodes())
	for _, leaf := range s.merged.Tx(int(unit)) {
		has[cut[leaf]] = true
	}
	b := some{Builder: dataset.NewBuilder(s.tree.Dict())}
	var tx []int32
	for i := range s.merged.Len() {
		if gone[i] && int32(i) != unit {
			continue
		}
		tx = tx[:0]
		for _, leaf := range s.merged.Tx(i) {
			if has[cut[leaf]] {
				tx = append(tx, cut[leaf])
			}
		}
		if len(tx) > 0 {
			b.add(s.base, int32(i), tx)
		}
	}
	return b.merged(), min(s.in.Promise.M, s.in.Data.MaxLen())
}
