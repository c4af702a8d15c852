package local

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mingle/anonymize"
	"mingle/privacy"
	"mingle/release"
)

// What one part of the transactions publishes keeps the promise by itself, so all parts together
// keep it: a set that occurs has its k transactions in each part that it occurs in, and a share
// that is at most 1/l in each part is at most 1/l in all of them; where shares of persons are
// bounded that is so because all transactions of a person are in one part. So transactions that do
// not fit into memory at once are dealt into parts, by chance alone, and specialised part after
// part. Each is as detailed as its company in its own part allows, so that parts lose more than the
// whole does. Who knows the seed knows the parts; nobody else learns them, and nothing hangs on
// that.

// inParts deals the transactions out, into fewer parts where one cannot keep the promise by itself.
func (a Algorithm) inParts(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	ends := time.Now().Add(a.TimeLimit)
	for parts := min(a.Parts, max(1, in.Data.Len()/in.Promise.K)); parts > 1; parts /= 2 {
		g, err := a.dealt(ctx, in, parts, ends)
		if infeasible := (*privacy.Infeasible)(nil); !errors.As(err, &infeasible) {
			return g, err
		}
	}
	a.Parts = 1
	return a.Anonymize(ctx, in)
}

// dealt deals the transactions into so many parts.
func (a Algorithm) dealt(
	ctx context.Context, in anonymize.Input, parts int, ends time.Time,
) (*release.Generalized, error) {
	of, seeds := deal(in, parts)
	out := release.Local(in.Tree, in.Data, make([]int32, in.Data.Occurrences()))
	out.Parts = of
	early := ""
	for part := range int32(parts) {
		within := a
		within.Parts = 1
		if a.TimeLimit > 0 { // each part that is left gets as much
			left := time.Until(ends) / time.Duration(parts-int(part))
			within.TimeLimit = max(left, time.Nanosecond)
		}
		g, err := within.Anonymize(ctx, partOf(in, of, part, seeds))
		if err != nil {
			return nil, err
		}
		putPart(out, of, part, g.Nodes)
		for _, w := range g.Warnings {
			early = w
		}
	}
	if early != "" {
		out.Warnings = append(out.Warnings, early)
	}
	out.Warnings = append(out.Warnings, fmt.Sprintf(
		"The transactions were specialised in %d parts, dealt by chance, as more do not fit into the "+
			"memory that may be held: with more memory less is lost.", parts))
	return out, nil
}

// deal says which part each transaction is in: parts of the same number of transactions but for
// one, or of persons with theirs where shares of persons are bounded, by a secret shuffle that
// looks at nothing else of the data; and gives every part a seed. Without a seed nothing is left to
// chance: the parts get them in turn.
func deal(in anonymize.Input, parts int) (of []int32, seeds [][32]byte) {
	hands, n := handsOf(in)
	of = make([]int32, n)
	for hand := range of {
		of[hand] = int32(hand % parts)
	}
	if in.Seed != nil {
		secret := rand.NewChaCha8(*in.Seed)
		seeds = make([][32]byte, parts)
		for part := range seeds {
			secret.Read(seeds[part][:])
		}
		rand.New(secret).Shuffle(n, func(i, j int) { of[i], of[j] = of[j], of[i] })
	}
	if hands == nil {
		return of, seeds
	}
	all := make([]int32, in.Data.Len())
	for i, hand := range hands {
		all[i] = of[hand]
	}
	return all, seeds
}

// handsOf says which transactions stay together, by a number from 0 to n-1 each; nil: none do.
// Those of a person do where shares of persons are bounded; one of nobody stays alone.
func handsOf(in anonymize.Input) (hands []int32, n int) {
	p := in.Promise
	if !p.Persons || !p.Diverse() && p.PersonShare == 0 {
		return nil, in.Data.Len()
	}
	hands = make([]int32, in.Data.Len())
	of := map[int32]int32{}
	for i, person := range in.Persons {
		hand, is := of[person]
		if !is || person < 0 {
			hand = int32(n)
			of[person] = hand
			n++
		}
		hands[i] = hand
	}
	return hands, n
}

// partOf is the input of one part.
func partOf(in anonymize.Input, of []int32, part int32, seeds [][32]byte) anonymize.Input {
	var own []int32
	for i, p := range of {
		if p == part {
			own = append(own, int32(i))
		}
	}
	in.Data = in.Data.WithColumns(nil).Select(own)
	if in.Sensitive != nil {
		in.Sensitive = in.Sensitive.WithColumns(nil).Select(own)
	}
	if seeds != nil {
		in.Seed = &seeds[part]
	}
	in.Persons = anonymize.PersonsOf(in.Persons, own)
	if listener := in.Progress; listener != nil {
		in.Progress = func(stage anonymize.Progress) {
			stage.Stage = fmt.Sprintf("part %d: %s", part+1, stage.Stage)
			listener(stage)
		}
	}
	return in
}

// putPart puts the nodes of a part's occurrences where they belong among all.
func putPart(out *release.Generalized, of []int32, part int32, nodes []int32) {
	at := 0
	for i, tx := range out.Data.All() {
		if of[i] == part {
			nodes = nodes[copy(out.Nodes[at:at+len(tx)], nodes):]
		}
		at += len(tx)
	}
}
