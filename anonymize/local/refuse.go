package local

import (
	"math/rand/v2"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
)

// refusals are secret: nodes that a transaction does not publish, nor anything below them, whatever
// it would gain. A coin is thrown for every transaction and every node above an item of it, but the
// root, before the search begins, and every step and exchange respects what has fallen. So a
// release does not tell whether a detail was rare or refused: every original that is compatible
// with the release might have led to it. docs/algorithms/local.md has the theorem.
type refusals struct {
	start []int32 // by transaction; one more at the end
	nodes []int32 // of each ascending
}

// refusedLoss is the NCP that one coin adds on average, about, with what it makes others lose;
// mostRefused bounds the probability.
const (
	refusedLoss = 1e-6
	mostRefused = 0.5
)

// refuse throws the coins, in the order of the merged transactions, and takes those transactions
// apart that have different ones. Nothing is refused without a seed.
func refuse(in anonymize.Input, l lines) lines {
	if in.Seed == nil {
		return l
	}
	return throwFor(newCoins(in, rand.New(rand.NewChaCha8(*in.Seed)), refusedLoss), l)
}

func throwFor(c *coins, l lines) lines {
	s := &splitter{of: l, nodes: &refusals{start: []int32{0}}, to: slices.Clone(l.merged.Of)}
	s.items = dataset.NewBuilder(l.merged.Dict())
	if l.sensitive != nil {
		s.sensitive = dataset.NewBuilder(l.sensitive.Dict())
	}
	copies := members(l.merged)
	for i := range l.merged.Len() {
		plain := int32(-1)
		for _, j := range copies(i) {
			refused := c.throw(l.merged.Tx(i))
			switch {
			case len(refused) > 0:
				s.to[j] = s.add(i, refused)
			case plain < 0:
				plain = s.add(i, nil)
				s.to[j] = plain
			default:
				s.weights[plain]++
				s.to[j] = plain
			}
		}
	}
	return s.lines()
}

// splitter takes merged transactions apart that have different refusals.
type splitter struct {
	of               lines
	items, sensitive *dataset.Builder
	weights, to      []int32
	nodes            *refusals
}

// add adds one transaction like merged transaction i, and returns its number.
func (s *splitter) add(i int, refused []int32) int32 {
	s.items.Add(slices.Clone(s.of.merged.Tx(i)))
	if s.sensitive != nil {
		s.sensitive.Add(slices.Clone(s.of.sensitive.Tx(i)))
	}
	s.weights = append(s.weights, 1)
	s.nodes.nodes = append(s.nodes.nodes, refused...)
	s.nodes.start = append(s.nodes.start, int32(len(s.nodes.nodes)))
	return int32(len(s.weights) - 1)
}

func (s *splitter) lines() lines {
	out := lines{refused: s.nodes}
	out.merged = &dataset.Merged{Dataset: s.items.Build(), Weights: s.weights, Of: s.to}
	if s.sensitive != nil {
		out.sensitive = s.sensitive.Build()
	}
	return out
}

// members lists the original transactions of a merged one.
func members(m *dataset.Merged) func(i int) []int32 {
	start := make([]int32, m.Len()+1)
	for i, w := range m.Weights {
		start[i+1] = start[i] + w
	}
	next, list := slices.Clone(start), make([]int32, len(m.Of))
	for j, i := range m.Of {
		list[next[i]] = int32(j)
		next[i]++
	}
	return func(i int) []int32 { return list[start[i]:start[i+1]] }
}

// coins throws them.
type coins struct {
	tree  *hierarchy.Tree
	rng   *rand.Rand
	loss  float64
	k, m  int
	nodes []int32 // working space
}

func newCoins(in anonymize.Input, rng *rand.Rand, loss float64) *coins {
	return &coins{tree: in.Tree, rng: rng, loss: loss, k: in.Promise.K, m: in.Promise.M}
}

// chance is the probability that a node is refused a transaction of some items. An occurrence below
// it loses the NCP of the parent then, and each set of at most m published nodes with the parent
// needs k transactions that lose it, too.
func (c *coins) chance(v int32, items int) float64 {
	ncp := float64(c.tree.LeafCount(c.tree.Parent(v))) / float64(c.tree.Leaves())
	sets, of := 1.0, 1.0
	for j := 1; j < min(c.m, items); j++ {
		of *= float64(items-j) / float64(j)
		sets += of
	}
	return min(mostRefused, c.loss/(ncp*float64(c.k)*sets))
}

// throw is what is refused a transaction, ascending; good until the next call.
func (c *coins) throw(tx []int32) []int32 {
	c.nodes = c.nodes[:0]
	for n, leaf := range tx {
		for v := leaf; v != c.tree.Root(); v = c.tree.Parent(v) {
			if n > 0 && c.tree.Covers(v, tx[n-1]) {
				break // thrown for the item before
			}
			if c.rng.Float64() < c.chance(v, len(tx)) {
				c.nodes = append(c.nodes, v)
			}
		}
	}
	slices.Sort(c.nodes)
	return c.nodes
}

// refuses tells whether a node is refused transaction i, or barred from it (see bar).
func (s *state) refuses(i, v int32) bool {
	return s.refused.is(i, v) || s.barred != nil && slices.Contains(s.barred[i], v)
}

// refusesBetween tells whether a node above v and below u, or v itself, is refused transaction i.
func (s *state) refusesBetween(i, u, v int32) bool {
	if s.refused.none(i) && (s.barred == nil || len(s.barred[i]) == 0) {
		return false
	}
	for ; v != u; v = s.tree.Parent(v) {
		if s.refuses(i, v) {
			return true
		}
	}
	return false
}

// bar refuses a node to transaction i from now on, because something would break the promise
// otherwise. Nothing is taken back.
func (s *state) bar(i, v int32) {
	if s.barred == nil {
		s.barred = make([][]int32, s.merged.Len())
	}
	s.barred[i] = append(s.barred[i], v)
}

// none tells whether nothing is refused transaction i.
func (r *refusals) none(i int32) bool { return r == nil || r.start[i] == r.start[i+1] }

// is tells whether a node is refused transaction i.
func (r *refusals) is(i, v int32) bool {
	return !r.none(i) && slices.Contains(r.nodes[r.start[i]:r.start[i+1]], v)
}
