package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"mingle/cluster/judge"
	"mingle/cluster/split"
)

// Verbs are what workers are asked to do, beside those of the judge.
var Verbs = []string{
	"whose", "map", "merge", "distinct", "publish", "attack", "attack-sum", "count", "sizes", "deal",
	"anonymize", "place",
}

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
	if deals := p.Deal != nil; !deals && slices.Contains([]string{"sizes", "deal", "anonymize"}, verb) {
		return fmt.Errorf("the plan is not one for %s", verb)
	}
	switch verb {
	case "count":
		return split.CountLines(ctx, r, version, w)
	case "sizes":
		return p.Sizes(ctx, r, w)
	case "deal":
		return p.DealOut(ctx, r, w)
	case "anonymize":
		return p.Anonymize(ctx, r, w)
	case "place":
		return p.Place(ctx, r, w)
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
	return fmt.Errorf("a worker knows %s, not %q", strings.Join(slices.Concat(Verbs, judge.Verbs), ", "),
		verb)
}
