package dataset

import (
	"errors"
	"math"
)

// MaxTransactions and MaxOccurrences are the sizes that a Dataset may have. Everything downstream
// relies on them: a support, a weight of merged transactions and a place among all occurrences each
// fit into an int32. A packed dataset has no places, and as many occurrences as there is memory.
const (
	MaxTransactions = math.MaxInt32
	MaxOccurrences  = math.MaxInt32
)

// ErrTooLarge reports more than a Dataset may have.
var ErrTooLarge = errors.New("more than 2,147,483,647 transactions, or item occurrences where " +
	"these are not packed: give --memory to pack them (anonymize km with aa, da, exact or auto, or " +
	"with local where m is 1 or 2), or publish the data in parts")

// size is how much a dataset has.
type size struct{ transactions, occurrences int }

// most is the size that a dataset may have.
var most = size{MaxTransactions, MaxOccurrences}

func (d *Dataset) size() size {
	if d.packed != nil {
		return size{d.packed.n, d.packed.occurrences}
	}
	return size{len(d.offsets) - 1, len(d.items)}
}

// plus is the size with more.
func (s size) plus(transactions, occurrences int) size {
	return size{s.transactions + transactions, s.occurrences + occurrences}
}

// within tells whether a size is within another; of packed data the transactions alone count.
func (s size) within(most size, packed bool) bool {
	return s.transactions <= most.transactions && (packed || s.occurrences <= most.occurrences)
}
