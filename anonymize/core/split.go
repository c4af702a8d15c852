package core

import (
	"cmp"
	"context"
	"slices"

	"mingle/internal/par"
)

// part is transactions that publish the same nodes while they are split.
type part struct {
	txs    []int32
	labels []int32
}

// small is how many transactions are split to the end in one go.
const small = 2000

// split makes groups of transactions, at least k of them or none: first all at the root.
func (s *state) split(ctx context.Context, txs []int32) error {
	if len(txs) == 0 {
		return nil
	}
	var done []part
	wave := []part{{txs, []int32{s.tree.Root()}}}
	spaces := make([]*splitter, s.in.WorkerCount())
	space := func(worker int) *splitter {
		if spaces[worker] == nil {
			spaces[worker] = s.splitter()
		}
		return spaces[worker]
	}
	for len(wave) > 0 {
		next, ready := make([][]part, len(wave)), make([][]part, len(wave))
		split := func(ctx context.Context, sp *splitter, i int) error {
			sp.ctx = ctx
			if len(wave[i].txs) <= small {
				ready[i] = sp.all(wave[i])
			} else if next[i] = sp.once(wave[i]); next[i] == nil {
				ready[i] = []part{wave[i]}
			}
			return context.Cause(ctx)
		}
		err := par.EachIn(ctx, s.in.WorkerCount(), len(wave), space, split)
		if err != nil {
			return err
		}
		wave = slices.Concat(next...)
		done = append(done, slices.Concat(ready...)...)
		s.in.Report("groups", int64(len(done)), int64(len(done)+len(wave)))
	}
	return s.formAll(ctx, done)
}

