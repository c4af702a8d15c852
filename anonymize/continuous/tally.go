package continuous

import "math"

// tally counts, for one segment A that is to be split into X and Y, the bags that depend on it:
// those of at most m values with some of X or Y, the rest of other segments. All values of A begin
// in Y and move to X one by one, in ascending order, so that all splits of A are judged in one go.
// A split has a penalty: for each rare bag, what merging one of its other segments with a
// neighbour adds to the loss. That is an estimate: one merger may repair many bags, or be too
// little for one.
type tally struct {
	seg  *segments
	post *postings
	k    int32
	m    int
	span span

	// The records of A, by slot.
	slot    []int32 // record -> slot; valid for the records of A
	slotAt  []int32 // the slots of A's postings, one after another
	inside  []int32 // how many of the record's values are in A
	x       []int32 // how many of them are in X
	bags    []int32 // numbers of its distinct bags of other segments, of sizes 0 to m-1
	bagsEnd []int32 // slot s, size z: bags up to bagsEnd[s*m+z]

	// Bags of other segments: the empty one is 0.
	numbers   *numbers
	members   []int32   // roots of all bags, one bag after another
	memberEnd []int32   // bag b: members up to memberEnd[b]
	penalty   []float64 // of repairing the bag

	// counts[bag*pairs+pair]: records with that bag beside a pair, so many values of X and so many
	// of Y.
	counts []int32
	pair   [][]int32
	pairs  int32

	rare, beyondRepair int     // rare bags, and those of them that nothing repairs: bags of A alone
	repairs            float64 // the penalties of the others

	others []int32
}

func newTally(seg *segments, post *postings, k, m int) *tally {
	t := &tally{
		seg: seg, post: post, k: int32(k), m: m,
		slot: make([]int32, post.data.Len()), numbers: newNumbers(),
	}
	for x := 0; x <= m; x++ {
		t.pair = append(t.pair, nil)
		for y := 0; x+y <= m; y++ {
			t.pair[x] = append(t.pair[x], t.pairs)
			t.pairs++
		}
	}
	return t
}

// load reads the records of a segment.
func (t *tally) load(sp span) {
	t.span = sp
	t.numbers.forget()
	t.slotAt, t.inside, t.bags, t.bagsEnd = t.slotAt[:0], t.inside[:0], t.bags[:0], t.bagsEnd[:0]
	t.members, t.memberEnd, t.penalty = t.members[:0], append(t.memberEnd[:0], 0), append(
		t.penalty[:0], math.Inf(1),
	)
	t.post.forget()
	for _, rec := range t.post.of(sp) {
		if !t.post.once(rec) {
			t.slotAt = append(t.slotAt, t.slot[rec])
			continue
		}
		t.others = t.others[:0]
		inside := int32(0)
		for _, v := range t.post.data.Record(int(rec)) {
			if v < sp.lo || v > sp.hi {
				t.others = append(t.others, t.seg.root(v))
			} else {
				inside++
			}
		}
		t.slot[rec] = int32(len(t.inside))
		t.slotAt = append(t.slotAt, t.slot[rec])
		t.inside = append(t.inside, inside)
		for size := range t.m {
			t.bags = t.numbers.subBags(t.others, 0, size, t.bags, t.add)
			t.bagsEnd = append(t.bagsEnd, int32(len(t.bags)))
		}
	}
}

// size is how many bags [tally.load] would list at most, counted up to a limit.
func (t *tally) size(sp span, limit int) int {
	t.post.forget()
	sum := 0.0
	for _, rec := range t.post.of(sp) {
		if !t.post.once(rec) {
			continue
		}
		values := t.post.data.Record(int(rec))
		others := len(values) - countIn(values, sp, len(values))
		bags := 1.0
		for size := range t.m {
			sum += bags
			bags *= float64(others-size) / float64(size+1)
		}
		if sum >= float64(limit) {
			return limit
		}
	}
	return int(sum)
}

// add notes a new bag, one with a root more, and the cheapest way to repair it: that of one of its
// segments. Bags of fewer roots are numbered already.
func (t *tally) add(bag, last int32) {
	penalty := t.repairPenalty(last)
	if bag > 0 {
		penalty = min(t.penalty[bag], penalty)
		t.members = append(t.members, t.members[t.memberEnd[bag-1]:t.memberEnd[bag]]...)
	}
	t.members = append(t.members, last)
	t.memberEnd = append(t.memberEnd, int32(len(t.members)))
	t.penalty = append(t.penalty, penalty)
}

