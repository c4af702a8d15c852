package core

import (
	"cmp"
	"context"
	"slices"

	"mingle/internal/par"
)

const (
	blockSize  = 256 // groups among which transactions are exchanged at a time
	rounds     = 4   // at most, each in blocks of another order
	candidates = 8   // groups that are tried for a transaction
	workEach   = 100 // occurrences looked at for each of a block, in one round, with an effort of 1
)

// exchange moves transactions between groups, or lets two change places, where that lowers the
// loss. Groups are ordered by what they publish and cut into blocks; the next round cuts another
// order. So the work is in proportion to the occurrences, and blocks go side by side.
func (s *state) exchange(ctx context.Context, times int) error {
	work := workEach * times
	for round := range rounds * times {
		before := s.loss()
		blocks := s.blocks(round)
		err := par.Each(ctx, s.in.WorkerCount(), len(blocks),
			func(ctx context.Context, i int) error {
				newMover(s, blocks[i]).run(ctx, work)
				return nil
			})
		if gained := before - s.loss(); err != nil || gained*200 < before {
			return err
		}
		s.in.Report("exchanges", int64(round+1), int64(rounds))
	}
	return nil
}

func (s *state) loss() (sum int64) {
	for _, g := range s.groups {
		sum += g.loss
	}
	return sum
}

// blocks orders the groups by their labels, from the first or from the last on, and cuts them,
// every other time in the middle of the blocks before.
func (s *state) blocks(round int) (out [][]int32) {
	order := make([]int32, len(s.groups))
	for n := range order {
		order[n] = int32(n)
	}
	key := func(n int32) []int32 {
		labels := slices.Clone(s.groups[n].labels)
		if round%2 == 1 {
			slices.Reverse(labels)
		}
		return labels
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(slices.Compare(key(a), key(b)), cmp.Compare(a, b))
	})
	first := blockSize
	if round/2%2 == 1 {
		first = blockSize / 2
	}
	for len(order) > 0 {
		n := min(first, len(order))
		out = append(out, order[:n])
		order, first = order[n:], blockSize
	}
	return out
}

// mover is the search in one block.
type mover struct {
	*state
	l     *labeller
	block []int32
	by    map[int32][]int32 // by node: the groups of the block that publish it
	mine  map[int32]bool    // nodes that the transaction looked at has items below
	score map[int32]int64   // by group, for that transaction
	work  int               // occurrences that may still be looked at
	// sorted is the occurrences of the members, in order, of groups that were looked at
	sorted map[*group][]occurrence
}

func newMover(s *state, block []int32) *mover {
	m := &mover{state: s, l: s.labeller(), block: block}
	m.by, m.mine, m.score = map[int32][]int32{}, map[int32]bool{}, map[int32]int64{}
	m.sorted = map[*group][]occurrence{}
	for _, n := range block {
		m.index(n)
	}
	return m
}

func (m *mover) index(n int32) {
	for _, u := range m.groups[n].labels {
		m.by[u] = append(m.by[u], n)
	}
}

func (m *mover) unindex(n int32) {
	for _, u := range m.groups[n].labels {
		at := slices.Index(m.by[u], n)
		m.by[u] = slices.Delete(m.by[u], at, at+1)
	}
}

// run looks at the groups of the block once, those that lose most first.
func (m *mover) run(ctx context.Context, each int) {
	order := slices.Clone(m.block)
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(m.groups[b].loss, m.groups[a].loss)
	})
	for _, n := range order {
		for _, t := range m.groups[n].txs {
			m.work += each * len(m.tx(t))
		}
	}
	for _, n := range order {
		for _, t := range slices.Clone(m.groups[n].txs) {
			if m.work < 0 || ctx.Err() != nil {
				return
			}
			if m.of[t] == n {
				m.better(t)
			}
		}
	}
}

// change is what a transaction does: it goes to a group, and another of that group, if any, comes
// in its place.
type change struct {
	to, with int32 // with -1: nobody
	gain     int64
}

// better makes the change of a transaction that gains most, if any gains.
func (m *mover) better(t int32) {
	from := m.of[t]
	own := m.groups[from]
	free := own.weight-m.weight(t) >= m.k
	spared := int64(0)
	if free {
		spared = own.loss - m.lossOf(own, t, -1)
	}
	best := change{with: -1}
	for _, n := range m.near(t) {
		g := m.groups[n]
		more := m.lossOf(g, -1, t) - g.loss
		if free && spared-more > best.gain {
			best = change{n, -1, spared - more}
		}
		if more < own.loss {
			best = m.swap(t, n, best)
		}
	}
	if best.gain > 0 {
		m.unindex(from)
		m.unindex(best.to)
		m.replace(from, t, best.with)
		m.replace(best.to, best.with, t)
		m.index(from)
		m.index(best.to)
	}
}

// swap tries to change places with each transaction of a group.
func (m *mover) swap(t, n int32, best change) change {
	own, g := m.groups[m.of[t]], m.groups[n]
	w := m.weight(t)
	for _, o := range g.txs {
		if wo := m.weight(o); g.weight-wo+w < m.k || own.weight-w+wo < m.k {
			continue
		}
		there := m.lossOf(g, o, t)
		if g.loss+own.loss-there <= best.gain {
			continue
		}
		if gain := g.loss + own.loss - there - m.lossOf(own, t, o); gain > best.gain {
			best = change{n, o, gain}
		}
	}
	return best
}

// lossOf is the loss of a group without one transaction and with another; -1: none.
func (m *mover) lossOf(g *group, without, with int32) int64 {
	sorted, known := m.sorted[g]
	if !known {
		m.l.begin()
		for _, t := range g.txs {
			m.l.add(m.tx(t), m.merged.Weight(int(t)))
		}
		m.l.sort()
		sorted = slices.Clone(m.l.occ)
		m.sorted[g] = sorted
	}
	var items []int32
	weight := int32(0)
	if with >= 0 {
		items, weight = m.tx(with), m.merged.Weight(int(with))
	}
	loss := m.l.lossOfExchange(sorted, len(g.txs), slices.Index(g.txs, without), items, weight)
	m.work -= len(m.l.occ)
	return loss
}

func (m *mover) replace(n, without, with int32) {
	txs := slices.DeleteFunc(slices.Clone(m.groups[n].txs),
		func(t int32) bool { return t == without })
	if with >= 0 {
		txs = append(txs, with)
	}
	delete(m.sorted, m.groups[n])
	m.put(n, m.form(m.l, txs))
}

// near are groups of the block that a transaction may fit into: what they publish above its items
// counts for them, what they publish above none of its items, twice against them.
func (m *mover) near(t int32) []int32 {
	clear(m.mine)
	clear(m.score)
	root := m.tree.Root()
	for _, x := range m.tx(t) {
		for u := x; u != root && !m.mine[u]; u = m.tree.Parent(u) {
			m.mine[u] = true
			for _, n := range m.by[u] {
				m.score[n] = 0
			}
		}
	}
	delete(m.score, m.of[t])
	out := make([]int32, 0, len(m.score))
	for n := range m.score {
		out = append(out, n)
		for _, u := range m.groups[n].labels {
			if m.mine[u] {
				m.score[n] += m.penalty[root] - m.penalty[u]
			} else {
				m.score[n] -= 2 * (m.penalty[root] - m.penalty[u])
			}
		}
	}
	slices.SortFunc(out, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.score[b], m.score[a]), cmp.Compare(a, b))
	})
	return out[:min(candidates, len(out))]
}
