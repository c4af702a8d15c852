package mingle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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

// check refuses targets that cannot be written, are the same file, or would overwrite an input.
func (s *session) check(inputs []string, targets ...target) error {
	var faults []error
	taken := map[string]string{}
	for _, t := range targets {
		if t.path == "" {
			continue
		}
		if other, twice := taken[t.path]; twice {
			faults = append(faults, fmt.Errorf("the %s and the %s would both be written to %s: name two files", other, t.what, name(t.path)))
		}
		taken[t.path] = t.what
		faults = append(faults, overwrites(inputs, t), s.set.Check(t.path))
	}
	return errors.Join(faults...)
}

// overwrites refuses a target that is one of the inputs: the original would be lost.
func overwrites(inputs []string, t target) error {
	there, err := os.Stat(t.path)
	if err != nil || !there.Mode().IsRegular() {
		return nil
	}
	for _, input := range inputs {
		if info, err := os.Stat(input); err == nil && os.SameFile(info, there) {
			return fmt.Errorf("the %s would overwrite the input %s: choose another name", t.what, input)
		}
	}
	return nil
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
