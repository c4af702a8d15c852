package webui

import (
	"slices"
	"time"

	"mingle/report"
)

// runView is the page of a run under way, or of its end.
type runView struct {
	N            int
	Title, State string
	Stages       []stage // the last ones
	Now          *stage
	Before       int // runs in the queue before it
	Took         time.Duration
	Err          error
	Asked        bool
	CanKeep      bool
	Verdict      string
	Colour       string
	Loss         string
	Command      string
	Others       []homeRun
}

func showRun(a *asked) error {
	before := a.s.queue.before(a.run)
	r := a.run
	var v runView
	a.p.locked(func() { v = r.view(a.wording()) })
	v.Before = before
	return a.show("run", v)
}

// view is what the page shows of a run. The project is locked.
func (r *run) view(w wording) runView {
	v := runView{
		N: r.N, Title: r.Title(), State: r.State, Err: r.Err, Asked: r.Asked,
		CanKeep: r.choice.keepsBest(), Command: r.job.Recipe, Loss: r.loss(w),
		Stages: slices.Clone(r.Stages[max(0, len(r.Stages)-8):]), Others: r.p.listed(w),
	}
	switch {
	case r.State == working:
		v.Took = time.Since(r.Began)
	case r.Over() && !r.Began.IsZero():
		v.Took = r.Ended.Sub(r.Began)
	}
	if r.State == working && len(v.Stages) > 0 {
		v.Now = &v.Stages[len(v.Stages)-1]
	}
	if r.Outcome != nil {
		v.Verdict, v.Colour = r.Outcome.Verdict(), colour(r.Outcome)
	}
	return v
}

// colour is that of a verdict.
func colour(o *report.Outcome) string {
	if len(o.Cautions()) > 0 {
		return "caution"
	}
	return "holds"
}

// loss is the loss in words; "": it is not known.
func (r *run) loss(w wording) string {
	if r.Outcome == nil {
		return ""
	}
	for _, l := range r.Outcome.Custodian.Losses {
		if l.Name == "NCP" {
			return w.percent(l.Value)
		}
	}
	return ""
}

func stopRun(a *asked) error {
	a.run.end(a.PostForm.Get("best") != "")
	return a.to("run/" + a.PathValue("n"))
}
