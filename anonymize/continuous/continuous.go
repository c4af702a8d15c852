// Package continuous publishes bags of numbers k^m-anonymously, by one of three algorithms:
//
//   - acd chooses its own ranges (gkountouna-2014);
//   - aa lifts values over a given hierarchy of ranges (the paper's comparator);
//   - local publishes a value more or less exactly from record to record (not in the paper).
//
// What they share: a box is a bag of spans of values; postings counts the records that contain one;
// segments is a partition of the values into ranges with its loss; sweep has every rare bag of one
// size repaired.
package continuous

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mingle/anonymize"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/internal/par"
	"mingle/privacy"
	"mingle/release"
)

// The algorithms.
const (
	ACD   = "acd"
	AA    = "aa"
	Local = "local"
)

// Algorithms are the names of the algorithms, the default first.
func Algorithms() []string { return []string{ACD, AA, Local} }

// CheckName refuses a name that is none of an algorithm.
func CheckName(name string) error {
	if slices.Contains(Algorithms(), name) {
		return nil
	}
	return fmt.Errorf("algorithm %q is not known; there are: %s",
		name, strings.Join(Algorithms(), " "))
}

// Input is what an algorithm works on.
type Input struct {
	Data      *bag.Bags // all terms are points
	Promise   privacy.Continuous
	Algorithm string // "": acd

	// Threshold is d of acd, between 0 and 1: a repair that adds less than this to the NCP of the
	// whole release is taken without looking further up the path. The paper's default is 0.001; 0
	// always looks at everything.
	Threshold float64
	// PaperOnly leaves out the pass of acd that makes it lose less.
	PaperOnly bool
	// Tree is the hierarchy of ranges of aa: leaves are the texts of values, inner labels ranges;
	// the root may have any name.
	Tree *hierarchy.Tree
	Kind bag.Kind // how the labels of Tree are read
	// Room is what local may hold, in bytes: a range that needs more than half of it to be split is
	// left as it is. 0: what a command may hold, if nobody says more.
	Room int64
	// Workers is how many goroutines look for rare bags, beside the one that repairs them; 0: one a
	// processor. The release is the same for any number.
	Workers int

	Progress func(anonymize.Progress) // called from one goroutine at a time; nil: nobody listens
}

// Anonymize returns a release that keeps in.Promise. The same input gives the same release, and
// records in another order the same lines in that order, but for those of equal records. It stops
// within a second of ctx's end, with ctx's cause as its error. A *privacy.Infeasible error says
// that no release keeps the promise.
func Anonymize(ctx context.Context, in Input) (*release.Ranges, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := in.feasible(); err != nil {
		return nil, err
	}
	switch in.Algorithm {
	case AA:
		return in.inOrder(ctx, Input.aa)
	case Local:
		return in.inOrder(ctx, Input.local)
	}
	return in.inOrder(ctx, Input.acd)
}

// Validate returns every fault of the parameters at once.
func (in Input) Validate() error {
	faults := []error{in.Promise.Validate(), par.CheckWorkers(in.Workers)}
	if in.Algorithm != "" {
		faults = append(faults, CheckName(in.Algorithm))
	}
	if math.IsNaN(in.Threshold) || in.Threshold < 0 || in.Threshold > 1 {
		faults = append(faults, fmt.Errorf("d (%v) must be between 0 and 1", in.Threshold))
	}
	if in.Data == nil {
		return errors.Join(append(faults, errors.New("no data is given"))...)
	}
	if !in.Data.AllPoints() {
		faults = append(faults, errors.New("the data holds ranges already: the original is needed"))
	}
	if in.Algorithm == AA && in.Tree == nil && len(in.Data.Terms()) > 0 {
		faults = append(faults, errors.New("aa needs a hierarchy of ranges"))
	}
	return errors.Join(faults...)
}

// feasible refuses, before any work, data for which no generalization keeps the promise.
//
// Generalizing keeps the number of values of a record. So the bag of i times the widest range is in
// exactly the records with at least i values, and no other bag of size i is in more: the promise
// can be kept if and only if for each i up to m that number is 0 or at least k. (The paper says
// that acd always finds a solution; it does not when few records are long.)
func (in Input) feasible() error {
	k, n := in.Promise.K, in.Data.Len()
	if n < k {
		return privacy.Infeasiblef("k (%d) is more than the number of records (%d): "+
			"nothing that is published could occur k times", k, n)
	}
	for size := 1; size <= in.size(); size++ {
		if long := in.Data.AtLeast(size); long > 0 && long < k {
			return privacy.Infeasiblef("only %d records have %d or more values: even fully "+
				"generalized, a bag of %d values would occur in fewer than k (%d); "+
				"use m below %d, or shorten or leave out these records", long, size, size, k, size)
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
