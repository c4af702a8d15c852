package verify

import (
	"context"
	"slices"

	"mingle/dataset"
)

// spelling finds the records behind published ones of which few records can stand: all of them are
// spelled, and looked up. What can stand behind a published record is its base with at most
// threshold of the uncertain items changed, by the definition of a match.
//
// A set has a key, the exclusive or of the keys of its items, so that changing an item changes the
// key by one operation. Different sets may have one key: what is found is matched by definition.
type spelling struct {
	original *dataset.Dataset
	item     []uint64 // keys
	record   []uint64 // keys
	slots    []int32  // open addressing by key: 1 + record, 0: free
}

func newSpelling(original *dataset.Dataset, items int) *spelling {
	s := &spelling{original: original, item: make([]uint64, items)}
	for it := range s.item {
		s.item[it] = mixed(uint64(it))
	}
	size := 1
	for size < 2*original.Len() {
		size *= 2
	}
	s.slots = make([]int32, size)
	for r := range original.Len() {
		key := s.key(original.Tx(r))
		s.record = append(s.record, key)
		at := key & uint64(size-1)
		for s.slots[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		s.slots[at] = int32(r) + 1
	}
	return s
}

// mixed is a number in which each bit depends on all of x (splitmix64: Steele, Lea, Flood, Fast
// splittable pseudorandom number generators, OOPSLA 2014).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (s *spelling) key(items []int32) (key uint64) {
	for _, it := range items {
		key ^= s.item[it]
	}
	return key
}

// spellings is how many records may stand behind a group.
func spellings(g *matchGroup) float64 {
	all, sets := 0.0, 1.0
	for i := 0; i <= min(g.threshold, len(g.uncertain)); i++ {
		all += sets
		sets *= float64(len(g.uncertain)-i) / float64(i+1)
	}
	return all
}

// recordsOf appends the distinct records that match a group, ascending.
func (s *spelling) recordsOf(g *matchGroup, to []int32) []int32 {
	from := len(to)
	to = s.changed(g, s.key(g.base), 0, g.threshold, to)
	slices.Sort(to[from:])
	return to[:from+len(slices.Compact(to[from:]))]
}

// changed appends the records with a key, and with those that at most left more uncertain items,
// from one on, make of it.
func (s *spelling) changed(g *matchGroup, key uint64, from, left int, to []int32) []int32 {
	mask := uint64(len(s.slots) - 1)
	for at := key & mask; s.slots[at] != 0; at = (at + 1) & mask {
		if r := s.slots[at] - 1; s.record[r] == key && g.matches(s.original.Tx(int(r))) {
			to = append(to, r)
		}
	}
	if left > 0 {
		for i := from; i < len(g.uncertain); i++ {
			to = s.changed(g, key^s.item[g.uncertain[i]], i+1, left-1, to)
		}
	}
	return to
}

// lookUp is how many candidates of an index can be tried while one record is looked up in memory.
const lookUp = 16

// spelled marks the groups to be spelled: where that takes less than to try what is filed.
func (x *matchIndex) spelled(ratio float64) (marks []bool, any bool) {
	marks = make([]bool, len(x.groups))
	for g := range x.groups {
		cost := ratio * spellings(&x.groups[g])
		if cost >= float64(x.original.Len()) {
			continue // no more are filed
		}
		_, filed := x.filed(int32(g))
		marks[g] = cost < float64(filed)
		any = any || marks[g]
	}
	return marks, any
}

// spell finds the groups that each distinct record matches, of those to be spelled, which it marks.
// Where there are none, or more than so many matches, it marks none (nil).
func (j *matchJudge) spell(ctx context.Context, most int) (marks []bool, adj [][]int32, err error) {
	none := make([][]int32, j.original.Len())
	marks, any := j.index.spelled(j.lookUp)
	if !any {
		return nil, none, nil
	}
	s := newSpelling(j.original.Dataset, j.in.Published.Dict().Len())
	records := make([][]int32, len(marks)) // of each group
	workers := newPool(j.in.Workers, j.in.Progress)
	found := make([][]int32, workers.workers)
	held := newHeld(most)
	const block = 64
	err = workers.run(ctx, "matches of published records", (len(marks)+block-1)/block,
		func(worker, b int) {
			for g := b * block; g < min(len(marks), (b+1)*block) && held.fits(); g++ {
				if marks[g] {
					found[worker] = s.recordsOf(&j.index.groups[g], found[worker][:0])
					records[g] = slices.Clone(found[worker])
					held.add(len(records[g]))
				}
			}
		})
	if err != nil || !held.fits() {
		return nil, none, err
	}
	return marks, turned(records, j.original.Len()), nil
}

// turned lists, for each number below n, which lists have it, ascending.
func turned(lists [][]int32, n int) [][]int32 {
	times := make([]int32, n)
	all := 0
	for _, list := range lists {
		for _, r := range list {
			times[r]++
		}
		all += len(list)
	}
	out, room := make([][]int32, n), make([]int32, all)
	for r, t := range times {
		out[r], room = room[:0:t], room[t:]
	}
	for i, list := range lists {
		for _, r := range list {
			out[r] = append(out[r], int32(i))
		}
	}
	return out
}
