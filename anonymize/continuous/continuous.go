// Package continuous publishes bags of numbers k^m-anonymously: acd, which chooses its own ranges (gkountouna-2014);
// aa, which lifts values over a given hierarchy of ranges (the paper's comparator);
// and local, which publishes a value more or less exactly from record to record.
package continuous

import (
	"context"
	"fmt"
	"math"

	"mingle/anonymize"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

// Input is what an algorithm works on.
type Input struct {
	Data    *bag.Bags // all terms are points
	Promise privacy.Continuous

	// Threshold is d of acd, between 0 and 1: a repair that adds less than this to the NCP of the whole release is taken
	// without looking further up the path. The paper's default is 0.001; 0 always looks at everything.
	Threshold float64
	// PaperOnly leaves out the pass of acd that makes it lose less.
	PaperOnly bool
	// Tree is the hierarchy of ranges of aa: leaves are the texts of values, inner labels ranges; the root may have any
	// name.
	Tree *hierarchy.Tree
	Kind bag.Kind // how the labels of Tree are read

	Progress func(anonymize.Progress) // called from one goroutine at a time; nil: nobody listens
}

// Algorithm finds a release that keeps the promise of its input, or says why there is none.
type Algorithm interface {
	// Name is the name by which users choose it.
	Name() string
	// Anonymize returns a release that keeps in.Promise. The same input gives the same release. It stops within a second
	// of ctx's end, with ctx's cause as its error. A *privacy.Infeasible error says that no release keeps the promise.
	Anonymize(ctx context.Context, in Input) (*release.Ranges, error)
}

// Algorithms are the algorithms of this package, the default first.
func Algorithms() []Algorithm { return []Algorithm{ACD{}, AA{}, Local{}} }

// Find finds an algorithm by its name.
func Find(name string) (Algorithm, error) {
	names := ""
	for _, a := range Algorithms() {
		if a.Name() == name {
			return a, nil
		}
		names += " " + a.Name()
	}
	return nil, fmt.Errorf("algorithm %q is not known; there are:%s", name, names)
}

// Check refuses, before any work, parameters that are wrong and data for which no generalization keeps the promise.
//
// Generalizing keeps the number of values of a record. So the bag of i times the widest range is in exactly the
// records with at least i values, and no other bag of size i is in more: the promise can be kept if and only if for each
// i up to m that number is 0 or at least k. (The paper says that acd always finds a solution; it does not when few
// records are long.)
func (in Input) Check() error {
	if err := in.Promise.Validate(); err != nil {
		return err
	}
	if math.IsNaN(in.Threshold) || in.Threshold < 0 || in.Threshold > 1 {
		return fmt.Errorf("d (%v) must be between 0 and 1", in.Threshold)
	}
	if !in.Data.AllPoints() {
		return fmt.Errorf("the data holds ranges already: the original is needed")
	}
	k, n := in.Promise.K, in.Data.Len()
	if n < k {
		return privacy.Infeasiblef("k (%d) is more than the number of records (%d): nothing that is published could occur k times", k, n)
	}
	for size := 1; size <= in.size(); size++ {
		if long := in.Data.AtLeast(size); long > 0 && long < k {
			return privacy.Infeasiblef("only %d records have %d or more values: even fully generalized, a bag of %d values would occur in fewer than k (%d); use m below %d, or shorten or leave out these records",
				long, size, size, k, size)
		}
	}
	return nil
}

// size is m, or the length of the longest record where that is less.
func (in Input) size() int { return min(in.Promise.M, in.Data.Longest()) }

func (in Input) report(stage string, done, total int64) {
	if in.Progress != nil {
		in.Progress(anonymize.Progress{Stage: stage, Done: done, Total: total})
	}
}
