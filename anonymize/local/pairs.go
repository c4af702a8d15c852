package local

// pairs are the counts of all pairs of nodes besides the counted one: without diversity or persons,
// where there are not too many nodes, it is known at any moment which are rare, and none is counted
// twice. For m>3 they tell, too, which larger sets have to be counted again: see further_pairs.go.
type pairs struct {
	on      bool
	counted bool  // not before all rare sets of two are dealt with
	charged bool  // the work of counting
	n       int   // nodes
	squares int64 // sum of the squared lengths of the rows
	// n*n, by short numbers in the order the rows have them; with queued if the pair is in rare
	counts []int32
	least  []int32 // for m>3, the same: when a count falls below it, there is something to be done
	lost   int32   // weight, by rows that have lost a node, in the look of lookBeside
	rare   []pair  // were or became rare
	room   []int32 // for both
	step   int32   // in which the room was handed out
	order  []int32 // the same of dropEarly: short numbers
	// short numbers in the order in which rows have them; empty: not sorted yet
	inOrder []int32
}

type pair struct{ y, z int32 }

const (
	// maxPaired is how many pairs may be counted in one step: 16 MB.
	maxPaired = 1 << 22
	// queued marks the counts of pairs that were rare from the beginning.
	queued = 1 << 30
	// askedAgain is after how many rows it is asked again whether the context has ended.
	askedAgain = 64
)

// beginPairs finds out whether pairs are to be counted, and whether there is room.
func (c *counter) beginPairs() {
	p := &c.pairs
	p.rare, p.inOrder, p.counted, p.charged = p.rare[:0], p.inOrder[:0], false, false
	p.n = len(c.nodes)
	p.on = c.m >= 3 && c.spare == nil && c.byPerson == nil && c.roomForPairs()
}

// countPairs counts, in rows that are not out yet, and lists the pairs that are rare, in the order
// in which the rows have them first.
func (c *counter) countPairs() {
	p := &c.pairs
	p.counted = true
	clear(p.counts)
	for at := range p.least {
		p.least[at] = int32(c.k)
	}
	if c.fewInMaps() {
		c.countPairsInMaps()
	} else {
		c.countPairsInRows()
	}
	clear(p.counts[:p.n]) // what is not published is in no pair
	for at := 0; at < len(p.counts); at += p.n {
		p.counts[at] = 0
	}
}

// countPairsInRows goes through the rows.
func (c *counter) countPairsInRows() {
	p, all, nodes := &c.pairs, c.pairs.counts, c.pairs.n
	seen := c.space.seen[:0]
	for n := range c.list {
		w := c.share[n].weight
		if w == 0 {
			continue
		}
		if n%askedAgain == 0 && c.stopped() {
			return
		}
		set := c.flat[c.begins(int32(n)):c.end[n]]
		for a, y := range set {
			counts := all[int(y)*nodes:][:nodes]
			for _, z := range set[a+1:] {
				if counts[z] == 0 {
					seen = append(seen, pair{y, z})
				}
				counts[z] += w
			}
		}
	}
	c.space.seen = seen
	for _, r := range seen {
		if r.y != 0 && r.z != 0 { // 0: not published
			p.listIfRare(r, int32(c.k))
		}
	}
}

// listIfRare lists a pair that was counted, if it is rare.
func (p *pairs) listIfRare(r pair, k int32) {
	if count := p.count(r); *count < k {
		*count += queued
		p.rare = append(p.rare, r)
	}
}

// squares is the sum of the squared lengths of the rows that are not out.
func (c *counter) squares() (sum int) {
	for n := range int32(len(c.list)) {
		if c.share[n].weight > 0 {
			length := int(c.end[n] - c.begins(n))
			sum += length * length
		}
	}
	return sum
}

// chargePairs charges the work of counting all pairs once.
func (c *counter) chargePairs() {
	c.pairs.charged, c.pairs.squares = true, int64(c.squares())
	*c.work += c.pairs.squares/8 + int64(len(c.pairs.counts)/64)
}

// roomForPairs makes room for the counts: that which the counter had before in this step, or
// some of what all counters share.
func (c *counter) roomForPairs() bool {
	p, cells, all := &c.pairs, c.pairs.n*c.pairs.n, c.pairs.n*c.pairs.n
	if c.m > 3 {
		all = 2 * cells
	}
	if step := c.space.cells.step; p.step != step || cap(p.room) < all {
		if p.room = c.space.cells.take(all); p.room == nil {
			return false
		}
		p.step = step
	}
	p.counts, p.least = p.room[:cells], p.room[cells:all]
	return true
}

// cells are handed out to the counters of a step.
type cells struct {
	room []int32
	used int
	all  int   // handed out in the step, with what was in smaller rooms
	most int   // that may be
	step int32 // how many steps there were
}

// nextStep takes all of them back.
func (c *cells) nextStep() {
	c.step++
	c.used, c.all = 0, 0
}

// take is some of them, not cleared; nil if there are too many.
func (c *cells) take(n int) []int32 {
	if c.all += n; c.all > c.most {
		return nil
	}
	if c.used+n > len(c.room) {
		c.room, c.used = make([]int32, min(c.most, max(n, 2*len(c.room)))), 0
	}
	c.used += n
	return c.room[c.used-n : c.used : c.used]
}

// dropPairs takes those of a row that is put out.
func (c *counter) dropPairs(set []int32, weight int32) {
	if !c.pairs.counted {
		return
	}
	if c.m > 3 {
		c.dropWatched(set, weight)
		return
	}
	p, k := &c.pairs, int32(c.k)
	for a, y := range set {
		counts := p.counts[int(y)*p.n:][:p.n]
		for _, z := range set[a+1:] {
			p.take(&counts[z], pair{y, z}, weight, k)
		}
	}
}

// losePairs takes those of one node of a row.
func (c *counter) losePairs(set []int32, at int, weight int32) {
	if !c.pairs.counted {
		return
	}
	if c.m > 3 {
		c.loseWatched(set, at, weight)
		return
	}
	p, k := &c.pairs, int32(c.k)
	lose := func(r pair) { p.take(p.count(r), r, weight, k) }
	for _, y := range set[:at] {
		lose(pair{y, set[at]})
	}
	for _, z := range set[at+1:] {
		lose(pair{set[at], z})
	}
}

// count is that of a pair.
func (p *pairs) count(r pair) *int32 { return &p.counts[int(r.y)*p.n+int(r.z)] }

// take takes weight from the count of a pair.
func (p *pairs) take(count *int32, r pair, weight, k int32) {
	left := *count - weight
	*count = left
	if left < k && left+weight >= k {
		p.rare = append(p.rare, r)
	}
}

// lookAtPair looks at a set of three, if there is one to be looked at.
func (c *counter) lookAtPair() bool {
	p := &c.pairs
	if p.on && !p.counted {
		if !p.charged {
			c.chargePairs()
			if c.dropEarly(); len(c.rare) > 0 || c.changed {
				return true
			}
		}
		c.countPairs()
	}
	if len(p.rare) == 0 {
		return false
	}
	r := pop(&p.rare)
	count := p.count(r)
	if *count >= queued {
		*count -= queued
	}
	if *count == 0 || *count >= int32(c.k) {
		return true
	}
	c.gatherPair(r)
	c.set = append(c.set[:0], c.nodes[r.y], c.nodes[r.z])
	c.broken(c.set, c.occs)
	return true
}
