package local

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
)

// step specialises one node u wherever that keeps the promise, all its children at once.
//
// It supposes that every transaction publishes, in place of u, the children that its items at u are below, and takes
// back what breaks the promise until nothing does:
//
//   - A set with a child c that some transactions newly publish is rare: those of them that contain it go back to u for the items
//     below c. As in the peeling of k-cores, others follow.
//   - A set of u and nodes that nobody changes is rare, because others gave u up: the cheapest of these that contain it take u back.
//
// Every round takes something back, and with everything taken back the promise holds as it did before: so the rounds end, with
// a release that keeps it. Only sets with u or one of its children can have changed.
type step struct {
	*state
	ctx  context.Context
	u    int32
	all  []*element
	at   map[int32][]*element // child -> elements that publish it
	memo *counter
}

// element is transactions that publish the same set and have the same children open, or bystanders: transactions that
// publish a child of u already, and not u.
type element struct {
	members []int32
	weight  int64
	base    []int32 // published apart from u, ascending
	open    []kid   // children of u that may be specialised; items are those of all members together, weighted
	spec    []bool  // which of them are
	now     []int32 // what is published now, ascending
	out     bool    // working space of counter
}

// has tells whether the element publishes node c, and whether it does so newly.
func (e *element) newly(c int32) int {
	for j, o := range e.open {
		if o.node == c && e.spec[j] {
			return j
		}
	}
	return -1
}

func (e *element) update(u int32) {
	e.now = append(e.now[:0], e.base...)
	keep := len(e.open) == 0
	for j, o := range e.open {
		if e.spec[j] {
			e.now = append(e.now, o.node)
		} else if !keep {
			keep = true
			e.now = append(e.now, u)
		}
	}
	slices.Sort(e.now)
}

func (e *element) publishes(u int32) bool {
	_, ok := slices.BinarySearch(e.now, u)
	return ok
}

// refine makes one step at u and tells by how much the cost fell.
func (s *state) refine(ctx context.Context, u int32, memo *counter) int64 {
	st := &step{state: s, ctx: ctx, u: u, memo: memo}
	if !st.gather() {
		return 0
	}
	st.settle()
	if ctx.Err() != nil {
		return 0
	}
	return st.commit()
}

// gather groups the transactions that publish u, and finds the bystanders. It tells whether anything may change.
func (st *step) gather() bool {
	index := map[string]*element{}
	var kids []kid
	var key []byte
	for _, i := range st.who[st.u] {
		kids = st.openChildren(i, st.u, kids[:0])
		key = st.key(key[:0], i, kids)
		e := index[string(key)]
		if e == nil {
			e = st.newElement(i, kids)
			index[string(key)] = e
			st.all = append(st.all, e)
		}
		st.addMember(e, i, kids)
	}
	st.at = map[int32][]*element{}
	for _, e := range st.all {
		for _, o := range e.open {
			st.at[o.node] = append(st.at[o.node], e)
		}
		for _, c := range e.base {
			if st.tree.Parent(c) == st.u {
				st.at[c] = append(st.at[c], e)
			}
		}
	}
	st.bystanders()
	return len(st.all) > 0
}

func (st *step) key(key []byte, i int32, kids []kid) []byte {
	for _, v := range st.published(i) {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	for _, o := range kids {
		key = binary.LittleEndian.AppendUint32(key, uint32(^o.node))
	}
	return key
}

func (st *step) newElement(i int32, kids []kid) *element {
	e := &element{open: make([]kid, len(kids)), spec: make([]bool, len(kids))}
	for _, v := range st.published(i) {
		if v != st.u {
			e.base = append(e.base, v)
		}
	}
	for j, o := range kids {
		e.open[j].node, e.spec[j] = o.node, true
	}
	e.update(st.u)
	return e
}

func (st *step) addMember(e *element, i int32, kids []kid) {
	e.members = append(e.members, i)
	e.weight += int64(st.merged.Weights[i])
	for j, o := range kids {
		e.open[j].items += o.items * st.merged.Weights[i]
	}
}

// bystanders adds the transactions that publish a child of u and not u itself.
func (st *step) bystanders() {
	for _, c := range st.tree.Children(st.u) {
		if len(st.at[c]) == 0 {
			continue
		}
		for _, i := range st.who[c] {
			if _, both := slices.BinarySearch(st.published(i), st.u); !both {
				st.at[c] = append(st.at[c], &element{members: []int32{i}, weight: int64(st.merged.Weights[i]), now: st.published(i)})
			}
		}
	}
}

// settle takes back what breaks the promise until nothing does.
func (st *step) settle() {
	children := make([]int32, 0, len(st.at))
	dirty := map[int32]bool{}
	for _, c := range st.tree.Children(st.u) {
		if len(st.at[c]) > 0 {
			children = append(children, c)
			dirty[c] = true
		}
	}
	// Rare children first: of a rare set of two children, the rarer one is given up.
	weight := func(c int32) (w int64) {
		for _, e := range st.at[c] {
			w += e.weight
		}
		return w
	}
	slices.SortStableFunc(children, func(a, b int32) int { return cmp.Compare(weight(a), weight(b)) })
	for {
		for again := true; again; {
			again = false
			for _, c := range children {
				if !dirty[c] {
					continue
				}
				if st.ctx.Err() != nil {
					return
				}
				dirty[c] = false
				if st.peel(c, dirty) {
					again = true
				}
			}
		}
		if !st.topUp(dirty) {
			return
		}
	}
}

// peel takes c back from all that publish it newly together with a rare set.
func (st *step) peel(c int32, dirty map[int32]bool) bool {
	list := st.at[c][:0]
	for _, e := range st.at[c] {
		if e.publishes(c) {
			list = append(list, e)
		}
	}
	st.at[c] = list
	changed := false
	st.memo.run(st.state, c, list, func(e *element) bool { return e.newly(c) >= 0 })
	for _, e := range list {
		if e.out {
			e.out = false
			st.takeBack(e, e.newly(c), dirty)
			changed = true
		}
	}
	return changed
}

// takeBack returns the items below child j of an element to u.
func (st *step) takeBack(e *element, j int, dirty map[int32]bool) {
	e.spec[j] = false
	e.update(st.u)
	for i, o := range e.open {
		if e.spec[i] {
			dirty[o.node] = true
		}
	}
	for _, c := range e.base {
		if st.tree.Parent(c) == st.u {
			dirty[c] = true
		}
	}
	dirty[e.open[j].node] = true
}

// commit publishes what has been settled and tells by how much the cost fell.
func (st *step) commit() int64 {
	gain := int64(0)
	keep := st.who[st.u][:0]
	for _, e := range st.all {
		if e.publishes(st.u) {
			keep = append(keep, e.members...)
		}
		changed := false
		for j, o := range e.open {
			if e.spec[j] {
				changed = true
				gain += int64(o.items) * (st.loss(st.u) - st.loss(o.node))
				st.who[o.node] = append(st.who[o.node], e.members...)
			}
		}
		if changed {
			for _, i := range e.members {
				st.publish(i, e.now)
			}
		}
	}
	st.who[st.u] = keep
	return gain
}
