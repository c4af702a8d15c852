package verify

import (
	"context"
	"slices"
	"strconv"
)

// known checks knowledge of sensitive items, where these may be known: for every set T of at most
// m of them that occurs, the lines that have T are at least k, and all that is promised of all
// lines holds of these, with m-|T| items known beside, for the sensitive items that are not in T.
//
// Where the unit is a person, these are the lines that have T, whosever they are, and their
// persons: those with all of T, and of what is known beside, in a single line.
//
// The original is not asked which items go with T. Where an occurrence of T was suppressed, the
// person has T, and the person's line is not among those that publish it.
func (j *judgement) known(ctx context.Context) error {
	if !j.in.Promise.SensitiveKnown || j.sens == nil {
		return nil
	}
	return j.knownBehind(ctx, -1, j.f)
}

// knownBehind looks at what may be known besides what this judgement takes as known: one more
// sensitive item, behind last, and those behind it in turn.
func (j *judgement) knownBehind(ctx context.Context, last int32, into *Finding) error {
	if j.in.Promise.M == 0 {
		return nil
	}
	holders := make([][]int32, j.sens.Dict().Len())
	for i, tx := range j.sens.All() {
		for _, s := range tx {
			if s > last {
				holders[s] = append(holders[s], int32(i))
			}
		}
	}
	for s, lines := range holders {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(lines) == 0 {
			continue
		}
		sub := j.knowing(int32(s), lines)
		if err := sub.runWithin(ctx, into); err != nil {
			return err
		}
		if err := sub.columnsInto(ctx, into); err != nil {
			return err
		}
		if sub.units() < j.in.Promise.K {
			continue // a breach already, and all beyond it
		}
		if err := sub.knownBehind(ctx, int32(s), into); err != nil {
			return err
		}
	}
	return nil
}

// knowing is the judgement of the lines that have sensitive item s, too.
func (j *judgement) knowing(s int32, lines []int32) *judgement {
	others := make([]int32, j.sens.Dict().Len())
	for i := range others {
		others[i] = int32(i)
	}
	others[s] = -1
	sub := j.among(lines, j.sens.Select(lines).Recode(j.sens.Dict(), others), false)
	sub.in.Promise.M--
	sub.within.known = append(slices.Clone(sub.within.known), j.sens.Dict().Label(s))
	return sub
}

// units is how many there are of what supports are counted in: lines, or their persons.
func (j *judgement) units() int {
	if j.person == nil {
		return j.in.Published.Len()
	}
	met := map[int32]bool{}
	for _, p := range j.person {
		if p != nobody {
			met[p] = true
		}
	}
	return len(met)
}

func quote(label string) string { return strconv.Quote(label) }
