package nonreciprocal

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"mingle/dataset"
)

// annealer exchanges and moves records between blocks by simulated annealing, so that fewer items of base sets will be
// flipped (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 1983). Like trader
// it looks at nothing but how many records of a block have each item (flipCosts); unlike it, it takes changes for the
// worse as well, the seldomer the worse they are and the longer it has searched. Where there is time to try each record
// some thousand times it finds what no sequence of gains leads to: blocks in which almost every item is on all records, on
// none, or on enough of them on both sides.
//
// A try is a random record and a block: that of a random one of its near neighbours, or now and then any. If the block
// has the record's label they change places, the record with the label that is there; if not, the record goes there, as
// long as l stay behind, or changes places with a random one whose label its own block has not.
type annealer struct {
	l      int
	labels []int32
	kinds  int // of labels
	blocks [][]int32
	of, at []int32 // the block of each record, and its position there
	holder []int32 // of block and label: 1 + the position of the record that has it; 0: none

	*columns
	cells    []cell  // of block and column
	leaving  []int32 // by block: how the cost changes if a record without any column leaves it
	entering []int32 // and if one enters it
	cost     flipCosts
}

// cell is a column in a block: how many records have it, and its prices.
type cell struct{ count, fall, rise, leave, enter int32 }

// cooling is how long annealing goes on, and at which temperatures, in the units of flipCosts.
type cooling struct {
	tries    int
	from, to float64
}

// What annealing is bounded by: by work, not by time, so that its result does not depend on the machine.
const (
	annealTries   = 16_000    // for each record, at most, and eight for each other record: few records can be divided in few ways
	annealWork    = 5e9       // tries times items, at most
	fewestTries   = 3_000     // for each record; data so large that it would be given fewer takes too long
	annealedCells = 8_000_000 // items and labels of all blocks
)

// coolingFor is how the blocks of n records are annealed; false: they are not, being too many. It begins so hot that a
// change by which all records of a block that have an item become too few is taken one time in five, and ends where only
// changes for the worse by much less than an item flipped are.
func coolingFor(n, items, cells, l int) (cooling, bool) {
	tries := min(min(annealTries, 8*n)*n, int(annealWork/float64(max(1, items))))
	return cooling{tries, float64(flipped) * 0.6 * float64((l+1)/2), 80}, tries >= min(fewestTries, 8*n)*n && cells <= annealedCells
}

// anyBlock is how many tries of 256 are with a block chosen from all, annealLists among how many neighbours the others are.
const (
	anyBlock    = 24
	annealLists = 20
)

// anneal returns blocks that cost no more than these: with different labels, and no fewer than l records if these have
// no fewer. near are near neighbours of the records. Nothing random in it is a secret: it comes from the
// number of records, and so the result depends on nothing but the arguments.
//
// Time 50 to 100 ns a try for some hundred items; memory 20 bytes a block and column, and 4 a block and label.
func anneal(ctx context.Context, d *dataset.Dataset, blocks [][]int32, labels []int32, l int, near *neighbourLists, c cooling) ([][]int32, error) {
	a := newAnnealer(d, blocks, labels, l)
	before := a.total()
	rng := rand.NewPCG(uint64(d.Len()), 1)
	for t := range c.temperatures(coolingStep) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for range coolingStep {
			a.try(rng, near, t)
		}
	}
	if a.total() > before {
		return blocks, nil
	}
	return a.blocks, nil
}

// coolingStep is for how many tries the temperature stays the same.
const coolingStep = 1 << 12

// temperatures falls geometrically, for so many tries at a time.
func (c cooling) temperatures(tries int) func(yield func(float64) bool) {
	steps := c.tries / tries
	ratio := math.Pow(c.to/c.from, 1/float64(max(1, steps-1)))
	return func(yield func(float64) bool) {
		t := c.from
		for range steps {
			if !yield(t) {
				return
			}
			t *= ratio
		}
	}
}

// patience are quantiles of the exponential distribution: a change for the worse by d is taken at temperature t with
// probability exp(-d/t), that is if d is at most t times one of these.
var patience = func() (q [1 << 12]float64) {
	for i := range q {
		q[i] = -math.Log((float64(i) + 0.5) / float64(len(q)))
	}
	return q
}()

func newAnnealer(d *dataset.Dataset, blocks [][]int32, labels []int32, l int) *annealer {
	n := d.Len()
	a := &annealer{
		l: l, labels: labels, kinds: int(slices.Max(labels)) + 1, of: make([]int32, n), at: make([]int32, n),
		columns: newColumns(d), leaving: make([]int32, len(blocks)), entering: make([]int32, len(blocks)), cost: flipCosts{l: l},
	}
	a.holder, a.cells = make([]int32, len(blocks)*a.kinds), make([]cell, len(blocks)*a.len)
	for b, block := range blocks {
		a.blocks = append(a.blocks, slices.Clone(block))
		for p, u := range block {
			a.put(u, int32(b), int32(p))
			a.count(int32(b), u, 1)
		}
		a.price(int32(b))
	}
	return a
}

// total is the cost of all blocks.
func (a *annealer) total() int64 {
	sum := int64(0)
	for b, block := range a.blocks {
		cost := a.cost.of(len(block))
		for k, c := range a.row(int32(b)) {
			sum += int64(a.weight[k] * cost[c.count])
		}
	}
	return sum
}

