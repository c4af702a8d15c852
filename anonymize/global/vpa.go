package global

// Vertical partitioning: terrovitis-2011, section 4.6.
//
// The domain is split into parts of about equally many item occurrences along the leaf order, aa
// runs on the projection of the data to each part, and then on all of it with the parts' cuts
// committed. The recoding is global, and the last pass alone guarantees the promise.
//
// Deviations. What is not needed is taken back at the end: with one part, this is aa and that. The
// paper's parts have equally many items: where few items have most of the
// occurrences, as in shops, one part is then nearly all of the work. A part's repairs are priced by
// the losses on the whole data. A rare itemset of a part that not even the root makes frequent
// there is left to the last pass. l^m-diversity and negative knowledge are matters of the last
// pass.

import (
	"context"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/par"
	"mingle/release"
)

// VPA is anonymization by vertical partitioning.
type VPA struct {
	Parts int // at least 1; 0 means 3
	// whole subtrees of this height stay together; 0 is the leaf level. At most the tree's height
	PartitionLevel int
}

// Name is "vpa".
func (VPA) Name() string { return "vpa" }

// Traits implements anonymize.Algorithm.
func (VPA) Traits() anonymize.Traits {
	return anonymize.Traits{Persons: true, Need: needOfWalks(120)}
}

// Anonymize implements anonymize.Algorithm.
func (a VPA) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	return anonymize.Solve(ctx, in, a)
}

// Solve implements anonymize.Solver.
func (a VPA) Solve(ctx context.Context, p *anonymize.Problem) (*release.Generalized, error) {
	in := p.Input
	if err := a.fits(in.Tree); err != nil {
		return nil, err
	}
	s, err := newState(p)
	if err != nil {
		return nil, err
	}
	if err := s.inParts(ctx, in, a); err != nil {
		return nil, err
	}
	if err := s.anonymize(ctx, in, 1); err != nil {
		return nil, err
	}
	if !asksBeyond(in.Promise) {
		if err := s.lower(ctx, in); err != nil {
			return nil, err
		}
	}
	return release.Global(in.Data, s.cut), nil
}

// parts is how many parts there are to be.
func (a VPA) parts() int {
	if a.Parts == 0 {
		return 3
	}
	return a.Parts
}

// fits refuses parts that there cannot be.
func (a VPA) fits(t *hierarchy.Tree) error {
	if a.parts() < 1 || a.PartitionLevel < 0 || a.PartitionLevel > t.Height(t.Root()) {
		return fmt.Errorf("vpa: parts (%d) must be at least 1, and the partition level (%d) from 0 to the height of the hierarchy (%d)",
			a.parts(), a.PartitionLevel, t.Height(t.Root()))
	}
	return nil
}

// inParts lifts the cut as the parts by themselves need it.
func (s *state) inParts(ctx context.Context, in anonymize.Input, a VPA) error {
	regions := Regions(in.Tree, a.parts(), a.PartitionLevel, in.Data.Supports())
	if len(regions) == 1 {
		return nil // that is aa on all of the data, which follows
	}
	cuts := make([]*hierarchy.Cut, len(regions))
	alone := in
	alone.Workers, alone.Progress = 1, nil
	err := par.Each(ctx, in.WorkerCount(), len(regions),
		func(ctx context.Context, i int) (err error) {
			cuts[i], err = s.part(ctx, alone, regions[i])
			return err
		})
	if err != nil {
		return err
	}
	for _, c := range cuts {
		s.liftTo(c)
	}
	return nil
}

// Region is a range of leaves: From ≤ leaf < To.
type Region struct{ From, To int32 }

// Regions splits the leaves into at most n ranges of about equal weight whose borders do not go
// through a subtree of the given height. weights has a number for each leaf; nil: all weigh the
// same.
func Regions(t *hierarchy.Tree, n, level int, weights []int) []Region {
	before := make([]int, t.Leaves()+1) // the weight before each leaf
	for leaf := range t.Leaves() {
		w := 1
		if weights != nil {
			w = weights[leaf]
		}
		before[leaf+1] = before[leaf] + w
	}
	total := before[t.Leaves()]
	var out []Region
	from := int32(0)
	for leaf := int32(0); int(leaf) < t.Leaves(); {
		_, end := t.Range(classOf(t, leaf, level))
		// The border that comes next to the ideal one: close the range if this class would take it
		// further away.
		ideal := total * (len(out) + 1) / n
		if before[end] > ideal && leaf > from && before[end]-ideal > ideal-before[leaf] &&
			len(out) < n-1 {
			out = append(out, Region{from, leaf})
			from = leaf
		}
		leaf = end
	}
	return append(out, Region{from, int32(t.Leaves())})
}

// classOf is the highest node above a leaf whose height is at most level.
func classOf(t *hierarchy.Tree, leaf int32, level int) int32 {
	u := leaf
	for t.Parent(u) >= 0 && t.Height(t.Parent(u)) <= level {
		u = t.Parent(u)
	}
	return u
}

// part is the cut that aa finds on the projection to a region.
func (s *state) part(ctx context.Context, in anonymize.Input, r Region) (*hierarchy.Cut, error) {
	p := s.project(in, r)
	for size := 1; size <= in.MostAtOnce(); size++ {
		if err := p.walk(ctx, in, size, size > 1); err != nil {
			return nil, err
		}
	}
	return p.cut, nil
}

// project starts a cut on the projection to a region. Equal transactions are left as they are:
// walks merge them at the cut, where there are fewer.
func (s *state) project(in anonymize.Input, r Region) *state {
	if s.merged.Units != nil {
		to := make([]int32, in.Tree.Leaves())
		for leaf := range to {
			to[leaf] = -1
			if r.From <= int32(leaf) && int32(leaf) < r.To {
				to[leaf] = int32(leaf)
			}
		}
		return onData(s.merged.Recode(in.Data.Dict(), to), s.loss, in)
	}
	b, weights := dataset.NewBuilder(in.Data.Dict()), []int32(nil)
	b.Grow(s.merged.Len(), s.merged.Occurrences()/2)
	lines := s.merged.Cursor()
	for i := range s.merged.Len() {
		tx := lines.Tx(i)
		from, _ := slices.BinarySearch(tx, r.From)
		tx = tx[from:]
		to, _ := slices.BinarySearch(tx, r.To)
		if to > 0 {
			b.Add(tx[:to])
			weights = append(weights, s.merged.Weight(i))
		}
	}
	p := onData(&dataset.Merged{Dataset: b.Build(), Weights: weights}, s.loss, in)
	p.apart = true
	return p
}

// merge merges equal transactions.
func (s *state) merge() {
	if s.apart {
		to := make([]int32, s.tree.Leaves())
		for leaf := range to {
			to[leaf] = int32(leaf)
		}
		s.merged, s.apart = s.merged.Recode(s.merged.Dict(), to), false
	}
}
