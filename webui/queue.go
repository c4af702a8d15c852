package webui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"mingle/anonymize"
	"mingle/pipeline"
	"mingle/report"
)

// The states of a run.
const (
	waiting = "waiting"
	working = "working"
	done    = "done"
	failed  = "failed"
)

var errStopped = errors.New("it was stopped: nothing was published")

// run is a release that is being made, or was.
type run struct {
	p      *project
	N      int
	choice choice
	args   []string
	tree   string // the hierarchy's path; "": none
	dir    string
	files  made
	job    pipeline.Job
	cancel context.CancelCauseFunc
	enough context.CancelCauseFunc // ends with the best so far

	// guarded by the project's mu
	State   string
	Stages  []stage
	Asked   bool // to stop with the best so far
	Began   time.Time
	Ended   time.Time
	Err     error
	Outcome *report.Outcome
	Said    report.Statements
	look    look
}

// stage is a step of a run.
type stage struct {
	Name        string
	Done, Total int64
	Began       time.Time
}

// Share is how much of the stage is done, in percent; below 0: nobody knows.
func (s stage) Share() int {
	if s.Total <= 0 {
		return -1
	}
	return int(100 * min(s.Done, s.Total) / s.Total)
}

// Left is how long the stage may still take; 0: nobody knows.
func (s stage) Left() time.Duration {
	gone := time.Since(s.Began)
	if s.Total <= 0 || s.Done <= 0 || gone < 2*time.Second || s.Done >= s.Total {
		return 0
	}
	left := time.Duration(float64(gone) * float64(s.Total-s.Done) / float64(s.Done))
	return left.Round(time.Second)
}

// Title says what is asked for, and of which algorithm.
func (r *run) Title() string {
	title := r.choice.promise()
	if r.choice.Algorithm != "" {
		title += ", " + r.choice.Algorithm
	}
	return title
}

// Over tells whether nothing more happens.
func (r *run) Over() bool { return r.State == done || r.State == failed }

// queue runs one job after another: two at once would take each other's memory.
type queue struct {
	s    *Server
	mu   sync.Mutex
	todo []*run
	busy bool
}

func newQueue(s *Server) *queue { return &queue{s: s} }

func (q *queue) add(r *run) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.todo = append(q.todo, r)
	if !q.busy {
		q.busy = true
		q.s.background(q.work, q.ended)
	}
}

// ended goes on with the runs that wait, if a fault ended the work.
func (q *queue) ended(err error) {
	if err != nil {
		q.s.background(q.work, q.ended)
	}
}

// before is how many runs are done before this one.
func (q *queue) before(r *run) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.todo {
		if other == r {
			return i + 1
		}
	}
	return 0
}

func (q *queue) work(ctx context.Context) error {
	for r := q.next(ctx); r != nil; r = q.next(ctx) {
		q.s.do(ctx, r)
	}
	return nil
}

// next takes the first run out of the queue; nil: there is none, and the work ends.
func (q *queue) next(ctx context.Context) *run {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.todo) == 0 || ctx.Err() != nil {
		q.busy = false
		return nil
	}
	r := q.todo[0]
	q.todo = q.todo[1:]
	return r
}

// run is the nth run; nil: there is none.
func (p *project) run(n int) *run {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n < 1 || n > len(p.runs) {
		return nil
	}
	return p.runs[n-1]
}

// start makes a run of what was chosen, and puts it into the queue. Another one waits until it is
// in the list: its number, and so its directory, is that of its place there.
func (p *project) start(ctx context.Context) (*run, error) {
	p.starting.Lock()
	defer p.starting.Unlock()
	r, err := p.prepare(ctx)
	if err != nil {
		return nil, err
	}
	p.change(func() { p.runs = append(p.runs, r) })
	p.server.queue.add(r)
	return r, nil
}

// prepare makes the next run with its directory.
func (p *project) prepare(ctx context.Context) (*run, error) {
	var l layout
	var t tree
	var c choice
	var n int
	p.locked(func() { l, t, c, n = p.layout, p.tree, p.choice, len(p.runs)+1 })
	r := &run{p: p, N: n, choice: c, State: waiting, Said: report.Statements{}}
	if c.Family == km {
		r.tree = t.Path
	}
	r.dir = filepath.Join(p.dir, distinct("run-"+strconv.Itoa(n), p.path)) // an upload is there, too
	r.files = p.files(r.dir, l, t, c)
	var err error
	if r.args, err = p.args(l, t, c, r.files); err != nil {
		return nil, err
	}
	if r.job, err = p.planned(ctx, c, r.args); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	if r.files.list != "" {
		err = c.writeList(r.files.list)
	}
	return r, err
}

// planned is the job of a choice, which keeps the promise that the form shows.
func (p *project) planned(ctx context.Context, c choice, args []string) (pipeline.Job, error) {
	if err := c.noFields(); err != nil {
		return pipeline.Job{}, err
	}
	job, err := p.server.Plan(ctx, args)
	if err != nil && c.More != "" {
		err = fmt.Errorf("with the further options %q: %w", c.More, err)
	}
	if err == nil {
		err = job.Family.Validate()
	}
	if err == nil {
		err = c.same(job.Family)
	}
	return job, err
}

// do makes the release. A fault of the program ends the run, and not those that wait.
func (s *Server) do(ctx context.Context, r *run) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	enough, say := context.WithCancelCause(context.Background())
	defer say(nil)
	stopped := false
	r.p.change(func() {
		if stopped = r.Over(); !stopped {
			r.State, r.Began, r.cancel, r.enough = working, time.Now(), cancel, say
		}
	})
	if stopped {
		return
	}
	var out *report.Outcome
	err := guarded(func() (err error) {
		out, err = s.make(ctx, enough, r)
		return err
	})
	r.p.change(func() {
		r.Ended, r.Outcome, r.Err, r.State = time.Now(), out, err, done
		if err != nil {
			r.State = failed
		}
	})
}

// make runs the job within the bound on memory.
func (s *Server) make(ctx, enough context.Context, r *run) (*report.Outcome, error) {
	ctx, work := s.memory.Run(ctx)
	defer work.End(nil)
	job := r.job
	job.Progress, job.Room = r.progress, s.Memory
	if r.choice.keepsBest() {
		job.Stop = enough
	}
	out, err := job.Run(ctx)
	return out, runTooMuch(ctx, err)
}

// progress notes how far a run is.
func (r *run) progress(now anonymize.Progress) {
	r.p.locked(func() { r.note(now) })
	r.p.news.often()
}

// note puts it into the list of stages. The project is locked.
func (r *run) note(now anonymize.Progress) {
	last := len(r.Stages) - 1
	if last < 0 || r.Stages[last].Name != now.Stage {
		r.Stages = append(r.Stages, stage{Name: now.Stage, Began: time.Now()})
		last++
		if len(r.Stages) > 40 { // an algorithm may go to and fro
			r.Stages = r.Stages[len(r.Stages)-40:]
			last = len(r.Stages) - 1
		}
	}
	r.Stages[last].Done, r.Stages[last].Total = now.Done, now.Total
}

var errEnough = errors.New("it was stopped, and the best so far was asked for")

// end stops a run: with the best so far, or without a release.
func (r *run) end(best bool) {
	r.p.change(func() {
		switch {
		case r.Over():
		case r.State == waiting:
			r.State, r.Err = failed, errStopped
		case best:
			r.Asked = true
			r.enough(errEnough)
		default:
			r.cancel(errStopped)
		}
	})
}
