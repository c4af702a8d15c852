package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/anonymize/coherence"
	"mingle/dataset"
	"mingle/pipeline"
	"mingle/privacy"
)

// coherenceFlags are the parameters of (h,k,p)-coherence.
type coherenceFlags struct {
	promise privacy.Coherence
	private string
}

func (c *coherenceFlags) register(f *pflag.FlagSet) {
	f.Float64Var(&c.promise.H, "h", 0, "no private item is implied with a probability above this (above 0, at most 1)")
	f.IntVarP(&c.promise.K, "k", "k", 0, "every combination of public items that occurs does so in at least k transactions (at least 2)")
	f.IntVarP(&c.promise.P, "p", "p", 0, "public items an adversary may know of a person (at least 1)")
	f.StringVar(&c.private, "private", "", "file with the private items, one a line; all others are public")
}

// nuggetFlags say what is worth keeping, and how it is counted.
type nuggetFlags struct {
	support        string
	length         int
	ignore         bool
	moles, nuggets string
}

func (n *nuggetFlags) register(f *pflag.FlagSet) {
	f.StringVar(&n.support, "nugget-support", "", "itemsets in at least this many transactions are worth keeping: a number, or a share such as 1%")
	f.IntVar(&n.length, "nugget-length", 0, "and of at most this many items (0: any number)")
	f.BoolVar(&n.ignore, "ignore-nuggets", false, "hold the moles of an item against its transactions instead of its nuggets")
	f.StringVar(&n.moles, "count-moles", "auto", "how moles are counted: auto, edges, projection, diagram; the result is the same")
	f.StringVar(&n.nuggets, "count-nuggets", "auto", "how nuggets are counted: auto, edges, diagram; the result is the same")
}

// parse puts the flags into a job, or says all that is wrong.
func (n *nuggetFlags) parse(job *pipeline.CoherenceJob) (err error) {
	var bad faults
	if job.NuggetSupport, err = pipeline.ParseSupport(n.support); err != nil {
		bad.addf("--nugget-support: %v", err)
	}
	if job.Moles, err = coherence.ParseCounting(n.moles); err != nil {
		bad.addf("--count-moles: %v", err)
	}
	if job.Nuggets, err = coherence.ParseCounting(n.nuggets); err != nil {
		bad.addf("--count-nuggets: %v", err)
	}
	if job.NuggetLen = n.length; n.ignore {
		job.Scoring = coherence.ByOccurrences
	}
	return bad.err()
}

// anonymizeCoherence is "mingle anonymize coherence".
func (a *app) anonymizeCoherence() *cobra.Command {
	var (
		layout  layoutFlags
		promise coherenceFlags
		machine machineFlags
		out     outputFlags
		ways    nuggetFlags
		job     pipeline.CoherenceJob
	)
	cmd := &cobra.Command{
		Use:   "coherence INPUT --h H -k K -p P --nugget-support S --private FILE -o OUTPUT",
		Short: "(h,k,p)-coherence by suppressing public items, with frequent itemsets kept",
		Long: `Deletes public items, each from every transaction, until every combination of at most p public
items that occurs does so in at least k transactions and implies no private item with a
probability above h. The items are chosen such that as many frequent itemsets ("nuggets") as
possible stay; what stays has the same support as before. What is about to be published is
read back and judged by an independent verifier; if it finds a breach, nothing is written.`,
		Example: `  mingle anonymize coherence stays.jsonl --private hiv.txt --h 0.4 -k 5 -p 3 --nugget-support 1% -o published.jsonl`,
		Args:    arguments(1, 1, "one file of transactions"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := required(cmd, "h", "k", "p", "nugget-support", "output"); err != nil {
				return err
			}
			if err := ways.parse(&job); err != nil {
				return err
			}
			if job.InputOptions, err = layout.options(); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			job.Input, job.Private, job.Promise = args[0], promise.private, promise.promise
			job.Output, job.OutputFormat, job.Force = out.path, dataset.Format(layout.output), out.force
			job.Workers = machine.workers
			return a.runCoherence(cmd, args, job)
		},
	}
	f := cmd.Flags()
	promise.register(f)
	out.register(f, "the published file")
	ways.register(f)
	f.StringVar(&job.Report, "report", "", "write a report (JSON) that is safe to publish")
	f.StringVar(&job.Audit, "audit", "", "write the audit file (JSON): SECRET, it holds original supports; mode 0600")
	layout.register(f, true)
	machine.register(f)
	return cmd
}

// runCoherence makes a release and prints its report.
func (a *app) runCoherence(cmd *cobra.Command, args []string, job pipeline.CoherenceJob) error {
	job.Progress, job.In, job.Out = a.progress, a.in, a.out
	job.Command, job.Recipe = append([]string{"mingle"}, a.args...), recipe(cmd, args)
	job.Bare = bare()
	return a.published(job.Run(cmd.Context()))
}

// verifyCoherence is "mingle verify coherence".
func (a *app) verifyCoherence() *cobra.Command {
	var (
		layout  layoutFlags
		promise coherenceFlags
		machine machineFlags
	)
	cmd := &cobra.Command{
		Use:   "coherence [ORIGINAL] PUBLISHED --h H -k K -p P --private FILE",
		Short: "Does a published file keep (h,k,p)-coherence?",
		Long: `Judges a published file from the definition. With the original it also checks that line i of
the published file is line i of the original without some public items, each missing from
every line. Each breach comes with a witness and the lines where it can be looked up. The exit
code is 0 when the promise holds and 3 when it does not.`,
		Example: `  mingle verify coherence stays.jsonl published.jsonl --private hiv.txt --h 0.4 -k 5 -p 3
  mingle verify coherence published.jsonl --private hiv.txt --h 0.4 -k 5 -p 3`,
		Args: arguments(1, 2, "the published file, with the original before it where it is at hand"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := required(cmd, "h", "k", "p"); err != nil {
				return err
			}
			check := pipeline.CoherenceCheck{
				Published: args[len(args)-1], PublishedFormat: dataset.Format(layout.output),
				Private: promise.private, Promise: promise.promise, Files: a.files(machine.workers),
			}
			if len(args) == 2 {
				check.Original = args[0]
			}
			if check.Options, err = layout.options(); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			return a.judged(check.Run(cmd.Context()))
		},
	}
	promise.register(cmd.Flags())
	layout.register(cmd.Flags(), true)
	machine.register(cmd.Flags())
	return cmd
}
