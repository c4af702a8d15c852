package dataset

// manySorter translates the ids of many sets and sorts them together: the sets that have an id are
// listed, id by id, and then each id is appended to its sets. That takes a few steps an id that no
// processor has to guess, where one set after the other takes some for each.
type manySorter struct {
	one  *setSorter
	next []uint32 // by id: where its sets are listed
	sets []uint16 // for one id after the other, the sets that have it
	at   []uint32 // by set: where its next id goes

	unsorted int // the first set that had an id before a smaller one; -1: none had
}

// What is sorted together: so many ids at least, in so many sets at most, and not of a dictionary
// so long that its lists leave a processor's cache.
const (
	manyIDs  = 1 << 15
	manySets = 1 << 16
	manyMost = 1 << 17
)

func newManySorter(to []int32) *manySorter {
	return &manySorter{one: newSetSorter(to), unsorted: -1}
}

// sort translates and sorts the sets between the offsets in place; see setSorter for repeats. The
// first one that was not sorted is that of these sets.
func (s *manySorter) sort(items []int32, offsets []uint32) {
	s.one.falls, s.unsorted = false, -1
	sets, enough := len(offsets)-1, s.enough()
	for from := 0; from < sets; {
		to := from
		for to < sets && to-from < manySets && offsets[to]-offsets[from] < enough {
			to++
		}
		if part := offsets[from : to+1]; s.together(items, part) {
			s.look(items, offsets, from, to)
			s.block(items, part)
		} else {
			for i := from; i < to; i++ {
				s.one.sort(items[offsets[i]:offsets[i+1]])
				if s.one.falls && s.unsorted < 0 {
					s.unsorted = i
				}
			}
		}
		from = to
	}
}

// look finds the first set that is not sorted, if it is one of those that are sorted together: few
// are looked at, as many of these are not.
func (s *manySorter) look(items []int32, offsets []uint32, from, to int) {
	for i := from; i < to && s.unsorted < 0; i++ {
		if s.one.fall(items[offsets[i]:offsets[i+1]], -1) {
			s.one.falls, s.unsorted = true, i
		}
	}
}

// enough is how many ids are sorted together: the lists of all ids are gone through once for them.
func (s *manySorter) enough() uint32 { return uint32(max(manyIDs, 2*len(s.one.to))) }

// together tells whether sets are sorted together: there are enough, and those looked at are not
// sorted already.
func (s *manySorter) together(items []int32, offsets []uint32) bool {
	sets := len(offsets) - 1
	ids := offsets[sets] - offsets[0]
	if len(s.one.to) > manyMost || ids < s.enough()/2 {
		return false
	}
	sorted := 0
	for n := range 16 {
		i := n * sets / 16
		if s.one.ascends(items[offsets[i]:offsets[i+1]]) {
			sorted++
		}
	}
	return sorted < 12
}

// block sorts sets together.
func (s *manySorter) block(items []int32, offsets []uint32) {
	sets := len(offsets) - 1
	s.list(items, offsets)
	at, written := s.at, uint32(0)
	from := uint32(0)
	for id, end := range s.next {
		last := -1
		for _, set := range s.sets[from:end] {
			if int(set) != last {
				to := at[set]
				items[to] = int32(id)
				at[set] = to + 1
				written++
			}
			last = int(set)
		}
		from = end
	}
	if repeats := offsets[sets] - offsets[0] - written; repeats > 0 {
		s.one.repeats += int(repeats)
		for i, end := range offsets[1:] {
			for to := at[i]; to < end; to++ {
				items[to] = items[to-1]
			}
		}
	}
}

// list lists the sets of each id. Where an id's list ends the next one's begins.
func (s *manySorter) list(items []int32, offsets []uint32) {
	to, sets := s.one.to, len(offsets)-1
	block := items[offsets[0]:offsets[sets]]
	if s.next == nil {
		s.next = make([]uint32, len(to))
	}
	if len(s.sets) < len(block) {
		s.sets = make([]uint16, len(block)+len(block)/4)
	}
	if len(s.at) < sets {
		s.at = make([]uint32, sets+sets/4)
	}
	next, lists := s.next, s.sets
	clear(next)
	for i, id := range block {
		id = to[id]
		block[i] = id
		next[id]++
	}
	sum := uint32(0)
	for id, n := range next {
		next[id] = sum
		sum += n
	}
	for i := range sets {
		s.at[i] = offsets[i]
		for _, id := range items[offsets[i]:offsets[i+1]] {
			lists[next[id]] = uint16(i)
			next[id]++
		}
	}
}
