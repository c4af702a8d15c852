package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/anonymize/continuous"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/generate"
	"mingle/hierarchy"
	"mingle/internal/publish"
	"mingle/measure"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/report"
)

// bagFlags say how files of numbers are laid out.
type bagFlags struct {
	input, output    string
	delimiter, inner string
	set, id          string
	valueFlags
}

func (b *bagFlags) register(f *pflag.FlagSet, output bool) {
	f.StringVar(&b.input, "input-format", "", "format of the records: fimi, basket, table, long, jsonl (default: found out)")
	if output {
		f.StringVar(&b.output, "output-format", "", "format of the published file (default: as the input)")
	}
	f.StringVar(&b.delimiter, "delimiter", "", "between the fields of a csv file (default ',')")
	f.StringVar(&b.inner, "inner-delimiter", "", "between the values of a record in a table (default ';')")
	f.StringVar(&b.set, "value-column", "", "column of the values in a table or a long file, field of the values in jsonl")
	f.StringVar(&b.id, "record-column", "", "column of the record in a long file")
	b.valueFlags.register(f)
}

// valueFlags say what values are.
type valueFlags struct{ kind, form, unit string }

func (v *valueFlags) register(f *pflag.FlagSet) {
	f.StringVar(&v.kind, "values", "number", "what the values are: number, date, timestamp")
	f.StringVar(&v.form, "layout", "", "layout of dates and timestamps, in the notation of Go (default: 2006-01-02, RFC 3339)")
	f.StringVar(&v.unit, "unit", "", "round dates and timestamps down to this unit and show them in it: "+strings.Join(bag.Units(), ", "))
}

func (v *valueFlags) parse() (bag.Kind, error) {
	kind, err := bag.NewKind(v.kind, v.form, v.unit)
	if err != nil {
		err = fmt.Errorf("--values, --layout, --unit: %w", err)
	}
	return kind, err
}

// options makes the layout, or says all that is wrong.
func (b *bagFlags) options() (bag.Layout, error) {
	var bad faults
	l := bag.Layout{
		Format: bad.format("--input-format", b.input), Delimiter: bad.rune("--delimiter", b.delimiter),
		Inner: bad.rune("--inner-delimiter", b.inner), Set: b.set, ID: b.id,
	}
	bad.format("--output-format", b.output)
	kind, err := b.valueFlags.parse()
	if err != nil {
		bad.addf("%v", err)
	}
	l.Kind = kind
	return l, bad.err()
}

func registerContinuous(f *pflag.FlagSet, p *privacy.Continuous) {
	f.IntVarP(&p.K, "k", "k", 0, "every bag of values that occurs does so in at least k records (at least 2)")
	f.IntVarP(&p.M, "m", "m", 0, "values an adversary may know of a person (at least 1)")
}

// rangeFlags say how ranges are built.
type rangeFlags struct{ options hierarchy.RangeOptions }

func (r *rangeFlags) register(f *pflag.FlagSet) {
	f.StringVar(&r.options.Width, "width", "100", "width of the narrowest ranges; days for dates, seconds for timestamps")
	f.IntVar(&r.options.Fanout, "fan-out", 2, "ranges that make one of the next level (at least 2)")
	f.StringVar(&r.options.Origin, "origin", "0", "where ranges begin")
}

