package plan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"mingle/anonymize/nonreciprocal"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/generate"
	"mingle/measure"
	"mingle/privacy"
	"mingle/verify"
)

// nonreciprocals are the ways of nonreciprocal recoding: near neighbours, the paper's ring over Gray-TSP and over Gray order,
// groups; and the drawing of assignments alone, by closed walks and with backtracking.
var nonreciprocals = []string{"nr", "nr-ring", "nr-gray", "cahd", "walks"}

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
		in.Labels = generate.Occupations(rand.New(rand.NewPCG(1, 470)), s.data.Len())
	}
	switch t.Algorithm {
	case "nr-ring":
		in.Graph = nonreciprocal.RingGraph
	case "nr-gray":
		in.Graph, in.GrayOnly = nonreciprocal.RingGraph, true
	case "cahd":
		in.Algorithm, in.GrayOnly = nonreciprocal.CAHD, true
	}
	var res *nonreciprocal.Result
	err := metered(o, func() (err error) {
		res, err = nonreciprocal.Anonymize(ctx, in)
		return err
	})
	if err != nil {
		return err
	}
	if o.ErrorRate, err = measure.ErrorRate(s.data, res.Release.Base, res.Audit.Row); err != nil {
		return err
	}
	queries := measure.BaseQueryOptions{Queries: 500, Present: 3, Absent: 4} // the paper's, for chess
	if t.Data == "pumsb" {
		queries.Present, queries.Absent = 1, 5
	}
	loss, err := measure.BaseQueryError(rand.New(rand.NewPCG(500, 0)), s.data, res.Release.Base, queries)
	if err != nil {
		return err
	}
	o.TypeI, o.TypeII = loss.TypeI, loss.TypeII
	finding, err := verify.Nonreciprocal(ctx, verify.NonreciprocalInput{Original: s.data, Labels: in.Labels, Published: res.Release, Promise: in.Promise, Workers: t.Workers})
	if err != nil {
		return fmt.Errorf("verifying: %w", err)
	}
	return o.verdict(finding)
}

// drawAssignments times the two ways of drawing assignments from a ring over the Gray order.
func drawAssignments(ctx context.Context, t Task, d *dataset.Dataset, o *Outcome) error {
	g := nonreciprocal.Ring(partition.GrayOrder(d), t.K)
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
