package continuous

import (
	"encoding/binary"
	"slices"
)

// knownBags remembers which bags of segments are not rare. Since supports never fall while segments
// merge, they stay so. A row is a set of segments, those that make such a bag with some others: a
// path's children stand in one row. Forgetting costs time alone, so what is held is bounded.
type knownBags struct {
	// now is the segment of every rank at the begin of the sweep: the rank of its lowest part.
	now []int32

	rows  map[string]int
	words int // of a row
	bits  []uint64
	most  int // words of all rows

	others []int32
	key    []byte
}

// Bits of known bags for each occurrence of the data, and at least so many.
const (
	knownPer     = 128
	knownAtLeast = 1 << 27
)

func newKnownBags(ranks, occurrences int) knownBags {
	k := knownBags{now: make([]int32, ranks), rows: map[string]int{}, words: (ranks + 63) / 64}
	for r := range k.now {
		k.now[r] = int32(r)
	}
	k.most = max(knownAtLeast, knownPer*occurrences) / 64
	return k
}

// row is the set of segments that make a bag that is not rare with those of some ranks.
func (k *knownBags) row(ranks []int32) []uint64 {
	k.others, k.key = k.others[:0], k.key[:0]
	for _, r := range ranks {
		k.others = append(k.others, k.now[r])
	}
	slices.Sort(k.others)
	for _, r := range k.others {
		k.key = binary.LittleEndian.AppendUint32(k.key, uint32(r))
	}
	at, ok := k.rows[string(k.key)]
	if !ok {
		if len(k.bits)+k.words > k.most {
			clear(k.rows)
			k.bits = k.bits[:0]
		}
		at = len(k.bits)
		k.bits = append(k.bits, make([]uint64, k.words)...)
		k.rows[string(k.key)] = at
	}
	return k.bits[at : at+k.words]
}

func (k *knownBags) has(row []uint64, rank int32) bool {
	at := k.now[rank]
	return row[at>>6]>>(at&63)&1 == 1
}

func (k *knownBags) add(row []uint64, rank int32) {
	at := k.now[rank]
	row[at>>6] |= 1 << (at & 63)
}

// merge notes that the spans of a box are segments now. Groups are the segments of the ranks.
func (k *knownBags) merge(box, groups []span, rankOf []int32) {
	for _, sp := range box {
		for v := sp.lo; v <= sp.hi; {
			r := rankOf[v]
			k.now[r] = rankOf[sp.lo]
			v = groups[r].hi + 1
		}
	}
}
