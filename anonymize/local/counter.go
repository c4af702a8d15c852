package local

import (
	"context"
	"slices"
)

// counter finds the sets that break the promise among rows that all publish one node, and
// follows what becomes of these rows. Of a row it knows its number, its share and what it
// publishes. Within it nodes have short numbers of their own, so that what is counted stays close
// together.
type counter struct {
	*terms
	space *space
	node  int32   // the one that all publish
	skip  int32   // one that is left out of the sets, or -1
	nodes []int32 // by short number; the first stands for what is no longer published

	list  []int32 // numbers of rows; what follows calls their places in this list n
	heavy bool    // some row weighs more than one
	end   []int32 // by n: where its set ends in flat
	flat  []int32 // what the rows publish, but for the node and what is left out, as short numbers
	share []share // by n; zero when it is out
	total tally   // of all
	// by short number, while rows are added: the weight of those with the node, and in the lower
	// half how many these are
	sums []uint64
	few  []int32 // short numbers that may be of less weight than k, while rows are added
	tids tids

	changed bool    // total, since it was looked at
	by      []tally // by short number
	rare    []int32 // short numbers whose set with the node may break the promise
	// short numbers; sets of three or more that begin with them have to be looked at
	todo   []int32
	beside []int32 // working space of lookBeside: short numbers
	inRows []int32 // the same
	path   []int32 // of lookInMaps: the set looked at, as short numbers
	set    []int32 // the set looked at, as nodes
	occs   []occurrence
	// those of which shares are counted, and the lines of the others: see terms.spare
	holders []int32
	besides int64
	broken  func(set []int32, occs []occurrence) // see check
	leaves  func(n int32) bool                   // the same
	pairs   pairs
}

// terms say what breaks the promise, and to what counting is charged. They are the same for all
// counters of a step.
type terms struct {
	ctx  context.Context // of the step
	k, m int
	l    int64 // 0: shares of sensitive items are not bounded
	one  int64 // 0: the share of one person is not bounded
	// spare is how many lines may leave some rows, and so many lines besides that have no sensitive
	// item and every value, before a share can be too large among them; negative: one is. nil: no
	// share is bounded
	spare    func(rows []int32, besides int64) int64
	byPerson *personCounter        // of persons; nil: transactions are counted
	txOf     func(row int32) int32 // the transaction of a row
	work     *int64
}

// space is working space that counters of one goroutine share.
type space struct {
	number []int32 // by node: its short number; zero between uses
	levels []level // by set size less one
	cells  cells
	seen   []pair  // of countPairs
	maps   rowMaps // the same
	order  []int64 // of countPersons
	last   []int32 // of countPersons
}

// share is how many transactions there are and, only with diversity, how many of them have a
// sensitive item, or an empty value in a column. Where l times as many are not more than all, no
// share is too large: those with a value of a column, and those with none, are among them. So of n
// with the value and e with none l*(n+e) is at most the weight, and l*n at most the weight less e.
type share struct{ weight, sensitive int32 }

func (a *share) add(b share) {
	a.weight += b.weight
	a.sensitive += b.sensitive
}

func (a *share) take(b share) {
	a.weight -= b.weight
	a.sensitive -= b.sensitive
}

// tally is what is known of a node besides the counted one.
type tally struct {
	// how many lines may leave before a share can be too large, at least; not positive where
	// nobody has counted it. Lines that come are not foreseen: none do while sets are looked at
	spare int64
	share
	persons int32 // at least, of those with it; zero where transactions are counted
	// slack is how much weight may leave before a larger set that begins with the node can be
	// rare, or negative: look.
	slack int32
	rows  int32 // that were counted with it
	rare  bool  // is in rare
	due   bool  // is in todo
}

func (t *tally) lose(s share) {
	t.take(s)
	t.persons = max(0, t.persons-s.weight)
	t.spare -= int64(s.weight)
}

func (t *tally) leave(s share) {
	t.lose(s)
	t.slack -= s.weight
}

// occurrence is one place in flat of a set's last node.
type occurrence struct{ n, at int32 }

// wide is a slack that is never used up.
const wide = 1 << 30