// anonymizeContinuous is "mingle anonymize continuous".
func (a *app) anonymizeContinuous() *cobra.Command {
	var (
		layout    bagFlags
		ranges    rangeFlags
		tree      hierarchyFlags
		out       outputFlags
		algorithm string
		job       pipeline.ContinuousJob
	)
	cmd := &cobra.Command{
		Use:   "continuous INPUT -k K -m M -o OUTPUT",
		Short: "k^m-anonymity of bags of numbers (payments, measurements, dates) by ranges",
		Long: `Publishes numbers as themselves or as ranges [lowest-highest] such that every bag of at most m
published values that occurs does so in at least k records. Duplicates count. Line i of the
output is record i of the input. What is about to be published is read back and judged by an
independent verifier; if it finds a breach, nothing is written.`,
		Example: `  mingle anonymize continuous payments.csv -k 10 -m 2 -o published.csv
  mingle anonymize continuous visits.csv --values date --unit month -k 5 -m 2 -o published.csv`,
		Args: arguments(1, 1, "one file of records"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := required(cmd, "k", "m", "output"); err != nil {
				return err
			}
			if job.Algorithm, err = continuous.Find(algorithm); err != nil {
				return usagef("--algorithm: %w", err)
			}
			if job.Layout, err = layout.options(); err != nil {
				return err
			}
			if job.HierarchyOptions, err = tree.options(); err != nil {
				return err
			}
			job.Input, job.Hierarchy, job.Ranges = args[0], tree.path, ranges.options
			job.Output, job.OutputFormat, job.Force = out.path, dataset.Format(layout.output), out.force
			return a.runContinuous(cmd, args, job)
		},
	}
	f := cmd.Flags()
	registerContinuous(f, &job.Promise)
	out.register(f, "the published file")
	f.StringVar(&algorithm, "algorithm", "acd", "acd (ranges of its own), aa (over a hierarchy of ranges), local (a value may be published differently from record to record)")
	f.Float64VarP(&job.Threshold, "threshold", "d", 0.001, "acd: take a merge that adds less than this to the loss without looking further (0 to 1)")
	f.BoolVar(&job.PaperOnly, "paper-only", false, "acd: without the passes that narrow ranges again")
	f.StringVar(&job.Report, "report", "", "write a report (JSON) that is safe to publish")
	f.StringVar(&job.Audit, "audit", "", "write the audit file (JSON): SECRET, it holds original supports; mode 0600")
	ranges.register(f)
	tree.register(f)
	layout.register(f, true)
	return cmd
}

// runContinuous makes a release and prints its report.
func (a *app) runContinuous(cmd *cobra.Command, args []string, job pipeline.ContinuousJob) error {
	job.Progress, job.In, job.Out, job.Recipe = a.progress, a.in, a.out, recipe(cmd, args)
	job.Command, job.Bare = append([]string{"mingle"}, a.args...), bare()
	return a.published(job.Run(cmd.Context()))
}

// verifyContinuous is "mingle verify continuous".
func (a *app) verifyContinuous() *cobra.Command {
	var layout bagFlags
	var check pipeline.ContinuousCheck
	var workers machineFlags
	cmd := &cobra.Command{
		Use:   "continuous [ORIGINAL] PUBLISHED -k K -m M",
		Short: "Does a published file of numbers and ranges keep k^m-anonymity?",
		Long: `Counts every bag of at most m published values, from the published file alone. With the
original it also checks that line i of the published file is a generalization of line i of the
original. The exit code is 0 when the promise holds and 3 when it does not.`,
		Example: `  mingle verify continuous payments.csv published.csv -k 10 -m 2
  mingle verify continuous published.csv -k 10 -m 2`,
		Args: arguments(1, 2, "the published file, with the original before it where it is at hand"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := required(cmd, "k", "m"); err != nil {
				return err
			}
			if check.Layout, err = layout.options(); err != nil {
				return err
			}
			if err := workers.check(); err != nil {
				return err
			}
			check.Published, check.PublishedFormat = args[len(args)-1], dataset.Format(layout.output)
			if len(args) == 2 {
				check.Original = args[0]
			}
			check.Files = a.files(workers.workers)
			return a.judged(check.Run(cmd.Context()))
		},
	}
	registerContinuous(cmd.Flags(), &check.Promise)
	layout.register(cmd.Flags(), true)
	workers.register(cmd.Flags())
	return cmd
}

