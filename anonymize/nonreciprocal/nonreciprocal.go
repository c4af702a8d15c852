// Package nonreciprocal publishes set-valued data without groups or hierarchies.
//
// Paper: M. Xue, P. Karras, C. Raïssi, J. Vaidya, K.-L. Tan, "Anonymizing Set-Valued Data by
// Nonreciprocal Recoding", KDD 2012 (xue-2012). The steps are those of its section 4: an order in
// which neighbours are alike (package anonymize/order), a regular graph that says which published
// records each original matches (graph, nearest, blocks), random disjoint assignments drawn from
// it, one of them chosen (walk, draw), and what each published record shows (recode).
//
// Beyond the paper: a graph of near neighbours instead of a ring over one line; and blocks whose
// labels are exchanged, because neither the l-diversity of the paper's algorithm 2 survives the
// random choice of an assignment (docs/algorithms/nonreciprocal.md), nor do labels stay equally
// likely to somebody who knows the algorithm where they decide which records come together
// (blocks.go).
package nonreciprocal

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/order"
	"mingle/dataset"
	"mingle/internal/par"
	"mingle/privacy"
	"mingle/release"
)

// The algorithms.
const (
	NR = "nr" // regular graph, random assignment
	// comparator: disjoint groups, published the same way. By l its groups tell of the labels
	// (cahd.go)
	CAHD = "cahd"
)

// The graphs of nr.
const (
	RingGraph    = "ring"    // over the Gray-TSP order, the paper's
	NearestGraph = "nearest" // near neighbours
)

// Input is what is to be published.
type Input struct {
	Data    *dataset.Dataset
	Labels  []string // the sensitive label of each record; nil: none, and then no l-diversity
	Promise privacy.Nonreciprocal

	Algorithm string // "nr" or "cahd"; default nr
	Graph     string // "nearest" or "ring"; default nearest; cahd has none
	// order of the items for the Gray code: "dictionary", "frequent" or "rare"; default: the best
	// of them
	Items    string
	Segments order.Bounds // sizes of the segments of the order; default 300 to 350
	GrayOnly bool         // leave the order as the Gray code gives it, and do not improve it
	// nil: 256 bits of the operating system's randomness. Fixed seeds are for tests and
	// experiments only
	Seed *[32]byte

	// at most this many goroutines; 0: one a processor
	Workers int
	// what may be held, in bytes: a graph that needs more is refused; 0: no matter
	Room int64
	// Progress is called from one goroutine at a time; nil: nobody listens.
	Progress func(anonymize.Progress)
}

// Result is a release with the secrets behind it.
type Result struct {
	Release *release.Nonreciprocal
	Audit   Audit
	Stats   Stats
}

// Audit is secret: whoever has it knows the true match of every record.
type Audit struct {
	Seed  [32]byte
	Fixed bool    // the seed was given: the release is for experiments, and the report must say so
	Row   []int32 // the published row of each record's own slot
	Match []int32 // the published row that is each record's true match
}

// Stats may be published.
type Stats struct {
	ItemOrder string // the order of the items that the Gray code was taken over
	Gray      int64  // sum of the Hamming distances of cyclic neighbours in the Gray order
	Tour      int64  // the same in the order that was used
}

// Validate returns every fault of the input at once.
func (in Input) Validate() error {
	if in.Data == nil {
		return errors.New("no data is given")
	}
	faults := []error{in.Promise.Validate(), par.CheckWorkers(in.Workers)}
	if in.Algorithm != "" && in.Algorithm != NR && in.Algorithm != CAHD {
		faults = append(
			faults, fmt.Errorf("algorithm %q is not known: it must be nr or cahd", in.Algorithm),
		)
	}
	if in.Graph != "" && in.Graph != RingGraph && in.Graph != NearestGraph {
		faults = append(
			faults, fmt.Errorf("graph %q is not known: it must be nearest or ring", in.Graph),
		)
	}
	orders := []string{"", DictionaryOrder, FrequentFirst, RareFirst}
	if !slices.Contains(orders, in.Items) {
		faults = append(
			faults,
			fmt.Errorf(
				"item order %q is not known: it must be dictionary, frequent or rare", in.Items,
			),
		)
	}
	if in.Algorithm == CAHD && in.Graph != "" {
		faults = append(faults, errors.New("cahd makes groups and has no graph to choose"))
	}
	faults = append(faults, checkSegments(in.Segments))
	if in.Labels != nil && len(in.Labels) != in.Data.Len() {
		faults = append(
			faults, fmt.Errorf("%d labels for %d records", len(in.Labels), in.Data.Len()),
		)
	}
	if in.Labels == nil && in.Promise.Diverse() {
		faults = append(faults, errors.New("l-diversity needs a label for every record"))
	}
	if in.Promise.Diverse() && len(in.Labels) == in.Data.Len() {
		faults = append(faults, in.labelFaults())
	}
	return errors.Join(faults...)
}