// formAll makes the groups of parts, those of 2k and more cut along the order of their
// transactions.
func (s *state) formAll(ctx context.Context, parts []part) error {
	formed := make([][]*group, len(parts))
	err := par.Each(ctx, s.in.WorkerCount(), len(parts), func(_ context.Context, i int) error {
		l := s.labeller()
		for _, txs := range s.chunks(parts[i].txs) {
			formed[i] = append(formed[i], s.form(l, txs))
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.groups = slices.Concat(formed...)
	slices.SortFunc(s.groups, func(a, b *group) int {
		return cmp.Or(slices.Compare(a.labels, b.labels), cmp.Compare(a.txs[0], b.txs[0]))
	})
	for n, g := range s.groups {
		s.put(int32(n), g)
	}
	return nil
}

// chunks cuts transactions into runs of at least k.
func (s *state) chunks(txs []int32) (out [][]int32) {
	left := s.weightOf(txs)
	from, weight := 0, 0
	for i, t := range txs {
		weight += s.weight(t)
		left -= s.weight(t)
		if weight >= s.k && left >= s.k || i == len(txs)-1 {
			out = append(out, slices.Clone(txs[from:i+1]))
			from, weight = i+1, 0
		}
	}
	return out
}

// splitter is the working memory of splits; what it holds by node is zero between uses.
type splitter struct {
	*state
	ctx     context.Context
	labels  []bool  // nodes of the part
	items   []int32 // of the transaction looked at, at or below a node and at the same label
	nodes   []int32 // the nodes with items
	at      []int32 // by node with items: the label that these are at
	gains   []gains // by node
	touched []int32 // the nodes with gains
	fill    bool    // transactions may stay with others that are too few
}

// gains are what publishing a node would gain, and the transactions that could: those that have
// nothing else at the label above it, and those that have.
type gains struct {
	only, beside   int64
	wOnly, wBeside int32
}

func (s *state) splitter() *splitter {
	n := s.tree.Nodes()
	return &splitter{
		state:  s,
		labels: make([]bool, n), items: make([]int32, n), at: make([]int32, n),
		gains: make([]gains, n),
	}
}

// all splits a part to the end.
func (sp *splitter) all(p part) (done []part) {
	open := []part{p}
	for len(open) > 0 && sp.ctx.Err() == nil {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if parts := sp.once(p); parts != nil {
			open = append(open, parts...)
		} else {
			done = append(done, p)
		}
	}
	return done
}

// choice is a split of a part at a node below one of its labels.
type choice struct {
	node         int32
	only, beside bool  // which of the transactions publish the node
	fill         int32 // weight of those that stay with the others, so that these are k
	gain         int64
}

// once makes the split of a part that gains most; nil: none gains.
func (sp *splitter) once(p part) []part {
	for _, u := range p.labels {
		sp.labels[u] = true
	}
	defer func() {
		for _, u := range p.labels {
			sp.labels[u] = false
		}
	}()
	for _, sp.fill = range []bool{true, false} {
		c := sp.best(p)
		if c.gain == 0 || sp.ctx.Err() != nil {
			return nil
		}
		if parts := sp.apply(p, c); parts != nil {
			return parts
		}
	}
	return nil
}

// checkEvery is after how many transactions the context is looked at.
const checkEvery = 1024

// best weighs the splits at all nodes that items are below.
func (sp *splitter) best(p part) (best choice) {
	total := int32(0)
	for i, t := range p.txs {
		if i%checkEvery == 0 && sp.ctx.Err() != nil {
			break
		}
		total += sp.merged.Weight(int(t))
		sp.look(t)
		sp.tally(t)
		sp.forget()
	}
	for _, v := range sp.touched {
		c := sp.choose(v, total)
		if c.gain > best.gain || c.gain == best.gain && c.gain > 0 && c.node < best.node {
			best = c
		}
		sp.gains[v] = gains{}
	}
	sp.touched = sp.touched[:0]
	return best
}

// look counts the items of a transaction at each node up to the label they are at.
func (sp *splitter) look(t int32) {
	for _, x := range sp.tx(t) {
		from, u := len(sp.nodes), x
		for ; ; u = sp.tree.Parent(u) {
			if sp.items[u] == 0 {
				sp.nodes = append(sp.nodes, u)
			}
			sp.items[u]++
			if sp.labels[u] {
				break
			}
		}
		for _, v := range sp.nodes[from:] {
			sp.at[v] = u
		}
	}
}

func (sp *splitter) forget() {
	for _, u := range sp.nodes {
		sp.items[u] = 0
	}
	sp.nodes = sp.nodes[:0]
}

// tally adds what the transaction looked at would gain at each node.
func (sp *splitter) tally(t int32) {
	w := sp.merged.Weight(int(t))
	for _, v := range sp.nodes {
		if sp.labels[v] {
			continue
		}
		u := sp.at[v]
		g := &sp.gains[v]
		if g.wOnly == 0 && g.wBeside == 0 {
			sp.touched = append(sp.touched, v)
		}
		gain := int64(w) * int64(sp.items[v]) * (sp.penalty[u] - sp.penalty[v])
		if sp.items[v] == sp.items[u] {
			g.only, g.wOnly = g.only+gain, g.wOnly+w
		} else {
			g.beside, g.wBeside = g.beside+gain, g.wBeside+w
		}
	}
}

// choose says which of the transactions with items below v would publish it: each kind only if
// there are k, and the others must be none or k.
func (sp *splitter) choose(v, total int32) (best choice) {
	g, k := sp.gains[v], int32(sp.k)
	for _, c := range []choice{
		{node: v, only: true, beside: true}, {node: v, only: true}, {node: v, beside: true},
	} {
		rest := total
		if c.only {
			rest -= g.wOnly
			c.gain += g.only
		}
		if c.beside {
			rest -= g.wBeside
			c.gain += g.beside
		}
		if sp.fill && rest > 0 && rest < k {
			c.fill = k - rest
			c.gain = c.gain / int64(total-rest) * int64(total-rest-c.fill)
			rest = k
		}
		each := (!c.only || g.wOnly >= k) && (!c.beside || g.wBeside >= k)
		if (rest == 0 || rest >= k) && each && c.gain > best.gain {
			best = c
		}
	}
	return best
}

// apply makes a split.
func (sp *splitter) apply(p part, c choice) (parts []part) {
	var only, beside, rest []int32
	u := c.node
	for !sp.labels[u] {
		u = sp.tree.Parent(u)
	}
	for _, t := range p.txs {
		sp.look(t)
		switch here := sp.items[c.node]; {
		case here > 0 && here == sp.items[u] && c.only:
			only = append(only, t)
		case here > 0 && here < sp.items[u] && c.beside:
			beside = append(beside, t)
		default:
			rest = append(rest, t)
		}
		sp.forget()
	}
	if c.fill > 0 {
		if rest = sp.stay(rest, int(c.fill), c.node, &only, &beside); rest == nil {
			return nil
		}
	}
	without := slices.DeleteFunc(slices.Clone(p.labels), func(v int32) bool { return v == u })
	more := append(slices.Clone(p.labels), c.node)
	for _, q := range []part{{rest, p.labels}, {beside, more}, {only, append(without, c.node)}} {
		if len(q.txs) > 0 {
			parts = append(parts, q)
		}
	}
	return parts
}

// member is a transaction in one of the lists of a split, and what it gains there.
type member struct {
	t    int32
	list int
	gain int64
}

// stay moves those that lose least by it from two lists to a third, until that weighs so much more;
// nil if they cannot be spared.
func (sp *splitter) stay(rest []int32, more int, node int32, lists ...*[]int32) []int32 {
	var all []member
	spare := make([]int, len(lists))
	for i, list := range lists {
		spare[i] = sp.weightOf(*list) - sp.k
		for _, t := range *list {
			sp.look(t)
			all = append(all, member{t, i, int64(sp.items[node]) * int64(sp.weight(t))})
			sp.forget()
		}
	}
	slices.SortStableFunc(all, func(a, b member) int { return cmp.Compare(a.gain, b.gain) })
	for _, c := range all {
		if w := sp.weight(c.t); more > 0 && w <= spare[c.list] {
			spare[c.list], more = spare[c.list]-w, more-w
			rest = append(rest, c.t)
			*lists[c.list] = slices.DeleteFunc(slices.Clone(*lists[c.list]),
				func(t int32) bool { return t == c.t })
		}
	}
	if more > 0 {
		return nil
	}
	slices.Sort(rest)
	return rest
}
