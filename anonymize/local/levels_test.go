package local_test

import (
	"context"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/levels"
	"mingle/anonymize/local"
	"mingle/internal/soak"
	"mingle/release"
)

// leveled goes level by level where it can.
type leveled struct{ local.Algorithm }

func (a leveled) Anonymize(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	a.Levels = levels.Takes(in)
	return a.Algorithm.Anonymize(ctx, in)
}

// Level by level, too, a release keeps every promise that it is asked for.
func TestLevelsSoak(t *testing.T) {
	conformance.Suite{
		Instances:    soak.Share(1_000, 6_000),
		NoNegative:   true,
		OrderMatters: true,
		New:          func() anonymize.Algorithm { return leveled{} },
	}.Run(t)
}

func TestSoakLevelsOfWorlds(t *testing.T) {
	conformance.Worlds(t, leveled{}, false)
}

// The form that takes less memory is there for plain promises of at most two known items alone.
func TestLean(t *testing.T) {
	in := conformance.Medium(3)
	in.Promise.L, in.Sensitive, in.Promise.NegativeKnowledge = 0, nil, false
	in.Promise.M = 2
	if lean := in.Lean(local.Algorithm{}, 1<<30); lean == nil {
		t.Error("local has no lean form")
	}
	if lean := in.Lean(local.Algorithm{}, 1<<20); lean != nil {
		t.Error("local fits into a megabyte")
	}
	in.Promise.M = 3
	if lean := in.Lean(local.Algorithm{}, 1<<30); lean != nil {
		t.Error("local has a lean form for m of 3")
	}
}