// newSpace is for sets of at most m of some nodes.
func newSpace(nodes, m int) *space {
	return &space{
		number: make([]int32, nodes), levels: make([]level, max(1, m)),
		cells: cells{most: maxPaired},
	}
}

// check calls broken for the sets of the node and at most m-1 others that break the promise, as
// far as something has changed about them, but not for sets that contain such a one. In place of
// that it may call leaves for the rows that publish such a set: to put it out, if that may be. When
// the context of the step ends it leaves the rest: the step will not be committed.
func (c *counter) check(
	broken func(set []int32, occs []occurrence), leaves func(n int32) bool,
) {
	c.broken, c.leaves = broken, leaves
	for c.total.weight > 0 && !c.stopped() && c.lookAtOne() {
	}
}

// stopped tells whether the context of the step has ended. What looks at sets of three or more
// asks: in one step on long lines there can be more of them than in hours.
func (c *counter) stopped() bool { return c.ctx.Err() != nil }

// lookAtOne looks at a set, if there is one to be looked at.
func (c *counter) lookAtOne() bool {
	return c.lookAtAll() || c.lookAtRare() || c.lookAtPair() || c.lookFurther()
}

// lookAtAll looks at the set of the node alone, if it has changed.
func (c *counter) lookAtAll() bool {
	if !c.changed {
		return false
	}
	c.changed = false
	if !c.suspect(&c.total) {
		return true
	}
	c.occs = c.occs[:0]
	for n := range c.list {
		c.occs = append(c.occs, occurrence{n: int32(n)})
	}
	if c.breaks(&c.total, c.occs) {
		c.broken(nil, c.occs)
	}
	return true
}

// lookAtRare looks at a set of two, if there is one to be looked at: that takes next to no
// time, so they come first.
func (c *counter) lookAtRare() bool {
	if len(c.rare) == 0 {
		return false
	}
	y := pop(&c.rare)
	t := &c.by[y]
	t.rare = false
	if !c.suspect(t) {
		return true
	}
	if c.isEven(y, t) {
		return true
	}
	if c.gather(y); c.breaks(t, c.occs) {
		c.set = append(c.set[:0], c.nodes[y])
		c.broken(c.set, c.occs)
	} else if c.byPerson != nil {
		c.queueLarger(y) // it is not rare, so that these are to be looked at
	}
	return true
}

// pop takes the last element of a list that has one.
func pop[T any](list *[]T) T {
	last := len(*list) - 1
	x := (*list)[last]
	*list = (*list)[:last]
	return x
}

// suspect tells whether a set may break the promise.
func (c *counter) suspect(t *tally) bool {
	return t.weight > 0 && (int(c.support(t)) < c.k || c.uneven(t))
}

// uneven tells whether a share may be too large.
func (c *counter) uneven(t *tally) bool {
	if c.byPerson != nil {
		return t.spare < 0
	}
	return t.spare <= 0 && int64(t.sensitive)*c.l > int64(t.weight)
}

// leastSpare is a spare that a set has for certain, where persons are counted: of those with a
// sensitive item there are no more than of lines with one, nor of those with no value in a column
// than of lines with none; and others than the one with most lines have one line at least.
func (c *counter) leastSpare(t *tally) int64 {
	lines, persons, one := int64(t.weight), int64(t.persons), int64(0)
	if c.one > 0 {
		one = c.one * (lines - max(0, persons-1))
	}
	return min(persons-c.l*int64(t.sensitive), lines-one)
}

// breaks tells whether a set with the given occurrences breaks the promise.
func (c *counter) breaks(t *tally, occs []occurrence) bool {
	if !c.suspect(t) {
		return false
	}
	if c.byPerson != nil {
		t.persons = c.supportOf(t.weight, occs)
	}
	if int(c.support(t)) < c.k || c.spare == nil {
		return int(c.support(t)) < c.k
	}
	c.holders, c.besides = c.holders[:0], 0
	for _, o := range occs {
		c.hold(o.n)
	}
	if t.spare = c.spare(c.holders, c.besides); c.byPerson != nil {
		*c.work += reckoned * int64(len(c.holders))
	}
	return t.spare < 0
}

