package measure

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"mingle/dataset"
	"mingle/internal/par"
	"mingle/internal/projection"
)

// TooManyError is of a threshold that more itemsets reach than are looked for.
type TooManyError struct {
	Limit   int // itemsets
	Support int // transactions
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("more than %d itemsets have support %d or more: choose a higher threshold",
		e.Limit, e.Support)
}

// frequent are the itemsets of one level by key, with their supports.
type frequent map[string]int

// mining is the search for every itemset of at least one item whose support is at least least.
//
// It goes depth first, from rare items to frequent ones, over what is left of the transactions that
// have the itemset under way. Where the rest of them is dense, it goes on over sets of transactions
// as bitmaps (Eclat: Zaki, Scalable Algorithms for Association Mining, 2000).
type mining struct {
	least, limit, workers int
	progress              func(share float64) // nil: nobody listens

	items []int32 // by rank
	rows  *projection.Rows
	after [][]projection.Rest // by rank
	found atomic.Int64
}

// miner is one worker of a search.
type miner struct {
	*mining
	ctx    context.Context
	own    frequent
	space  *projection.Space
	counts []int32 // by item; all zero between uses
	keep   []bool  // by item; all false between uses
	place  []int   // by item, while bitmaps are made
	levels []*projection.Level
	words  [][]uint64 // by the length of the prefix: the bitmaps behind it
}

// run searches d, and gives up at limit itemsets. All parts of a frequent one are frequent: one of
// s items foretells 2^s - 1, so the search ends at once on long lines that have much in common. The
// result is the same for any number of workers. Memory: 12 bytes an occurrence, and for each worker
// what is left of the data behind the items of an itemset.
func (m *mining) run(ctx context.Context, d *dataset.Dataset) (frequent, error) {
	m.rows, m.items = projection.New(d, m.least)
	m.after = m.rows.After(len(m.items))
	all := make([]*miner, max(1, m.workers))
	space := func(w int) *miner {
		all[w] = m.miner(ctx)
		return all[w]
	}
	var mu sync.Mutex
	done := 0
	err := par.EachIn(ctx, len(all), len(m.items), space,
		func(_ context.Context, own *miner, nth int) error {
			// The most frequent items first: where these have too much in common it ends soon.
			it := len(m.items) - 1 - nth
			if err := own.begin(int32(it)); err != nil || m.progress == nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			m.progress(float64(done) / float64(len(m.items)))
			return nil
		})
	found := frequent{}
	for _, w := range all {
		if w != nil && len(found) == 0 {
			found = w.own
		} else if w != nil {
			maps.Copy(found, w.own)
		}
	}
	return found, err
}

func (m *mining) miner(ctx context.Context) *miner {
	n := len(m.items)
	return &miner{
		mining: m, ctx: ctx, own: frequent{}, space: projection.NewSpace(n, projection.MostRests),
		counts: make([]int32, n), keep: make([]bool, n), place: make([]int, n),
	}
}

// begin finds the frequent itemsets whose rarest item is this one.
func (m *miner) begin(it int32) error {
	if err := m.note(nil, it, len(m.after[it])); err != nil {
		return err
	}
	return m.grow([]int32{it}, m.rows, m.after[it])
}

// note notes a frequent itemset.
func (m *miner) note(prefix []int32, last int32, support int) error {
	items := make([]int32, 0, len(prefix)+1)
	for _, it := range prefix {
		items = append(items, m.items[it])
	}
	items = append(items, m.items[last])
	if int(m.found.Add(1)) > m.limit || len(items) >= bits.Len(uint(m.limit+1)) {
		return &TooManyError{m.limit, m.least}
	}
	slices.Sort(items)
	m.own[key(items)] = support
	return nil
}

// dense is one over the share of a bitmap that is set, from which on meeting bitmaps is about as
// fast as counting items: pairs of items are 1/dense² of the bits, of which a word has 64.
const dense = 8

