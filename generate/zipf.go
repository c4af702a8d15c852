package generate

import (
	"errors"
	"fmt"
)

// Lengths is a distribution of transaction lengths.
type Lengths string

// The distributions, of at least one item each.
const (
	Poisson   Lengths = "poisson"   // lengths near the average
	Geometric Lengths = "geometric" // many short, some long, as in shops and clicks
)

// ZipfParams describe independent items of unequal popularity.
type ZipfParams struct {
	Transactions int     // required, at least 1
	Items        int     // required, at least 1; not all of them need to occur
	Average      float64 // required: mean length, 1..Items
	Exponent     float64 // 0..10; the popularity of rank r is r^-Exponent, 0 makes all items equal
	Lengths      Lengths // default Poisson
	Seed         uint64
}

// Validate returns every fault at once.
func (p ZipfParams) Validate() error {
	var unknown error
	if p.Lengths != "" && p.Lengths != Poisson && p.Lengths != Geometric {
		unknown = fmt.Errorf("lengths (%s) must be %s or %s", p.Lengths, Poisson, Geometric)
	}
	return errors.Join(
		atLeast("transactions", p.Transactions, 1),
		itemCount(p.Items),
		lengthUpTo(p.Items, "average length", p.Average),
		between("exponent", p.Exponent, 0, 10),
		unknown,
	)
}

// Zipf emits p.Transactions transactions. Which items are popular is random: ids say nothing about
// it.
func Zipf(p ZipfParams, emit Emit) error {
	if err := p.Validate(); err != nil {
		return err
	}
	weights := poissonWeights(p.Average-1, p.Items-1)
	if p.Lengths == Geometric {
		weights = geometricWeights(p.Average-1, p.Items-1)
	}
	lengths, items := newPicker(weights), newPicker(zipfWeights(p.Items, p.Exponent))
	id := permutation(newRand(p.Seed, streamPlan), p.Items)
	size, rng, tx := newRand(p.Seed, streamLengths), newRand(p.Seed, streamItems), newSet(p.Items)
	for range p.Transactions {
		tx.fill(1+int(lengths.pick(size)), rng, func() int32 { return id[items.pick(rng)] })
		if err := tx.emit(emit); err != nil {
			return err
		}
	}
	return nil
}
