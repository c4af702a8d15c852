package attack

import (
	"context"
	"math/rand/v2"
	"slices"

	"mingle/dataset"
	"mingle/internal/par"
)

// binomial is n over k.
func binomial(n, k int) float64 {
	v := 1.0
	for i := range k {
		v *= float64(n-i) / float64(i+1)
	}
	return v
}

// population are the persons of whom size items can be known.
type population struct {
	data     *dataset.Dataset
	size     int
	persons  []int32
	pairs    float64   // of a person and size items: what an enumeration looks at
	inverses []float64 // by length of a transaction: 1 over the number of its combinations
}

func newPopulation(d *dataset.Dataset, size int) *population {
	p := &population{data: d, size: size, inverses: make([]float64, d.MaxLen()+1)}
	for n := size; n < len(p.inverses); n++ {
		p.inverses[n] = 1 / binomial(n, size)
	}
	for i, tx := range d.All() {
		if n := len(tx); n >= size {
			p.persons = append(p.persons, int32(i))
			p.pairs += binomial(n, size)
		}
	}
	return p
}

// blocks is the number of pieces of work; their results are joined in order, so that the figures do
// not depend on the number of workers.
const blocks = 64

// sample draws persons and, of each, size items in random order.
func (p *population) sample(ctx context.Context, o Options, stream uint64,
	visit func(block int) func(person int32, items []int32),
) error {
	return par.Each(ctx, o.Workers, blocks, func(ctx context.Context, block int) error {
		rng := rand.New(rand.NewPCG(o.Seed, stream<<8|uint64(block)))
		look := visit(block)
		items := make([]int32, 0, p.size)
		for n := block; n < o.Draws; n += blocks {
			if n/blocks%256 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			person := p.persons[rng.IntN(len(p.persons))]
			items = choose(rng, items[:0], p.data.Tx(int(person)), p.size)
			look(person, items)
		}
		return nil
	})
}

// choose appends size different items of a transaction in random order.
func choose(rng *rand.Rand, items, tx []int32, size int) []int32 {
	for len(items) < size {
		if x := tx[rng.IntN(len(tx))]; !slices.Contains(items, x) {
			items = append(items, x)
		}
	}
	return items
}

// owner is a transaction that has a combination, and the position in it after the combination's
// last item.
type owner struct{ tx, next int32 }

// enumerate visits every combination of size items that occurs, with all transactions that have it.
// A block is the combinations with the same smallest items.
//
// Time: one step a transaction and combination of it. Memory: 8 bytes an occurrence, a level and a
// worker at most.
func (p *population) enumerate(ctx context.Context, o Options,
	visit func(block int) func(items []int32, owners []owner),
) error {
	limits := p.blockLimits()
	return par.Each(ctx, o.Workers, blocks, func(ctx context.Context, block int) error {
		e := &enumeration{ctx: ctx, p: p, visit: visit(block), levels: make([]level, p.size)}
		e.start(limits[block], limits[block+1])
		return context.Cause(ctx)
	})
}

// blockLimits cuts the items into ranges of about as many occurrences each.
func (p *population) blockLimits() []int32 {
	out := make([]int32, 1, blocks+1)
	sum := 0
	for x, n := range p.data.Supports() {
		for len(out) < blocks && sum >= len(out)*p.data.Occurrences()/blocks {
			out = append(out, int32(x))
		}
		sum += n
	}
	for len(out) <= blocks {
		out = append(out, int32(p.data.Dict().Len()))
	}
	return out
}

// level holds, while a combination is extended, the owners of each extension.
type level struct {
	owners  [][]owner // by item
	touched []int32
}

type enumeration struct {
	ctx    context.Context
	p      *population
	visit  func(items []int32, owners []owner)
	levels []level
	prefix []int32
}

// start extends the empty combination by the items from lo up to hi.
func (e *enumeration) start(lo, hi int32) {
	var all []owner
	lines := e.p.data.Cursor()
	for _, i := range e.p.persons {
		tx := lines.Tx(int(i))
		if from, _ := slices.BinarySearch(tx, lo); from < len(tx) && tx[from] < hi {
			all = append(all, owner{i, int32(from)})
		}
	}
	e.extend(all, hi)
}

// extend visits all combinations that extend the prefix, by an item below limit next.
func (e *enumeration) extend(owners []owner, limit int32) {
	depth := len(e.prefix)
	if depth == e.p.size {
		e.visit(e.prefix, owners)
		return
	}
	l := &e.levels[depth]
	if l.owners == nil {
		l.owners = make([][]owner, e.p.data.Dict().Len())
	}
	for _, o := range owners {
		tx := e.p.data.Tx(int(o.tx))
		last := len(tx) - (e.p.size - depth) // later items leave too few behind them
		for at := int(o.next); at <= last && tx[at] < limit; at++ {
			if len(l.owners[tx[at]]) == 0 {
				l.touched = append(l.touched, tx[at])
			}
			l.owners[tx[at]] = append(l.owners[tx[at]], owner{o.tx, int32(at + 1)})
		}
	}
	slices.Sort(l.touched)
	for _, x := range l.touched {
		if e.ctx.Err() == nil {
			e.prefix = append(e.prefix, x)
			e.extend(l.owners[x], int32(e.p.data.Dict().Len()))
			e.prefix = e.prefix[:depth]
		}
		l.owners[x] = l.owners[x][:0]
	}
	l.touched = l.touched[:0]
}
