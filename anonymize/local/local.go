// Package local is local recoding by top-down specialisation with peeling: every occurrence of
// an item may be published at a level of its own, as detailed as the company it is in allows.
// It is not in the papers.
//
// All transactions start at the root. A step takes a node u and lets every transaction that
// publishes u publish the children of u in its place, or one of them, then takes back, as in the
// peeling of k-cores, what makes a set of at most m published nodes rare. Each step ends in a
// release that keeps the promise (see step), so the result does, and each step only lowers the
// loss. What is specialised first has the first say, so the order of the steps decides what is
// lost: several are tried, then variations of the best, until a bound on counted work is reached
// or nothing is gained (see search). In the end single transactions choose anew (see exchange),
// and what was left behind is tried again. What condition (c) lacks then is mended (see mend).
//
// Where persons are counted, a support is a number of distinct persons (see persons.go).
//
// With l^m-diversity the steps examine shares as they do supports, and what unions of transactions,
// or of persons, lack is mended, too (see unions and unions_persons.go). With m up to 2 the release
// of going level by level is one more to choose from (see alternative).
//
// Time: for every step and every transaction that may change, the sets of at most m-1 other
// nodes of what it publishes are counted once; for m>3 again those that begin with a pair about
// which too much has changed or, where there is no room to count all pairs, with a node. Memory,
// for each of the orders followed side by side and each of the two best releases: 12 bytes an
// occurrence, 4 bytes each node published, and the working space of the largest step, some tens of
// bytes for each node published by the transactions that publish u, and up to 16 MB for pairs.
// Exchanges hold as much for two nodes where m is 3 (see cooccurrences). Besides, 8 bytes an
// occurrence for all of them together (see index).
package local

import (
	"context"
	"fmt"

	"mingle/anonymize"
	"mingle/anonymize/levels"
	"mingle/privacy"
	"mingle/release"
)

// Algorithm is local recoding with peeling. The zero value runs to its end with an effort of 1;
// one of 10 loses a few percent less. The release keeps the promise after every step, so it ends
// with what is reached when its time is over.
type Algorithm struct {
	anonymize.Budget
	// Parts is how many parts the transactions are dealt into, to be specialised one after another
	// in less memory; 0 and 1: none. The order of the transactions matters then. There are fewer
	// where a part could not keep the promise.
	Parts int
	// Levels has the transactions specialised level by level, in far less memory and time, for the
	// promises of levels.Keeps. The order of the transactions matters then.
	Levels bool
}

// Name is "local".
func (Algorithm) Name() string { return "local" }

// Traits implements anonymize.Algorithm. Its lean form goes level by level. What is left to chance
// is in refusals.
func (a Algorithm) Traits() anonymize.Traits {
	return anonymize.Traits{
		Packed: a.Levels, Persons: true, Refuses: refuses, Randomized: true, KeepsBest: true,
		LittleGarbage: true, Need: need,
		InParts: func(parts int) anonymize.Algorithm {
			a.Parts = parts
			return a
		},
		MayBeLean: levels.Keeps,
		Lean: func(in anonymize.Input) (lean anonymize.Algorithm, least int64) {
			if !levels.Takes(in) {
				return nil, 0
			}
			a.Levels = true
			return a, levels.Least(in)
		},
	}
}

// refuses says what is not looked at: what is sensitive is taken for what nobody knows.
func refuses(p privacy.KM) string {
	switch {
	case p.SensitiveKnown:
		return "does not take known sensitive items into account"
	case p.NegativeKnowledge:
		return "does not take negative knowledge into account"
	}
	return ""
}

func need(in anonymize.Input) (all, alone anonymize.Need) {
	counted := 37 << 20 * (min(in.Promise.M, 3) - 1)
	all = anonymize.Need{Each: 200, Tables: counted * 6 / 5}
	alone = anonymize.Need{Each: 150, Tables: counted}
	return all, alone
}

// Anonymize implements anonymize.Algorithm.
func (a Algorithm) Anonymize(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	if err := admit(in); err != nil {
		return nil, err
	}
	if a.Levels {
		return a.byLevel(ctx, in)
	}
	if err := countable(in.Data.Len()); err != nil {
		return nil, err
	}
	if a.Parts > 1 {
		return a.inParts(ctx, in)
	}
	within, cancel := a.Within(ctx)
	defer cancel()
	unless := ctx
	if a.KeepBest {
		unless = context.WithoutCancel(ctx) // what is published early must be compatible, too
	}
	g := a.best(ctx, unless, within, in)
	if unless.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if within.Err() != nil {
		g.Warnings = append(g.Warnings, fmt.Sprintf("The specialisation was ended early: %v.", context.Cause(within)))
	}
	return g, nil
}

// best is the best release that is found until the context within ends. Unless the second one ends,
// it keeps the promise.
func (a Algorithm) best(
	ctx, unless, within context.Context, in anonymize.Input,
) *release.Generalized {
	search := newSearch(within, in, a.Times())
	if search.div != nil {
		if st := search.asRefused(within); st != nil {
			return st.release(in)
		}
	}
	other := a.newAlternative(ctx, in)
	search.other = other
	search.run()
	if search.outdone(muchMended) {
		return other.release()
	}
	completed := search.complete(unless, within)
	if other.least() <= completed.loss {
		return other.release()
	}
	return completed.release(in)
}

// byLevel goes level by level.
func (a Algorithm) byLevel(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	g, err := a.leveled(ctx, in)
	if err != nil {
		return nil, err
	}
	g.Warnings = append(g.Warnings, "The transactions were specialised level by level, in little "+
		"memory and without a search: where the search fits, another release is published.")
	return g, nil
}

// leveled is the release of going level by level.
func (a Algorithm) leveled(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	draws := newDraws(in, nil, refusedLoss)
	return levels.Algorithm{Budget: a.Budget, Chance: draws.chance}.Anonymize(ctx, in)
}

// admit refuses what local does not keep, or nothing can.
func admit(in anonymize.Input) error { return in.CheckFor(Algorithm{}) }

// maxTransactions is the most that local takes: counts of pairs have a mark in a bit (see queued),
// and so has a slack without end (see wide).
const maxTransactions = queued - 1

// countable refuses more transactions than can be counted.
func countable(transactions int) error {
	if transactions > maxTransactions {
		return fmt.Errorf("local takes at most %d transactions, and there are %d: choose aa, or publish the data in parts",
			maxTransactions, transactions)
	}
	return nil
}
