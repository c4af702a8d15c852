package local

import "slices"

// fold finds what is alike: an open hash table from hashes to numbers, for as long as a step.
type fold struct {
	slots []slot // a power of two
	used  int
}

type slot struct {
	hash uint64
	at   int32 // plus one; zero: free
}

// find is the number with the hash for which same is true, or -1.
func (f *fold) find(h uint64, same func(n int32) bool) int32 {
	if f.used == 0 {
		return -1
	}
	mask := uint64(len(f.slots) - 1)
	for i := h & mask; f.slots[i].at > 0; i = (i + 1) & mask {
		if f.slots[i].hash == h && same(f.slots[i].at-1) {
			return f.slots[i].at - 1
		}
	}
	return -1
}

// put enters a number that find does not find.
func (f *fold) put(h uint64, n int32) {
	if 2*f.used >= len(f.slots) {
		old := f.slots
		f.slots = make([]slot, max(64, 2*len(old)))
		for _, s := range old {
			if s.at > 0 {
				f.enter(s)
			}
		}
	}
	f.enter(slot{h, n + 1})
	f.used++
}

func (f *fold) enter(s slot) {
	mask := uint64(len(f.slots) - 1)
	i := s.hash & mask
	for f.slots[i].at > 0 {
		i = (i + 1) & mask
	}
	f.slots[i] = s
}

// hash mixes a list into a hash.
func hash(h uint64, list []int32) uint64 {
	for _, v := range list {
		h = (h ^ uint64(uint32(v))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

func hashKids(kids []kid, stay bool) uint64 {
	h := uint64(len(kids)) << 1
	if stay {
		h++
	}
	for _, o := range kids {
		h = (h ^ uint64(o.node)) * 0xbf58476d1ce4e5b9
		h ^= h >> 32
	}
	return h
}

// alike tells whether a transaction that publishes the set, u in it, and has these children of u open, belongs here.
func (e *element) alike(set []int32, u int32, kids []kid, stay bool) bool {
	if len(set) != len(e.base)+1 || len(kids) != len(e.open) || stay != e.stay {
		return false
	}
	for j, o := range kids {
		if e.open[j].node != o.node {
			return false
		}
	}
	at, _ := slices.BinarySearch(set, u)
	return slices.Equal(set[:at], e.base[:at]) && slices.Equal(set[at+1:], e.base[at:])
}
