package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mingle/anonymize/nonreciprocal"
	"mingle/anonymize/partition"
	"mingle/attack"
	"mingle/generate"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/pipeline"
	"mingle/privacy"
)

// method is an algorithm as plans name it.
type method struct {
	family string
	name   string  // of the algorithm in its family
	items  float64 // share of the occurrences that may be left out, as whole items
}

// mostItems is what the algorithms with "+items" may leave out.
const mostItems = 0.025

// familyOf is the family of an algorithm of a plan; false where there is no such algorithm. "walks"
// draws assignments alone, by closed walks and with backtracking.
func familyOf(algorithm string) (method, bool) {
	switch algorithm {
	case "acd", "acd-paper":
		return method{family: pipeline.Continuous{}.Name(), name: algorithm}, true
	case "aa-ranges", "local-ranges":
		return method{
			family: pipeline.Continuous{}.Name(), name: strings.TrimSuffix(algorithm, "-ranges"),
		}, true
	case "nr", "nr-ring", "nr-gray", "cahd", "walks":
		return method{family: pipeline.Nonreciprocal{}.Name(), name: algorithm}, true
	}
	name, items := strings.CutSuffix(algorithm, "+items")
	if _, err := pipeline.FindAlgorithm(pipeline.KM{}.Name(), name); err != nil || name == "auto" {
		return method{}, false
	}
	m := method{family: pipeline.KM{}.Name(), name: name}
	if items {
		m.items = mostItems
	}
	return m, true
}

func isOf(algorithm string, family pipeline.Family) bool {
	m, _ := familyOf(algorithm)
	return m.family == family.Name()
}

// Algorithms are the names of all algorithms that plans can compare.
func Algorithms() []string {
	out := []string{
		"acd", "acd-paper", "aa-ranges", "local-ranges", "nr", "nr-ring", "nr-gray", "cahd", "walks",
		"vpa+items", "local+items",
	}
	for _, e := range pipeline.Algorithms(pipeline.KM{}.Name()) {
		if e.Name != "auto" && e.Name != "peel" { // which is of persons: plans know none
			out = append(out, e.Name)
		}
	}
	slices.Sort(out)
	return out
}

// trial is the release of a cell. What is left to chance comes from one seed, so that a figure is
// the same in every run.
func (t Task) trial(s *source) pipeline.Trial {
	m, _ := familyOf(t.Algorithm)
	trial := pipeline.Trial{
		Workers: t.Workers, Seed: &[32]byte{1},
		Source: pipeline.Source{Sets: s.data, Tree: s.tree, Sensitive: s.sensitive, Bags: s.bags},
	}
	switch m.family {
	case pipeline.Continuous{}.Name():
		trial.Family = pipeline.Continuous{
			Promise: privacy.Continuous{K: t.K, M: t.M}, Threshold: t.Threshold,
			Algorithm: strings.TrimSuffix(m.name, "-paper"), PaperOnly: m.name == "acd-paper",
			Ranges: hierarchy.RangeOptions{Width: "100", Fanout: 2}, // the paper's
		}
	case pipeline.Nonreciprocal{}.Name():
		family := pipeline.Nonreciprocal{
			Promise: privacy.Nonreciprocal{K: t.K, L: t.L}, Algorithm: nonreciprocal.NR,
		}
		switch m.name {
		case "nr-ring":
			family.Graph = nonreciprocal.RingGraph
		case "nr-gray":
			family.Graph, family.GrayOnly = nonreciprocal.RingGraph, true
		case "cahd":
			family.Algorithm, family.GrayOnly = nonreciprocal.CAHD, true
		}
		if t.L > 0 && s.data != nil {
			family.Label = "occupation"
			trial.Source.Labels = generate.Occupations(rand.New(rand.NewPCG(1, 470)), s.data.Len())
		}
		trial.Family = family
	default:
		trial.Family = t.generalization(m)
	}
	return trial
}

// generalization is a release over a hierarchy.
func (t Task) generalization(m method) pipeline.KM {
	entry, _ := pipeline.FindAlgorithm(pipeline.KM{}.Name(), m.name)
	settings := pipeline.Settings{
		Parts: t.Parts, Flexibility: t.Flexibility, PartitionLevel: t.Level,
	}
	if m.items > 0 {
		settings.Suppression = &pipeline.Suppression{Share: m.items}
	}
	family := pipeline.KM{
		Promise:   privacy.KM{K: t.K, M: t.M, L: t.L},
		Algorithm: entry.Make(settings), MaySuppress: m.items > 0,
	}
	if m.name == "core" {
		family.Promise.Knows = privacy.OfAlgorithm // what it is for
	}
	return family
}

// release makes the release of a cell, and says in the outcome what came of it.
func (t Task) release(ctx context.Context, s *source, o *Outcome) error {
	s.describe(o)
	if t.Algorithm == "walks" && s.data != nil {
		return t.drawAssignments(ctx, s, o)
	}
	made, err := t.trial(s).Run(ctx)
	if err != nil {
		return err
	}
	o.Height = made.Height
	o.Seconds, o.CPU = made.Anonymize.Seconds, made.CPU
	o.PeakMB = float64(made.Anonymize.PeakMemory) / (1 << 20)
	for name, column := range map[string]*float64{"NCP": &o.NCP, "error rate": &o.ErrorRate} {
		if value, there := made.Loss(name); there {
			*column = value
		}
	}
	if o.Verified = "yes"; !made.Finding.Holds {
		o.Verified = "no"
		return errors.New("the verifier refuses the release: " + made.Finding.Breaches[0].Message)
	}
	return t.extra(ctx, s, made, o)
}

