package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/anonymize/nonreciprocal"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/report"
)

func registerNonreciprocal(f *pflag.FlagSet, p *privacy.Nonreciprocal, label *string) {
	f.IntVarP(&p.K, "k", "k", 0, "every record matches at least k published records (at least 2)")
	f.IntVarP(&p.L, "l", "l", 0, "every record matches at least l published records with l different labels (at least 2)")
	f.StringVar(label, "label", "", "column of the sensitive label of each record (long, table and jsonl files)")
}

// anonymizeNonreciprocal is "mingle anonymize nonreciprocal".
func (a *app) anonymizeNonreciprocal() *cobra.Command {
	var (
		layout  layoutFlags
		machine machineFlags
		out     outputFlags
		seed    string
		job     pipeline.NonreciprocalJob
	)
	cmd := &cobra.Command{
		Use:   "nonreciprocal INPUT -k K -o OUTPUT",
		Short: "k-anonymity (or l-diversity of a label) without hierarchy: base sets with uncertain items",
		Long: `Publishes for every record a base set, uncertain items and a threshold: the record differs from
the base in at most that many places, all of them uncertain items. Every record matches at
least k published records, each with the same probability of being its own. With -l each
label is a record's with a probability of at most 1/l, also for somebody who knows all records
and the algorithm (not with --algorithm cahd, which is there to compare). The output is jsonl,
in random order. What is about to be published is read back and judged by an independent
verifier; if it finds a breach, nothing is written.`,
		Example: `  mingle anonymize nonreciprocal shop.csv -k 8 -o published.jsonl
  mingle anonymize nonreciprocal stays.jsonl -l 4 --label diagnosis -o published.jsonl --audit audit.json`,
		Args: arguments(1, 1, "one file of transactions"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := required(cmd, "output"); err != nil {
				return err
			}
			if job.InputOptions, err = layout.options(); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			if cmd.Flags().Changed("seed") {
				job.Seed = seedOf(seed)
			}
			job.Input, job.Output, job.Force, job.Workers = args[0], out.path, out.force, machine.workers
			job.Room = a.memory.bound
			return a.runNonreciprocal(cmd, args, job)
		},
	}
	f := cmd.Flags()
	registerNonreciprocal(f, &job.Promise, &job.Label)
	out.register(f, "the published file, .jsonl")
	f.StringVar(&job.Algorithm, "algorithm", nonreciprocal.NR, "nr (near records, without groups), cahd (disjoint groups, to compare; by l its groups tell of the labels)")
	f.StringVar(&job.Graph, "graph", "", "nr: nearest (near neighbours; the default) or ring (neighbours in one order)")
	f.StringVar(&job.Items, "item-order", "", "order of the items that records are sorted by: dictionary, frequent, rare (default: the best of them)")
	f.IntVar(&job.SegmentMin, "segment-min", 0, "least number of records whose order is improved together (default 300)")
	f.IntVar(&job.SegmentMax, "segment-max", 0, "and the greatest (default 350)")
	f.StringVar(&seed, "seed", "", "for tests only: any text. The same seed makes the same release; whoever knows it can undo it")
	f.StringVar(&job.Report, "report", "", "write a report (JSON) that is safe to publish")
	f.StringVar(&job.Audit, "audit", "", "write the audit file (JSON): SECRET, it holds the seed and the true matches; mode 0600")
	layout.register(f, false)
	machine.register(f)
	return cmd
}

// seedOf makes 256 bits of a text: 64 hexadecimal digits as they stand (an audit file has them), else its SHA-256.
func seedOf(text string) *[32]byte {
	var seed [32]byte
	if n, err := hex.Decode(seed[:], []byte(text[:min(len(text), 64)])); err == nil && n == 32 && len(text) == 64 {
		return &seed
	}
	seed = sha256.Sum256([]byte(text))
	return &seed
}

// runNonreciprocal makes a release and prints its report.
func (a *app) runNonreciprocal(cmd *cobra.Command, args []string, job pipeline.NonreciprocalJob) error {
	job.Progress, job.In, job.Out = a.progress, a.in, a.out
	job.Command, job.Recipe = append([]string{"mingle"}, a.args...), recipe(cmd, args)
	return a.published(job.Run(cmd.Context()))
}

// verifyNonreciprocal is "mingle verify nonreciprocal".
func (a *app) verifyNonreciprocal() *cobra.Command {
	var (
		layout  layoutFlags
		machine machineFlags
		check   pipeline.NonreciprocalCheck
	)
	cmd := &cobra.Command{
		Use:   "nonreciprocal ORIGINAL PUBLISHED -k K",
		Short: "Does a published file of base sets and uncertain items keep k-anonymity or l-diversity?",
		Long: `Matches every original record against the published ones, and the other way round, from the
definition. With --label it also checks that the labels are those of the original. The exit
code is 0 when the promise holds and 3 when it does not.`,
		Example: `  mingle verify nonreciprocal shop.csv published.jsonl -k 8
  mingle verify nonreciprocal stays.jsonl published.jsonl -l 4 --label diagnosis`,
		Args: arguments(2, 2, "the original and the published file"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			check.Original, check.Published, check.Files = args[0], args[1], a.files(machine.workers)
			if check.Options, err = layout.options(); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			return a.judged(check.Run(cmd.Context()))
		},
	}
	registerNonreciprocal(cmd.Flags(), &check.Promise, &check.Label)
	layout.register(cmd.Flags(), false)
	machine.register(cmd.Flags())
	return cmd
}

// measureNonreciprocal is "mingle measure nonreciprocal".
func (a *app) measureNonreciprocal() *cobra.Command {
	var (
		layout  layoutFlags
		machine machineFlags
		m       pipeline.NonreciprocalMeasurement
	)
	cmd := &cobra.Command{
		Use:   "nonreciprocal ORIGINAL PUBLISHED",
		Short: "What a published file of base sets and uncertain items lost: error rate, query error",
		Long: `Compares a file of base sets and uncertain items with its original: how many items of a record are
uncertain, and how far counts by random combinations of items are off when the base sets are
taken for the data. The error rate compares each record with the base made for it, which only the audit
file of the release tells.`,
		Example: `  mingle measure nonreciprocal shop.csv published.jsonl --audit audit.json`,
		Args:    arguments(2, 2, "the original and the published file"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if m.Options, err = layout.options(); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			m.Original, m.Published, m.Files = args[0], args[1], a.files(machine.workers)
			losses, err := m.Run(cmd.Context())
			if err != nil {
				return err
			}
			return a.console.print(baseLossesText(losses), map[string]any{"losses": losses})
		},
	}
	cmd.Flags().StringVar(&m.Audit, "audit", "", "the audit file of the release: the error rate needs it")
	layout.register(cmd.Flags(), false)
	machine.register(cmd.Flags())
	return cmd
}

func baseLossesText(losses []report.Loss) string {
	var s strings.Builder
	for _, l := range losses {
		fmt.Fprintf(&s, "%-14s %10.6f   %s\n", l.Name, l.Value, l.Formula)
	}
	return s.String()
}
