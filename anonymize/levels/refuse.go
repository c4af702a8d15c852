package levels

import (
	"math"
	"math/rand/v2"

	"mingle/anonymize"
)

// refusal is a secret refusal (docs/algorithms/local.md): a node that a line does not publish, nor
// anything below it, by chance.
type refusal struct{ line, node int32 }

// refuse draws the refusals: once for each line and each node above an item of it, but the root.
// They are as likely as those of local, but are drawn line by line in the order of the data. One
// number tells how many draws refuse nothing before the next one that does. What is refused comes
// by line. Without a seed nothing is.
func refuse(in anonymize.Input, chance func(node int32, items int) float64) []refusal {
	if in.Seed == nil || chance == nil {
		return nil
	}
	var out []refusal
	rng := rand.New(rand.NewChaCha8(*in.Seed))
	t := in.Tree
	most := 0.0
	for v := range t.Root() { // all but the root
		most = max(most, chance(v, 1)) // no line of more items has a larger one
	}
	// levels of a line's items are gone through as if each had as many as the deepest
	levels := heightOf(t)
	gap := func() int {
		if most >= 1 {
			return 0
		}
		return int(min(math.Log(1-rng.Float64())/math.Log1p(-most), farthest))
	}
	lines, left := in.Data.Cursor(), gap()
	for i := range in.Data.Len() {
		tx := lines.Tx(i)
		slots := len(tx) * levels
		for ; left < slots; left += 1 + gap() {
			v := nodeAt(in, tx, left/levels, left%levels)
			if v >= 0 && rng.Float64()*most < chance(v, len(tx)) {
				out = append(out, refusal{int32(i), v})
			}
		}
		left -= slots
	}
	return out
}

// nodeAt is the node some levels above an item of a line; -1: that is the root, or more, or it is
// above the item before, for which it is drawn.
func nodeAt(in anonymize.Input, tx []int32, item, up int) int32 {
	v := tx[item]
	for ; up > 0 && v >= 0; up-- {
		v = in.Tree.Parent(v)
	}
	if v < 0 || v == in.Tree.Root() || item > 0 && in.Tree.Covers(v, tx[item-1]) {
		return -1
	}
	return v
}

// farthest is more draws than there are for any data.
const farthest = 1 << 60