// hold puts a row, unless it is out, among those of which shares are counted.
func (c *counter) hold(n int32) {
	switch s := c.share[n]; {
	case s.weight == 0:
	case s.sensitive == 0 && c.byPerson == nil:
		c.besides += int64(s.weight)
	default:
		c.holders = append(c.holders, c.list[n])
	}
}

// isEven tells whether transactions are counted, and the set of a node is not rare, and no share is
// too large: that is found without listing where the node is.
func (c *counter) isEven(y int32, t *tally) bool {
	if c.spare == nil || c.byPerson != nil || int(c.support(t)) < c.k {
		return false
	}
	c.listTids()
	c.holders, c.besides = c.holders[:0], 0
	for n := range c.rowsOf(y) {
		if n < c.tids.listed || c.has(n, y) {
			c.hold(n)
		}
	}
	t.spare = c.spare(c.holders, c.besides)
	return t.spare >= 0
}

// begin begins anew, with sets of a node; another one, if not negative, is left out of them.
func (c *counter) begin(node, skip int32) {
	c.node, c.skip = node, skip
	c.total, c.changed, c.heavy = tally{}, true, false
	c.list, c.end, c.share = c.list[:0], c.end[:0], c.share[:0]
	c.flat, c.tids.listed = c.flat[:0], 0
	c.nodes, c.by, c.sums, c.few = c.nodes[:0], c.by[:0], c.sums[:0], c.few[:0]
	c.rare, c.todo = c.rare[:0], c.todo[:0]
	c.enter(-1)
	c.leaveOut(-1)
}

// expect makes room for so many rows: so what is known of them does not move as they are added.
func (c *counter) expect(rows int) {
	c.list, c.end, c.share = room(c.list, rows), room(c.end, rows), room(c.share, rows)
}

// room is an empty list with room for n, in the place of another one where that has it.
func room[E any](list []E, n int) []E {
	if n > cap(list) {
		return make([]E, 0, n)
	}
	return list[:0]
}

// roomFor is a list with room for n more: for twice as many as it has, where it has to move. To
// append moves a long list for each quarter more, and leaves five times as much behind.
func roomFor[E any](list []E, n int) []E {
	if len(list)+n <= cap(list) {
		return list
	}
	return slices.Grow(list, max(n, len(list)))
}

// leaveOut gives the node and the one left out a number that none has; zero to end that.
func (c *counter) leaveOut(number int32) {
	c.space.number[c.node] = number
	if c.skip >= 0 {
		c.space.number[c.skip] = number
	}
}

// add counts a row that has a share and publishes a set, or that of it which is known already, and
// returns its place in the list.
func (c *counter) add(row int32, s share, set []int32, known bool) int32 {
	n := int32(len(c.list))
	c.total.add(s)
	c.heavy = c.heavy || s.weight > 1
	c.list, c.share = append(c.list, row), append(c.share, s)
	*c.work += counted
	if c.m > 1 {
		c.addSet(s, set, known)
	}
	c.end = append(c.end, int32(len(c.flat)))
	return n
}

func (c *counter) addSet(s share, set []int32, known bool) {
	*c.work += int64(len(set))
	from, one := len(c.flat), uint64(s.weight)<<32+1
	at := from
	c.flat = roomFor(c.flat, len(set))[:at+len(set)]
	number, sums, flat := c.space.number, c.sums, c.flat
	for _, v := range set {
		y := number[v]
		if y <= 0 {
			if y < 0 || known {
				continue
			}
			y = c.enter(v)
			sums = c.sums
		}
		sums[y] += one
		flat[at] = y
		at++
	}
	if s.sensitive > 0 {
		for _, y := range c.flat[from:at] {
			c.by[y].sensitive += s.sensitive
		}
	}
	c.flat = c.flat[:at]
}

// addUp brings the tallies up to the rows that have been added.
func (c *counter) addUp() {
	for y, sum := range c.sums {
		if t := &c.by[y]; sum > 0 {
			t.weight += int32(sum >> 32)
			t.rows += int32(uint32(sum))
			c.sums[y] = 0
		}
	}
}

