// Package anonymize is what the algorithms that generalize over a hierarchy have in common: their
// input, their interface, and the conditions under which no release exists. One package below it
// holds the algorithms of one paper.
package anonymize

import (
	"context"
	"errors"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/par"
	"mingle/privacy"
	"mingle/release"
)

// Algorithm finds a release that keeps the promise of its input, or says why there is none.
type Algorithm interface {
	// Name is the name by which users choose it.
	Name() string
	// Traits are what it can do, with its settings.
	Traits() Traits
	// Anonymize returns a release that keeps in.Promise. The same input gives the same release for
	// any number of workers and, transaction by transaction, for any order of the transactions. It
	// stops within a second of ctx's end, with ctx's cause as its error. A *privacy.Infeasible
	// error says that no release keeps the promise.
	Anonymize(ctx context.Context, in Input) (*release.Generalized, error)
}

// Input is what an algorithm works on.
type Input struct {
	Data      *dataset.Dataset // items are leaf ids of Tree
	Tree      *hierarchy.Tree
	Sensitive *dataset.Dataset // sensitive items of the same transactions; nil: none
	Promise   privacy.KM
	// Persons has the person of every transaction, numbered from 0; -1: of nobody known. It is
	// required where the unit of the promise is a person.
	Persons []int32

	// Values, if set, says which of Sensitive are values of sensitive columns.
	Values *Values

	// Seed is the secret of an algorithm that decides by chance, against somebody who runs the
	// algorithm in mind; nil: nothing is left to chance. The same seed makes the same release.
	Seed *[32]byte

	Workers  int                  // at most this many goroutines; 0: one a processor
	Memory   int64                // bound in bytes, for an algorithm with Traits.Packed; 0: none
	Progress func(stage Progress) // called from one goroutine at a time; nil: nobody listens
}

// Progress says how far a stage has come. Total is 0 where it is not known.
type Progress struct {
	Stage       string
	Done, Total int64
}

// Report tells the listener, if there is one, how far a stage has come.
func (in Input) Report(stage string, done, total int64) {
	if in.Progress != nil {
		in.Progress(Progress{stage, done, total})
	}
}

// WorkerCount is the number of goroutines to use.
func (in Input) WorkerCount() int { return par.Workers(in.Workers) }

// MostAtOnce is the size of the largest set of published labels that the promise is about: m, but
// not more than a line has items, for larger sets occur nowhere. It is no bound on the sets of
// items that a line may have, or a person lack: these can be larger than any line.
func (in Input) MostAtOnce() int { return min(in.Promise.M, max(1, in.Data.MaxLen())) }

// CheckFor is Check, and refuses promises that the algorithm does not keep.
func (in Input) CheckFor(a Algorithm) error {
	if err := Keeps(a, in.Promise); err != nil {
		return err
	}
	return in.Check()
}

// Check refuses, before any work, parameters that are wrong, data that is not bound to the
// hierarchy, and data for which no generalization keeps the promise.
func (in Input) Check() error {
	err := errors.Join(
		in.Promise.Validate(), in.Tree.CheckBound(in.Data), par.CheckWorkers(in.Workers),
	)
	if err != nil {
		return err
	}
	if in.Promise.Diverse() && in.Sensitive == nil {
		return errors.New("l-diversity needs the list of sensitive items")
	}
	if in.Sensitive != nil && in.Sensitive.Len() != in.Data.Len() {
		return errors.New("sensitive items are not of the same transactions as the data")
	}
	if in.Promise.Persons {
		return in.checkPersons()
	}
	n, k := in.Data.Len(), in.Promise.K
	if err := Enough(n, n-in.Data.Empty(), k); err != nil {
		return err
	}
	if e := in.Data.Empty(); in.allLacked() && 0 < e && e < k {
		return privacy.Infeasiblef("k (%d) is more than the number of transactions without any item (%d): with an m (%d) of at least the number of items of the hierarchy (%d), it may be known that a person has none of them",
			k, e, in.Promise.M, in.Tree.Leaves())
	}
	if in.Promise.Diverse() {
		return errors.Join(in.checkDiversity(), in.checkKnown())
	}
	return nil
}

// Enough refuses so many transactions, and so many that contain anything, if even the root cannot
// be published for them.
func Enough(n, filled, k int) error {
	if n < k {
		return privacy.Infeasiblef("k (%d) is more than the number of transactions (%d): nothing that is published could occur k times", k, n)
	}
	if filled > 0 && filled < k {
		return privacy.Infeasiblef("k (%d) is more than the number of transactions that contain anything (%d of %d): even fully generalized they would be told apart", k, filled, n)
	}
	return nil
}

// allLacked tells whether it may be known of a person to have no item at all.
func (in Input) allLacked() bool {
	return in.Promise.NegativeKnowledge && in.Tree.Leaves() <= in.Promise.M
}

// checkDiversity looks at what is known whatever the generalization: nothing, that a person has an
// item, and, where that may be known, that a person has none.
func (in Input) checkDiversity() error {
	l := in.Promise.L
	for _, sub := range []struct {
		what string
		only func(i int) bool
	}{
		{"transactions", func(int) bool { return true }},
		{
			"transactions with a quasi-identifier",
			func(i int) bool { return len(in.Data.Tx(i)) > 0 },
		},
		{
			"transactions without a quasi-identifier",
			func(i int) bool { return in.allLacked() && len(in.Data.Tx(i)) == 0 },
		},
	} {
		total, counts := in.countSensitive(sub.only)
		for s, c := range counts {
			of := in.shareOf(int32(s), total, counts)
			if !in.isMark(int32(s)) && c*l > of {
				return TooFrequent(l, in.named(int32(s)), sub.what+in.filled(int32(s)), c, of)
			}
		}
	}
	return nil
}

// TooFrequent is the error where a sensitive item is in n of so many transactions of a kind, more
// than 1/l of them, whatever is generalized.
func TooFrequent(l int, item, kind string, n, of int) error {
	return privacy.Infeasiblef("l (%d) cannot be reached: %s is in %d of %d %s, %d more than 1/%d of them allows",
		l, item, n, of, kind, n-of/l, l)
}

// TooFrequent is that error of item s in transactions, or persons, of whom the same is known at the
// root of the hierarchy.
func (in Input) TooFrequent(s int32, unit string, n, of int) error {
	kind := unit + in.filled(s) + " of which the same is known"
	return TooFrequent(in.Promise.L, in.named(s), kind, n, of)
}

// countSensitive counts transactions, and how many of them have each sensitive item.
func (in Input) countSensitive(only func(i int) bool) (total int, counts []int) {
	counts = make([]int, in.Sensitive.Dict().Len())
	for i, tx := range in.Sensitive.All() {
		if !only(i) {
			continue
		}
		total++
		for _, s := range tx {
			counts[s]++
		}
	}
	return total, counts
}
