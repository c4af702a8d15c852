package continuous

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// repairer widens the values of a rare bag until it is not rare.
type repairer interface {
	// repair returns a box of whole segments that covers the box given and is in at least k
	// records; that one is in support, fewer.
	repair(box []span, support int) []span
}

// sweep visits every bag of one size that occurs, in the order of the count tree (gkountouna-2014,
// 3.2), and has those that are rare repaired at once.
//
// One visit of each bag is enough. Generalizing maps bags of size i onto bags of size i, because
// duplicates count: the records with a merged bag are the union of the records with the bags
// merged into it. So a support never falls, and every bag of the final release is a generalization
// of one that was not rare, or no longer, when it was visited.
//
// The tree is not built: it is walked depth first over projections, lists of (record, position)
// with one entry for each record that contains the path. Its nodes are the segments at the begin
// of the sweep, its levels in the order of their supports. Memory is one projection a level.
type sweep struct {
	seg  *segments
	post *postings
	k    int
	size int
	fix  repairer
	tick func(done, total int) // nil: nobody listens

	groups []span  // by rank: support descending, then by value
	rankOf []int32 // by value
	items  []int32 // records as ascending ranks, in the layout of the data
	levels []level
	path   []int32 // ranks
	box    []span
	set    []uint64 // of ranks; empty between uses
	known  knownBags

	visited int // bags visited
}

// place is a record that contains the path, and the position behind the path's last value.
type place struct{ rec, next int32 }

// level holds the children of the path's end at one depth.
type level struct {
	count   []int32 // by rank; zero between uses
	touched []int32
	at      []int32
	places  []place
}

func (s *sweep) run(ctx context.Context) error {
	s.rank()
	s.levels = make([]level, s.size)
	for i := range s.levels {
		s.levels[i].count = make([]int32, len(s.groups))
	}
	data := s.post.data
	s.set = make([]uint64, (len(s.groups)+63)/64)
	s.known = newKnownBags(len(s.groups), data.Occurrences())
	all := make([]place, 0, data.Len())
	for i := range data.Len() {
		if len(data.Record(i)) >= s.size {
			all = append(all, place{int32(i), int32(data.Start(i))})
		}
	}
	return s.walk(ctx, all)
}

// rank orders the segments by support and writes the records in ranks.
func (s *sweep) rank() {
	segs := s.seg.all()
	supports := make([]int, len(segs))
	for i, sp := range segs {
		supports[i] = s.post.support([]span{sp}, s.post.data.Len())
	}
	order := make([]int32, len(segs))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(supports[b]-supports[a], int(a-b))
	})
	s.rankOf = make([]int32, s.seg.values())
	s.groups = make([]span, len(segs))
	for r, i := range order {
		s.groups[r] = segs[i]
		for v := segs[i].lo; v <= segs[i].hi; v++ {
			s.rankOf[v] = int32(r)
		}
	}
	data := s.post.data
	s.items = make([]int32, data.Occurrences())
	for pos, v := range data.Items() {
		s.items[pos] = s.rankOf[v]
	}
	for i := range data.Len() {
		slices.Sort(s.items[data.Start(i):data.Start(i+1)])
	}
}

