package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"mingle/anonymize"
	"mingle/internal/publish"
	"mingle/report"
	"mingle/verify"
)

// session is what a run has beside its task: its clock, the files that it will put in place
// together, and who listens.
type session struct {
	meter    *meter
	set      *publish.Set
	listener func(anonymize.Progress)
	key      *report.Key // of the keyed hashes in the report; nil: there are none
}

func newSession(j Job) *session {
	set := &publish.Set{Force: j.Force, Out: j.Out, Process: j.process}
	return &session{meter: startMeter(), set: set, listener: j.Progress, key: j.Key}
}

// close ends the clock, and takes away what was not put in place.
func (s *session) close() {
	s.meter.end()
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

// refused marks an error of a step that had everything it needs as a fault of the program, but for
// a release that is too much to judge, and for one of the database.
func refused(step string, ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var much *verify.TooMuch
	if errors.As(err, &much) {
		return fmt.Errorf("the release cannot be judged, and was not written: %w", err)
	}
	var fault *databaseError
	if errors.As(err, &fault) {
		return fmt.Errorf("cannot %s: %w", step, fault.error)
	}
	return &InternalError{step, err}
}

// target is a file to be written; no path means that it is not wanted.
type target struct {
	what, path string
	mode       fs.FileMode
	write      func(io.Writer) error
}

// check refuses targets that cannot be written, are the same file, or would overwrite an input. in
// is what "-" reads.
func (s *session) check(in io.Reader, inputs []string, targets ...target) error {
	s.set.In, s.set.Inputs = in, inputs
	named := make([]publish.Target, 0, len(targets))
	for _, t := range targets {
		named = append(named, publish.Target{Role: t.what, Path: t.path})
	}
	return s.set.Check(named...)
}

// public is what all public reports have in common. There are keyed hashes in it only where there
// is an audit file for their key to lie in.
func (s *session) public(r *run) (*public, error) {
	switch {
	case r.Audit == "":
		s.key = nil
	case s.key == nil:
		key := report.NewKey()
		s.key = &key
	}
	if r.Audit != "" && r.Definition != nil {
		r.env.files.Read = append(r.env.files.Read, *r.Definition)
	}
	inputs, err := report.PublicInputs(r.env.files.Read, s.key)
	return &public{
		recipe: r.Recipe, inputs: inputs, written: r.written, listener: s.listener,
		shuffled: r.Shuffle, columns: r.env.columns,
		test: r.Report != "" || r.Page != "" ||
			slices.ContainsFunc(r.FailIf, report.Threshold.OfLabels),
		workers: r.Workers, memory: r.Memory, seeded: r.Seed != nil,
	}, err
}

// finish writes the report and the audit file, and puts all files in place.
func (r *run) finish(ctx context.Context) (*report.Outcome, error) {
	out := &report.Outcome{Report: r.announced, Custodian: r.custodian()}
	if err := r.pass(out); err != nil {
		return nil, err
	}
	if err := r.render(); err != nil {
		return nil, err
	}
	for _, t := range []target{
		{"audit", r.Audit, publish.Private, func(w io.Writer) error { return r.writeAudit(w, out) }},
		{"report", r.Report, publish.Public, writeAll(&r.rendered)},
		{"page", r.Page, publish.Public, writeAll(&r.page)},
	} {
		if t.path == "" {
			continue
		}
		f, err := r.set.Create(t.path, t.mode)
		if err != nil {
			return nil, err
		}
		if err := t.write(f); err != nil {
			return nil, fmt.Errorf("cannot write %s: %w", nameWritten(t.path), publish.Reason(err))
		}
	}
	if ctx.Err() != nil { // the last moment: from here on nothing stops it
		return nil, context.Cause(ctx)
	}
	return out, r.place()
}

// render makes the report as it was asked for, once: no two PDFs need be the same.
func (r *run) render() error {
	for _, f := range []struct {
		path string
		to   *bytes.Buffer
		by   func(io.Writer, *report.Report) error
	}{{r.Report, &r.rendered, r.RenderReport}, {r.Page, &r.page, r.RenderPage}} {
		switch {
		case f.path == "":
		case f.by == nil:
			if err := r.announced.WriteJSON(f.to); err != nil {
				return err
			}
		default:
			if err := f.by(f.to, r.announced); err != nil {
				return fmt.Errorf("cannot render %s: %w", name(f.path), err)
			}
		}
	}
	return nil
}

// writeAll writes what was made before; it can be written several times.
func writeAll(made *bytes.Buffer) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(made.Bytes())
		return err
	}
}

// writeAudit writes the audit file. It names the report by its SHA-256, so that files of two runs
// cannot be taken for those of one.
func (r *run) writeAudit(w io.Writer, out *report.Outcome) error {
	a := report.NewAudit(Program, r.Command)
	a.Inputs, a.Outputs = r.env.files.Read, []report.File{r.written}
	a.Custodian, a.Key = out.Custodian, *r.key
	for _, f := range []struct {
		path string
		made *bytes.Buffer
	}{{r.Report, &r.rendered}, {r.Page, &r.page}} {
		if f.path == "" {
			continue
		}
		sum := newSummer()
		if err := writeAll(f.made)(sum); err != nil {
			return err
		}
		file := sum.file(report.RoleReport, f.path, "")
		file.Name = outputName(f.path)
		a.Outputs = append(a.Outputs, file)
	}
	if err := r.task.audit(a); err != nil {
		return err
	}
	r.env.order.note(a, r.env.seed)
	return a.WriteJSON(w)
}

// outputName is how a report calls a file that was written.
func outputName(path string) string {
	if path == publish.Stdout {
		return "standard output"
	}
	return baseName(path)
}
