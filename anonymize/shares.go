package anonymize

import (
	"slices"

	"mingle/dataset"
)

// Shares tells whether transactions hide their sensitive items. It has working space, and is for
// one goroutine.
type Shares struct {
	in     Input
	of     *dataset.Dataset // of the transactions that are asked about
	counts []int            // all zero between uses
	seen   []int32          // items that are counted
}

// NewShares is for transactions with the sensitive items given, such as merged ones.
func (in Input) NewShares(of *dataset.Dataset) *Shares {
	return &Shares{in: in, of: of, counts: make([]int, of.Dict().Len())}
}

// Has tells whether a transaction has all of some sensitive items.
func (s *Shares) Has(i int32, items []int32) bool {
	tx := s.of.Tx(int(i))
	for _, x := range items {
		if _, has := slices.BinarySearch(tx, x); !has {
			return false
		}
	}
	return true
}

// Hide tells whether each sensitive item but those that are known is in at most 1/l of the
// transactions txs, or of those of them that have a value in its column. weights nil: each is one.
func (s *Shares) Hide(txs, weights, known []int32) bool { return s.Spare(txs, weights, known) >= 0 }

// Spare is how many of the transactions may be left out, whichever these are, so that the others
// hide their sensitive items; below 0 if they do not hide them as they are.
func (s *Shares) Spare(txs, weights, known []int32) int {
	total, l := 0, s.in.Promise.L
	s.seen = s.seen[:0]
	for _, i := range txs {
		w := weight(weights, i)
		total += w
		for _, x := range s.of.Tx(int(i)) {
			if s.counts[x] == 0 {
				s.seen = append(s.seen, x)
			}
			s.counts[x] += w
		}
	}
	spare := total
	for _, x := range s.seen {
		if !s.in.isMark(x) && !slices.Contains(known, x) {
			spare = min(spare, s.in.shareOf(x, total, s.counts)-s.counts[x]*l)
		}
	}
	for _, x := range s.seen {
		s.counts[x] = 0
	}
	return spare
}

// HideAmong tells whether the transactions that are so hide their sensitive items: each is in at
// most 1/l of them, or of those with a value in its column; with persons, so of theirs, too.
func (in Input) HideAmong(is func(i int) bool) bool {
	if !in.hidesEach(in.countSensitive(is)) {
		return false
	}
	return !in.Promise.Persons || in.hidesEach(in.countPersons(in.byPerson(), is))
}

// hidesEach tells whether no sensitive item is in too many of so many, given in how many each is.
func (in Input) hidesEach(total int, counts []int) bool {
	for s, n := range counts {
		if !in.Hidden(int32(s), n, total, func(mark int32) int { return counts[mark] }) {
			return false
		}
	}
	return true
}

// HideKnown tells whether transactions hide their sensitive items from whoever knows up to most of
// them, and are at least k, or none, for each set that may be known.
func (s *Shares) HideKnown(txs []int32, most int) bool {
	return s.hideBehind(txs, nil, min(most, int(s.in.Knowable())))
}

func (s *Shares) hideBehind(txs, known []int32, room int) bool {
	if !s.Hide(txs, nil, known) {
		return false
	}
	if room == 0 {
		return true
	}
	holders := holdersBehind(txs, known, func(i int32) []int32 {
		items := s.of.Tx(int(i))
		end, _ := slices.BinarySearch(items, s.in.Knowable())
		return items[:end]
	})
	for x, of := range holders {
		if len(of) < s.in.Promise.K || !s.hideBehind(of, append(slices.Clip(known), x), room-1) {
			return false
		}
	}
	return true
}

func weight(weights []int32, i int32) int {
	if weights == nil {
		return 1
	}
	return int(weights[i])
}

// holdersBehind are, for every item after the last of those that are known, the transactions txs
// that have it. Known items, and those of a transaction, ascend.
func holdersBehind(txs, known []int32, items func(i int32) []int32) map[int32][]int32 {
	last := int32(-1)
	if len(known) > 0 {
		last = known[len(known)-1]
	}
	holders := map[int32][]int32{}
	for _, i := range txs {
		for _, x := range items(i) {
			if x > last {
				holders[x] = append(holders[x], i)
			}
		}
	}
	return holders
}
