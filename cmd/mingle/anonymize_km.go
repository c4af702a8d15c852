package main

import (
	"github.com/spf13/cobra"

	"mingle/dataset"
	"mingle/pipeline"
)

// kmRelease is what the command line says of a release.
type kmRelease struct {
	layout    layoutFlags
	tree      hierarchyFlags
	km        kmFlags
	machine   machineFlags
	out       outputFlags
	algorithm string
	settings  pipeline.Settings
	seed      string
	left      suppressFlags
	job       pipeline.Job
}

// anonymizeKM is "mingle anonymize km".
func (a *app) anonymizeKM() *cobra.Command {
	var r kmRelease
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
			if err := r.fill(cmd, args[0]); err != nil {
				return err
			}
			return a.run(cmd, args, r.job, r.machine.workers)
		},
	}
	f := cmd.Flags()
	r.tree.register(f)
	r.km.register(f)
	r.out.register(f, "the published file")
	algorithmFlags(f, &r.algorithm, &r.settings, &r.left)
	f.BoolVar(&r.job.Gap, "gap", false, "prove how much any global recoding must lose, and report the gap (takes about as long as exact)")
	f.StringVar(&r.seed, "seed", "", "of what is left to chance: the seed in an audit file makes that release again, any other text is for tests only. Whoever knows it can run the algorithm in mind")
	f.StringVar(&r.job.Report, "report", "", "write a report (JSON) that is safe to publish")
	f.StringVar(&r.job.Audit, "audit", "", "write the audit file (JSON): SECRET, it holds original supports and the seed; mode 0600")
	r.layout.register(f, true)
	r.machine.register(f)
	return cmd
}

// fill makes the job out of the flags.
func (r *kmRelease) fill(cmd *cobra.Command, input string) error {
	if err := required(cmd, "hierarchy", "k", "m", "output"); err != nil {
		return err
	}
	entry, err := pipeline.FindAlgorithm("km", r.algorithm)
	if err != nil {
		return usagef("--algorithm: %w", err)
	}
	if r.settings.Effort < 0 {
		return usagef("--effort (%d) must not be negative", r.settings.Effort)
	}
	job := &r.job
	if job.InputOptions, err = r.layout.options(); err != nil {
		return err
	}
	if job.HierarchyOptions, err = r.tree.options(); err != nil {
		return err
	}
	if err := r.machine.check(); err != nil {
		return err
	}
	if r.settings.Suppression, err = r.left.suppression(cmd); err != nil {
		return err
	}
	if cmd.Flags().Changed("seed") {
		job.Seed = seedOf(r.seed)
	}
	if r.settings.KeepBest {
		job.Enough = askKeepBest(cmd.Context())
	}
	job.Input, job.Hierarchy, job.Sensitive = input, r.tree.path, r.km.sensitive
	job.Promise, job.Algorithm, job.GapLimit = r.km.promise, entry.Make(r.settings), r.settings.TimeLimit
	job.MaySuppress, job.Drop = r.settings.Suppression != nil, r.left.drop
	job.Output, job.OutputFormat, job.Force = r.out.path, dataset.Format(r.layout.output), r.out.force
	return nil
}

// run makes a release and prints its report.
func (a *app) run(cmd *cobra.Command, args []string, job pipeline.Job, workers int) error {
	job.Workers, job.Progress = workers, a.progress
	job.In, job.Out = a.in, a.out
	job.Command, job.Recipe = append([]string{"mingle"}, a.args...), recipe(cmd, args)
	job.Bare = bare()
	job.Memory, job.Room = a.memory.asked, a.memory.bound
	return a.published(job.Run(cmd.Context()))
}
