package local_test

import (
	"context"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/levels"
	"mingle/anonymize/local"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
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

// It stops when told to where shares are bounded, too.
func TestLevelsOfSharesStop(t *testing.T) {
	in := conformance.Medium(9)
	in.Promise = privacy.KM{K: 5, M: 2, L: 3}
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t"}))
	for i := range in.Data.Len() {
		var tx []int32
		if i%7 == 0 {
			tx = append(tx, int32(i/7%2))
		}
		b.Add(tx)
	}
	in.Sensitive = b.Build()
	suite := conformance.Suite{New: func() anonymize.Algorithm { return leveled{} }}
	suite.Interrupt(t, in)
}

func TestSoakLevelsOfWorlds(t *testing.T) {
	conformance.Worlds(t, leveled{}, false)
}

// The form that takes less memory is there for promises of at most two known items alone.
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
	in.Promise.L, in.Sensitive = 2, dataset.FromLabels(make([][]string, in.Data.Len()))
	if lean := in.Lean(local.Algorithm{}, 1<<30); lean == nil {
		t.Error("local has no lean form with sensitive items")
	}
	in.Promise.M = 3
	if lean := in.Lean(local.Algorithm{}, 1<<30); lean != nil {
		t.Error("local has a lean form for m of 3")
	}
}
