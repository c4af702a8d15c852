package local

import (
	"math/rand/v2"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
)

// refusals are secret: nodes that a transaction does not publish, nor anything below them, whatever
// it would gain. They are drawn at random for every transaction and every node above an item of it,
// but the root, before the search begins, and every step and exchange respects what was drawn. So a
// release does not tell whether a detail was rare or refused: every original that is compatible
// with the release might have led to it. docs/algorithms/local.md has the theorem.
type refusals struct {
	start []int32 // by transaction; one more at the end
	nodes []int32 // of each ascending
}

// refusedLoss is the NCP that one draw adds on average, about, with what it makes others lose;
// mostRefused bounds the probability.
const (
	refusedLoss = 1e-6
	mostRefused = 0.5
)

// refuse makes the draws, in the order of the merged transactions, and splits those whose lines are
// refused different nodes. Nothing is refused without a seed.
func refuse(
	in anonymize.Input, merged *dataset.Merged, div *diversity,
) (*dataset.Merged, *diversity, *refusals) {
	if in.Seed == nil {
		return merged, div, nil
	}
	return drawFor(newDraws(in, rand.New(rand.NewChaCha8(*in.Seed)), refusedLoss), merged, div)
}

func drawFor(
	c *draws, merged *dataset.Merged, div *diversity,
) (*dataset.Merged, *diversity, *refusals) {
	s, lines := newSplit(merged, div, c.persons), members(merged)
	for i := range merged.Len() {
		drawn := map[int32][]int32(nil)
		for _, j := range lines(i) {
			if refused := c.draw(merged.Tx(i)); len(refused) > 0 {
				if drawn == nil {
					drawn = map[int32][]int32{}
				}
				drawn[j] = slices.Clone(refused)
			}
		}
		s.add(i, lines(i), drawn)
	}
	merged, div = s.done()
	return merged, div, s.refused
}

// draws decide at random what is refused.
type draws struct {
	tree    *hierarchy.Tree
	rng     *rand.Rand
	loss    float64
	k, m    int
	persons []int32 // by original transaction; nil: transactions are counted
	nodes   []int32 // working space
}

func newDraws(in anonymize.Input, rng *rand.Rand, loss float64) *draws {
	c := &draws{tree: in.Tree, rng: rng, loss: loss, k: in.Promise.K, m: in.Promise.M}
	if in.Promise.Persons {
		c.persons = in.Persons
	}
	return c
}

// chance is the probability that a node is refused a transaction of some items. An occurrence below
// it loses the NCP of the parent then, and each set of at most m published nodes with the parent
// needs k transactions that lose it, too.
func (c *draws) chance(v int32, items int) float64 {
	ncp := float64(c.tree.LeafCount(c.tree.Parent(v))) / float64(c.tree.Leaves())
	sets, of := 1.0, 1.0
	for j := 1; j < min(c.m, items); j++ {
		of *= float64(items-j) / float64(j)
		sets += of
	}
	return min(mostRefused, c.loss/(ncp*float64(c.k)*sets))
}

// draw is what is refused a transaction, ascending; good until the next call.
func (c *draws) draw(tx []int32) []int32 {
	c.nodes = c.nodes[:0]
	for n, leaf := range tx {
		for v := leaf; v != c.tree.Root(); v = c.tree.Parent(v) {
			if n > 0 && c.tree.Covers(v, tx[n-1]) {
				break // drawn for the item before
			}
			if c.rng.Float64() < c.chance(v, len(tx)) {
				c.nodes = append(c.nodes, v)
			}
		}
	}
	slices.Sort(c.nodes)
	return c.nodes
}

// some tells whether something is refused transaction i.
func (r *refusals) some(i int32) bool { return r != nil && r.start[i] < r.start[i+1] }

// is tells whether a node is refused transaction i.
func (r *refusals) is(i, v int32) bool {
	if !r.some(i) {
		return false
	}
	return slices.Contains(r.nodes[r.start[i]:r.start[i+1]], v)
}

// between tells whether a node above v and below u, or v itself, is refused transaction i.
func (r *refusals) between(t *hierarchy.Tree, i, u, v int32) bool {
	if !r.some(i) {
		return false
	}
	for ; v != u; v = t.Parent(v) {
		if r.is(i, v) {
			return true
		}
	}
	return false
}
