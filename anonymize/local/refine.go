package local

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
)

// step specialises one node u wherever that keeps the promise, all its children at once or one.
//
// It supposes that every transaction publishes, in place of u, the children that its items at u are below, and takes
// back what breaks the promise until nothing does:
//
//   - A set with a child c that some transactions newly publish is rare: those of them that contain it go back to u for the items
//     below c. As in the peeling of k-cores, others follow.
//   - A set with u is rare, because others gave u up: enough of these that contain the rest of it take u back, or
//     those that have it go back for a child in it (see topUp).
//
// Every round takes something back, and with everything taken back the promise holds as it did before: so the rounds end, with
// a release that keeps it. Only sets with u or one of its children can have changed.
type step struct {
	*state
	target
	ctx  context.Context
	all  []*element
	at   map[int32][]*element // child of u -> elements that publish it, or did
	memo *counter
}

// refine makes one step.
func (s *state) refine(ctx context.Context, t target, memo *counter) {
	st := &step{state: s, target: t, ctx: ctx, memo: memo, at: map[int32][]*element{}}
	if !st.gather() {
		return
	}
	st.settle()
	if ctx.Err() == nil {
		st.commit()
	}
}

// tryFolding is after how many transactions gather stops folding where that does next to nothing: transactions that
// publish the same are an element of more members, or several elements.
const tryFolding = 1000

// gather groups the transactions that publish u, and finds the bystanders. It tells whether anything may change.
func (st *step) gather() bool {
	index := map[string]*element{}
	var kids []kid
	var key []byte
	some := false
	for n, i := range st.who[st.node] {
		var stay bool
		kids, stay = st.mayOpen(i, kids[:0])
		key = st.key(key[:0], i, kids, stay)
		e := index[string(key)]
		if e == nil {
			e = st.newElement(i, kids, stay)
			if n < tryFolding || 4*len(index) < 3*n {
				index[string(key)] = e
			}
			st.enlist(e)
		}
		st.addMember(e, i, kids)
		some = some || len(kids) > 0
	}
	if some {
		st.bystanders()
	}
	return some
}

// mayOpen is openChildren restricted to what this step specialises; stay tells whether other items are at u.
func (st *step) mayOpen(i int32, kids []kid) (open []kid, stay bool) {
	kids = st.openChildren(i, st.node, kids)
	n := len(kids)
	if st.only >= 0 {
		kids = slices.DeleteFunc(kids, func(k kid) bool { return k.node != st.only })
	}
	return kids, len(kids) < n
}

// key tells elements apart.
func (st *step) key(key []byte, i int32, kids []kid, stay bool) []byte {
	for _, v := range st.published(i) {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	for _, o := range kids {
		key = binary.LittleEndian.AppendUint32(key, uint32(^o.node))
	}
	if stay {
		key = append(key, 1)
	}
	return key
}

func (st *step) newElement(i int32, kids []kid, stay bool) *element {
	e := st.arena.element()
	*e = element{stay: stay, open: make([]kid, len(kids)), spec: make([]bool, len(kids))}
	e.base = st.arena.take(len(st.published(i)))[:0]
	for _, v := range st.published(i) {
		if v != st.node {
			e.base = append(e.base, v)
		}
	}
	for j, o := range kids {
		e.open[j].node, e.spec[j] = o.node, true
	}
	e.update(st.node, &st.arena)
	return e
}

// enlist makes an element part of the step.
func (st *step) enlist(e *element) {
	st.all = append(st.all, e)
	for _, c := range e.now {
		if st.tree.Parent(c) == st.node {
			st.at[c] = append(st.at[c], e)
		}
	}
}

func (st *step) addMember(e *element, i int32, kids []kid) {
	e.members = append(e.members, i)
	e.weight += int64(st.merged.Weights[i])
	if st.div != nil && len(st.div.sensitive.Tx(int(i))) > 0 {
		e.sensitive += int64(st.merged.Weights[i])
	}
	for j, o := range kids {
		e.open[j].items += o.items * st.merged.Weights[i]
	}
}

// bystanders adds the transactions that publish a child of u and not u itself. Only sets that an element of the step
// publishes too can have changed, so a bystander is cut down to the nodes that such elements publish, and bystanders that are
// then alike are one.
func (st *step) bystanders() {
	marked := make([]bool, st.tree.Nodes())
	var key []byte
	for _, c := range st.tree.Children(st.node) {
		if len(st.at[c]) == 0 {
			continue
		}
		st.mark(marked, st.at[c], true)
		inside := st.at[c]
		index := map[string]*element{}
		for _, i := range st.who[c] {
			if _, both := slices.BinarySearch(st.published(i), st.node); both {
				continue
			}
			key = key[:0]
			for _, v := range st.published(i) {
				if marked[v] {
					key = binary.LittleEndian.AppendUint32(key, uint32(v))
				}
			}
			e := index[string(key)]
			if e == nil {
				e = &element{now: decode(key)}
				index[string(key)] = e
				st.at[c] = append(st.at[c], e)
			}
			st.addMember(e, i, nil)
		}
		st.mark(marked, inside, false)
	}
}

func (st *step) mark(marked []bool, list []*element, as bool) {
	for _, e := range list {
		for _, v := range e.base {
			marked[v] = as
		}
		for _, o := range e.open {
			marked[o.node] = as
		}
	}
}

func decode(key []byte) []int32 {
	out := make([]int32, len(key)/4)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(key[4*i:]))
	}
	return out
}

// settle takes back what breaks the promise until nothing does.
func (st *step) settle() {
	children := make([]int32, 0, len(st.at))
	dirty := map[int32]bool{}
	for _, c := range st.tree.Children(st.node) {
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
	st.memo.peel(c, st.node, list, func(e *element) bool { return e.newly(c) >= 0 })
	for _, e := range list {
		if e.out {
			e.out = false
			st.takeBack(e, e.newly(c), dirty)
			changed = true
		}
	}
	return changed
}

// takeBack returns the items below open child j of an element to u; with diversity, all its items.
func (st *step) takeBack(e *element, j int, dirty map[int32]bool) {
	for _, c := range e.now {
		if st.tree.Parent(c) == st.node {
			dirty[c] = true
		}
	}
	e.spec[j] = false
	if st.div != nil {
		clear(e.spec)
	}
	e.update(st.node, &st.arena)
}

// commit publishes what has been settled.
func (st *step) commit() {
	keep := st.who[st.node][:0]
	for _, e := range st.all {
		if e.keeps {
			keep = append(keep, e.members...)
		}
		changed := false
		for j, o := range e.open {
			if e.spec[j] {
				changed = true
				st.who[o.node] = append(st.who[o.node], e.members...)
			}
		}
		if changed {
			for _, i := range e.members {
				st.publish(i, e.now)
			}
		}
	}
	st.who[st.node] = keep
}
