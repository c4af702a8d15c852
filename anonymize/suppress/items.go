package suppress

import (
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
	"mingle/release"
)

// items suppresses items.
type items struct{ base }

func (s items) sizes() []int64 {
	out := make([]int64, s.tree.Leaves())
	for _, leaf := range s.in.Data.Items() {
		out[leaf]++
	}
	return out
}

// pick takes the commonest item below each node of one transaction: the one whose rarest of these
// is commonest.
func (s items) pick(x *itemset.Index, nodes []int32, gone []bool) []int32 {
	var best []int32
	most := -1
	x.Each(nodes, func(i int32) bool {
		chosen, least := make([]int32, len(nodes)), -1
		for j, u := range nodes {
			top := -1
			for _, leaf := range s.below(i, u) {
				if n := s.index.NodeSupport(leaf); !gone[leaf] && n > top {
					chosen[j], top = leaf, n
				}
			}
			if j == 0 || top < least {
				least = top
			}
		}
		if least > most {
			best, most = chosen, least
		}
		return true
	})
	return best
}

// below are the items of merged transaction i under u.
func (s items) below(i, u int32) []int32 {
	tx := s.merged.Tx(int(i))
	lo, hi := s.tree.Range(u)
	a, _ := slices.BinarySearch(tx, lo)
	b, _ := slices.BinarySearch(tx, hi)
	return tx[a:b]
}

func (s items) rows(gone []bool) *dataset.Merged {
	return s.like(withoutItems(s.merged.Dataset, gone))
}

func (s items) left(gone []bool) anonymize.Input {
	in := s.in
	in.Data = withoutItems(in.Data, gone)
	return in
}

func withoutItems(d *dataset.Dataset, gone []bool) *dataset.Dataset {
	to := make([]int32, len(gone))
	for leaf, is := range gone {
		to[leaf] = int32(leaf)
		if is {
			to[leaf] = release.Suppressed
		}
	}
	return d.Recode(d.Dict(), to)
}

func (s items) restore(g *release.Generalized, gone []bool) *release.Generalized {
	if !g.IsGlobal() {
		return s.spread(g, func(_ int, leaf int32) bool { return gone[leaf] })
	}
	out := s.release(g)
	out.Map = slices.Clone(g.Map)
	for leaf, is := range gone {
		if is {
			out.Map[leaf] = release.Suppressed
		}
	}
	return out
}

func (s items) losses(g *release.Generalized) []int64 {
	out := make([]int64, s.tree.Leaves())
	for pos, leaf := range s.in.Data.Items() {
		out[leaf] += s.tree.Penalty(g.Node(pos))
	}
	return out
}

func (s items) mayReturn(func() *itemset.Index, []int32, int32) bool { return true }

// touched is what the transactions under an item's node publish beside it: no other set gets a
// transaction that it had not.
func (s items) touched(cut []int32, gone []bool, item int32) (*dataset.Merged, int) {
	u := cut[item]
	b := some{Builder: dataset.NewBuilder(s.tree.Dict())}
	var tx []int32
	for _, i := range s.index.Tids(u) {
		tx = tx[:0]
		has := false
		for _, leaf := range s.merged.Tx(int(i)) {
			if v := cut[leaf]; v == u {
				has = has || leaf == item || !gone[leaf]
			} else if !gone[leaf] {
				tx = append(tx, v)
			}
		}
		if has {
			b.add(s.base, i, tx)
		}
	}
	return b.merged(), min(s.in.Promise.M, s.in.Data.MaxLen()) - 1
}
