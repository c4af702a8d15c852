package pipeline

import (
	"context"
	"fmt"
	"io"
	"io/fs"

	"mingle/anonymize"
	"mingle/internal/publish"
	"mingle/report"
)

// session is what every kind of job has under way: its clock, the files that it will put in place together, and who
// listens.
type session struct {
	meter    *meter // nil: no times are taken
	set      *publish.Set
	listener func(anonymize.Progress)
	key      *report.Key // of the keyed hashes in the report; nil: there are none
}

// step is one part of a job.
type step struct {
	name string
	do   func(context.Context) error
}

// work does the steps in turn, until one fails or ctx ends.
func (s *session) work(ctx context.Context, steps ...step) error {
	for _, step := range steps {
		do := func() error { return step.do(ctx) }
		err := error(nil)
		if s.meter == nil {
			err = do()
		} else {
			err = s.meter.phase(step.name, do)
		}
		if err != nil {
			return stopped(ctx, err)
		}
	}
	return nil
}

// close ends the clock, and takes away what was not put in place.
func (s *session) close() {
	if s.meter != nil {
		s.meter.end()
	}
	s.set.Abort()
}

func (s *session) progress(stage string, done, total int64) {
	if s.listener != nil {
		s.listener(anonymize.Progress{Stage: stage, Done: done, Total: total})
	}
}

// stopped is the cause of an interrupt, where that is why a step ended.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// refused marks an error of a step that had everything it needs as a fault of the program.
func refused(step string, ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &InternalError{step, err}
}

// target is a file to be written; no path means that it is not wanted.
type target struct {
	what, path string
	mode       fs.FileMode
	write      func(io.Writer) error
}

// check refuses targets that cannot be written, are the same file, or would overwrite an input. in is what "-" reads.
func (s *session) check(in io.Reader, inputs []string, targets ...target) error {
	s.set.In, s.set.Inputs = in, inputs
	named := make([]publish.Target, 0, len(targets))
	for _, t := range targets {
		named = append(named, publish.Target{Role: t.what, Path: t.path})
	}
	return s.set.Check(named...)
}

// finish writes what goes beside the published file, and puts all files in place.
func (s *session) finish(ctx context.Context, beside ...target) error {
	for _, t := range beside {
		if t.path == "" {
			continue
		}
		f, err := s.set.Create(t.path, t.mode)
		if err != nil {
			return err
		}
		if err := t.write(f); err != nil {
			return fmt.Errorf("cannot write %s: %w", name(t.path), publish.Reason(err))
		}
	}
	if ctx.Err() != nil { // the last moment: from here on nothing stops it
		return context.Cause(ctx)
	}
	return s.set.Commit()
}