// row are the cells of a block.
func (a *annealer) row(b int32) []cell { return a.cells[int(b)*a.len:][:a.len] }

// put notes that u is at position p of block b.
func (a *annealer) put(u, b, p int32) {
	a.of[u], a.at[u] = b, p
	a.blocks[b][p] = u
	a.holder[int(b)*a.kinds+int(a.labels[u])] = p + 1
}

func (a *annealer) free(b, label int32) { a.holder[int(b)*a.kinds+int(label)] = 0 }

// count adds u to the cells of a block, or takes it from them.
func (a *annealer) count(b, u, by int32) {
	row := a.row(b)
	for w, x := range a.columns.row(u) {
		for ; x != 0; x &= x - 1 {
			row[w<<6+bits.TrailingZeros64(x)].count += by
		}
	}
}

// price makes everything anew that follows from the counts of a block and its size.
func (a *annealer) price(b int32) {
	row, table := a.row(b), a.cost.table(len(a.blocks[b]))
	a.leaving[b], a.entering[b] = 0, 0
	for k := range row {
		c, p, w := &row[k], &table[row[k].count], a.weight[k]
		a.leaving[b] += p.leaving * w
		a.entering[b] += p.entering * w
		c.fall, c.rise, c.leave, c.enter = p.fall*w, p.rise*w, p.leave*w, p.enter*w
	}
}

// try tries one change at a temperature, and returns by how much the cost rose.
func (a *annealer) try(rng *rand.PCG, near *neighbourLists, t float64) int32 {
	r, s := rng.Uint64(), rng.Uint64()
	u := int32(below(r, len(a.of)))
	ids, _ := near.of(u)
	ids = ids[:min(len(ids), annealLists)]
	var to int32
	if s&0xff < anyBlock || len(ids) == 0 {
		to = int32(below(s, len(a.blocks)))
	} else {
		to = a.of[ids[below(s, len(ids))]]
	}
	home := a.of[u]
	if to == home {
		return 0
	}
	worst := int32(t * patience[s>>8&(1<<12-1)])
	holder := a.holder[int(to)*a.kinds+int(a.labels[u])]
	switch {
	case holder > 0:
		return a.exchange(u, a.blocks[to][holder-1], worst)
	case len(a.blocks[home]) > a.l:
		return a.move(u, to, worst)
	}
	v := a.blocks[to][below(r<<32, len(a.blocks[to]))]
	if a.holder[int(home)*a.kinds+int(a.labels[v])] > 0 {
		return 0
	}
	return a.exchange(u, v, worst)
}

// below is a number below n, from the upper half of random bits.
func below(random uint64, n int) uint64 { return (random >> 32) * uint64(n) >> 32 }

// exchange lets two records of different blocks change places unless that costs more than worst.
func (a *annealer) exchange(u, v, worst int32) int32 {
	home, to := a.of[u], a.of[v]
	here, there := a.row(home), a.row(to)
	one, other := a.columns.row(u), a.columns.row(v)
	change := int32(0)
	for w, x := range one {
		for diff := x ^ other[w]; diff != 0; diff &= diff - 1 {
			i := bits.TrailingZeros64(diff)
			h, t := &here[w<<6+i], &there[w<<6+i]
			if x>>i&1 != 0 {
				change += h.fall + t.rise
			} else {
				change += h.rise + t.fall
			}
		}
	}
	if change > worst {
		return 0
	}
	p, q := a.at[u], a.at[v]
	a.free(home, a.labels[u])
	a.free(to, a.labels[v])
	a.put(u, to, q)
	a.put(v, home, p)
	a.recount(home, v, u)
	a.recount(to, u, v)
	return change
}

// recount follows an exchange in one of the blocks.
func (a *annealer) recount(b, came, went int32) {
	row, table := a.row(b), a.cost.table(len(a.blocks[b]))
	other := a.columns.row(went)
	for w, x := range a.columns.row(came) {
		for diff := x ^ other[w]; diff != 0; diff &= diff - 1 {
			i := bits.TrailingZeros64(diff)
			k := w<<6 + i
			c, weight := &row[k], a.weight[k]
			old := &table[c.count]
			c.count += int32(x>>i&1)*2 - 1
			p := &table[c.count]
			a.leaving[b] += (p.leaving - old.leaving) * weight
			a.entering[b] += (p.entering - old.entering) * weight
			c.fall, c.rise, c.leave, c.enter = p.fall*weight, p.rise*weight, p.leave*weight, p.enter*weight
		}
	}
}

// move lets a record go to another block unless that costs more than worst.
func (a *annealer) move(u, to, worst int32) int32 {
	home := a.of[u]
	here, there := a.row(home), a.row(to)
	change := a.leaving[home] + a.entering[to]
	for w, x := range a.columns.row(u) {
		for ; x != 0; x &= x - 1 {
			k := w<<6 + bits.TrailingZeros64(x)
			change += here[k].leave + there[k].enter
		}
	}
	if change > worst {
		return 0
	}
	p, last := a.at[u], a.blocks[home][len(a.blocks[home])-1]
	a.put(last, home, p)
	a.free(home, a.labels[u])
	a.blocks[home] = a.blocks[home][:len(a.blocks[home])-1]
	a.blocks[to] = append(a.blocks[to], u)
	a.put(u, to, int32(len(a.blocks[to])-1))
	a.count(home, u, -1)
	a.count(to, u, 1)
	a.price(home)
	a.price(to)
	return change
}
