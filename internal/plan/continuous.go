package plan

import (
	"context"
	"fmt"

	"mingle/anonymize/continuous"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// bagAlgorithms are the algorithms on bags of numbers, by the name they have here: "aa" is also one on sets.
var bagAlgorithms = map[string]string{"acd": "acd", "aa-ranges": "aa", "local-ranges": "local"}

func runContinuous(ctx context.Context, t Task, s *source, o *Outcome) error {
	if s.bags == nil {
		return fmt.Errorf("%s is for bags of numbers; %s are sets", t.Algorithm, t.Data)
	}
	o.Transactions, o.Items = s.bags.Len(), len(s.bags.Terms())
	algorithm, err := continuous.Find(bagAlgorithms[t.Algorithm])
	if err != nil {
		return err
	}
	in := continuous.Input{Data: s.bags, Promise: privacy.Continuous{K: t.K, M: t.M}, Threshold: t.Threshold}
	if t.Algorithm == "aa-ranges" { // the paper's: width 100, fan-out 2
		if in.Tree, err = hierarchy.Ranges(s.bags.Terms(), hierarchy.RangeOptions{Width: "100", Fanout: 2}); err != nil {
			return err
		}
		o.Height = in.Tree.Height(in.Tree.Root())
	}
	var r *release.Ranges
	err = metered(o, func() (err error) {
		r, err = algorithm.Anonymize(ctx, in)
		return err
	})
	if err != nil {
		return err
	}
	o.NCP = measure.Bags(r).NCP
	finding, err := verify.Continuous(ctx, verify.ContinuousInput{Published: r.Published(), Original: s.bags, Promise: in.Promise, Workers: t.Workers})
	if err != nil {
		return fmt.Errorf("verifying: %w", err)
	}
	return o.verdict(finding)
}
