package continuous

import (
	"cmp"
	"context"
	"slices"

	"mingle/internal/par"
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
// The bags that are rare in the beginning are found by walkers, several at once. What is repaired
// changes nothing for them: their nodes are the segments at the begin of the sweep, in the order of
// their supports. Whether such a bag is still rare is asked here, in order.
type sweep struct {
	seg     *segments
	post    *postings
	k       int
	size    int
	workers int
	fix     repairer
	tick    func(done, total int) // nil: nobody listens

	groups []span  // by rank: support descending, then by value
	rankOf []int32 // by value
	box    []span
	path   []int32 // ranks
	known  knownBags

	visited int // bags visited
}

func (s *sweep) run(ctx context.Context) error {
	data := s.rank()
	s.known = newKnownBags(data.ranks, len(data.items))
	root := newWalker(data, s.k, s.size)
	all := root.all()
	if s.size == 1 {
		var err error
		root.emit = func(bags rareBags) { err = cmp.Or(err, s.repair(ctx, bags)) }
		root.leaves(root.children(all))
		root.handOn()
		s.visited = root.visited
		return err
	}
	first := root.children(all)
	root.project(first, all)
	walkers := make([]*walker, max(1, s.workers))
	err := par.Ahead(ctx, s.workers, len(first.touched),
		func(n int) *walker {
			walkers[n] = newWalker(data, s.k, s.size)
			return walkers[n]
		},
		func(ctx context.Context, w *walker, i int, emit func(rareBags)) {
			w.emit, w.path = emit, append(w.path[:0], first.touched[i])
			w.walk(ctx, first.of(i))
			w.handOn()
		},
		func(i int, bags rareBags) error {
			if s.tick != nil {
				s.tick(i, len(first.touched))
			}
			return s.repair(ctx, bags)
		})
	for _, w := range walkers {
		if w != nil {
			s.visited += w.visited
		}
	}
	return err
}

// rank orders the segments by support and writes the records in ranks.
func (s *sweep) rank() *ranked {
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
	out := &ranked{
		items: make([]int32, data.Occurrences()), start: make([]int32, data.Len()+1),
		ranks: len(s.groups),
	}
	for pos, v := range data.Items() {
		out.items[pos] = s.rankOf[v]
	}
	for i := range data.Len() {
		out.start[i+1] = int32(data.Start(i + 1))
		slices.Sort(out.items[data.Start(i):data.Start(i+1)])
	}
	return out
}

// repair repairs what is still rare of some bags.
func (s *sweep) repair(ctx context.Context, bags rareBags) error {
	return bags.each(s.size, func(shared, last []int32) error {
		s.path = append(append(s.path[:0], shared...), 0)
		var known []uint64
		for i, rank := range last {
			if i%64 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			s.path[len(shared)] = rank
			known = s.check(known)
		}
		return nil
	})
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
