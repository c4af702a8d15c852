package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/pipeline"
	"mingle/report"
)

// anonymizeFlags are all flags of "mingle anonymize" of one family.
type anonymizeFlags struct {
	family  familyFlags
	machine machineFlags
	out     outputFlags
	order   orderFlags
	columns columnFlags
	page    pageFlags
	fail    failFlags
	print   bool
	job     pipeline.Job
}

// anonymize is "mingle anonymize" of one family.
func (a *app) anonymize(flags familyFlags) *cobra.Command {
	help, given := flags.help(), &anonymizeFlags{family: flags}
	cmd := &cobra.Command{
		Use: help.name + " " + help.anonymize.use, Short: help.anonymize.short,
		Long:    help.anonymize.long,
		Example: help.anonymize.example,
		Args:    arguments(1, 1, "one file of "+what(help.name)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(
				cmd, append(append(help.required, help.more...), "output")...,
			); err != nil {
				return err
			}
			job, err := given.asked(cmd, args[0], a.said)
			if err != nil {
				return err
			}
			if given.print {
				return a.printRelease(cmd, args, help.name, given)
			}
			return allMissing(cmd, args, a.release(cmd, args, job))
		},
	}
	given.register(cmd.Flags())
	return cmd
}

func (g *anonymizeFlags) register(f *pflag.FlagSet) {
	help := g.family.help()
	g.family.promise(f)
	g.family.files(f)
	g.family.method(f)
	if !help.shuffled {
		g.order.register(f)
		g.columns.register(f)
	}
	g.out.register(f, "the published file")
	f.StringVar(&g.job.Report, "report", "", "write a report that is safe to publish: JSON, or by its extension the page (.html, .pdf) or text (.txt)")
	f.StringVar(
		&g.job.Audit, "audit", "",
		"write the audit file (JSON): SECRET, it holds "+help.secret+"; mode 0600",
	)
	writes(f, "report", "audit")
	g.page.register(f)
	g.fail.register(f)
	g.machine.register(f)
	f.BoolVar(&g.print, "print-release", false, "print a release file that says the same as this command, for mingle run, and do nothing else; where --seed is given it is SECRET")
}

// asked is the job that the flags ask for. Said are statements that stand in a release file; nil:
// there is none.
func (g *anonymizeFlags) asked(
	cmd *cobra.Command, input string, said report.Statements,
) (job pipeline.Job, err error) {
	job = g.job
	if job.Family, err = g.family.family(cmd); err != nil {
		return job, err
	}
	for _, check := range []func() error{g.machine.check, g.order.check, g.columns.check} {
		if err := check(); err != nil {
			return job, err
		}
	}
	if job.FailIf, err = g.fail.thresholds(job.Family.Name()); err != nil {
		return job, err
	}
	job.Shuffle, job.Delimiter = g.order.shuffle, g.family.outputDelimiter()
	job.KeepColumns, job.KeepIdentifiers = g.columns.keep, g.columns.identifiers
	job.Input, job.Workers = input, g.machine.workers
	job.OutputFormat, job.Force = g.family.outputFormat(), g.out.force
	if job.Output, err = g.family.published(g.out.path); err != nil {
		return job, err
	}
	return job, g.page.renderers(cmd, &job, said)
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
	job.Databases = a.databases()
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
	if a.definition != nil {
		job.Definition = a.definition.Entry()
		job.Keep = append(job.Keep, a.definition.Name)
	}
	if a.dry {
		forecast, err := job.Dry(cmd.Context())
		if err != nil {
			return err
		}
		return a.console.print(forecastText(job, forecast), forecast)
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
