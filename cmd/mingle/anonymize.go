package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mingle/pipeline"
	"mingle/report"
)

// anonymize is "mingle anonymize" of one family.
func (a *app) anonymize(flags familyFlags) *cobra.Command {
	var (
		help    = flags.help()
		machine machineFlags
		out     outputFlags
		job     pipeline.Job
		order   orderFlags
		columns columnFlags
	)
	cmd := &cobra.Command{
		Use: help.name + " " + help.anonymize.use, Short: help.anonymize.short,
		Long:    help.anonymize.long,
		Example: help.anonymize.example,
		Args:    arguments(1, 1, "one file of "+what(help.name)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := required(
				cmd, append(append(help.required, help.more...), "output")...,
			); err != nil {
				return err
			}
			if job.Family, err = flags.family(cmd); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			if err := order.check(); err != nil {
				return err
			}
			if err := columns.check(); err != nil {
				return err
			}
			job.Shuffle, job.Delimiter = order.shuffle, flags.outputDelimiter()
			job.KeepColumns, job.KeepIdentifiers = columns.keep, columns.identifiers
			job.Input, job.Workers = args[0], machine.workers
			job.Output, job.OutputFormat, job.Force = out.path, flags.outputFormat(), out.force
			if job.RenderReport, err = reportRenderer(cmd.Context(), job.Report); err != nil {
				return err
			}
			return a.release(cmd, args, job)
		},
	}
	f := cmd.Flags()
	flags.promise(f)
	flags.files(f)
	flags.method(f)
	if !help.shuffled {
		order.register(f)
		columns.register(f)
	}
	out.register(f, "the published file")
	f.StringVar(&job.Report, "report", "", "write a report that is safe to publish: JSON, or by its extension the page (.html, .pdf) or text (.txt)")
	f.StringVar(
		&job.Audit, "audit", "",
		"write the audit file (JSON): SECRET, it holds "+help.secret+"; mode 0600",
	)
	writes(f, "report", "audit")
	machine.register(f)
	return cmd
}

// reportRenderer goes by the extension of the report; nil: JSON, if anything.
func reportRenderer(
	ctx context.Context, path string,
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
		return render(&report.Outcome{Report: r}, w)
	}, nil
}

// what a file of a family holds.
func what(family string) string {
	if family == (pipeline.Continuous{}).Name() {
		return "records"
	}
	return "transactions"
}

// release makes a release and prints what the custodian is to see.
func (a *app) release(cmd *cobra.Command, args []string, job pipeline.Job) error {
	job.Progress, job.In, job.Out = a.progress, a.in, a.out
	job.Command, job.Recipe = append([]string{"mingle"}, a.args...), recipe(cmd, args)
	_, job.OmitTimings = os.LookupEnv("SOURCE_DATE_EPOCH") // the same run leaves the same bytes
	job.Memory, job.Room = a.memory.asked, a.memory.bound
	if seed := cmd.Flags().Lookup("seed"); seed != nil && seed.Changed {
		job.Seed = seedOf(seed.Value.String())
	}
	if keep := cmd.Flags().Lookup("keep-best"); keep != nil && keep.Value.String() == "true" {
		job.Stop = askKeepBest(cmd.Context())
	}
	if a.planned != nil {
		a.planned(job)
		return nil
	}
	out, err := job.Run(cmd.Context())
	if err != nil {
		return err
	}
	return a.published(out)
}

// published prints the outcome of a run.
func (a *app) published(out *report.Outcome) error {
	var text strings.Builder
	if err := out.WriteText(&text); err != nil {
		return err
	}
	if err := a.console.print(text.String(), out); err != nil {
		return &codedError{
			codeInternal,
			fmt.Errorf("all files are in place; only the result could not be shown: %w", err),
		}
	}
	return nil
}