// checkSegments refuses sizes that cannot be meant; 0 takes the default.
func checkSegments(s order.Bounds) error {
	switch {
	case s.Min < 0:
		return fmt.Errorf("the least size of a segment (%d) must be positive", s.Min)
	case s.Max < 0:
		return fmt.Errorf("the greatest size of a segment (%d) must be positive", s.Max)
	case s.Max > 0 && s.Min > s.Max:
		return fmt.Errorf("segments of %d to %d records: the first must be no more than the second",
			s.Min, s.Max)
	}
	return nil
}

// feasible tells why no release keeps the promise, if none does.
func (in Input) feasible() error {
	n, need := in.Data.Len(), in.Promise.Matches()
	if n < need {
		name := "k"
		if in.Promise.Diverse() {
			name = "l"
		}
		return privacy.Infeasiblef("%s (%d) is more than the number of records (%d)", name, need, n)
	}
	if err := in.edgesFit(maxEdges); err != nil {
		return err
	}
	if in.Promise.Diverse() {
		return checkLabels(in.Labels, need)
	}
	return nil
}

func (in Input) withDefaults() Input {
	if in.Algorithm == "" {
		in.Algorithm = NR
	}
	if in.Graph == "" {
		in.Graph = NearestGraph
	}
	if in.Segments.Max == 0 {
		in.Segments.Max = max(350, in.Segments.Min)
	}
	if in.Segments.Min == 0 {
		in.Segments.Min = min(300, in.Segments.Max)
	}
	in.Workers = par.Workers(in.Workers)
	return in
}

func (in Input) report(stage string) {
	if in.Progress != nil {
		in.Progress(anonymize.Progress{Stage: stage})
	}
}

// Anonymize makes a release. The same input and seed give the same result for any number of
// workers. It stops within a second of ctx's end, with ctx's cause as its error. A
// *privacy.Infeasible error says that no release keeps the promise.
func Anonymize(ctx context.Context, in Input) (*Result, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := in.feasible(); err != nil {
		return nil, err
	}
	in = in.withDefaults()
	res := &Result{}
	rng, err := in.source(&res.Audit)
	if err != nil {
		return nil, err
	}
	how, err := in.build(ctx, &res.Stats, rng)
	if err != nil {
		return nil, err
	}
	in.report("recode")
	slots, err := recode(ctx, in.Data, how, in.Workers)
	if err != nil {
		return nil, err
	}
	in.report("assign")
	match, err := how.assign(ctx, in.Data.Len(), rng)
	if err != nil {
		return nil, err
	}
	in.publish(res, slots, match, rng)
	return res, nil
}

// assign draws the slot of every record: one of as many disjoint assignments as the degree of the
// graph, or a random permutation of every block.
func (s structure) assign(ctx context.Context, n int, rng *rand.Rand) ([]int32, error) {
	if s.blocks == nil {
		return Draw(ctx, s.votes, rng)
	}
	match := make([]int32, n)
	for _, block := range s.blocks {
		for i, p := range rng.Perm(len(block)) {
			match[block[i]] = block[p]
		}
	}
	return match, nil
}

// publish shuffles the slots and gives each the label of the record that it is the true match of.
func (in Input) publish(res *Result, slots *recoded, match []int32, rng *rand.Rand) {
	n := in.Data.Len()
	slotAt := rng.Perm(n)
	row := make([]int32, n) // of each slot
	for r, s := range slotAt {
		row[s] = int32(r)
	}
	res.Audit.Row = row
	res.Audit.Match = make([]int32, n)
	out := &release.Nonreciprocal{Threshold: make([]int32, n)}
	if in.Labels != nil {
		out.Labels = make([]string, n)
	}
	for u, s := range match {
		res.Audit.Match[u] = row[s]
		if in.Labels != nil {
			out.Labels[row[s]] = in.Labels[u]
		}
	}
	base, uncertain := dataset.NewBuilder(in.Data.Dict()), dataset.NewBuilder(in.Data.Dict())
	for r, s := range slotAt {
		base.Add(slots.base[s])
		uncertain.Add(slots.uncertain[s])
		out.Threshold[r] = slots.threshold[s]
	}
	out.Base, out.Uncertain = base.Build(), uncertain.Build()
	if res.Audit.Fixed {
		out.Warnings = append(
			out.Warnings,
			"The random numbers come from a fixed seed: whoever knows it can find every true "+
				"match. Not for publication.",
		)
	}
	if in.Algorithm == CAHD && in.Promise.Diverse() {
		out.Warnings = append(
			out.Warnings,
			"The groups of cahd are made by looking at the labels: whoever knows all records and "+
				"how groups are made may be certain of a label. It is there to compare with; nr "+
				"does not have this fault.",
		)
	}
	res.Release = out
}
