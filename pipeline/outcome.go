package pipeline

import (
	"context"
	"io"
	"path/filepath"

	"mingle/internal/publish"
	"mingle/report"
)

// results is what a run leaves beside the published file.
type results struct {
	*report.Outcome
	read          []report.File // all inputs, as the audit file has them
	written       report.File
	command       []string // as it was given
	report, audit string   // paths; "": not wanted
	fill          func(*report.Audit) error
}

// public is what all public reports of this session have in common. There are keyed hashes in it
// only where there is an audit file for their key to lie in.
func (s *session) public(
	recipe string, read []report.File, written report.File, audit string,
) (public, error) {
	switch {
	case audit == "":
		s.key = nil
	case s.key == nil:
		key := report.NewKey()
		s.key = &key
	}
	inputs, err := report.PublicInputs(read, s.key)
	return public{recipe: recipe, inputs: inputs, written: written, listener: s.listener}, err
}

// leave writes the report and the audit file, and puts all files in place. The audit file names the
// report by its SHA-256, so that files of two runs cannot be taken for those of one.
func (s *session) leave(ctx context.Context, r results) (*report.Outcome, error) {
	writeAudit := func(w io.Writer) error {
		a := report.NewAudit(Program, r.command)
		a.Inputs, a.Outputs, a.Custodian, a.Key = r.read, []report.File{r.written}, r.Custodian, *s.key
		if r.report != "" {
			sum := &summer{hash: newHash()}
			if err := r.Report.WriteJSON(sum); err != nil {
				return err
			}
			file := sum.file(report.RoleReport, r.report, "")
			file.Name = outputName(r.report)
			a.Outputs = append(a.Outputs, file)
		}
		if err := r.fill(a); err != nil {
			return err
		}
		return a.WriteJSON(w)
	}
	return r.Outcome, s.finish(ctx, target{"audit", r.audit, publish.Private, writeAudit},
		target{"report", r.report, publish.Public, r.Report.WriteJSON})
}

// outputName is how a report calls a file that was written.
func outputName(path string) string {
	if path == publish.Stdout {
		return "standard output"
	}
	return filepath.Base(path)
}
