// Package auto tries algorithms one after the other and publishes what loses least.
//
// It proves and verifies nothing itself: each algorithm keeps the promise, and the losses (NCP) of
// their releases are compared. Without a time limit what is tried follows from counts of the input
// (see ends), each trial goes to its end, and the result depends on the input alone. With one the
// release says so where the limit cut something off, since another run may get further.
//
// Time is the sum of the trials, with a time limit at most that and the second in which an
// algorithm stops. Memory is that of the hungriest trial and one release kept: 4 bytes an item
// occurrence. With a bound on memory, what would need more is not tried.
package auto

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/core"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/anonymize/suppress"
	"mingle/release"
)

// Algorithm tries aa, local, exact, vpa, lra and partition (against an adversary who runs the
// algorithm in mind: partition and core), and, where a budget is given, suppression with exact and
// with local.
type Algorithm struct {
	// Budget has a positive time limit to try all of them until then. 0 tries what ends soon by
	// counts of the input; less than 0 tries all to their end. Effort is that of local and core; 0
	// means 1, and with a time limit what takes a few seconds.
	anonymize.Budget
	// Items and Transactions, if positive, are the shares of all item occurrences that may be
	// suppressed by leaving out items, or transactions; each at most 1.
	Items, Transactions float64
	// VPA and LRA are tried with these parameters; nil: with their defaults.
	VPA *global.VPA
	LRA *partition.LRA
}

// Name is "auto".
func (Algorithm) Name() string { return "auto" }

// Traits implements anonymize.Algorithm. Packed data are unpacked where there is room for what
// needs plain data. Against who runs it in mind core and partition are tried, which are symmetric:
// their losses do not depend on the order of the transactions, so neither does the choice. Nothing
// is left out then. Of persons, those are tried that keep the promise. What is left to chance is in
// alone, and in refusals in package local.
func (a Algorithm) Traits() anonymize.Traits {
	return anonymize.Traits{
		Packed: true, Symmetric: a.Items == 0 && a.Transactions == 0, Persons: true,
		Randomized: true, KeepsBest: true, LeavesLinesOut: a.Transactions > 0, LittleGarbage: true,
	}
}

// errHalf is why a trial ended that gets half of the time that is left.
var errHalf = errors.New("half of the time that was left was over")

