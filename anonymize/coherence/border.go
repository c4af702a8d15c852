package coherence

import (
	"context"
	"encoding/binary"
	"errors"
	"math/big"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
)

// Border is what stands for a family of itemsets that is interval-closed (section 5.1): its minimal and its maximal sets,
// both in the order of their sizes, then of their items. A set is in the family if it contains one of the minimal and
// lies in one of the maximal ones.
type Border struct {
	Minimal, Maximal [][]int32
	MaxLen           int // only sets of at most this many items count; 0: all
}

// MoleBorder finds the border of the moles among itemsets of the given public items: the minimal moles, and the maximal
// transactions. It stops with an error when there are more than most of either; most 0 means any number.
//
// Deviation: maximal transactions that contain no mole are kept out, as the definition of a border asks and the paper's
// figure 3 shows.
func MoleBorder(ctx context.Context, in Input, public []bool, most int) (*Border, error) {
	p := &problem{Input: in, most: in.most()}
	b := &Border{MaxLen: in.Promise.P}
	minimal, err := p.minimalMoles(ctx, public, most, most<<10)
	if err != nil {
		return nil, err
	}
	b.Minimal = minimal
	maximal, err := maximalRows(in.Data, public, most)
	if err != nil {
		return nil, err
	}
	for _, t := range maximal {
		if slices.ContainsFunc(minimal, func(m []int32) bool { return subset(m, t) }) {
			b.Maximal = append(b.Maximal, t)
		}
	}
	return b, nil
}

// minimalMoles mines the minimal moles among the public items that are alive, of at most maxSafe sets that are none (0: any number).
func (p *problem) minimalMoles(ctx context.Context, alive []bool, most, maxSafe int) ([][]int32, error) {
	var out [][]int32
	in := p.safeInput(alive)
	in.MaxSafe = int64(maxSafe)
	_, err := itemset.FindSafe(ctx, in, p.guard(), func(items []int32, _ int) error {
		if most > 0 && len(out) == most {
			return errTooLarge
		}
		out = append(out, slices.Clone(items))
		return nil
	})
	slices.SortFunc(out, bySize)
	return out, tooLarge(err)
}

// tooLarge translates the miner's error.
func tooLarge(err error) error {
	if errors.Is(err, itemset.ErrTooMany) {
		return errTooLarge
	}
	return err
}

// safeInput asks the miner for non-moles.
func (p *problem) safeInput(alive []bool) itemset.Input {
	return itemset.Input{Data: anonymize.Rows(dataset.Unmerged(p.Data)), Items: alive, MinSupport: p.Promise.K, MaxLen: p.Promise.P, Workers: p.Workers}
}

func (p *problem) guard() *itemset.Guard {
	return &itemset.Guard{Side: p.Private, Most: p.most}
}

// maximalRows are the transactions, cut down to the items that are alive, that lie in no other one.
func maximalRows(d *dataset.Dataset, alive []bool, most int) ([][]int32, error) {
	rows := distinctRows(d, alive)
	slices.SortFunc(rows, func(a, b []int32) int { return bySize(b, a) })
	var out [][]int32
	having := make([][]int32, d.Dict().Len()) // item -> maximal rows that contain it
	for _, row := range rows {
		if insideOne(row, out, having) {
			continue
		}
		if most > 0 && len(out) == most {
			return nil, errTooLarge
		}
		for _, it := range row {
			having[it] = append(having[it], int32(len(out)))
		}
		out = append(out, row)
	}
	slices.SortFunc(out, bySize)
	return out, nil
}

// insideOne tells whether a row lies in one of the others, which are listed by item.
func insideOne(row []int32, others [][]int32, having [][]int32) bool {
	if len(row) == 0 {
		return true
	}
	rarest := having[row[0]]
	for _, it := range row[1:] {
		if len(having[it]) < len(rarest) {
			rarest = having[it]
		}
	}
	return slices.ContainsFunc(rarest, func(i int32) bool { return subset(row, others[i]) })
}

// distinctRows are the transactions, cut down to the items that are alive, each once.
func distinctRows(d *dataset.Dataset, alive []bool) [][]int32 {
	seen := map[string]bool{}
	var out [][]int32
	var row []int32
	var key []byte
	for i := range d.Len() {
		row, key = row[:0], key[:0]
		for _, it := range d.Tx(i) {
			if alive[it] {
				row = append(row, it)
				key = binary.LittleEndian.AppendUint32(key, uint32(it))
			}
		}
		if len(row) > 0 && !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, slices.Clone(row))
		}
	}
	return out
}

// bySize orders itemsets by size, then by items.
func bySize(a, b []int32) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return slices.Compare(a, b)
}