// measureContinuous is "mingle measure continuous".
func (a *app) measureContinuous() *cobra.Command {
	var layout bagFlags
	var m pipeline.ContinuousMeasurement
	cmd := &cobra.Command{
		Use:   "continuous ORIGINAL PUBLISHED",
		Short: "What a published file of numbers and ranges lost: NCP",
		Long: `Compares a published file of numbers and ranges with its original. NCP is the width of the
range an average value is published as, as a share of the distance between the lowest and the
highest value of the original. 0 means that nothing was lost.`,
		Example: `  mingle measure continuous payments.csv published.csv`,
		Args:    arguments(2, 2, "the original and the published file"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if m.Layout, err = layout.options(); err != nil {
				return err
			}
			m.Original, m.Published = args[0], args[1]
			m.PublishedFormat, m.Files = dataset.Format(layout.output), a.files(0)
			loss, err := m.Run(cmd.Context())
			if err != nil {
				return err
			}
			return a.console.print(bagsLossText(loss), loss)
		},
	}
	layout.register(cmd.Flags(), true)
	return cmd
}

func bagsLossText(l *measure.BagsNCP) string {
	n := report.Number
	return fmt.Sprintf("NCP                 %.6f   over %s occurrences, %s of them published as %s, the others as %s\n",
		l.NCP, n(l.Occurrences), n(l.Generalized), count(l.Ranges, "range"), count(l.Values, "value"))
}

// hierarchyRanges is "mingle hierarchy ranges".
func (a *app) hierarchyRanges() *cobra.Command {
	var layout bagFlags
	var ranges rangeFlags
	var out outputFlags
	var format string
	cmd := &cobra.Command{
		Use:     "ranges INPUT --width W --fan-out N -o HIERARCHY",
		Short:   "Group the numbers of a file by rounding, in ever wider ranges",
		Example: `  mingle hierarchy ranges payments.csv --width 100 --fan-out 2 -o ranges.csv`,
		Args:    arguments(1, 1, "one file of records, whose values are the leaves"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, "output"); err != nil {
				return err
			}
			l, err := layout.options()
			if err != nil {
				return err
			}
			set, err := out.set(a, "hierarchy", args[0])
			if err != nil {
				return err
			}
			b, err := a.files(0).Bags(cmd.Context(), "records", args[0], &l)
			if err != nil {
				return err
			}
			ranges.options.Kind = l.Kind
			t, err := hierarchy.Ranges(b.Terms(), ranges.options)
			if err != nil {
				return err
			}
			return a.writeHierarchy(t, set, hierarchyTarget{out.path, format})
		},
	}
	f := cmd.Flags()
	out.register(f, "the hierarchy to write")
	f.StringVar(&format, "format", "arx", "its layout: arx, pairs, amnesia, json")
	ranges.register(f)
	layout.register(f, false)
	return cmd
}

// generateIncome is "mingle generate income".
func (a *app) generateIncome() *cobra.Command {
	var income generate.Income
	var out outputFlags
	cmd := &cobra.Command{
		Use:   "income -n N -o OUTPUT",
		Short: "Bags of yearly incomes by source: skewed, rounded, from 1 to 197297, 2.27 values a record",
		Args:  arguments(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := required(cmd, "output"); err != nil {
				return err
			}
			if income.Records < 0 {
				return usagef("--records (%d) must not be negative", income.Records)
			}
			set, err := out.set(a, "output")
			if err != nil {
				return err
			}
			b := income.Bags()
			err = a.writeFile(set, out.path, publish.Public, func(w io.Writer) error {
				return bag.Write(w, b, &bag.Layout{Format: dataset.Basket})
			})
			if err != nil {
				return err
			}
			return a.console.print(b.String()+"\n", map[string]any{"written": out.path, "records": b.Len(), "values": len(b.Terms()), "occurrences": b.Occurrences()})
		},
	}
	out.register(cmd.Flags(), "the file to write, a record a line")
	cmd.Flags().IntVarP(&income.Records, "records", "n", 1000, "records to make")
	cmd.Flags().Uint64Var(&income.Seed, "seed", 1, "the same seed makes the same records")
	return cmd
}
