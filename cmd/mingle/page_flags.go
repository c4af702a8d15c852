package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/pipeline"
	"mingle/report"
)

// pageFlags are the page to sign, beside the report, and what humans say on it.
type pageFlags struct {
	page, statements string
	final            bool
}

func (p *pageFlags) register(f *pflag.FlagSet) {
	f.StringVar(&p.page, "page", "", "write the page to sign too (.html, .pdf) or text (.txt), beside --report in JSON")
	writes(f, "page")
	f.StringVar(&p.statements, "statements", "", "file of statements (YAML or JSON) for the page, such as mingle report -o statements.yaml writes")
	f.BoolVar(&p.final, "final", false, "publish nothing while a statement on the page is empty")
}

// renderers puts into a job how its report and its page are written. Said are the statements of a
// release file; nil: there is none.
func (p *pageFlags) renderers(
	cmd *cobra.Command, job *pipeline.Job, said report.Statements,
) (err error) {
	if p.statements != "" {
		if said, err = readStatements(p.statements); err != nil {
			return err
		}
		job.Keep = append(job.Keep, p.statements)
		if err := said.Check(); err != nil {
			return usagef("%s: %w", p.statements, err)
		}
	}
	if err := p.complete(job.Family, said); err != nil {
		return err
	}
	if job.RenderReport, err = p.renderer(cmd.Context(), job.Report, said); err != nil {
		return err
	}
	if job.Page = p.page; job.Page != "" {
		job.RenderPage, err = p.renderer(cmd.Context(), job.Page, said)
		if err == nil && job.RenderPage == nil {
			return usagef("%s: a page is written as .html, .pdf or .txt", p.page)
		}
	}
	if (len(said) > 0 || p.final) && err == nil && job.RenderReport == nil &&
		job.RenderPage == nil {
		return usagef("statements are for the page to sign: name it with --page")
	}
	return err
}

// complete refuses, before the work, a page that is to be final and cannot be.
func (p *pageFlags) complete(family pipeline.Family, said report.Statements) error {
	km, is := family.(pipeline.KM)
	missing := said.MissingAhead(is && km.PersonColumn != "")
	if !p.final || len(missing) == 0 {
		return nil
	}
	return usagef("%w", &report.Incomplete{Missing: missing})
}

// renderer goes by the extension of the file; nil: JSON, if anything.
func (p *pageFlags) renderer(
	ctx context.Context, path string, said report.Statements,
) (func(io.Writer, *report.Report) error, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm", ".pdf", ".txt":
	default:
		return nil, nil
	}
	render, err := renderer(ctx, path)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer, r *report.Report) error {
		if missing := said.Missing(r); p.final && len(missing) > 0 {
			return usagef("%w", &report.Incomplete{Missing: missing})
		}
		return render(&report.Outcome{Report: r, Statements: said, Final: p.final}, w)
	}, nil
}

// failFlags are thresholds.
type failFlags struct{ conditions []string }

func (t *failFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&t.conditions, "fail-if", nil, "publish nothing, and end with 3, where a figure of the run is so, such as 'ncp>0.05' or 'singled_out_m3>1%'; may be given several times")
}

func (t *failFlags) thresholds(family string) ([]report.Threshold, error) {
	var bad faults
	var out []report.Threshold
	for _, condition := range t.conditions {
		at := strings.IndexAny(condition, "<>=!")
		if at < 0 {
			at = len(condition)
		}
		one, err := report.ParseThreshold(
			family, strings.TrimSpace(condition[:at]), condition[at:],
		)
		if err != nil {
			bad.addf("--fail-if: %v", err)
		}
		out = append(out, one)
	}
	return out, bad.err()
}