// subset tells whether all of a, ascending, is in b, ascending.
func subset(a, b []int32) bool {
	for _, it := range a {
		for len(b) > 0 && b[0] < it {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != it {
			return false
		}
		b = b[1:]
	}
	return true
}

// NuggetBorder finds the border of the nuggets made of the given items and of private ones: single items, and maximal
// nuggets. It stops with an error when there are more than most of the latter; most 0 means any number.
func NuggetBorder(ctx context.Context, in Input, public []bool, most int) (*Border, error) {
	b := &Border{MaxLen: in.NuggetLen}
	items := make([]bool, len(public))
	for it := range items {
		items[it] = public[it] || in.Private[it]
	}
	supports := in.Data.Supports()
	for it, n := range supports {
		if items[it] && n >= in.NuggetSupport {
			b.Minimal = append(b.Minimal, []int32{int32(it)})
		}
	}
	err := itemset.Maximal(ctx, itemset.Input{Data: anonymize.Rows(dataset.Unmerged(in.Data)), Items: items, MinSupport: in.NuggetSupport, Workers: in.Workers}, func(items []int32, _ int) error {
		if most > 0 && len(b.Maximal) == most {
			return errTooLarge
		}
		b.Maximal = append(b.Maximal, slices.Clone(items))
		return nil
	})
	slices.SortFunc(b.Maximal, bySize)
	return b, err
}

// autoSets is how many minimal or maximal sets a border may have for its edges to be tried without being asked for, and
// autoEdges how many edges.
const (
	autoSets  = 1 << 9
	autoEdges = 1 << 10
)

func setLimit(steps int) int {
	if steps == unbounded {
		return 0
	}
	return autoSets
}

func moleBorder(ctx context.Context, p *problem, alive []bool, steps int) (*Border, error) {
	return MoleBorder(ctx, p.Input, alive, setLimit(steps))
}

// nuggetBorder is NuggetBorder with the empty set for the single items: one edge a maximal nugget then, instead of one
// for each of its items. It is taken off the count of all.
func nuggetBorder(ctx context.Context, p *problem, alive []bool, steps int) (*Border, error) {
	b, err := NuggetBorder(ctx, p.Input, alive, setLimit(steps))
	if err == nil && len(b.Maximal) > 0 {
		b.Minimal = [][]int32{{}}
	}
	return b, err
}

// edgeCounter is a counter on the edges of a border.
type edgeCounter struct {
	totals
	steps    int // pieces that one count may be cut into
	length   int
	choice   choices
	position []int32 // item -> position in sets; -1: in no set
	items    []int32 // position -> item
	minimal  []set
	maximal  []set
}

// edgeWay counts on the edges of the border that find finds.
func edgeWay(find func(context.Context, *problem, []bool, int) (*Border, error), steps int) way {
	return func(ctx context.Context, p *problem, alive []bool) (counter, error) {
		b, err := find(ctx, p, alive, steps)
		if err != nil {
			return nil, err
		}
		c := newEdgeCounter(b, len(alive), steps)
		edges := c.edges()
		if steps != unbounded && len(edges) > autoEdges {
			return nil, errTooLarge
		}
		count, err := c.count(ctx, edges)
		if err != nil {
			return nil, err
		}
		c.apply(count, (*big.Int).Add)
		if len(b.Minimal) > 0 && len(b.Minimal[0]) == 0 {
			c.all.Sub(&c.all, big.NewInt(1))
		}
		return c, nil
	}
}

func newEdgeCounter(b *Border, items, steps int) *edgeCounter {
	c := &edgeCounter{totals: newTotals(items), steps: steps, choice: choices{}, position: slices.Repeat([]int32{-1}, items), length: b.MaxLen}
	for _, t := range b.Maximal {
		for _, it := range t {
			if c.position[it] < 0 {
				c.position[it] = int32(len(c.items))
				c.items = append(c.items, it)
			}
		}
	}
	if c.length == 0 {
		c.length = len(c.items)
	}
	for _, m := range b.Minimal {
		c.minimal = append(c.minimal, c.set(m))
	}
	for _, t := range b.Maximal {
		c.maximal = append(c.maximal, c.set(t))
	}
	return c
}

func (c *edgeCounter) set(items []int32) set {
	s := make(set, (len(c.items)+63)/64)
	for _, it := range items {
		at := c.position[it]
		s[at>>6] |= 1 << (at & 63)
	}
	return s
}

// edges pairs the minimal with the maximal sets around them.
func (c *edgeCounter) edges() []edge {
	var out []edge
	for _, m := range c.minimal {
		for _, t := range c.maximal {
			if m.within(t) {
				out = append(out, edge{m, t})
			}
		}
	}
	return out
}

func (c *edgeCounter) count(ctx context.Context, edges []edge) (*cover, error) {
	count := newCover(ctx, c.choice, c.length, c.steps, len(c.items))
	return count, count.count(edges)
}

func (c *edgeCounter) apply(count *cover, op func(z, x, y *big.Int) *big.Int) {
	for at, it := range c.items {
		op(&c.byItem[it], &c.byItem[it], &count.byItem[at])
	}
	op(&c.all, &c.all, &count.all)
}

// remove is the update of section 6: the losers are counted on E(v), the edges with v in their upper end.
func (c *edgeCounter) remove(ctx context.Context, item int32, _ []bool) error {
	v := int(c.position[item])
	if v < 0 {
		return nil
	}
	var losers []edge
	for _, e := range c.edges() {
		if e.high.has(v) {
			losers = append(losers, edge{e.low.with(v), e.high})
		}
	}
	count, err := c.count(ctx, losers)
	if err != nil {
		return err
	}
	c.apply(count, (*big.Int).Sub)
	c.minimal = slices.DeleteFunc(c.minimal, func(m set) bool { return m.has(v) })
	for i, t := range c.maximal {
		c.maximal[i] = t.without(v)
	}
	c.maximal = antichain(c.maximal)
	return nil
}

// antichain leaves out the sets that lie in others.
func antichain(sets []set) []set {
	slices.SortStableFunc(sets, func(a, b set) int { return b.size() - a.size() })
	var out []set
	for _, s := range sets {
		if !slices.ContainsFunc(out, s.within) {
			out = append(out, s)
		}
	}
	return out
}

func (c *edgeCounter) counting() Counting { return Edges }

// IsTooLarge tells whether an error says that a border or a count was given up for its size.
func IsTooLarge(err error) bool { return errors.Is(err, errTooLarge) }