// Anonymize implements anonymize.Algorithm. The release says what was tried.
func (a Algorithm) Anonymize(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	if err := in.CheckFor(a); err != nil {
		return nil, err
	}
	if a.Items > 0 || a.Transactions > 0 {
		if err := suppress.MayHide(in); err != nil {
			return nil, err
		}
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	if limit := a.TimeLimit; limit > 0 {
		within, cancel = context.WithTimeoutCause(
			ctx, limit, fmt.Errorf("the time limit of %v was reached", limit),
		)
		defer cancel()
	}
	s := &search{in: in, within: within, alone: a.alone(in)}
	for _, t := range s.inOrder(a.trials(in)) {
		s.try(t)
		if ctx.Err() != nil && !(a.KeepBest && s.best != nil) {
			return nil, context.Cause(ctx)
		}
	}
	if s.best == nil && s.fault == nil && within.Err() == nil {
		// nothing else fits, and half of the time was too little
		s.try(trial{Algorithm: global.AA{}})
	}
	return s.release()
}

// trial is an algorithm to be tried.
type trial struct {
	anonymize.Algorithm
	early bool // it ends with the best it has
	half  bool // it may take long, and gets at most half of the time that is left
	long  bool // it may take far longer than local, and is not tried beside a release of it
	slow  bool // it may take far longer than any, and is tried only where there is no release
}

// trials are made in this order: one that is quick as a rule, so that there is a release; one that
// has some release whenever it ends; then those that lose least, as a rule.
func (a Algorithm) trials(in anonymize.Input) []trial {
	if in.Promise.AgainstAlgorithm() {
		return []trial{
			{Algorithm: partition.Algorithm{}},
			{Algorithm: core.Algorithm{Budget: searching(a.Effort)}, early: true},
		}
	}
	longer := local.Algorithm{Budget: searching(a.effort(in.Data.Occurrences()))}
	best := local.Algorithm{Budget: searching(a.Effort)}
	optimum := exact.Algorithm{Budget: searching(0)}
	if a.TimeLimit == 0 {
		optimum.Work = proofWork
	}
	list := []trial{
		{Algorithm: global.AA{}, half: true},
		{Algorithm: longer, early: true},
		{Algorithm: optimum, early: true, half: true},
	}
	list = append(list, a.suppressing(trial{Algorithm: optimum, early: true, half: true})...)
	vertical, horizontal := global.VPA{}, partition.LRA{Flexibility: -1}
	if a.VPA != nil {
		vertical = *a.VPA
	}
	if a.LRA != nil {
		horizontal = *a.LRA
	}
	for _, whole := range []anonymize.Algorithm{vertical, horizontal, partition.Algorithm{}} {
		list = append(list, trial{Algorithm: whole})
	}
	list = append(list, a.suppressing(trial{Algorithm: best, early: true})...)
	list = ofPersons(in, list)
	if a.TimeLimit == 0 {
		return ends(in, list)
	}
	return list
}

// searching is the budget of a trial, which ends with its context.
func searching(effort int) anonymize.Budget {
	return anonymize.Budget{Effort: effort, KeepBest: true}
}

// effort is that of local on data of some size. Its time with an effort of 1 is about in proportion
// to the occurrences, so small data can be searched longer: a few seconds.
func (a Algorithm) effort(occurrences int) int {
	const affordable, most = 1_700_000, 50
	if a.Effort > 0 || a.TimeLimit == 0 {
		return max(1, a.Effort)
	}
	return max(1, min(most, affordable/max(1, occurrences)))
}

// suppressing is a trial with what it may leave out.
func (a Algorithm) suppressing(t trial) (list []trial) {
	budget, inner := searching(0), t.Algorithm
	if a.Items > 0 {
		t.Algorithm = suppress.Items{Inner: inner, Max: a.Items, Budget: budget}
		list = append(list, t)
	}
	if a.Transactions > 0 {
		t.Algorithm = suppress.Transactions{Inner: inner, Max: a.Transactions, Budget: budget}
		list = append(list, t)
	}
	return list
}

// search is one run.
type search struct {
	in     anonymize.Input
	within context.Context // ends with the time limit
	alone  bool            // local is not compared with others
	local  bool            // it has a release

	tried []release.Trial
	best  *release.Generalized
	loss  int64 // of best: NCP times |I| times all occurrences
	name  string
	cut   string // what cut something off first; "": nothing did
	fault error
}

// try makes one trial and keeps its release if it is the best.
func (s *search) try(a trial) {
	t := release.Trial{Name: a.Name()}
	defer func() { s.tried = append(s.tried, t) }()
	if s.best != nil && s.loss == 0 {
		t.Note = "not tried: nothing is lost already"
		return
	}
	if s.alone && s.best != nil {
		t.Note = "not tried: local was not compared with others this time, as chance would have it"
		return
	}
	if s.best != nil && s.inVain(a) {
		t.Note = "not tried: it may take long"
		return
	}
	in, least := s.fit(a)
	if least > 0 {
		if lean := in.Lean(a.Algorithm, s.in.Memory); lean != nil {
			a.Algorithm, in.Memory, least = lean, s.in.Memory, 0
		}
	}
	if least > 0 {
		t.Note = fmt.Sprintf(
			"not tried: it would need about %d MB, more than --memory allows", least>>20,
		)
		return
	}
	if !a.Traits().Packed {
		s.in.Data = s.in.Data.Flat()
		in.Data = s.in.Data
	}
	limited, cancel := s.limited(a.half)
	defer cancel()
	if limited.Err() != nil && (s.best != nil || !a.early) {
		t.Note = "not tried: " + s.cutOff(limited)
		return
	}
	began := time.Now()
	g, err := a.Anonymize(limited, in)
	t.Seconds = time.Since(began).Seconds()
	if limited.Err() != nil && (a.early || err != nil) {
		t.Note = "ended early: " + s.cutOff(limited)
	}
	if err == nil {
		s.keep(g, &t)
	} else if t.Note == "" {
		t.Note, s.fault = err.Error(), err
	}
}

// inVain tells whether a trial beside those before may take long for nothing. With l-diversity
// local may lose much: then the others are tried, and the slow ones where one of these is better.
func (s *search) inVain(a trial) bool {
	if s.in.Promise.Diverse() && s.local {
		return a.slow && s.name == "local"
	}
	return a.slow || a.long && s.local
}

// fit is the input of a trial that keeps to the bound on memory, or how many bytes it needs at
// least. Packed data is unpacked for what is not frugal, and stays beside.
func (s *search) fit(a trial) (in anonymize.Input, least int64) {
	in = s.named(a.Name())
	room := in.Memory
	if room > 0 && !in.Data.IsPacked() {
		in.Memory = 0 // it is told of the bound where it matters
	}
	return in.Within(a.Algorithm, room)
}

// limited is the context of a trial.
func (s *search) limited(half bool) (context.Context, context.CancelFunc) {
	end, ends := s.within.Deadline()
	if !half || !ends {
		return context.WithCancel(s.within)
	}
	return context.WithDeadlineCause(s.within, time.Now().Add(time.Until(end)/2), errHalf)
}

// cutOff notes that a trial was cut off, and returns why.
func (s *search) cutOff(limited context.Context) string {
	why := context.Cause(limited).Error()
	if s.cut == "" {
		s.cut = why
	}
	return why
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
	loss := g.Penalty()
	t.Done = true
	s.local = s.local || t.Name == "local"
	if all := int64(g.Data.Occurrences()) * int64(g.Tree.Leaves()); all > 0 {
		t.NCP = float64(loss) / float64(all)
	}
	// of equals, the one with a proof
	if s.best == nil || loss < s.loss || loss == s.loss && s.best.Bound == nil && g.Bound != nil {
		s.best, s.loss, s.name = g, loss, t.Name
	}
}

// release is the best one, with what was tried.
func (s *search) release() (*release.Generalized, error) {
	switch {
	case s.best == nil && s.fault != nil:
		return nil, s.fault
	case s.best == nil:
		return nil, s.tooLate()
	}
	for i := range s.tried {
		if t := &s.tried[i]; t.Done && t.Name == s.name {
			t.Note = strings.TrimPrefix(t.Note+"; published", "; ")
		}
	}
	s.best.Tried = s.tried
	if s.cut != "" {
		s.best.Warnings = append(s.best.Warnings, fmt.Sprintf(
			"Not everything was tried to its end (%v): another run, or a faster machine, may publish another release. For one that can be made again, name the algorithm (%s) and set no time limit.",
			s.cut, s.name))
	}
	return s.best, nil
}

// tooLate says why no trial made a release.
func (s *search) tooLate() error {
	var notes []string
	for _, t := range s.tried {
		notes = append(notes, fmt.Sprintf("%s (%s)", t.Name, t.Note))
	}
	return fmt.Errorf("%w: no algorithm had a release: %s. Give more by --time-limit or --memory",
		anonymize.ErrTooLate, strings.Join(notes, "; "))
}
