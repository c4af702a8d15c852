package cluster

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"mingle/cluster/judge"
	"mingle/cluster/split"
)

// work is what a worker does of a plan.
type work struct {
	do func(p *Plan, ctx context.Context, r io.Reader, w io.Writer) error
	// deals says that the plan must be one of deals into parts.
	deals bool
}

// verbs are what workers are asked to do, beside those of the judge.
var verbs = map[string]work{
	"whose": {do: (*Plan).whose}, "map": {do: (*Plan).countSets}, "merge": {do: (*Plan).merge},
	"distinct": {do: (*Plan).distinct}, "publish": {do: (*Plan).publish},
	"attack": {do: (*Plan).attack}, "attack-sum": {do: (*Plan).attackSum},
	"count": {do: (*Plan).countLines}, "place": {do: (*Plan).place},
	"sizes":     {do: (*Plan).sizes, deals: true},
	"deal":      {do: (*Plan).dealOut, deals: true},
	"anonymize": {do: (*Plan).anonymize, deals: true},
}

func (p *Plan) countLines(ctx context.Context, r io.Reader, w io.Writer) error {
	return split.CountLines(ctx, r, p.Version, w)
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
	does, known := verbs[verb]
	switch {
	case !known:
		own := slices.Sorted(maps.Keys(verbs))
		return fmt.Errorf("a worker knows %s, not %q",
			strings.Join(slices.Concat(own, judge.Verbs), ", "), verb)
	case does.deals && p.Deal == nil:
		return fmt.Errorf("the plan is not one for %s", verb)
	}
	return does.do(p, ctx, r, w)
}
