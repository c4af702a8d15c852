package continuous

import (
	"cmp"
	"math"

	"mingle/internal/memory"
)

// bounds are what the splits of local may take. What does not fit is not split: every recoding on
// the way is valid.
type bounds struct {
	most int // bags that may be listed for one split
	left int // bags that may be listed in all splits that are to come

	large, late bool // a split was left out because of the one, or of the other
}

const (
	// bytesABag is what one bag of a record takes, with what is known of distinct ones; as much
	// again is for the data, and for acd.
	bytesABag = 12
	// localPer is how many bags may be listed for each occurrence of the data, localAtLeast how
	// many in any case, which takes less than a minute.
	localPer     = 512
	localAtLeast = 1 << 30
)

func (in Input) bounds() bounds {
	return bounds{
		most: int(cmp.Or(in.Room, memory.Default) / (2 * bytesABag)),
		left: max(localAtLeast, localPer*in.Data.Occurrences()),
	}
}

// allow tells whether so many bags may be listed, and takes them from what is left.
func (b *bounds) allow(bags int) bool {
	switch {
	case bags > b.most:
		b.large = true
	case bags > b.left:
		b.late = true
	default:
		b.left -= bags
		return true
	}
	return false
}

// warnings tell the custodian what was left out.
func (b *bounds) warnings() (out []string) {
	if b.large {
		out = append(out, "Some ranges were not split further: what stands beside them in their "+
			"records does not fit into half of the memory that may be held. More loses less.")
	}
	if b.late {
		out = append(out, "Some ranges were not split further: for records as long as these that "+
			"is too much work. A smaller m, or shorter records, lose less.")
	}
	return out
}

// bagsBeside is how many bags stand beside a node at most, in all records that hold it, given how
// often each does; math.MaxInt32 where there are more.
func (l *recoding) bagsBeside(node int32, times []int32) (all int) {
	for i, rec := range l.holders[node] {
		others := len(l.nodesOf(rec)) - int(times[i])
		bags := 1 // of so many terms
		for size := 1; size <= l.m; size++ {
			if all += bags; all > math.MaxInt32 {
				return math.MaxInt32
			}
			bags = bags * max(0, others+1-size) / size
		}
	}
	return all
}
