// Package generate makes synthetic transactions of any size from a seed: as the generator of the
// frequent-itemset papers does ([Quest]), with Zipf's popularity ([Zipf]), to an exact shape
// ([Shape]), and the baskets of a made-up shop with its catalogue as hierarchy ([Shop]).
//
// Every generator hands one transaction after another to a callback, so that memory does not grow
// with their number. A transaction is item ids, ascending and distinct, 0 ≤ id < items; it is valid
// during the call only, and the generator ends with the callback's error if that is not nil: so a
// caller stops it.
//
// The same parameters give the same transactions on any machine: the source is PCG, and every
// floating-point operation that a choice depends on is one that IEEE 754 rounds exactly, never
// fused with another (see exact.go).
package generate

import (
	"math/rand/v2"
	"strconv"

	"mingle/dataset"
)

// Emit takes one transaction. It must not keep tx.
type Emit = func(tx []int32) error

// Labels are "0", "1", ...: names of n items in the order of their ids.
func Labels(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

// Dataset collects what a generator emits, over the given labels.
func Dataset(labels []string, run func(Emit) error) (*dataset.Dataset, error) {
	dict, err := dataset.NewDictionary(labels)
	if err != nil {
		return nil, err
	}
	b := dataset.NewBuilder(dict)
	if err := run(func(tx []int32) error { b.Add(tx); return b.Err() }); err != nil {
		return nil, err
	}
	return b.Build(), nil
}

// The streams of one seed: choices of one kind do not disturb those of another.
const (
	streamPlan = iota + 1 // what is chosen before the first transaction
	streamLengths
	streamItems
)

func newRand(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