// describe says what the data are.
func (s *source) describe(o *Outcome) {
	if s.bags != nil {
		o.Transactions, o.Items = s.bags.Len(), len(s.bags.Terms())
		return
	}
	o.Transactions, o.Items = s.data.Len(), s.data.Dict().Len()
}

// extra takes the measures that cost more time. Frequent itemsets may be too many to be mined: the
// release is there all the same, and the message says why it has no ML2.
func (t Task) extra(ctx context.Context, s *source, made *pipeline.Tried, o *Outcome) error {
	if made.Bases != nil {
		return t.baseQueries(s, made, o)
	}
	asked := func(what string) bool { return slices.Contains(t.measure, what) }
	if made.Published != nil && asked("gap") {
		least, err := made.Prove(ctx)
		if err != nil {
			return fmt.Errorf("proving the least loss: %w", err)
		}
		o.Least = least
		o.Gap, _ = measure.Gap(o.NCP, least)
	}
	if made.Published != nil && asked("ml2") {
		if err := o.mining(ctx, s, made); err != nil {
			o.Message = "no ML2: " + err.Error()
		}
	}
	if made.Published != nil && asked("queries") {
		loss, err := measure.QueryError(
			ctx, rand.New(rand.NewPCG(1, 0)), s.tree, s.data, made.Published,
			measure.QueryOptions{Workers: t.Workers},
		)
		if err != nil {
			return fmt.Errorf("asking queries: %w", err)
		}
		o.QueryError = loss.Error
	}
	if asked("attack") {
		c, err := made.Attack()
		if err != nil {
			return err
		}
		return o.attack(ctx, t, c)
	}
	return nil
}

// baseQueries asks the paper's queries of base sets. Data may have too few items for them: the
// release is there all the same, and the message says why it has no figures of queries.
func (t Task) baseQueries(s *source, made *pipeline.Tried, o *Outcome) error {
	queries := measure.BaseQueryOptions{
		Queries: 500, Present: cmp.Or(s.config.Present, 3), Absent: cmp.Or(s.config.Absent, 4),
	}
	if n := s.data.Dict().Len(); n < max(queries.Present, queries.Absent) {
		o.Message = fmt.Sprintf("no query error: queries of %d and %d items cannot be drawn from %d",
			queries.Present, queries.Absent, n)
		return nil
	}
	loss, err := measure.BaseQueryError(
		rand.New(rand.NewPCG(500, 0)), s.data, made.Bases.Base, queries,
	)
	if err != nil {
		return err
	}
	o.TypeI, o.TypeII = loss.TypeI, loss.TypeII
	return nil
}

// mining measures ML2 and dML2, within a minute.
func (o *Outcome) mining(ctx context.Context, s *source, made *pipeline.Tried) error {
	limited, stop := context.WithTimeoutCause(
		ctx, time.Minute, errors.New("mining took longer than a minute"),
	)
	defer stop()
	if s.mined == nil && s.minedErr == nil {
		if s.mined, s.minedErr = measure.Mine(
			limited, s.tree, s.data, measure.MiningOptions{},
		); s.minedErr != nil {
			s.mined = nil
		}
	}
	if s.minedErr != nil {
		return s.minedErr
	}
	losses, err := s.mined.ML2(limited, made.Published)
	if err != nil {
		return err
	}
	o.ML2, o.DML2 = measure.MeanMiningLoss(losses)
	o.ML2At1, o.ML2At2, o.ML2At3 = losses[0].ML2, losses[1].ML2, losses[2].ML2
	o.DML2At1, o.DML2At2, o.DML2At3 = losses[0].DML2, losses[1].DML2, losses[2].DML2
	return nil
}

// attack singles out by m known items.
func (o *Outcome) attack(ctx context.Context, t Task, c *attack.Case) error {
	singling, err := c.SingleOut(ctx, attack.Options{M: t.M, K: t.K, Seed: 1, Workers: t.Workers})
	if err != nil || singling == nil {
		return err
	}
	o.UniqueBefore, o.UniqueAfter = singling.Before.Unique.Value, singling.After.Unique.Value
	o.UnderAfter, o.Success = singling.After.UnderK.Value, singling.After.Success.Value
	return nil
}

// drawAssignments times two procedures that draw assignments from a ring over the Gray order:
// closed walks, and backtracking.
func (t Task) drawAssignments(ctx context.Context, s *source, o *Outcome) error {
	g := nonreciprocal.Ring(partition.GrayOrder(s.data), t.K)
	timed := func(draw nonreciprocal.Extractor) (float64, error) {
		start, cpu := time.Now(), pipeline.CPUSeconds()
		_, _, err := draw(ctx, g, rand.New(rand.NewPCG(1, 1)))
		if used := pipeline.CPUSeconds() - cpu; !math.IsNaN(used) {
			return used, err
		}
		return time.Since(start).Seconds(), err
	}
	var err error
	if o.Walk, err = timed(nonreciprocal.ClosedWalk); err != nil {
		return err
	}
	if o.Backtrack, err = timed(nonreciprocal.Backtracking); err == nil {
		o.WalkGain, o.Seconds = o.Backtrack/o.Walk, o.Walk+o.Backtrack
	}
	return err
}
