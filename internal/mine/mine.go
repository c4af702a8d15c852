// Package mine finds itemsets: the frequent ones, the maximal frequent ones, and the minimal rare ones, each with its
// support. It streams what it finds in an order that depends on the data only, on any number of goroutines, and keeps no
// list of what it has visited.
//
// The search is depth first over items in ascending order of support (eclat: Zaki, Scalable algorithms for association
// mining, 2000). The rows that contain a prefix are projected, and the items behind it are kept as bitmaps over these
// rows, so that a support is an intersection and a count of bits; where rows are few and short, they are scanned instead
// (occurrence deliver: Uno, Kiyomi, Arimura, LCM ver. 2, 2004).
package mine

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"mingle/dataset"
)

// Input says what to look for.
type Input struct {
	Data  *dataset.Dataset
	Items []bool // the items that itemsets are made of; nil: all

	MinSupport int // itemsets in at least this many transactions are frequent; at least 1
	MaxLen     int // itemsets of at most this many items; 0: of any size

	// MaxSafe ends FindSafe and MinimalRare with ErrTooMany when there are more safe itemsets; 0: there may be any number.
	MaxSafe int64

	Workers  int                     // at most this many goroutines; 0: one a processor
	Progress func(done, total int64) // called from one goroutine at a time; nil: nobody listens
}

// Visit is called with one itemset at a time, on the goroutine that called the miner. items are ascending ids, valid
// during the call. An error ends the search and becomes its error.
type Visit func(items []int32, support int) error

// ErrTooMany says that there are more itemsets than a search was allowed to keep.
var ErrTooMany = errors.New("mine: there are too many itemsets")

// ErrStop, returned by a Visit, ends the search without an error.
var ErrStop = errors.New("mine: stop")

func (in *Input) check() error {
	var faults []error
	if in.Data == nil {
		return errors.New("mine: no data is given")
	}
	if in.MinSupport < 1 {
		faults = append(faults, fmt.Errorf("mine: the minimal support (%d) must be at least 1", in.MinSupport))
	}
	if in.MaxLen < 0 {
		faults = append(faults, fmt.Errorf("mine: the longest itemset (%d) must not be negative", in.MaxLen))
	}
	if in.Items != nil && len(in.Items) != in.Data.Dict().Len() {
		faults = append(faults, fmt.Errorf("mine: %d items are marked, the data has %d", len(in.Items), in.Data.Dict().Len()))
	}
	return errors.Join(faults...)
}

func (in *Input) workers() int {
	if in.Workers > 0 {
		return in.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// maxLen is the size of the longest itemset there can be.
func (in *Input) maxLen() int {
	longest := in.Data.MaxLen()
	if in.MaxLen > 0 {
		longest = min(longest, in.MaxLen)
	}
	return longest
}

// stream runs one task a first item and visits what the tasks find, in their order.
func (in *Input) stream(ctx context.Context, tasks int, work func(worker, task int, out *output), visit Visit) error {
	err := inOrder(ctx, in.workers(), tasks, work, visit, in.Progress)
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}