// grow finds the frequent itemsets that begin with prefix, which the rests follow.
func (m *miner) grow(prefix []int32, r *projection.Rows, rests []projection.Rest) error {
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	items, total := m.frequentIn(r, rests)
	for _, it := range items {
		if err := m.note(prefix, it.item, it.support); err != nil {
			return err
		}
	}
	if len(items) < 2 {
		return nil
	}
	for _, it := range items {
		m.keep[it.item] = true
	}
	for len(m.levels) <= len(prefix) {
		m.levels = append(m.levels, &projection.Level{})
	}
	l := m.levels[len(prefix)]
	l.Clear()
	for _, s := range rests {
		l.Add(r.Rest(s), m.keep, 2)
	}
	for _, it := range items {
		m.keep[it.item] = false
	}
	if dense*total >= len(items)*len(rests) {
		return m.meet(prefix, m.bitmaps(items, &l.Rows))
	}
	return m.space.Each(l, 1, nil, func(it int32, rests []projection.Rest) error {
		return m.grow(append(slices.Clip(prefix), it), &l.Rows, rests)
	})
}

// branch is an item and the rows that have it and a prefix.
type branch struct {
	item    int32
	support int
	words   []uint64
}

// frequentIn counts the items of rests: those that are frequent, and their occurrences.
func (m *miner) frequentIn(
	r *projection.Rows, rests []projection.Rest,
) (items []branch, total int) {
	var seen []int32
	for _, s := range rests {
		for _, it := range r.Rest(s) {
			if m.counts[it]++; m.counts[it] == 1 {
				seen = append(seen, it)
			}
		}
	}
	for _, it := range seen {
		if n := int(m.counts[it]); n >= m.least {
			items = append(items, branch{item: it, support: n})
			total += n
		}
		m.counts[it] = 0
	}
	return items, total
}

// bitmaps are the items of rows of two and more, the rare ones first.
func (m *miner) bitmaps(items []branch, rows *projection.Rows) []branch {
	slices.SortFunc(items, func(a, b branch) int {
		if a.support != b.support {
			return a.support - b.support
		}
		return int(a.item - b.item)
	})
	words := (rows.Len() + 63) / 64
	all := make([]uint64, words*len(items))
	for i := range items {
		items[i].words, all = all[:words:words], all[words:]
		m.place[items[i].item] = i
	}
	for i := range rows.Len() {
		for _, it := range rows.Row(i) {
			items[m.place[it]].words[i>>6] |= 1 << (i & 63)
		}
	}
	return items
}

// meet finds the itemsets of prefix and two items and more.
func (m *miner) meet(prefix []int32, branches []branch) error {
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	for i, b := range branches {
		items := append(slices.Clip(prefix), b.item)
		next, err := m.behind(items, b, branches[i+1:])
		if err != nil {
			return err
		}
		if err := m.meet(items, next); err != nil {
			return err
		}
	}
	return nil
}

// behind are the branches of items behind b, which is the last of the prefix; they are noted. They
// are valid until the next ones behind a prefix of this length are asked for.
func (m *miner) behind(prefix []int32, b branch, others []branch) (next []branch, err error) {
	for len(m.words) <= len(prefix) {
		m.words = append(m.words, nil)
	}
	words := slices.Grow(m.words[len(prefix)][:0], len(others)*len(b.words))
	m.words[len(prefix)] = words
	for _, c := range others {
		support := 0
		for w, word := range b.words {
			support += bits.OnesCount64(word & c.words[w])
		}
		if support < m.least {
			continue
		}
		if err := m.note(prefix, c.item, support); err != nil {
			return nil, err
		}
		from := len(words)
		for w, word := range b.words {
			words = append(words, word&c.words[w])
		}
		next = append(next, branch{c.item, support, words[from:len(words):len(words)]})
	}
	return next, nil
}

// key writes items such that itemsOf can read them.
func key(items []int32) string {
	b := make([]byte, 0, 4*len(items))
	for _, u := range items {
		b = binary.BigEndian.AppendUint32(b, uint32(u))
	}
	return string(b)
}

func itemsOf(key string) []int32 {
	items := make([]int32, len(key)/4)
	for i := range items {
		items[i] = int32(binary.BigEndian.Uint32([]byte(key[4*i:])))
	}
	return items
}
