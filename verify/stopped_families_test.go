package verify_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"mingle/privacy"
	"mingle/verify"
)

func TestAJudgeOfOtherFamiliesThatIsStoppedGivesNoVerdict(t *testing.T) {
	d, labels := table1()
	for _, promise := range []privacy.Nonreciprocal{{K: 3}, {L: 3}, {K: 4}} {
		in := verify.NonreciprocalInput{
			Original: d, Labels: labels, Published: readTable(t, table3, d), Promise: promise,
			Workers: 1,
		}
		verify.StopsEverywhere(t, func(ctx context.Context) (*verify.Finding, error) {
			return verify.Nonreciprocal(ctx, in)
		})
	}
	of := bags(t, "11000 11000 20000 40000 40000", "11000 30500 40000", "11000 20000")
	for _, in := range []verify.ContinuousInput{
		{Published: of, Promise: privacy.Continuous{K: 2, M: 2}},
		{Published: of, Original: of, Promise: privacy.Continuous{K: 1, M: 2}},
	} {
		if in.Promise.Validate() != nil {
			in.Promise.K = 2
		}
		verify.StopsEverywhere(t, func(ctx context.Context) (*verify.Finding, error) {
			return verify.Continuous(ctx, in)
		})
	}
}

// The assignments of these are not found at once: the judge is stopped while it looks for them.
func TestALookForAssignmentsIsStopped(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(16, seed))
		original, published := randomRelease(rng)
		d, labels := fromLines(original)
		in := verify.NonreciprocalInput{
			Original: d, Labels: labels, Published: publishedLines(published),
			Promise: privacy.Nonreciprocal{L: 2}, Workers: 1,
		}
		verify.StopsEverywhere(t, func(ctx context.Context) (*verify.Finding, error) {
			return verify.Nonreciprocal(ctx, in)
		})
	}
}