// walk visits the children of the path's end, whose projection is given.
func (s *sweep) walk(ctx context.Context, places []place) error {
	depth := len(s.path)
	lv := &s.levels[depth]
	lv.touched = lv.touched[:0]
	for _, pl := range places {
		last := int32(-1)
		for _, rank := range s.behind(pl) {
			if rank == last {
				continue
			}
			last = rank
			if lv.count[rank] == 0 {
				lv.touched = append(lv.touched, rank)
			}
			lv.count[rank]++
		}
	}
	s.sort(lv.touched)
	s.path = append(s.path, 0)
	defer func() { s.path = s.path[:depth] }()
	if depth+1 == s.size {
		return s.leaves(ctx, lv)
	}
	s.project(lv, places)
	start := int32(0)
	for i, rank := range lv.touched {
		if err := s.pulse(ctx, depth, i, len(lv.touched)); err != nil {
			return err
		}
		s.path[depth] = rank
		end := lv.at[i]
		if err := s.walk(ctx, lv.places[start:end]); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// sort sorts distinct ranks, by a set of bits where they are so many that it is not long for them.
func (s *sweep) sort(ranks []int32) {
	if 8*len(ranks) < len(s.set) {
		slices.Sort(ranks)
		return
	}
	for _, r := range ranks {
		s.set[r>>6] |= 1 << (r & 63)
	}
	at := 0
	for i, word := range s.set {
		for ; word != 0; word &= word - 1 {
			ranks[at] = int32(i<<6 + bits.TrailingZeros64(word))
			at++
		}
		s.set[i] = 0
	}
}

// behind are the ranks behind a place, ascending, that enough values of the record follow: what is
// too short for the values still to come leads nowhere.
func (s *sweep) behind(pl place) []int32 {
	end := int32(s.post.data.Start(int(pl.rec)+1)) - int32(s.size-len(s.path)) + 1
	return s.items[pl.next:max(pl.next, end)]
}

// project sorts the places by child and clears the counts. Child i of touched ends at at[i].
func (s *sweep) project(lv *level, places []place) {
	lv.at = lv.at[:0]
	total := int32(0)
	for _, rank := range lv.touched {
		n := lv.count[rank]
		lv.count[rank] = total
		total += n
	}
	lv.places = slices.Grow(lv.places[:0], int(total))[:total]
	s.path = s.path[:len(s.path)-1] // the places stand behind the parent
	for _, pl := range places {
		last := int32(-1)
		for i, rank := range s.behind(pl) {
			if rank != last {
				lv.places[lv.count[rank]] = place{pl.rec, pl.next + int32(i) + 1}
				lv.count[rank]++
				last = rank
			}
		}
	}
	s.path = s.path[:len(s.path)+1]
	for _, rank := range lv.touched {
		lv.at = append(lv.at, lv.count[rank])
		lv.count[rank] = 0
	}
}

// leaves looks at the bags of the sweep's size that begin with the path.
func (s *sweep) leaves(ctx context.Context, lv *level) error {
	depth := len(s.path) - 1
	var known []uint64
	for i, rank := range lv.touched {
		n := int(lv.count[rank])
		lv.count[rank] = 0
		s.visited++
		if n >= s.k {
			continue
		}
		if i%64 == 0 {
			if err := s.pulse(ctx, depth, i, len(lv.touched)); err != nil {
				clearCounts(lv, i)
				return err
			}
		}
		s.path[depth] = rank
		known = s.check(known)
	}
	return nil
}

func clearCounts(lv *level, from int) {
	for _, rank := range lv.touched[from:] {
		lv.count[rank] = 0
	}
}

// check repairs the bag at the path's end if it is still rare under the recoding reached by now.
// known is the row of the path without its last value, nil where it has to be looked up; what is
// returned is that row for the next one.
func (s *sweep) check(known []uint64) []uint64 {
	last := len(s.path) - 1
	if known == nil {
		known = s.known.row(s.path[:last])
	}
	if s.known.has(known, s.path[last]) {
		return known
	}
	s.box = s.box[:0]
	for _, rank := range s.path {
		s.box = append(s.box, s.seg.of(s.groups[rank].lo))
	}
	n := s.post.support(s.box, s.k)
	if n >= s.k {
		s.known.add(known, s.path[last])
		return known
	}
	box := s.fix.repair(s.box, n)
	s.seg.apply(box)
	s.known.merge(box, s.groups, s.rankOf)
	return nil
}

func (s *sweep) pulse(ctx context.Context, depth, done, total int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if depth == 0 && done%64 == 0 && s.tick != nil {
		s.tick(done, total)
	}
	return nil
}
