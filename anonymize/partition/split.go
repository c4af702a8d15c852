package partition

import (
	"cmp"
	"context"
	"slices"
)

// split is a way to specialise one node of a group.
type split struct {
	groups []bucket // each legal
	left   []int32  // transactions that stay at the node; none, or legal
	gain   int64    // by how much the loss falls
}

// bucket is the transactions of a group that have the same children of the node.
type bucket struct {
	children []int32
	txs      []int32
	gains    []int64 // of each transaction
}

func (b bucket) gain() int64 {
	total := int64(0)
	for _, g := range b.gains {
		total += g
	}
	return total
}

// openAlike specialises the nodes of which all transactions of g have the same children, as far as
// that goes, and returns what is gained. That keeps all together, so it rules nothing out.
func (r *run) openAlike(ctx context.Context, g *group) (gained int64) {
	open := g.nodes
	g.nodes = nil
	var children []int32
	for len(open) > 0 {
		u := open[len(open)-1]
		open = open[:len(open)-1]
		gain, alike := int64(0), !r.tree.IsLeaf(u) && u != g.frozen && !r.tooSmall(u)
		if alike {
			children, gain, alike = r.alike(ctx, g.txs, u, children[:0])
		}
		if alike {
			open = append(open, children...)
			gained += gain
		} else {
			g.nodes = append(g.nodes, u)
		}
	}
	slices.Sort(g.nodes)
	return gained
}

// alike appends the children of u that transactions have, if these are the same for all of them,
// and says what publishing them in place of u saves.
func (r *run) alike(
	ctx context.Context, txs []int32, u int32, out []int32,
) (children []int32, gain int64, same bool) {
	below := r.tree.Children(u)
	for n, i := range txs {
		if n%lookUp == 0 && ctx.Err() != nil {
			return nil, 0, false
		}
		have, same := 0, true
		saved := r.eachChild(i, u, below, func(k int) {
			switch {
			case n == 0:
				out = append(out, below[k])
			case have >= len(out) || out[have] != below[k]:
				same = false
			}
			have++
		})
		if !same || have < len(out) {
			return nil, 0, false
		}
		gain += saved
	}
	return out, gain, true
}

// gain is what is gained by specialising node u of g, or none if that cannot be done; apart says
// whether g weighs enough for two groups.
func (r *run) gain(ctx context.Context, g *group, u int32, apart bool) int64 {
	if r.members == nil && !r.tooSmall(u) {
		if gain, known := r.gainByWeight(ctx, g, u, apart); known {
			return gain
		}
	}
	if s := r.try(ctx, g, u); s != nil {
		return s.gain
	}
	return none
}

// gainByWeight is the same where nothing but the weights of transactions matters, and these tell
// it: not where leftovers are to be filled up.
func (r *run) gainByWeight(
	ctx context.Context, g *group, u int32, apart bool,
) (gain int64, known bool) {
	room := r.rooms.Get().(*room)
	defer r.rooms.Put(room)
	if !room.sort(ctx, r, g.txs, u, apart) {
		return none, true
	}
	gain = none
	left, k := 0, r.in.Promise.K
	for _, b := range room.buckets {
		if b.weight < k {
			left += b.weight
		} else {
			gain = max(gain, 0) + b.gain
		}
	}
	return gain, left == 0 || left >= k || gain == none
}

// tooSmall tells whether what is below u must not be published.
func (r *run) tooSmall(u int32) bool {
	small := func(c int32) bool { return r.tree.LeafCount(c) <= r.in.Promise.M }
	return r.weak && slices.ContainsFunc(r.tree.Children(u), small)
}

// try specialises node u of g; nil if that cannot be done.
func (r *run) try(ctx context.Context, g *group, u int32) *split {
	if r.tooSmall(u) {
		return nil
	}
	s := &split{}
	for _, b := range r.distribute(ctx, g.txs, u) {
		if r.legal(b.txs) {
			s.groups = append(s.groups, b)
		} else {
			s.left = append(s.left, b.txs...)
		}
	}
	if len(s.left) > 0 && !r.legal(s.left) {
		r.fillUp(s)
	}
	if len(s.groups) == 0 {
		return nil
	}
	slices.Sort(s.left)
	for _, b := range s.groups {
		s.gain += b.gain()
	}
	return s
}

// lookUp is after how many transactions it is asked whether the context has ended.
const lookUp = 4096

