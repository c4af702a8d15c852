package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"

	"mingle/cluster/judge"
)

// Work is what a worker does: verb is one of those that jobs name, plan the text of the job's.
func Work(
	ctx context.Context, verb string, plan io.Reader, version string, r io.Reader, w io.Writer,
) error {
	if slices.Contains(judge.Verbs, verb) {
		return judge.Work(ctx, verb, plan, version, r, w)
	}
	p, err := ReadPlan(plan, version)
	if err != nil {
		return err
	}
	switch verb {
	case "whose":
		return p.Whose(ctx, r, w)
	case "map":
		return p.Map(ctx, r, w)
	case "merge":
		return p.Merge(ctx, r, w)
	case "distinct":
		return p.Distinct(ctx, r, w)
	case "publish":
		return p.Publish(ctx, r, w)
	case "attack":
		return p.Attack(ctx, r, w)
	case "attack-sum":
		return p.AttackSum(ctx, r, w)
	}
	return fmt.Errorf("a worker knows whose, map, merge, distinct, publish, attack, attack-sum, "+
		"verify-whose and verify, not %q", verb)
}
