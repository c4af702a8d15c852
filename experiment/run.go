package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mingle/dataset/rows"
	"mingle/privacy"
)

// Progress says how far a plan has come.
type Progress struct {
	Done, Total int // cells, those finished before among them
	Running     string
	Left        time.Duration // estimated from the cells of this run; 0: not known yet
}

// Runner runs the cells of a plan that are not in the table yet.
type Runner struct {
	Plan     *Plan
	Dir      string // of the data
	Table    *Table
	Until    time.Time // begin no cell after this; zero: no limit
	Retry    bool      // run cells again that failed, timed out or had no data
	Progress func(Progress)
	// Databases opens what is no file; nil: there are none.
	Databases rows.Opener

	last   *source
	hashes map[string]string // of the data of this run, by name
}

// Run runs every cell and adds its row. What goes wrong in a cell is in its row; the error is ctx's
// cause, or that the table cannot be written. The cell at which ctx ends has no row.
func (r *Runner) Run(ctx context.Context) error {
	tasks := r.Plan.Cells()
	r.last, r.hashes = nil, map[string]string{} // what was not there may be now
	open, err := r.open(ctx, tasks)
	if err != nil {
		return err
	}
	begin := time.Now()
	for i, t := range open {
		if !r.Until.IsZero() && time.Now().After(r.Until) {
			return nil
		}
		p := Progress{Done: len(tasks) - len(open) + i, Total: len(tasks), Running: t.String()}
		if i > 0 {
			p.Left = time.Since(begin) / time.Duration(i) * time.Duration(len(open)-i)
		}
		r.report(p)
		hash, err := r.hashed(ctx, t.Data) // before the data are read: a later change is noticed
		if err != nil {
			return err
		}
		outcome := r.cell(ctx, t)
		outcome.Hash = hash
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.Table.Add(Row{t.Cell, outcome}); err != nil {
			return err
		}
	}
	r.report(Progress{Done: len(tasks), Total: len(tasks)})
	return r.Table.tidy()
}

// open are the tasks that are to be run: those without a row, and those whose row is of other data,
// or is to be made again.
func (r *Runner) open(ctx context.Context, tasks []Task) ([]Task, error) {
	var open []Task
	for _, t := range tasks {
		row, there := r.Table.Find(t.Cell)
		changed, err := r.changed(ctx, &row)
		if err != nil {
			return nil, err
		}
		if !there || changed || r.again(t, &row) {
			open = append(open, t.keeping(&row))
		}
	}
	return open, nil
}

// changed tells whether a row is of other data than those that are at hand. Where one of the two is
// not known, as with files that are gone, the row stays.
func (r *Runner) changed(ctx context.Context, row *Row) (bool, error) {
	if row.Hash == "" {
		return false, nil
	}
	hash, err := r.hashed(ctx, row.Data)
	return hash != "" && hash != row.Hash, err
}

// again tells whether a cell that has a row is to be run again: it lacks a measure for no reason,
// or it is to be tried again.
func (r *Runner) again(t Task, row *Row) bool {
	if row.Status != StatusDone {
		return r.Retry && row.Status != StatusInfeasible
	}
	if row.Message != "" && !r.Retry {
		return false
	}
	return slices.ContainsFunc(t.measure, func(what string) bool { return row.Text(measureColumn[what]) == "" })
}

// measures are what can be taken beside NCP.
var measures = []string{"ml2", "queries", "attack", "gap"}

// measureColumn is a column that each measure fills.
var measureColumn = map[string]string{
	"ml2": "ml2", "queries": "query_error", "attack": "unique_after", "gap": "least",
}

// keeping also takes the measures again that the row has: they would be lost with it.
func (t Task) keeping(row *Row) Task {
	for _, what := range measures {
		if row.Status == StatusDone && row.Text(measureColumn[what]) != "" && !slices.Contains(t.measure, what) {
			t.measure = append(slices.Clone(t.measure), what)
		}
	}
	return t
}

func (r *Runner) report(p Progress) {
	if r.Progress != nil {
		r.Progress(p)
	}
}

// errTimeout ends a cell.
var errTimeout = errors.New("it took longer than the cell's timeout")

// cell runs one cell; whatever happens is told in the outcome.
func (r *Runner) cell(ctx context.Context, t Task) (o Outcome) {
	o = newOutcome()
	defer func() {
		if p := recover(); p != nil {
			o.Status, o.Message = StatusFailed, fmt.Sprintf("internal fault: %v", p)
		}
	}()
	s, err := r.load(ctx, t.Cell)
	if err == nil {
		limited, stop := context.WithTimeoutCause(ctx, t.timeout, errTimeout)
		defer stop()
		err = t.release(limited, s, &o)
	}
	status, message := judge(err)
	o.Status, o.Message = status, cmp.Or(message, o.Message)
	return o
}

func judge(err error) (status, message string) {
	switch {
	case err == nil:
		return StatusDone, ""
	case errors.Is(err, privacy.ErrInfeasible):
		return StatusInfeasible, err.Error()
	case errors.Is(err, errTimeout):
		return StatusTimeout, err.Error()
	case errors.Is(err, errAbsent):
		return StatusAbsent, err.Error()
	}
	return StatusFailed, err.Error()
}