// repairPenalty is what merging a segment with a neighbour outside of A adds to the loss.
func (t *tally) repairPenalty(root int32) float64 {
	sp, least := t.seg.of(root), math.Inf(1)
	for _, next := range neighbours(t.seg, sp, t.span) {
		least = min(least, mergePenalty(t.seg, sp, next))
	}
	return least
}

// best is the value behind which splitting A saves most, after the penalty of repairs; -1 if
// nothing is saved anywhere, and every split makes something rare.
func (t *tally) best() (at int32, saves float64) {
	at = -1
	whole := t.seg.loss(t.span)
	t.begin()
	for v := t.span.lo; v < t.span.hi; v++ {
		t.move(v)
		if t.beyondRepair > 0 {
			continue
		}
		s := whole - t.seg.loss(span{t.span.lo, v}) - t.seg.loss(span{v + 1, t.span.hi}) - t.repairs
		if s > saves || at < 0 && t.rare == 0 {
			at, saves = v, s
		}
	}
	return at, saves
}

// rareAt lists the bags that splitting A behind a value makes rare, each by a value of each of its
// segments.
func (t *tally) rareAt(at int32) [][]int32 {
	t.begin()
	for v := t.span.lo; v <= at; v++ {
		t.move(v)
	}
	var out [][]int32
	for x := range t.pair {
		for y, pair := range t.pair[x] {
			for b := range t.penalty {
				if n := t.counts[int32(b)*t.pairs+pair]; n == 0 || n >= t.k {
					continue
				}
				var values []int32
				for range x {
					values = append(values, t.span.lo)
				}
				for range y {
					values = append(values, at+1)
				}
				if b > 0 {
					values = append(values, t.members[t.memberEnd[b-1]:t.memberEnd[b]]...)
				}
				out = append(out, values)
			}
		}
	}
	return out
}

// begin puts all values of A into Y.
func (t *tally) begin() {
	t.counts = append(t.counts[:0], make([]int32, len(t.penalty)*int(t.pairs))...)
	t.x = append(t.x[:0], make([]int32, len(t.inside))...)
	t.rare, t.beyondRepair, t.repairs = 0, 0, 0
	for s, inside := range t.inside {
		for y := 1; y <= min(int(inside), t.m); y++ {
			t.count(int32(s), 0, y, 1)
		}
	}
}

// move takes the occurrences of a value from Y to X: bags with all of a record's values of Y are
// lost, those with one more of X are new.
func (t *tally) move(v int32) {
	first := t.post.start[t.span.lo]
	for _, slot := range t.slotAt[t.post.start[v]-first : t.post.start[v+1]-first] {
		x := int(t.x[slot])
		y := int(t.inside[slot]) - x
		for i := 0; i <= min(x, t.m-y); i++ {
			t.count(slot, i, y, -1)
		}
		x, y = x+1, y-1
		for i := 0; i <= min(y, t.m-x); i++ {
			t.count(slot, x, i, 1)
		}
		t.x[slot]++
	}
}

// count counts a record in or out for its bags with x of X and y of Y.
func (t *tally) count(slot int32, x, y int, by int32) {
	first := slot * int32(t.m)
	begin := int32(0)
	if first > 0 {
		begin = t.bagsEnd[first-1]
	}
	pair := t.pair[x][y]
	for _, bag := range t.bags[begin:t.bagsEnd[first+int32(t.m-x-y)]] {
		at := &t.counts[bag*t.pairs+pair]
		was := *at
		*at += by
		if change := isRare(*at, t.k) - isRare(was, t.k); change != 0 {
			t.charge(bag, change)
		}
	}
}

func (t *tally) charge(bag int32, change int) {
	t.rare += change
	if p := t.penalty[bag]; math.IsInf(p, 1) {
		t.beyondRepair += change
	} else {
		t.repairs += float64(change) * p
	}
	if t.rare == 0 {
		t.repairs = 0 // no trace of rounding
	}
}

func isRare(count, k int32) int {
	if 0 < count && count < k {
		return 1
	}
	return 0
}
