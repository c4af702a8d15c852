package pipeline

import (
	"cmp"
	"context"
	"fmt"

	"mingle/anonymize/coherence"
	"mingle/anonymize/continuous"
	"mingle/anonymize/nonreciprocal"
	"mingle/measure"
	"mingle/privacy"
	"mingle/report"
)

// remedyOccurrences is how many occurrences the data of coherent releases and of base sets may have
// for other parameters to be tried, each as long as the release itself.
const remedyOccurrences = 50_000

// tooLarge is what is said where nothing is tried.
func tooLarge(smaller string) []string {
	return []string{"mingle compare measures what smaller " + smaller + " would lose: these data " +
		"are too large to try it on the way"}
}

// attempt is parameters that were tried, and what would be lost with them.
type attempt struct {
	says string
	loss func(ctx context.Context) (loss float64, err error) // an error: there is no such release
}

// better says which attempts lose less than what was lost.
func (e *env) better(
	ctx context.Context, what string, now float64, attempts []attempt,
) ([]string, error) {
	var out []string
	for n, a := range attempts {
		e.progress(trying, int64(n), int64(len(attempts)))
		loss, err := a.loss(ctx)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil && report.Percent(loss) != report.Percent(now) && loss < now {
			out = append(out, fmt.Sprintf("%s: %s would be %s instead of %s", a.says, what,
				report.Percent(loss), report.Percent(now)))
		}
	}
	return out, nil
}

// remedies measures what a larger h, or a smaller k or p, would have left out.
func (t *coherenceTask) remedies(ctx context.Context) ([]string, error) {
	in := t.input()
	in.Progress = nil
	now := t.lost(t.result)
	if t.raw.Occurrences() > remedyOccurrences {
		return tooLarge("k and p"), nil
	}
	var attempts []attempt
	try := func(says string, p privacy.Coherence) {
		attempts = append(attempts, attempt{says, func(ctx context.Context) (float64, error) {
			in := in
			in.Promise = p
			r, err := coherence.Anonymize(ctx, in)
			if err != nil {
				return 0, err
			}
			return t.lost(r), nil
		}})
	}
	for _, n := range lower(min(t.Promise.P, max(1, t.raw.MaxLen())), 1) {
		p := t.Promise
		p.P = n
		try(fmt.Sprintf("-p %d", n), p)
	}
	for _, k := range lower(t.Promise.K, 2) {
		p := t.Promise
		p.K = k
		try(fmt.Sprintf("-k %d", k), p)
	}
	if p := t.Promise; p.H < 1 && len(t.private) > 0 {
		p.H = min(1, 2*p.H)
		try(fmt.Sprintf("--h %v", p.H), p)
	}
	out, err := t.better(ctx, "the share of occurrences left out", now, attempts)
	if err == nil && len(out) == 0 {
		out = []string{"nothing that was tried leaves out less (larger h, smaller k and p): fewer " +
			"private items, or a lower nugget support, may"}
	}
	return out, err
}

// lost is the share of the occurrences that a coherent release leaves out.
func (t *coherenceTask) lost(r *coherence.Result) float64 {
	all := t.raw.Occurrences()
	return share(all-r.Release.Published().Occurrences(), all)
}

// remedies measures what a smaller k or l would have lost, with the random numbers of this release.
func (t *nonreciprocalTask) remedies(ctx context.Context) ([]string, error) {
	if t.raw.Occurrences() > remedyOccurrences {
		return tooLarge("k and l"), nil
	}
	in := t.input()
	in.Progress = nil
	loss := func(r *nonreciprocal.Result) (float64, error) {
		return measure.ErrorRate(t.raw, r.Release.Base, r.Audit.Row)
	}
	now, err := loss(t.result)
	if err != nil {
		return nil, err
	}
	flag, n := "-k", t.Promise.K
	if t.Promise.Diverse() {
		flag, n = "-l", t.Promise.L
	}
	var attempts []attempt
	for _, n := range lower(n, 2) {
		attempts = append(attempts, attempt{
			fmt.Sprintf("%s %d", flag, n),
			func(ctx context.Context) (float64, error) {
				in := in
				if t.Promise.Diverse() {
					in.Promise.L = n
				} else {
					in.Promise.K = n
				}
				r, err := nonreciprocal.Anonymize(ctx, in)
				if err != nil {
					return 0, err
				}
				return loss(r)
			},
		})
	}
	out, err := t.better(ctx, "the error rate", now, attempts)
	if err == nil && len(out) == 0 {
		out = []string{fmt.Sprintf("no smaller %s that was tried loses less: records have too "+
			"little in common", flag[1:])}
	}
	return out, err
}

// remedyValues is how many values bags may have for other parameters to be tried.
const remedyValues = 50_000

// remedies measures what a smaller m or k would have lost.
func (t *continuousTask) remedies(ctx context.Context) ([]string, error) {
	if t.data.Occurrences() > remedyValues {
		return tooLarge("m and k"), nil
	}
	var attempts []attempt
	try := func(says string, p privacy.Continuous) {
		attempts = append(attempts, attempt{says, func(ctx context.Context) (float64, error) {
			r, err := continuous.Anonymize(ctx, continuous.Input{
				Data: t.data, Promise: p, Algorithm: t.Algorithm, Threshold: t.Threshold,
				PaperOnly: t.PaperOnly, Tree: t.tree, Kind: t.layout.Kind,
				Room: cmp.Or(t.memory, t.room), Workers: t.workers,
			})
			if err != nil {
				return 0, err
			}
			return measure.Bags(r).NCP, nil
		}})
	}
	for _, m := range lower(min(t.Promise.M, max(1, t.data.Longest())), 1) {
		try(fmt.Sprintf("-m %d", m), privacy.Continuous{K: t.Promise.K, M: m})
	}
	for _, k := range lower(t.Promise.K, 2) {
		try(fmt.Sprintf("-k %d", k), privacy.Continuous{K: k, M: t.Promise.M})
	}
	out, err := t.better(ctx, "NCP", measure.Bags(t.release).NCP, attempts)
	if err == nil && len(out) == 0 {
		out = []string{"nothing that was tried loses less (smaller m, smaller k)"}
	}
	return out, err
}
