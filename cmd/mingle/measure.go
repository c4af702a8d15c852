package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/dataset"
	"mingle/measure"
	"mingle/pipeline"
	"mingle/report"
)

const measureExample = `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle anonymize km shop.jsonl -H catalogue.csv -k 5 -m 2 -o published.jsonl
  mingle measure shop.jsonl published.jsonl -H catalogue.csv`

// measure is "mingle measure".
func (a *app) measure() *cobra.Command {
	var (
		layout  layoutFlags
		tree    hierarchyFlags
		machine machineFlags
		family  pipeline.KM
		m       pipeline.Measurement
		audit   string
	)
	cmd := &cobra.Command{
		Use:   "measure ORIGINAL PUBLISHED [-H HIERARCHY]",
		Short: "What a published file lost: NCP, frequent itemsets (ML2, dML2), query error",
		Long: `Compares a published file with its original. NCP is the share of the hierarchy an average
item is blurred over. ML2 is the share of frequent itemsets that are lost at their level,
dML2 how many levels up the lost ones are found. The query error is that of counting
transactions with a random combination of items. 0 means that nothing was lost. All items
count but those that --sensitive lists: give it where "mingle anonymize" had it, else the
figures are others than the release reports.`,
		Example: measureExample,
		Args:    arguments(2, 2, "the original and the published file"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if family.Layout, err = layout.options(); err != nil {
				return err
			}
			if family.HierarchyOptions, err = tree.options(); err != nil {
				return err
			}
			if err := cmp.Or(machine.check(), someQueries(&m.Queries)); err != nil {
				return err
			}
			family.Hierarchy, m.MiningIfFew = tree.path, !cmd.Flags().Changed("support")
			published, err := layout.tables.published(args[1])
			if err != nil {
				return err
			}
			pair := pipeline.Pair{
				Family: family, Original: args[0], Published: published,
				PublishedFormat: dataset.Format(layout.output), Files: a.files(machine.workers),
				Audit: audit, PublishedDelimiter: layout.between,
			}
			losses, err := pair.Losses(cmd.Context(), m)
			if err != nil {
				return allMissing(cmd, args, err)
			}
			return a.console.print(lossesText(losses, family.Hierarchy != ""), losses)
		},
	}
	f := cmd.Flags()
	tree.register(f)
	measurementFlags(f, &family, &m)
	layout.register(f, true)
	auditFlag(f, &audit)
	machine.register(f)
	cmd.AddCommand(a.measureContinuous(), a.measureNonreciprocal())
	return cmd
}

// measurementFlags register what counts, and what is measured.
func measurementFlags(f *pflag.FlagSet, family *pipeline.KM, m *pipeline.Measurement) {
	f.StringVar(&family.Sensitive, "sensitive", "", "file with the sensitive items, one a line: they do not count (default: all items count)")
	f.BoolVar(&family.AllowUnknownSensitive, "allow-unknown-sensitive", false, "the list may have items that neither the data nor the hierarchy has")
	f.Var(
		newShares(&m.Mining.Thresholds, 0.01, 0.02, 0.03), "support",
		"support thresholds of ML2, as shares of the transactions: 0.01 or 1%",
	)
	f.IntVar(&m.Queries.Queries, "queries", 1000, "number of random queries")
	f.IntVar(&m.Queries.Size, "query-size", 2, "items a query")
	f.Uint64Var(&m.Seed, "seed", 1, "seed of the queries")
}

// someQueries refuses what the library takes for its own choice.
func someQueries(q *measure.QueryOptions) error {
	var bad faults
	bad.atLeastOne("queries", q.Queries)
	bad.atLeastOne("query-size", q.Size)
	return bad.err()
}

// cautions are notes for people, a line each.
func cautions(notes []string) string {
	var s strings.Builder
	for _, note := range notes {
		fmt.Fprintf(&s, "CAUTION: %s\n", note)
	}
	return s.String()
}

// lossesText is for people. Without a hierarchy there are no levels on which what is lost is found.
func lossesText(l *pipeline.Losses, leveled bool) string {
	var s strings.Builder
	s.WriteString(cautions(l.Notes))
	if l.NCP != nil {
		s.WriteString(ncpText(l.NCP))
	}
	n := report.Number
	for _, mining := range l.Mining {
		fmt.Fprintf(
			&s, "ML2 at %5.2f %%       %.4f   %s of %s frequent itemsets lost",
			100*mining.Threshold, mining.ML2, n(mining.Missing), n(mining.Frequent),
		)
		if mining.Missing > 0 && leveled {
			fmt.Fprintf(&s, ", found %.2f levels up on average (dML2)", mining.DML2)
		}
		if mining.Nowhere > 0 && leveled {
			fmt.Fprintf(&s, "; %s at no level, which counts as one above the root", n(mining.Nowhere))
		}
		s.WriteString("\n")
	}
	if l.Queries != nil {
		s.WriteString(queriesText(l))
	}
	return s.String()
}