// distribute sorts transactions by the children of u that they have, in order of first appearance;
// nothing when the context has ended, as a part of them would be no group.
func (r *run) distribute(ctx context.Context, txs []int32, u int32) []bucket {
	room := r.rooms.Get().(*room)
	defer r.rooms.Put(room)
	if !room.sort(ctx, r, txs, u, true) {
		return nil
	}
	out := make([]bucket, len(room.buckets))
	allTxs, allGains := make([]int32, len(txs)), make([]int64, len(txs))
	for n, b := range room.buckets {
		out[n].children = r.childrenOf(txs[b.first], u)
		out[n].txs, allTxs = allTxs[:0:b.size], allTxs[b.size:]
		out[n].gains, allGains = allGains[:0:b.size], allGains[b.size:]
	}
	for n, i := range txs {
		b := &out[room.of[n]]
		b.txs, b.gains = append(b.txs, i), append(b.gains, room.gains[n])
	}
	return out
}

// childrenOf are the children of u that cover items of a transaction.
func (r *run) childrenOf(i, u int32) (out []int32) {
	children := r.tree.Children(u)
	r.eachChild(i, u, children, func(k int) { out = append(out, children[k]) })
	return out
}

// eachChild calls do with the number of each child of u that covers items of a transaction,
// ascending, and returns how much loss publishing them in place of u saves.
func (r *run) eachChild(i, u int32, children []int32, do func(k int)) (gain int64) {
	lo, hi := r.tree.Range(u)
	tx := r.merged.Tx(int(i))
	from, _ := slices.BinarySearch(tx, lo)
	all := int64(r.tree.LeafCount(u))
	k, end, saved := 0, int32(-1), int64(0)
	for _, leaf := range tx[from:] {
		if leaf >= hi {
			break
		}
		if leaf >= end {
			k = r.tree.Seek(children, k, leaf)
			_, end = r.tree.Range(children[k])
			saved = all - r.tree.Penalty(children[k])
			do(k)
		}
		gain += saved
	}
	return gain * int64(r.merged.Weights[i])
}

// fillUp moves transactions out of the legal buckets until the leftovers are legal too, by the
// cheaper of two ways: the cheapest transactions that one bucket can spare, or whole buckets.
// Without sensitive items and persons either way exists; with them only the second.
func (r *run) fillUp(s *split) {
	slices.SortStableFunc(s.groups, func(a, b bucket) int {
		return cmp.Compare(a.gain(),
			b.gain())
	})
	if r.members == nil && r.spare(s) {
		return
	}
	for len(s.groups) > 0 && !r.legal(s.left) {
		s.left = append(s.left, s.groups[0].txs...)
		s.groups = s.groups[1:]
	}
}

// spare fills the leftovers up from one bucket that stays legal, if that is cheaper than the
// cheapest whole bucket.
func (r *run) spare(s *split) bool {
	need := r.in.Promise.K - r.weight(s.left)
	best, bestCost := -1, s.groups[0].gain()
	var bestPick []int
	for n, b := range s.groups {
		if pick, cost := r.cheapest(b, need); pick != nil && cost < bestCost {
			best, bestCost, bestPick = n, cost, pick
		}
	}
	if best < 0 {
		return false
	}
	b, rest := s.groups[best], bucket{children: s.groups[best].children}
	for i := range b.txs {
		if slices.Contains(bestPick, i) {
			s.left = append(s.left, b.txs[i])
		} else {
			rest.txs, rest.gains = append(rest.txs, b.txs[i]), append(rest.gains, b.gains[i])
		}
	}
	s.groups[best] = rest
	return true
}

// cheapest picks transactions of a bucket, of at least the weight needed, that leave k behind; nil
// if there are none.
func (r *run) cheapest(b bucket, need int) (pick []int, cost int64) {
	surplus := r.weight(b.txs) - r.in.Promise.K
	if surplus < need {
		return nil, 0
	}
	order := make([]int, len(b.txs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.gains[x], b.gains[y]) })
	moved := 0
	for _, i := range order {
		w := int(r.merged.Weights[b.txs[i]])
		if moved >= need {
			break
		}
		if moved+w <= surplus {
			pick, cost, moved = append(pick, i), cost+b.gains[i], moved+w
		}
	}
	if moved < need {
		return nil, 0
	}
	return pick, cost
}