// noneFew tells whether all nodes have a weight of k, while rows are added.
func (c *counter) noneFew() bool {
	for len(c.few) > 0 && int(c.sums[c.few[len(c.few)-1]]>>32) >= c.k {
		pop(&c.few)
	}
	return len(c.few) == 0
}

// know makes nodes known.
func (c *counter) know(nodes []int32) {
	for _, v := range nodes {
		if c.space.number[v] == 0 {
			c.enter(v)
		}
	}
}

// forget ends the use of the numbers for adding and knowing.
func (c *counter) forget() {
	for _, v := range c.nodes[1:] {
		c.space.number[v] = 0
	}
	c.leaveOut(0)
}

// ready begins to look for sets, when all rows are counted.
func (c *counter) ready() {
	c.addUp()
	if c.byPerson != nil {
		c.countPersons()
	}
	c.beginPairs()
	for y := range int32(len(c.nodes)) {
		c.queue(y)
	}
	if c.pairs.on && c.skip < 0 {
		c.chargePairs()
		c.countPairs() // what becomes of them is foreseen from the beginning
	}
}

// enter gives a node its short number, and makes room for what is known of it.
func (c *counter) enter(v int32) int32 {
	y := int32(len(c.nodes))
	c.nodes = append(c.nodes, v)
	if v >= 0 {
		c.space.number[v] = y
		c.few = append(c.few, y)
	}
	slack := int32(wide)
	if c.m > 2 {
		slack = -1
	}
	c.by, c.sums = append(c.by, tally{slack: slack}), append(c.sums, 0)
	for i := range c.space.levels {
		if l := &c.space.levels[i]; int(y) == len(l.shares) {
			l.shares, l.slot = append(l.shares, share{}), append(l.slot, 0)
		}
	}
	return y
}

// begins is where the set of a row begins in flat.
func (c *counter) begins(n int32) int32 {
	if n == 0 {
		return 0
	}
	return c.end[n-1]
}

// drop puts a row out.
func (c *counter) drop(n int32) {
	s := c.share[n]
	c.share[n] = share{}
	c.tids.drop(n)
	c.total.lose(s)
	c.changed = true
	set := c.flat[c.begins(n):c.end[n]]
	for _, y := range set {
		c.by[y].leave(s)
		c.queue(y)
	}
	c.dropPairs(set, s.weight)
}

// lose takes a node out of what a row publishes, given how many others of the row come before it at
// most, as a rule.
func (c *counter) lose(n, v int32, before int) {
	from, set := 0, c.flat[c.begins(n):c.end[n]]
	if c.alone() {
		from = c.find(set, v, before)
	}
	s := c.share[n]
	for i, y := range set[from:] {
		c.by[y].slack -= s.weight
		if c.nodes[y] != v {
			c.queue(y)
			continue
		}
		c.by[y].lose(s)
		c.queue(y)
		c.losePairs(set, from+i, s.weight)
		set[from+i] = 0
		c.tids.lose(n, y)
		return
	}
}

// alone tells whether nothing has to be known of the other nodes of a row that loses one: larger
// sets are not looked at, or the pairs tell.
func (c *counter) alone() bool { return c.m <= 2 || c.m == 3 && c.pairs.on }

// find is the place of a node in the set of a row, or a place before it. Sets are ascending, so
// that it is found where it is supposed, or a few places before.
func (c *counter) find(set []int32, v int32, before int) int {
	for i := min(before, len(set)-1); i >= 0; i-- {
		switch w := c.nodes[set[i]]; {
		case w == v:
			return i
		case w >= 0 && w < v:
			return 0
		}
	}
	return 0
}

// queue sees to it that the sets that begin with a node are looked at, if that is necessary.
func (c *counter) queue(y int32) {
	t := &c.by[y]
	if !t.rare && c.suspect(t) {
		t.rare = true
		c.rare = append(c.rare, y)
	}
	c.queueLarger(y)
}

// queueLarger is queue for sets of three and more.
func (c *counter) queueLarger(y int32) {
	t := &c.by[y]
	if c.pairs.on && c.m == 3 {
		return
	}
	if !t.due && t.slack < 0 && int(c.support(t)) >= c.k {
		t.due = true
		c.todo = append(c.todo, y)
	}
}