// queriesText leaves the upper bound out where occurrences are missing: it does not hold then.
func queriesText(l *pipeline.Losses) string {
	q := l.Queries
	bounds := fmt.Sprintf("between %.1f and %.1f", q.MeanLower, q.MeanUpper)
	if q.OutsideBounds > 0 || l.NCP != nil && l.NCP.Suppressed > 0 {
		bounds = fmt.Sprintf("at least %.1f", q.MeanLower)
	}
	return fmt.Sprintf("query error         %s   mean relative error over %s queries of %s; "+
		"true mean %.1f transactions, %s\n", report.LossText(q.Error), report.Number(q.Queries),
		count(q.Size, "item"), q.MeanTrue, bounds)
}

func ncpText(l *measure.Loss) string {
	var s strings.Builder
	n := report.Number
	fmt.Fprintf(&s, "NCP                 %s   over %s, %s, %s of them suppressed\n",
		report.LossText(l.NCP), count(l.Domain, "item"), count(l.Occurrences, "occurrence"),
		n(l.Suppressed))
	for _, level := range l.Levels {
		what := "published as they are"
		if level.Height > 0 {
			what = fmt.Sprintf(
				"%d %s up", level.Height, []string{"level", "levels"}[min(level.Height-1, 1)],
			)
		}
		fmt.Fprintf(&s, "  %-24s %12s of the occurrences, as %s\n", what,
			report.Percent(float64(level.Occurrences)/float64(max(1, l.Occurrences))),
			count(level.Nodes, "label"))
	}
	return s.String()
}

// measureContinuous is "mingle measure continuous".
func (a *app) measureContinuous() *cobra.Command {
	var (
		layout bagFlags
		audit  string
	)
	cmd := &cobra.Command{
		Use:   "continuous ORIGINAL PUBLISHED",
		Short: "What a published file of numbers and ranges lost: NCP",
		Long: `Compares a published file of numbers and ranges with its original. NCP is the width of the
range an average value is published as, as a share of the distance between the lowest and the
highest value of the original. 0 means that nothing was lost.`,
		Example: `  mingle generate income -o payments.csv
  mingle anonymize continuous payments.csv -k 10 -m 2 -o published.csv
  mingle measure continuous payments.csv published.csv`,
		Args: arguments(2, 2, "the original and the published file"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			family := pipeline.Continuous{}
			if family.Layout, err = layout.options(); err != nil {
				return err
			}
			published, err := layout.tables.published(args[1])
			if err != nil {
				return err
			}
			pair := pipeline.Pair{
				Family: family, Original: args[0], Published: published,
				PublishedFormat: dataset.Format(layout.output), Files: a.files(0), Audit: audit,
				PublishedDelimiter: layout.between,
			}
			loss, err := pair.LossOfBags(cmd.Context())
			if err != nil {
				return err
			}
			return a.console.print(bagsLossText(loss), loss)
		},
	}
	layout.register(cmd.Flags(), true)
	auditFlag(cmd.Flags(), &audit)
	return cmd
}

func bagsLossText(l *measure.BagsNCP) string {
	n := report.Number
	return fmt.Sprintf("NCP                 %s   over %s, %s of them published as %s, the others as %s\n",
		report.LossText(l.NCP), count(l.Occurrences, "occurrence"), n(l.Generalized), count(l.Ranges, "range"), count(l.Values, "value"))
}

// measureNonreciprocal is "mingle measure nonreciprocal".
func (a *app) measureNonreciprocal() *cobra.Command {
	var (
		layout  layoutFlags
		machine machineFlags
		family  pipeline.Nonreciprocal
	)
	cmd := &cobra.Command{
		Use:   "nonreciprocal ORIGINAL PUBLISHED",
		Short: "What a published file of base sets and uncertain items lost: error rate, query error",
		Long: `Compares a file of base sets and uncertain items with its original: how many items of a record
are uncertain, and how far counts by random combinations of items are off when the base sets are
taken for the data. The error rate compares each record with the base made for it, which only the
audit file of the release tells.`,
		Example: `  mingle generate shop -o shop.jsonl
  mingle anonymize nonreciprocal shop.jsonl -k 8 -o published.jsonl --audit audit.json
  mingle measure nonreciprocal shop.jsonl published.jsonl --audit audit.json`,
		Args: arguments(2, 2, "the original and the published file"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if family.Layout, err = layout.options(); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			pair := pipeline.Pair{
				Family: family, Original: args[0], Published: args[1],
				Files: a.files(machine.workers),
			}
			losses, err := pair.LossesOfBases(cmd.Context())
			if err != nil {
				return err
			}
			return a.console.print(baseLossesText(losses), map[string]any{"losses": losses})
		},
	}
	cmd.Flags().StringVar(
		&family.Audit, "audit", "", "the audit file of the release: the error rate needs it",
	)
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
