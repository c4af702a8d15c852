package continuous

import (
	"context"
	"slices"
)

// exchange publishes occurrences of one node as one of its parts, in all records in which that
// leaves nothing rare.
//
// Every record that holds the node is a candidate at first. For each, the bags of at most m terms
// are known that it gains and that it loses. Then candidates are taken out until nothing is rare:
//
//	(1) a gained bag that would be in fewer than k records: all candidates that gain it stay
//	    behind;
//	(2) a lost bag that would be left in some records, but fewer than k: as many candidates that
//	    lose it stay behind as make k again. There are as many, for before the exchange the bag
//	    was in at least k.
//
// The set of candidates only shrinks, so this ends.
type exchange struct {
	l     *recoding
	from  int32
	parts [2]int32
	to    func(value int32) int32

	ids   map[string]int32 // bags of candidates, as they are and as they would be
	cands []candidate
	bags  []tallied
	queue []int32

	key           []byte
	before, after []int32
}

// candidate is a record that may publish the parts.
type candidate struct {
	rec          int32
	out          bool
	gained, lost []int32
}

// tallied is a bag: how many records would have it if all candidates that are left took part.
type tallied struct {
	support        int
	gained, losing []int32 // candidates
	queued         bool
}

func (x *exchange) run(ctx context.Context) error {
	x.ids, x.key = map[string]int32{}, make([]byte, 0, 4*x.l.m)
	if err := x.open(ctx); err != nil {
		return err
	}
	if len(x.cands) == 0 {
		return nil
	}
	x.tally()
	for len(x.queue) > 0 {
		b := x.queue[0]
		x.queue = x.queue[1:]
		x.bags[b].queued = false
		x.leaveOut(b)
	}
	x.commit()
	return nil
}

// open lists the candidates with what they gain and lose.
func (x *exchange) open(ctx context.Context) error {
	var old, now []int32
	for n, rec := range x.l.holders[x.from] {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		before, after, changed := x.views(rec)
		if !changed {
			continue
		}
		old = x.affected(before, old[:0], true)
		now = x.affected(after, now[:0], true)
		c := candidate{rec: rec, lost: without(old, now), gained: without(now, old)}
		at := int32(len(x.cands))
		for _, b := range c.lost {
			x.bags[b].losing = append(x.bags[b].losing, at)
			x.bags[b].support--
		}
		for _, b := range c.gained {
			x.bags[b].gained = append(x.bags[b].gained, at)
			x.bags[b].support++
		}
		x.cands = append(x.cands, c)
	}
	return nil
}

// views are a record's nodes before and after the exchange, ascending.
func (x *exchange) views(rec int32) (before, after []int32, changed bool) {
	lo, hi := x.l.data.Start(int(rec)), x.l.data.Start(int(rec)+1)
	before = append(x.before[:0], x.l.node[lo:hi]...)
	after = append(x.after[:0], before...)
	x.before, x.after = before, after
	for i, n := range before {
		if n == x.from {
			after[i] = x.to(x.l.data.Items()[lo+i])
			changed = changed || after[i] != n
		}
	}
	slices.Sort(before)
	slices.Sort(after)
	return before, after, changed
}

// affected numbers the distinct bags of at most m nodes of a view that hold the node or one of its
// parts, in ascending numbers. Bags that are not known yet get a number, or are left out.
func (x *exchange) affected(view, into []int32, get bool) []int32 {
	into = x.subBags(view, x.key[:0], false, into, get)
	slices.Sort(into)
	return into
}

func (x *exchange) subBags(rest []int32, key []byte, touched bool, into []int32, get bool) []int32 {
	if touched {
		id, ok := x.ids[string(key)]
		if !ok && get {
			id, ok = int32(len(x.bags)), true
			x.ids[string(key)] = id
			x.bags = append(x.bags, tallied{})
		}
		if ok {
			into = append(into, id)
		}
	}
	if len(key) == 4*x.l.m {
		return into
	}
	for i, n := range rest {
		if i > 0 && rest[i-1] == n {
			continue
		}
		here := touched || n == x.from || n == x.parts[0] || n == x.parts[1]
		if !here && len(key)+4 == 4*x.l.m {
			continue
		}
		into = x.subBags(
			rest[i+1:], append(key, byte(n>>24), byte(n>>16), byte(n>>8), byte(n)), here, into,
			get,
		)
	}
	return into
}

// without lists the numbers of one ascending list that are not in the other.
func without(list, other []int32) []int32 {
	var out []int32
	for _, id := range list {
		for len(other) > 0 && other[0] < id {
			other = other[1:]
		}
		if len(other) == 0 || other[0] != id {
			out = append(out, id)
		}
	}
	return out
}

// tally adds the records that have the bags today, and queues what is rare.
func (x *exchange) tally() {
	holders := slices.Concat(x.l.holders[x.from], x.l.holders[x.parts[0]], x.l.holders[x.parts[1]])
	slices.Sort(holders)
	var view, ids []int32
	for _, rec := range slices.Compact(holders) {
		view = append(view[:0], x.l.node[x.l.data.Start(int(rec)):x.l.data.Start(int(rec)+1)]...)
		slices.Sort(view)
		ids = x.affected(view, ids[:0], false)
		for _, id := range ids {
			x.bags[id].support++
		}
	}
	for b := range x.bags {
		x.look(int32(b))
	}
}

// look queues a bag that is rare.
func (x *exchange) look(b int32) {
	if t := &x.bags[b]; !t.queued && 0 < t.support && t.support < x.l.k {
		t.queued = true
		x.queue = append(x.queue, b)
	}
}

// leaveOut takes out candidates until a bag is not rare.
func (x *exchange) leaveOut(b int32) {
	for _, at := range x.bags[b].gained {
		if 0 < x.bags[b].support && x.bags[b].support < x.l.k {
			x.stay(at)
		}
	}
	for _, at := range x.bags[b].losing {
		if 0 < x.bags[b].support && x.bags[b].support < x.l.k {
			x.stay(at)
		}
	}
}

// stay takes a candidate out: it keeps what it would have lost and does not gain.
func (x *exchange) stay(at int32) {
	c := &x.cands[at]
	if c.out {
		return
	}
	c.out = true
	for _, b := range c.gained {
		x.bags[b].support--
		x.look(b)
	}
	for _, b := range c.lost {
		x.bags[b].support++
		x.look(b)
	}
}

// commit publishes the parts in the candidates that are left.
func (x *exchange) commit() {
	l := x.l
	moved := false
	for _, c := range x.cands {
		if c.out {
			continue
		}
		moved = true
		for pos := l.data.Start(int(c.rec)); pos < l.data.Start(int(c.rec)+1); pos++ {
			if l.node[pos] == x.from {
				l.node[pos] = x.to(l.data.Items()[pos])
			}
		}
	}
	if !moved {
		return
	}
	old := slices.Concat(l.holders[x.from], l.holders[x.parts[0]], l.holders[x.parts[1]])
	slices.Sort(old)
	for _, n := range []int32{x.from, x.parts[0], x.parts[1]} {
		l.holders[n] = nil
	}
	for _, rec := range slices.Compact(old) {
		for pos := l.data.Start(int(rec)); pos < l.data.Start(int(rec)+1); pos++ {
			if n := l.node[pos]; n == x.from || n == x.parts[0] || n == x.parts[1] {
				l.hold(n, rec)
			}
		}
	}
}
