package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mingle/anonymize"
	"mingle/anonymize/auto"
	"mingle/anonymize/core"
	"mingle/anonymize/global"
	"mingle/anonymize/local"
	"mingle/anonymize/sensitive"
	"mingle/anonymize/suppress"
	"mingle/measure"
	"mingle/privacy"
	"mingle/report"
)

// Where a release has lost most of the data, the custodian is told what other parameters would have
// lost. That is measured, on the original, and so it is for the custodian alone: the public report
// says only what may help.

// remedyWork is how many combinations of up to m items the data may have for other parameters to be
// tried: some seconds of work, counted so that the same input is told the same.
const remedyWork = 5_000_000

// remedyCounts is how many times as long local takes for a combination where persons are counted,
// and again where shares are (measured: 2.5 and 3, and 9 for both).
const remedyCounts = 3

// trying is the stage in which other parameters are tried.
const trying = "trying what would leave more"

// remedySearch bounds the search for items to leave out, see suppress.DefaultWork: some seconds.
const remedySearch = 3_000_000

// remedyShare is the share of the occurrences that the remedy of suppression leaves out at most.
const remedyShare = 0.05

// advise finds out whether little of the data is left, and what would leave more.
func (r *run) advise(ctx context.Context) error {
	rep := r.announced
	r.cautions = report.LossCautions(r.losses, rep.Published, rep.Breakdowns)
	if len(r.cautions) > 0 {
		r.cautions[0].Try = report.TryLoss(r.Family.Name())
	}
	if t, is := r.task.(*kmTask); is {
		return r.adviseHidden(ctx, t)
	}
	if len(r.cautions) == 0 {
		return nil
	}
	if r.Stop != nil && r.Stop.Err() != nil {
		return nil
	}
	measured, err := r.task.remedies(ctx)
	if len(measured) > 0 {
		r.cautions[0].Try = measured
	}
	return err
}

// adviseHidden is advise where occurrences of sensitive items may have been left out, too.
func (r *run) adviseHidden(ctx context.Context, t *kmTask) error {
	hidden := t.hiddenCautions()
	if r.Stop != nil && r.Stop.Err() != nil {
		r.cautions = append(r.cautions, hidden...)
		return nil
	}
	if len(r.cautions) > 0 {
		measured, err := t.remedies(ctx)
		if err != nil {
			return err
		}
		r.cautions[0].Try = measured
	}
	if len(hidden) > 0 {
		measured, err := t.sensitiveRemedies(ctx)
		if err != nil {
			return err
		}
		hidden[0].Try = measured
	}
	r.cautions = append(r.cautions, hidden...)
	return nil
}

func (t *kmTask) hiddenCautions() []report.Caution {
	return report.SensitiveCautions(t.suppressedSensitive(), t.items)
}

// remedy is other parameters, or another way.
type remedy struct {
	says   string
	change func(*anonymize.Input)
	with   func(anonymize.Algorithm) anonymize.Algorithm // nil: the same
}

// askLocal is what to ask for to have local.
const askLocal = "--algorithm local"

// remedies measures what other parameters would have lost. Nothing of these releases is kept.
func (t *kmTask) remedies(ctx context.Context) ([]string, error) {
	if combinations(t.input, remedyWork) > remedyWork {
		return tooLarge("m and k"), nil
	}
	now := measure.NCP(t.release).NCP
	if now == 0 {
		return []string{"no parameters leave more of these items: their NCP is 0"}, nil
	}
	var out []string
	others := t.otherParameters()
	for n, r := range others {
		t.progress(trying, int64(n), int64(len(others)))
		loss, by := t.tried(ctx, r)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch {
		case by != "" && loss < now:
			out = append(out, fmt.Sprintf("%s: NCP would be %s instead of %s (measured with %s)",
				r.says, report.Percent(loss), report.Percent(now), by))
		case by == "" && r.says == askLocal && takesLong(local.Algorithm{}, t.input):
			out = append(out, askLocal+": it often loses less, and takes too long here to be "+
				"tried on the way")
		}
	}
	if len(out) == 0 {
		out = []string{"nothing that was tried loses less (smaller m, smaller k, suppression): " +
			"a hierarchy with more levels may"}
	}
	return out, nil
}

// sensitiveRemedies measures how many sensitive occurrences other parameters would have left out at
// least: what no generalization can hide.
func (t *kmTask) sensitiveRemedies(ctx context.Context) ([]string, error) {
	out := []string{"what cannot be known need not go: a shorter list of sensitive items, or, " +
		"where nobody can know them, no --sensitive-known"}
	all, values, err := t.original()
	if err != nil {
		return nil, err
	}
	now := all.Occurrences() - t.input.Sensitive.Occurrences()
	large := t.input
	large.Data = all
	if combinations(t.input, remedyWork)+combinations(large, remedyWork) > remedyWork {
		return out, nil
	}
	var better []string
	others := t.otherParameters()
	for n, r := range others {
		in := t.input
		in.Sensitive, in.Values, in.Progress = all, values, nil
		if r.change(&in); r.with != nil || in.Promise.Validate() != nil {
			continue
		}
		t.progress(trying, int64(n), int64(len(others)))
		left, err := sensitive.Suppress(ctx, in)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil { // there is no such release
			continue
		}
		if gone := all.Occurrences() - left.Occurrences(); gone < now {
			better = append(better, fmt.Sprintf("%s: at least %s sensitive occurrences would be "+
				"left out, instead of %s", r.says, report.Number(gone), report.Number(now)))
		}
	}
	return append(better, out...), nil
}

