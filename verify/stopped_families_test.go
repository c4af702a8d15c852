package verify_test

import (
	"context"
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
