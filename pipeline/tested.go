package pipeline

import (
	"context"
	"fmt"

	"mingle/attack"
	"mingle/dataset"
	"mingle/report"
)

// What an adversarial test looks at: all combinations where there are few, else some thousand persons, fewer the more
// records an attack has to look through. The draws are the same for every release: a report has no seed of its own.
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
}

// attacked makes the test. There is none of data that has nothing to attack.
func (s *session) attacked(ctx context.Context, c *attack.Case, t test, persons, records int) (*attack.Result, error) {
	if persons == 0 || records == 0 {
		return nil, nil
	}
	r, err := c.Run(ctx, attack.Options{
		M: t.m, K: t.k, Exact: testedExact, Draws: min(t.draws, max(testedLeast, int(testedWork/float64(records)))), Seed: testedSeed,
		Workers: t.workers, Progress: s.progress,
	})
	if err != nil {
		return nil, refused("attack the release", ctx, err)
	}
	return r, nil
}

// attackedBoth makes the test of the original and of the release, which only the custodian may see.
func (s *session) attackedBoth(ctx context.Context, c *attack.Case, t test, persons, records int) (*report.Attack, error) {
	r, err := s.attacked(ctx, c, t, persons, records)
	if r == nil {
		return nil, err
	}
	return report.NewAttack(r, t.promised, t.sensitive), err
}

// testedMemory is what a test needs for an occurrence, of the original and of the release, in bytes: an entry in the list of its
// item, and in those of the nodes above it.
const testedMemory = 16

// attack tests the release one step further than the promise goes: with m+1 known items. It is left out where it would need more
// memory than the run may.
func (r *run) attack(ctx context.Context) error {
	if r.Audit == "" {
		return nil
	}
	if need := testedMemory * int64(r.input.Data.Occurrences()+r.published.Occurrences()); r.Memory > 0 && need > r.Memory {
		r.untested = []string{fmt.Sprintf("the adversarial test was left out: it needs about %d MB, more than --memory allows; mingle attack makes it", need>>20)}
		return nil
	}
	c, err := attack.Generalized(r.tree, r.input.Data, r.published)
	if err == nil && r.input.Sensitive != nil {
		err = c.Sensitive(r.input.Sensitive, over(r.input.Sensitive.Dict(), r.publishedHidden))
	}
	if err != nil {
		return refused("attack the release", ctx, err)
	}
	t := test{k: r.Promise.K, m: r.Promise.M + 1, promised: r.Promise.M, sensitive: r.Promise.Diverse(), draws: testedMost, workers: r.Workers}
	r.tested, err = r.session.attackedBoth(ctx, c, t, r.input.Data.Len(), r.published.Len())
	return err
}

func (r *continuousRun) attack(ctx context.Context) error {
	if r.Audit == "" {
		return nil
	}
	c, err := attack.Ranges(r.data, r.published)
	if err != nil {
		return refused("attack the release", ctx, err)
	}
	t := test{k: r.Promise.K, m: r.Promise.M + 1, promised: r.Promise.M, draws: testedSome}
	r.tested, err = r.session.attackedBoth(ctx, c, t, r.data.Len(), r.published.Len())
	return err
}

// knownOfWhole is how many items the adversary of a test knows at most where the promise is about whole records.
const knownOfWhole = 3

func (r *nonreciprocalRun) attack(ctx context.Context) error {
	if r.Audit == "" {
		return nil
	}
	c, err := attack.Nonreciprocal(r.data, r.published)
	if err == nil && r.labels != nil {
		err = c.Labels(r.labels, r.published.Labels)
	}
	if err != nil {
		return refused("attack the release", ctx, err)
	}
	t := test{k: r.Promise.Matches(), m: knownOfWhole, promised: knownOfWhole, draws: testedSome, workers: r.Workers}
	r.tested, err = r.session.attackedBoth(ctx, c, t, r.data.Len(), r.published.Len())
	return err
}

// attack knows public items, as the adversary of the promise does, and infers private ones.
func (r *coherenceRun) attack(ctx context.Context) error {
	if r.Audit == "" {
		return nil
	}
	public, private, err := Split(r.data, r.private)
	if err != nil {
		return refused("attack the release", ctx, err)
	}
	published, publishedPrivate, err := Split(r.published, r.private)
	if err != nil {
		return refused("attack the release", ctx, err)
	}
	c, err := attack.Suppressed(public, over(public.Dict(), published))
	if err == nil && len(r.private) > 0 {
		err = c.Sensitive(private, over(private.Dict(), publishedPrivate))
	}
	if err != nil {
		return refused("attack the release", ctx, err)
	}
	t := test{k: r.Promise.K, m: r.Promise.P + 1, promised: r.Promise.P, sensitive: len(r.private) > 0, draws: testedMost, workers: r.Workers}
	r.tested, err = r.session.attackedBoth(ctx, c, t, r.data.Len(), r.published.Len())
	return err
}

// over is a dataset over another dictionary, which has all its labels.
func over(dict *dataset.Dictionary, d *dataset.Dataset) *dataset.Dataset {
	to := make([]int32, d.Dict().Len())
	for i, label := range d.Dict().Labels() {
		to[i], _ = dict.ID(label)
	}
	return d.Recode(dict, to)
}
