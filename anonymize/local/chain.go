package local

import (
	"cmp"
	"math"
	"slices"
)

// chain is lifts that follow from one another (ejection chains: F. Glover, Ejection Chains,
// Reference Structures and Alternating Path Methods for Traveling Salesman Problems, Discrete
// Applied Mathematics 65, 1996). Where a lift makes a set rare, the others that hold the set are
// lifted too; where it makes a sensitive item too frequent beside a set, one that has both is.
type chain struct {
	*upholder
	faults  []fault
	known   map[string]bool // sets that are breaches already
	most    int64           // loss at which the chain is given up
	longest int             // number of lifts
}

// fault is a set that is rare, or beside which a sensitive item is too frequent.
type fault struct {
	nodes   []int32
	topmost bool
	item    int32 // -1: the set is rare
}

// try makes a lift and all that follow from it, or nothing.
func (c *chain) try(l lift) bool {
	begun := len(c.journal)
	c.faults = c.faults[:0]
	c.lift(l)
	for len(c.faults) > 0 {
		f := pop(&c.faults)
		for c.isWrong(&f) {
			if len(c.journal)-begun >= c.longest || c.loss >= c.most || c.spent() || !c.answer(f) {
				c.undo(begun)
				return false
			}
		}
	}
	return true
}

// lift makes a lift and notes what is wrong then.
func (c *chain) lift(l lift) {
	old := slices.Clone(c.published(l.tx))
	c.upholder.lift(l)
	c.eachFault(old, slices.Clone(c.published(l.tx)), func(f fault) bool {
		c.faults = append(c.faults, f)
		return true
	})
}

// eachFault calls do with what is wrong with sets that one list of nodes has and the other has not,
// until it is false.
func (c *chain) eachFault(old, next []int32, do func(f fault) bool) {
	look := func(topmost bool) func(set []int32) bool {
		return func(set []int32) bool {
			f := fault{nodes: set, topmost: topmost}
			if !c.isWrong(&f) || f.item >= 0 && c.known[keyOfSet(set, topmost)] {
				return true
			}
			f.nodes = slices.Clone(set)
			return do(f)
		}
	}
	if !c.eachFresh(next, old, look(false)) || !c.eachFresh(old, next, look(false)) {
		return
	}
	old, next = c.topmostOf(old), c.topmostOf(next)
	if c.eachFresh(next, old, look(true)) {
		c.eachFresh(old, next, look(true))
	}
}

// isWrong tells whether a set is wrong, and how.
func (c *chain) isWrong(f *fault) bool {
	worst, item := int64(0), int32(0)
	for x, n := range c.countBeside(f.nodes, f.topmost) {
		if n > worst {
			worst, item = n, int32(x)
		}
	}
	all := c.holdUpTo(f.nodes, f.topmost, max(int64(c.k), worst*c.l))
	if !f.topmost && all > 0 && all < int64(c.k) {
		f.item = -1
		return true
	}
	f.item = item
	return worst*c.l > all
}

// answer makes one lift against a fault; it is false where there is none.
func (c *chain) answer(f fault) bool {
	var list []lift
	for _, i := range c.holders(f) {
		list = append(list, c.leaving(breach{nodes: f.nodes, rows: []int32{i}})...)
		if f.item < 0 {
			break // the others will follow
		}
	}
	if len(list) == 0 {
		return false
	}
	c.lift(c.rank(list)[0])
	return true
}

// holders are the transactions that hold the set of a fault, with the sensitive item that is too
// frequent if there is one; ascending.
func (c *chain) holders(f fault) (out []int32) {
	list := c.fewest(f.nodes)
	if f.item >= 0 {
		list = c.by[f.item]
	}
	for _, i := range list {
		if c.holds(i, f.nodes, f.topmost) {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}

// ranked is how many lifts are looked at closely, and counted how many faults are told apart.
const ranked, faultsCounted = 5, 6

// rank puts the best lifts first: by loss, and of the first of these by loss times one more than
// the faults that they lead to.
func (c *chain) rank(list []lift) []lift {
	for n := range list {
		c.weigh(&list[n])
	}
	score := func(l lift) float64 { return float64(l.loss) / float64(l.helped) }
	first := func(a, b lift) int {
		return cmp.Or(
			cmp.Compare(score(a), score(b)), cmp.Compare(a.tx, b.tx), cmp.Compare(a.node, b.node),
		)
	}
	slices.SortFunc(list, first)
	list = list[:min(len(list), ranked)]
	faults := map[lift]int{}
	for _, l := range list {
		begun, n := len(c.journal), 0
		old := slices.Clone(c.published(l.tx))
		c.upholder.lift(l)
		c.eachFault(old, slices.Clone(c.published(l.tx)), func(fault) bool {
			n++
			return n < faultsCounted
		})
		c.undo(begun)
		faults[l] = n
	}
	slices.SortFunc(list, func(a, b lift) int {
		worseA, worseB := score(a)*float64(1+faults[a]), score(b)*float64(1+faults[b])
		return cmp.Or(cmp.Compare(worseA, worseB), first(a, b))
	})
	return list
}

// keyOfSet tells sets apart.
func keyOfSet(set []int32, topmost bool) string {
	key := keyOfTuple(set)
	if topmost {
		key += "t"
	}
	return key
}

// chainAll lessens breaches by chains of at most so many lifts; it tells whether it did something.
func (u *upholder) chainAll(longest int) bool {
	c := &chain{upholder: u, known: map[string]bool{}, longest: longest}
	for _, b := range u.open {
		c.known[keyOfSet(b.nodes, b.topmost)] = true
	}
	some, limit := false, u.work+(u.limit-u.work)/2
	for _, b := range u.open {
		key := keyOfSet(b.nodes, b.topmost)
		for u.failed[key] < longest && u.work < limit && !u.stopped() {
			if b = u.recount(b); b.missing <= 0 {
				break
			}
			if !c.endOne(b) {
				u.failed[key] = longest
				break
			}
			some = true
		}
	}
	u.refresh()
	return some
}

// endOne makes the chain against a breach that loses least.
func (c *chain) endOne(b breach) bool {
	list := c.rank(c.joining(b, c.leaving(b)))
	best := -1
	c.most = math.MaxInt64
	for n, l := range list {
		begun := len(c.journal)
		if c.try(l) {
			best, c.most = n, c.loss
			c.undo(begun)
		}
	}
	c.most = math.MaxInt64
	return best >= 0 && c.try(list[best])
}
