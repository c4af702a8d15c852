package pipeline

import (
	"context"

	"mingle/attack"
	"mingle/report"
)

// What an adversarial test looks at: all combinations where there are few, else some thousand
// persons, fewer the more records an attack has to look through. The draws are the same for every
// release: a report has no seed of its own.
const (
	testedExact = 200_000
	testedMost  = 5_000
	testedSome  = 2_000 // where each record must be read to see whether it matches
	testedLeast = 1_000
	testedSeed  = 1
	testedWork  = 5e9 // draws times records
)

// test is the adversarial test that a report or an audit file tells of.
type test struct {
	k, m      int  // fewer than k matches are told; up to m items are known
	promised  int  // the promise is about at most so many
	sensitive bool // and bounds the inference of sensitive items
	draws     int
	workers   int

	persons, records int // of the original, of the published file
}

// attacked makes the test. There is none of data that has nothing to attack.
func (s *session) attacked(ctx context.Context, c *attack.Case, t test) (*attack.Result, error) {
	if c == nil || t.persons == 0 || t.records == 0 {
		return nil, nil
	}
	draws := min(t.draws, max(testedLeast, int(testedWork/float64(t.records))))
	r, err := c.Run(ctx, attack.Options{
		M: t.m, K: t.k, Exact: testedExact, Draws: draws, Seed: testedSeed,
		Workers: t.workers, Progress: s.progress,
	})
	if err != nil {
		return nil, refused("attack the release", ctx, err)
	}
	return r, nil
}

// attackedBoth makes the test of the original and of the release, which only the custodian may see.
func (s *session) attackedBoth(
	ctx context.Context, c *attack.Case, t test,
) (*report.Attack, error) {
	r, err := s.attacked(ctx, c, t)
	if r == nil {
		return nil, err
	}
	return report.NewAttack(r, t.promised, t.sensitive), err
}

// testedMemory is what a test needs for an occurrence, of the original and of the release, in
// bytes: an entry in the list of its item, and in those of the nodes above it.
const testedMemory = 16

// knownOfWhole is how many items the adversary of a test knows at most where the promise is about
// whole records.
const knownOfWhole = 3
