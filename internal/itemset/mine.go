package itemset

// Mining: sets of items in transactions without a hierarchy. What is found is streamed in an order
// that depends on the data only, on any number of goroutines.
//
// The search is depth first over items in ascending order of support (eclat: Zaki, Scalable
// algorithms for association mining, IEEE TKDE 12(3), 2000). The rows that contain a prefix are
// projected, and the items behind it are kept as bitmaps over these rows, so that a support is an
// intersection and a count of bits; where rows are few and short, they are scanned instead
// (occurrence deliver: Uno, Kiyomi, Arimura, LCM ver. 2, FIMI 2004).

import (
	"errors"
	"fmt"

	"mingle/internal/par"
)

// Input says what to look for.
type Input struct {
	Data  Data   // weights are not looked at
	Items []bool // the items that itemsets are made of; nil: all

	MinSupport int // itemsets in at least this many transactions are frequent; at least 1
	MaxLen     int // FindSafe looks at itemsets of at most this many items; 0: of any size

	// MaxSafe ends FindSafe with ErrTooMany when there are more safe itemsets; 0: there may be any
	// number.
	MaxSafe int64
	Workers int // at most this many goroutines; 0: one a processor

	// Progress is told how much of a search is done, of how much; from one goroutine at a time.
	// nil: nobody listens.
	Progress func(done, total int64)

	supports []int // by item; see check
	longest  int   // transaction
}

// Visit is called with one itemset at a time, on the goroutine that called the miner. items are
// ascending ids, valid during the call. An error ends the search and becomes its error.
type Visit func(items []int32, support int) error

// ErrTooMany says that there are more itemsets than a search was allowed to keep.
var ErrTooMany = errors.New("there are too many itemsets")

// check refuses an input that is wrong, and looks at the data.
func (in *Input) check() error {
	var faults []error
	if in.Data.Tx == nil {
		return errors.New("no data is given")
	}
	if in.MinSupport < 1 {
		faults = append(faults, fmt.Errorf("the minimal support (%d) must be at least 1",
			in.MinSupport))
	}
	if in.MaxLen < 0 {
		faults = append(faults, fmt.Errorf("the longest itemset (%d) must not be negative",
			in.MaxLen))
	}
	if in.Items != nil && len(in.Items) != in.Data.Items {
		faults = append(faults, fmt.Errorf("%d items are marked, the data has %d", len(in.Items),
			in.Data.Items))
	}
	in.supports, in.longest = make([]int, in.Data.Items), 0
	for i := range in.Data.Len {
		tx := in.Data.Tx(i)
		in.longest = max(in.longest, len(tx))
		for _, it := range tx {
			in.supports[it]++
		}
	}
	return errors.Join(faults...)
}

// part tells of the n steps of the i-th of several searches, as of a part of them all.
func part(progress func(done, total int64), i, searches, n int) func(done int) {
	return func(done int) {
		if progress != nil {
			progress(int64(i)*int64(n)+int64(done), int64(searches)*int64(n))
		}
	}
}

func (in *Input) workers() int { return par.Workers(in.Workers) }

// maxLen is the size of the longest itemset there can be.
func (in *Input) maxLen() int {
	if in.MaxLen > 0 {
		return min(in.longest, in.MaxLen)
	}
	return in.longest
}