// tried is the loss with a remedy, and the algorithm that has it; none where there is no such
// release. What the quick algorithm does not do, such as counting persons, aa may.
func (t *kmTask) tried(ctx context.Context, r remedy) (loss float64, by string) {
	for _, a := range []anonymize.Algorithm{t.quick(), global.AA{}} {
		in, err := t.changed(ctx, r)
		if err != nil { // there is no such release
			return 0, ""
		}
		long := takesLong(a, in)
		if r.with != nil {
			a = r.with(a)
			long = long || takesLong(a, in)
		}
		if long || !t.roomFor(a, in) {
			continue
		}
		g, err := a.Anonymize(ctx, in)
		if err == nil {
			_, g, err = t.lessLost(ctx, a, in, g)
		}
		switch {
		case err == nil:
			return measure.NCP(g).NCP, a.Name()
		case errors.Is(err, privacy.ErrInfeasible), errors.Is(err, suppress.ErrWork),
			ctx.Err() != nil:
			return 0, "" // who asks for what ended early gets something else
		}
	}
	return 0, ""
}

// changed is the input with a remedy. What sensitive occurrences must go depends on it.
func (t *kmTask) changed(ctx context.Context, r remedy) (in anonymize.Input, err error) {
	in = t.input
	in.Progress = nil
	if t.Promise.SensitiveKnown {
		if in.Sensitive, in.Values, err = t.original(); err != nil {
			return in, err
		}
	}
	if r.change(&in); t.Promise.SensitiveKnown {
		in.Sensitive, err = sensitive.Suppress(ctx, in)
	}
	return in, err
}

// takesLong tells whether an algorithm takes longer than there is time to try it.
func takesLong(a anonymize.Algorithm, in anonymize.Input) bool {
	if _, is := a.(local.Algorithm); !is {
		return false
	}
	most := remedyWork
	for _, counted := range []bool{in.Promise.Persons, in.Promise.Diverse()} {
		if counted {
			most /= remedyCounts
		}
	}
	return combinations(in, most) > most
}

// roomFor tells whether an algorithm can work on the input in the memory there is.
func (t *kmTask) roomFor(a anonymize.Algorithm, in anonymize.Input) bool {
	if in.Data.IsPacked() && !a.Traits().Packed {
		return false
	}
	_, least := in.Within(a, cmp.Or(t.memory, t.room))
	return least == 0
}

// quick is an algorithm like the one that was chosen, whose work is bounded.
func (t *kmTask) quick() anonymize.Algorithm {
	_, several := t.Algorithm.(auto.Algorithm)
	_, alone := t.Algorithm.(local.Algorithm)
	switch against := t.Promise.AgainstAlgorithm(); {
	case against && several:
		return core.Algorithm{}
	case against:
		return t.Algorithm
	case (several || alone) && !t.Promise.Persons:
		return local.Algorithm{}
	}
	return global.AA{}
}

// otherParameters are what can be asked for instead.
func (t *kmTask) otherParameters() []remedy {
	var out []remedy
	p := t.Promise
	same := func(*anonymize.Input) {}
	if _, is := t.quick().(local.Algorithm); !is && !p.AgainstAlgorithm() && !t.MaySuppress {
		out = append(out, remedy{
			says: askLocal, change: same,
			with: func(anonymize.Algorithm) anonymize.Algorithm { return local.Algorithm{} },
		})
	}
	for _, m := range lower(min(p.M, max(1, t.input.Data.MaxLen())), 1) {
		out = append(out, remedy{
			says: fmt.Sprintf("-m %d", m), change: func(in *anonymize.Input) { in.Promise.M = m },
		})
	}
	for _, k := range lower(p.K, 2) {
		out = append(out, remedy{
			says: fmt.Sprintf("-k %d", k), change: func(in *anonymize.Input) { in.Promise.K = k },
		})
	}
	if p.L > 2 {
		out = append(out, remedy{
			says: "-l 2", change: func(in *anonymize.Input) { in.Promise.L = 2 },
		})
	}
	if t.MaySuppress || p.AgainstAlgorithm() || p.NegativeKnowledge || p.SensitiveKnown {
		return out
	}
	return append(out, remedy{
		says:   fmt.Sprintf("--suppress items --max-suppressed %v%%", 100*remedyShare),
		change: same,
		with: func(a anonymize.Algorithm) anonymize.Algorithm {
			return suppress.Items{
				Inner: a, Max: remedyShare, Work: remedySearch, Whole: true,
			}
		},
	})
}

// lower are one step down, or half, and the least; none where n is the least itself.
func lower(n, least int) []int {
	next := max(least, n/2)
	switch {
	case n <= least:
		return nil
	case next == least:
		return []int{least}
	}
	return []int{next, least}
}

// combinations counts the combinations of up to m items in the lines, up to a limit and no further.
func combinations(in anonymize.Input, limit int) int {
	total := 0
	lines := in.Data.Cursor() // packed data, too
	for i := range in.Data.Len() {
		n, sets := len(lines.Tx(i)), 1
		for size := 1; size <= min(in.Promise.M, n) && total <= limit; size++ {
			sets = sets * (n - size + 1) / size
			total += sets
		}
		if total > limit {
			break
		}
	}
	return total
}
