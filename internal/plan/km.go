package plan

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/core"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/anonymize/suppress"
	"mingle/attack"
	"mingle/dataset"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// The families of algorithms.
const (
	familyKM         = "km"
	familyContinuous = "continuous"
	familyNR         = "nonreciprocal"
)

// families run a cell, and say in the outcome what came of it.
var families = map[string]func(ctx context.Context, t Task, s *source, o *Outcome) error{
	familyKM: runKM, familyContinuous: runContinuous, familyNR: runNR,
}

// generalizers are the algorithms over a hierarchy.
var generalizers = map[string]func(c Cell) anonymize.Algorithm{
	"aa":        func(Cell) anonymize.Algorithm { return global.AA{} },
	"da":        func(Cell) anonymize.Algorithm { return global.DA{} },
	"oa":        func(Cell) anonymize.Algorithm { return global.OA{} },
	"vpa":       func(c Cell) anonymize.Algorithm { return global.VPA{Parts: c.Parts, PartitionLevel: c.Level} },
	"lra":       func(c Cell) anonymize.Algorithm { return partition.LRA{Parts: c.Parts, Flexibility: c.Flexibility} },
	"partition": func(Cell) anonymize.Algorithm { return partition.Algorithm{} },
	"local":     func(Cell) anonymize.Algorithm { return local.Algorithm{} },
	"core":      func(Cell) anonymize.Algorithm { return core.Algorithm{} },
	"exact":     func(Cell) anonymize.Algorithm { return exact.Algorithm{} },

	// with items left out of up to 2.5 % of all occurrences
	"vpa+items":   func(Cell) anonymize.Algorithm { return suppress.Items{Inner: global.VPA{}, Max: 0.025} },
	"local+items": func(Cell) anonymize.Algorithm { return suppress.Items{Inner: local.Algorithm{}, Max: 0.025} },
}

// suppresses tells whether an algorithm may leave items out.
func suppresses(algorithm string) bool { return strings.HasSuffix(algorithm, "+items") }

// family is the family of an algorithm, "" if there is no such.
func family(algorithm string) string {
	switch {
	case generalizers[algorithm] != nil:
		return familyKM
	case bagAlgorithms[algorithm] != "":
		return familyContinuous
	case slices.Contains(nonreciprocals, algorithm):
		return familyNR
	}
	return ""
}

// Algorithms are the names of all algorithms.
func Algorithms() []string {
	var out []string
	for name := range generalizers {
		out = append(out, name)
	}
	for name := range bagAlgorithms {
		out = append(out, name)
	}
	out = append(out, nonreciprocals...)
	slices.Sort(out)
	return out
}

func runKM(ctx context.Context, t Task, s *source, o *Outcome) error {
	if s.data == nil {
		return fmt.Errorf("%s is for sets; %s are bags of numbers", t.Algorithm, t.Data)
	}
	o.Transactions, o.Items, o.Height = s.data.Len(), s.tree.Leaves(), s.tree.Height(s.tree.Root())
	in := anonymize.Input{Data: s.data, Tree: s.tree, Sensitive: s.sensitive, Promise: privacy.KM{K: t.K, M: t.M, L: t.L}, Workers: t.Workers}
	if t.Algorithm == "core" {
		in.Promise.Knows = privacy.OfAlgorithm // what it is for
	}
	var g *release.Generalized
	err := metered(o, func() (err error) {
		g, err = generalizers[t.Algorithm](t.Cell).Anonymize(ctx, in)
		return err
	})
	if err != nil {
		return err
	}
	o.NCP = measure.NCP(g).NCP
	published := g.Published()
	finding, err := verify.KM(ctx, verify.KMInput{
		Tree: s.tree, Published: published, PublishedSensitive: s.sensitive, Original: s.data, OriginalSensitive: s.sensitive,
		Promise: in.Promise, MaySuppress: suppresses(t.Algorithm), Workers: t.Workers,
	})
	if err != nil {
		return fmt.Errorf("verifying: %w", err)
	}
	if err := o.verdict(finding); err != nil {
		return err
	}
	if slices.Contains(t.measure, "gap") {
		if err := o.gap(ctx, in, g); err != nil {
			return fmt.Errorf("proving the least loss: %w", err)
		}
	}
	return extra(ctx, t, s, published, o)
}

// gap compares a loss with what exact proves to be the least of all global recodings.
func (o *Outcome) gap(ctx context.Context, in anonymize.Input, g *release.Generalized) error {
	if g.Bound == nil {
		best, err := exact.Algorithm{}.Anonymize(ctx, in)
		if err != nil {
			return err
		}
		g.Bound = best.Bound
	}
	o.Least = g.Bound.NCP
	o.Gap, _ = measure.Gap(o.NCP, o.Least)
	return nil
}

// verdict notes what the verifier says; a broken promise is a failure.
func (o *Outcome) verdict(f *verify.Finding) error {
	o.Verified = "yes"
	if !f.Holds {
		o.Verified = "no"
		return errors.New("the verifier refuses the release: " + f.Breaches[0].Message)
	}
	return nil
}

// extra takes the measures that cost more time. Frequent itemsets may be too many to be mined: the release is there all the
// same, and the message says why it has no ML2.
func extra(ctx context.Context, t Task, s *source, published *dataset.Dataset, o *Outcome) error {
	if slices.Contains(t.measure, "ml2") {
		if err := o.mining(ctx, s, published); err != nil {
			o.Message = "no ML2: " + err.Error()
		}
	}
	if slices.Contains(t.measure, "queries") {
		loss, err := measure.QueryError(rand.New(rand.NewPCG(1, 0)), s.tree, s.data, published, measure.QueryOptions{})
		if err != nil {
			return fmt.Errorf("asking queries: %w", err)
		}
		o.QueryError = loss.Error
	}
	if slices.Contains(t.measure, "attack") {
		c, err := attack.Generalized(s.tree, s.data, published)
		if err != nil {
			return err
		}
		return o.attack(ctx, t, c)
	}
	return nil
}

// mining measures ML2 and dML2, within a minute.
func (o *Outcome) mining(ctx context.Context, s *source, published *dataset.Dataset) error {
	limited, stop := context.WithTimeoutCause(ctx, time.Minute, errors.New("mining took longer than a minute"))
	defer stop()
	if s.mined == nil && s.minedErr == nil {
		if s.mined, s.minedErr = measure.Mine(limited, s.tree, s.data, measure.MiningOptions{}); s.minedErr != nil {
			s.mined = nil
		}
	}
	if s.minedErr != nil {
		return s.minedErr
	}
	losses, err := s.mined.ML2(limited, published)
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
