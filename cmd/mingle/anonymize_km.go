package main

import (
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"mingle"
	"mingle/dataset"
)

// anonymizeKM is "mingle anonymize km".
func (a *app) anonymizeKM() *cobra.Command {
	var (
		layout    layoutFlags
		tree      hierarchyFlags
		km        kmFlags
		machine   machineFlags
		out       outputFlags
		algorithm string
		settings  mingle.Settings
		left      suppressFlags
		job       mingle.Job
	)
	cmd := &cobra.Command{
		Use:   "km INPUT -H HIERARCHY -k K -m M -o OUTPUT",
		Short: "k^m-anonymity (and l^m-diversity) by generalization over a hierarchy",
		Long: `Publishes items as groups of a hierarchy such that every combination of at most m published
items that occurs does so in at least k transactions. Line i of the output is transaction
i of the input. What is about to be published is read back and judged by an independent
verifier; if it finds a breach, nothing is written.`,
		Example: `  mingle anonymize km shop.csv -H catalogue.csv -k 5 -m 2 -o published.csv --report report.json
  mingle anonymize km stays.jsonl -H icd9.csv -k 5 -m 2 --sensitive hiv.txt -l 3 -o published.jsonl`,
		Args: arguments(1, 1, "one file of transactions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, "hierarchy", "k", "m", "output"); err != nil {
				return err
			}
			entry, err := mingle.FindAlgorithm("km", algorithm)
			if err != nil {
				return usagef("--algorithm: %w", err)
			}
			if job.InputOptions, err = layout.options(); err != nil {
				return err
			}
			if job.HierarchyOptions, err = tree.options(); err != nil {
				return err
			}
			if job.Memory, err = machine.bytes(); err != nil {
				return err
			}
			job.Input, job.Hierarchy, job.Sensitive = args[0], tree.path, km.sensitive
			if settings.Suppression, err = left.suppression(cmd); err != nil {
				return err
			}
			job.Promise, job.Algorithm = km.promise, entry.Make(settings)
			job.GapLimit = settings.TimeLimit
			if settings.KeepBest {
				job.Enough = askKeepBest(cmd.Context())
			}
			job.MaySuppress, job.Drop = settings.Suppression != nil, left.drop
			job.Output, job.OutputFormat, job.Force = out.path, dataset.Format(layout.output), out.force
			return a.run(cmd, args, job, machine.workers)
		},
	}
	f := cmd.Flags()
	tree.register(f)
	km.register(f)
	out.register(f, "the published file")
	algorithmFlags(f, &algorithm, &settings, &left)
	f.BoolVar(&settings.KeepBest, "keep-best", false, "exact, local: on Ctrl-C end with the best verified result; a second Ctrl-C ends without")
	f.BoolVar(&job.Gap, "gap", false, "prove how much any global recoding must lose, and report the gap (takes about as long as exact)")
	f.StringVar(&job.Report, "report", "", "write a report (JSON) that is safe to publish")
	f.StringVar(&job.Audit, "audit", "", "write the audit file (JSON): SECRET, it holds original supports; mode 0600")
	layout.register(f, true)
	machine.register(f, true)
	return cmd
}

// run makes a release and prints its report.
func (a *app) run(cmd *cobra.Command, args []string, job mingle.Job, workers int) error {
	job.Workers, job.Progress = workers, a.progress
	job.In, job.Out = a.in, a.out
	job.Command, job.Recipe = append([]string{"mingle"}, a.args...), recipe(cmd, args)
	_, job.Bare = os.LookupEnv("SOURCE_DATE_EPOCH") // the sign of builds that must be the same byte for byte
	if job.Memory > 0 {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(job.Memory))
	}
	rep, err := job.Run(cmd.Context())
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := rep.WriteText(&text); err != nil {
		return err
	}
	return a.console.print(text.String(), rep)
}
