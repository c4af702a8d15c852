// Package auto tries the algorithms one after the other within a time limit and publishes what loses least.
//
// It proves and verifies nothing itself: each algorithm keeps the promise, and the losses (NCP) of their releases are
// compared. As long as the limit cuts nothing off, the result depends on the input alone; when it does, the release says
// so, since another run may get further.
//
// Time is the sum of the trials, at most the limit and what the first algorithm that succeeds takes beyond it. Memory is that of
// the hungriest trial and one release kept: 4 bytes an item occurrence.
package auto

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/exact"
	"mingle/anonymize/km"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/anonymize/suppress"
	"mingle/release"
)

// DefaultTimeLimit is the time limit where none is given.
const DefaultTimeLimit = 30 * time.Second

// Algorithm tries aa, local, exact, vpa, lra and partition, and, where a budget is given, suppression with local and with
// vpa.
type Algorithm struct {
	// TimeLimit ends the search with the best release by then; 0 means DefaultTimeLimit, less than 0 none. Until there is a release,
	// nothing is cut off.
	TimeLimit time.Duration
	// Items and Transactions, if positive, are the shares of all item occurrences that may be suppressed by leaving out
	// items, or transactions; each at most 1.
	Items, Transactions float64
}

// Name is "auto".
func (Algorithm) Name() string { return "auto" }

// errTime is why a trial ended early.
var errTime = errors.New("the time limit ended it")

// Anonymize implements anonymize.Algorithm. The release says what was tried.
func (a Algorithm) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	limit := a.TimeLimit
	if limit == 0 {
		limit = DefaultTimeLimit
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	if limit > 0 {
		within, cancel = context.WithTimeoutCause(ctx, limit, errTime)
		defer cancel()
	}
	s := &search{in: in, within: within}
	for _, alg := range a.trials() {
		if err := s.try(ctx, alg); err != nil {
			return nil, err
		}
	}
	return s.release(limit)
}

// trials are the algorithms in the order in which they are tried: a quick one, so that there is a release; then those that lose
// least, as a rule.
func (a Algorithm) trials() []anonymize.Algorithm {
	list := []anonymize.Algorithm{km.AA{}, local.Algorithm{KeepBest: true}}
	list = append(list, a.suppressing(local.Algorithm{})...)
	list = append(list, exact.Algorithm{KeepBest: true}, km.VPA{}, km.LRA{}, partition.Algorithm{})
	return append(list, a.suppressing(km.VPA{})...)
}

// suppressing is an algorithm with what it may leave out.
func (a Algorithm) suppressing(inner anonymize.Algorithm) (list []anonymize.Algorithm) {
	if a.Items > 0 {
		list = append(list, suppress.Items{Inner: inner, Max: a.Items})
	}
	if a.Transactions > 0 {
		list = append(list, suppress.Transactions{Inner: inner, Max: a.Transactions})
	}
	return list
}

// search is one run.
type search struct {
	in     anonymize.Input
	within context.Context // ends with the time limit

	tried []release.Trial
	best  *release.Generalized
	loss  int64 // of best: NCP times |I| times all occurrences
	name  string
	cut   bool // the time limit cut something off
	fault error
}

// try runs one algorithm and keeps its release if it is the best.
func (s *search) try(ctx context.Context, a anonymize.Algorithm) error {
	t := release.Trial{Name: a.Name()}
	if s.best != nil && s.loss == 0 {
		t.Note = "not tried: nothing is lost already"
		s.tried = append(s.tried, t)
		return nil
	}
	limited := ctx
	if s.best != nil {
		limited = s.within
	}
	if limited.Err() != nil && ctx.Err() == nil {
		t.Note, s.cut = "not tried: the time limit was reached", true
		s.tried = append(s.tried, t)
		return nil
	}
	began := time.Now()
	g, err := a.Anonymize(limited, s.named(a.Name()))
	t.Seconds = time.Since(began).Seconds()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if limited.Err() != nil {
		s.cut = true
		t.Note = errTime.Error()
	}
	if err == nil {
		s.keep(g, &t)
	} else if t.Note == "" {
		t.Note, s.fault = err.Error(), err
	}
	s.tried = append(s.tried, t)
	return nil
}

// named is the input with progress that names the trial.
func (s *search) named(name string) anonymize.Input {
	in := s.in
	if in.Progress != nil {
		in.Progress = func(p anonymize.Progress) {
			p.Stage = name + ": " + p.Stage
			s.in.Progress(p)
		}
	}
	return in
}

// keep notes what a release loses and keeps it if it is the best.
func (s *search) keep(g *release.Generalized, t *release.Trial) {
	loss := lossOf(g)
	t.Done = true
	if all := int64(g.Data.Occurrences()) * int64(g.Tree.Leaves()); all > 0 {
		t.NCP = float64(loss) / float64(all)
	}
	if s.best == nil || loss < s.loss || loss == s.loss && s.best.Bound == nil && g.Bound != nil { // of equals, the one with a proof
		s.best, s.loss, s.name = g, loss, t.Name
	}
}

// release is the best one, with what was tried.
func (s *search) release(limit time.Duration) (*release.Generalized, error) {
	if s.best == nil {
		return nil, s.fault
	}
	s.best.Tried = s.tried
	if s.cut {
		s.best.Warnings = append(s.best.Warnings, fmt.Sprintf(
			"The time limit of %v ended the search: another run, or a faster machine, may publish another release. For one that can be made again, choose %q by name.",
			limit, s.name))
	}
	return s.best, nil
}

// lossOf is NCP times |I| times all occurrences.
func lossOf(g *release.Generalized) int64 {
	loss := int64(0)
	for pos := range g.Data.Items() {
		switch u := g.Node(pos); {
		case u == release.Suppressed:
			loss += int64(g.Tree.Leaves())
		case !g.Tree.IsLeaf(u):
			loss += int64(g.Tree.LeafCount(u))
		}
	}
	return loss
}
