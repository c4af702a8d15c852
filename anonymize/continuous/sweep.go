package continuous

import (
	"cmp"
	"context"
	"encoding/binary"
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
	items  []int32 // records as ascending ranks, in the layout of the data
	levels []level
	path   []int32 // ranks
	box    []span
	roots  []int32
	key    []byte
	// rareNoMore are the bags, as roots of segments, that are known not to be rare. Since supports
	// never fall, they stay so.
	rareNoMore map[string]bool
	visited    int // bags visited
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
	s.rareNoMore = map[string]bool{}
	data := s.post.data
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
	rankOf := make([]int32, s.seg.values())
	s.groups = make([]span, len(segs))
	for r, i := range order {
		s.groups[r] = segs[i]
		for v := segs[i].lo; v <= segs[i].hi; v++ {
			rankOf[v] = int32(r)
		}
	}
	data := s.post.data
	s.items = make([]int32, data.Occurrences())
	for pos, v := range data.Items() {
		s.items[pos] = rankOf[v]
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
		s.eachDistinct(pl, func(rank, _ int32) {
			if lv.count[rank] == 0 {
				lv.touched = append(lv.touched, rank)
			}
			lv.count[rank]++
		})
	}
	slices.Sort(lv.touched)
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

// eachDistinct calls f for every distinct rank behind a place, with the position behind its first
// occurrence.
func (s *sweep) eachDistinct(pl place, f func(rank, next int32)) {
	end := int32(s.post.data.Start(int(pl.rec) + 1))
	// values still to come: what is too short for them leads nowhere
	left := int32(s.size - len(s.path))
	for pos := pl.next; pos+left <= end; pos++ {
		if pos == pl.next || s.items[pos] != s.items[pos-1] {
			f(s.items[pos], pos+1)
		}
	}
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
		s.eachDistinct(pl, func(rank, next int32) {
			lv.places[lv.count[rank]] = place{pl.rec, next}
			lv.count[rank]++
		})
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
		s.check()
	}
	return nil
}

func clearCounts(lv *level, from int) {
	for _, rank := range lv.touched[from:] {
		lv.count[rank] = 0
	}
}

// check repairs the bag at the path's end if it is still rare under the recoding reached by now.
func (s *sweep) check() {
	s.box = s.box[:0]
	for _, rank := range s.path {
		s.box = append(s.box, s.seg.of(s.groups[rank].lo))
	}
	if s.setKey(); s.rareNoMore[string(s.key)] {
		return
	}
	if n := s.post.support(s.box, s.k); n < s.k {
		box := s.fix.repair(s.box, n)
		s.seg.apply(box)
		copy(s.box, box)
		s.setKey()
	}
	s.rareNoMore[string(s.key)] = true
}

// setKey spells the box as the ascending roots of its segments, for rareNoMore.
func (s *sweep) setKey() {
	s.roots = s.roots[:0]
	for _, sp := range s.box {
		s.roots = append(s.roots, sp.lo)
	}
	slices.Sort(s.roots)
	s.key = s.key[:0]
	for _, r := range s.roots {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(r))
	}
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
