package plan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mingle/anonymize/km"
	"mingle/anonymize/nonreciprocal"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// nonreciprocals are the ways of nonreciprocal recoding: near neighbours, the paper's ring, groups; and the drawing of
// assignments alone, by closed walks and with backtracking.
var nonreciprocals = []string{"nr", "nr-ring", "cahd", "walks"}

func runNR(ctx context.Context, t Task, s *source, o *Outcome) error {
	if s.data == nil {
		return fmt.Errorf("%s is for sets; %s are bags of numbers", t.Algorithm, t.Data)
	}
	o.Transactions, o.Items = s.data.Len(), s.data.Dict().Len()
	if t.Algorithm == "walks" {
		return drawAssignments(ctx, t, s.data, o)
	}
	in := nonreciprocal.Input{Data: s.data, Promise: privacy.Nonreciprocal{K: t.K, L: t.L}, Seed: &[32]byte{1}, Workers: t.Workers, Algorithm: nonreciprocal.NR}
	if t.L > 0 {
		in.Labels = labels(s.data.Len())
	}
	switch t.Algorithm {
	case "nr-ring":
		in.Graph = nonreciprocal.RingGraph
	case "cahd":
		in.Algorithm = nonreciprocal.CAHD
	}
	var res *nonreciprocal.Result
	err := metered(o, func() (err error) {
		res, err = nonreciprocal.Anonymize(ctx, in)
		return err
	})
	if err != nil {
		return err
	}
	o.ErrorRate = errorRate(s.data, res)
	o.TypeI, o.TypeII = queryErrors(s.data, res.Release, t.Data)
	finding, err := verify.Nonreciprocal(ctx, verify.NonreciprocalInput{Original: s.data, Labels: in.Labels, Published: res.Release, Promise: in.Promise, Workers: t.Workers})
	if err != nil {
		return fmt.Errorf("verifying: %w", err)
	}
	return o.verdict(finding)
}

// labels draws one of 470 labels a record, the i-th most frequent with a probability in proportion to 1/sqrt(i): the
// commonest is on 2.4 % of the records. (The paper drew 470 occupations from a census, which is not at hand.)
func labels(n int) []string {
	const distinct = 470
	sums := make([]float64, distinct)
	sum := 0.0
	for i := range sums {
		sum += 1 / math.Sqrt(float64(i+1))
		sums[i] = sum
	}
	rng := rand.New(rand.NewPCG(1, 470))
	out := make([]string, n)
	for i := range out {
		at, _ := slices.BinarySearch(sums, sum*rng.Float64())
		out[i] = fmt.Sprintf("label%03d", min(at, distinct-1))
	}
	return out
}

// drawAssignments times the two ways of drawing assignments from a ring over the Gray order.
func drawAssignments(ctx context.Context, t Task, d *dataset.Dataset, o *Outcome) error {
	g := nonreciprocal.Ring(km.GrayOrder(d), t.K)
	timed := func(draw func(context.Context, *nonreciprocal.Graph, *rand.Rand) ([][]int32, int64, error)) (float64, error) {
		begin := cpuSeconds()
		start := time.Now()
		_, _, err := draw(ctx, g, rand.New(rand.NewPCG(1, 1)))
		if cpu := cpuSeconds() - begin; !math.IsNaN(cpu) {
			return cpu, err
		}
		return time.Since(start).Seconds(), err
	}
	return metered(o, func() (err error) {
		if o.Walk, err = timed(nonreciprocal.ClosedWalk); err != nil {
			return err
		}
		var took float64
		if took, err = timed(nonreciprocal.Backtracking); err == nil {
			o.Backtrack, o.WalkGain = took, took/o.Walk
		}
		return err
	})
}

// errorRate is the average over records of items that the true match has wrong, as a share of the record's items
// (xue-2012, section 5).
func errorRate(d *dataset.Dataset, res *nonreciprocal.Result) float64 {
	sum, n := 0.0, 0
	for i := range d.Len() {
		tx := d.Tx(i)
		if len(tx) == 0 {
			continue
		}
		base := res.Release.Base.Tx(int(res.Audit.Match[i]))
		both := 0
		for _, x := range tx {
			if _, in := slices.BinarySearch(base, x); in {
				both++
			}
		}
		sum += float64(len(tx)+len(base)-2*both) / float64(len(tx))
		n++
	}
	return sum / float64(max(1, n))
}

// queryErrors is |original count - published count| over the records, averaged over 500 random queries: all of some
// items present, none of some items present. Counts on published data are of the base sets. The sizes are the paper's: 1
// and 5 for pumsb, 3 and 4 else.
func queryErrors(d *dataset.Dataset, r *release.Nonreciprocal, name string) (present, missing float64) {
	const queries = 500
	in, ex := 3, 4
	if name == "pumsb" {
		in, ex = 1, 5
	}
	rng := rand.New(rand.NewPCG(1, 2))
	before, after := newHolders(d), newHolders(r.Base)
	for range queries {
		items := randomItems(rng, d.Dict().Len(), in)
		present += math.Abs(float64(before.all(items)-after.all(items))) / float64(d.Len())
		items = randomItems(rng, d.Dict().Len(), ex)
		missing += math.Abs(float64(before.none(items)-after.none(items))) / float64(d.Len())
	}
	return present / queries, missing / queries
}

func randomItems(rng *rand.Rand, n, size int) []int32 {
	var out []int32
	for len(out) < min(n, size) {
		if x := int32(rng.IntN(n)); !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// holders lists the records of each item.
type holders struct {
	lists [][]int32
	count []int
}

func newHolders(d *dataset.Dataset) *holders {
	h := &holders{lists: make([][]int32, d.Dict().Len()), count: make([]int, d.Len())}
	for i := range d.Len() {
		for _, x := range d.Tx(i) {
			h.lists[x] = append(h.lists[x], int32(i))
		}
	}
	return h
}

// tally counts the records by how many of the items they have.
func (h *holders) tally(items []int32) []int {
	clear(h.count)
	for _, x := range items {
		for _, i := range h.lists[x] {
			h.count[i]++
		}
	}
	out := make([]int, len(items)+1)
	for _, n := range h.count {
		out[n]++
	}
	return out
}

func (h *holders) all(items []int32) int  { return h.tally(items)[len(items)] }
func (h *holders) none(items []int32) int { return h.tally(items)[0] }
