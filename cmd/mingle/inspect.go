package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mingle/dataset/profile"
	"mingle/dataset/rows"
	"mingle/pipeline"
	"mingle/report"
)

// mostLookedAt is how many sets of a size inspect looks through: some minutes' work.
const mostLookedAt = 1e11

// inspect is "mingle inspect".
func (a *app) inspect() *cobra.Command {
	var layout layoutFlags
	var machine machineFlags
	var m int
	cmd := &cobra.Command{
		Use:   "inspect INPUT",
		Short: "Size, lengths, supports, and how many transactions a few items single out",
		Long: `Describes a file of transactions. A transaction is singled out by up to i known items when
it has some, at most i, that no other transaction has together. The sets to count say what
an m will cost: aa counts those of one and of two items as given, and of more what
generalizing has left until then. The time is for one processor, by what it counts a
second as measured now.`,
		Example: `  mingle generate shop -o shop.jsonl
  mingle inspect shop.jsonl -m 3`,
		Args: arguments(1, 1, "one file of transactions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if m < 1 {
				return usagef("m (%d) must be at least 1", m)
			}
			opts, err := layout.options()
			if err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			files := a.files(machine.workers)
			d, opts, err := files.Transactions(cmd.Context(), "transactions", args[0], opts)
			if err != nil {
				return err
			}
			forecast := pipeline.CountForecastOf(d, m)
			within := len(forecast.Sets)
			for within > 1 && forecast.Sets[within-1] > mostLookedAt {
				within--
			}
			p, err := profile.Of(cmd.Context(), d, within, profile.Options{
				Workers: machine.workers, Progress: a.console.progress,
			})
			if err != nil {
				return err
			}
			p.Notes, p.Sets, p.Seconds = d.Notes, forecast.Sets, forecast.Seconds
			if within < len(p.Sets) {
				p.Notes = append(p.Notes, fmt.Sprintf("whom %d known items and more single out "+
					"was not looked for: it takes too long", within+1))
			}
			beside, err := files.ColumnsBeside(cmd.Context(), args[0], opts, d)
			if err != nil {
				return err
			}
			p.Persons = pipeline.PersonColumns(beside)
			return a.console.print(profileText(args[0], string(opts.Format), p), p)
		},
	}
	cmd.Flags().IntVarP(&m, "m", "m", 2, "look at up to this many known items")
	layout.register(cmd.Flags(), false)
	machine.register(cmd.Flags())
	return cmd
}

func profileText(path, format string, p *profile.Profile) string {
	var s strings.Builder
	n := report.Number
	if path == "-" {
		path = "standard input"
	} else if rows.Is(path) && rows.File(path) == "" {
		path = rows.Shown(path)
	}
	fmt.Fprintf(&s, "%s (%s): %s, %s of them empty; %s, %s\n", path, format,
		count(p.Transactions, "transaction"), n(p.Empty), count(p.Items, "item"),
		count(p.Occurrences, "occurrence"))
	fmt.Fprintf(
		&s, "%-24s %8s %8s %8s %8s %8s %8s %8s\n", "", "least", "1/4", "median", "3/4", "99 %",
		"most", "mean",
	)
	row := func(what string, q profile.Spread, mean float64) {
		fmt.Fprintf(
			&s, "%-24s %8s %8s %8s %8s %8s %8s %8.2f\n", what, n(q.Min), n(q.Q1), n(q.Median),
			n(q.Q3), n(q.P99), n(q.Max), mean,
		)
	}
	row("items a transaction", p.Lengths, p.MeanLength)
	mean := 0.0
	if p.Items > 0 {
		mean = float64(p.Occurrences) / float64(p.Items)
	}
	row("transactions an item", p.Supports, mean)
	fmt.Fprintf(&s, "%-24s %8s\n", "items that occur once", n(p.Once))
	s.WriteString("singled out:\n")
	share := func(what string, count int) {
		fmt.Fprintf(
			&s, "  %-22s %8s  %12s\n", what, n(count),
			report.Percent(float64(count)/float64(max(1, p.Transactions))),
		)
	}
	for i, count := range p.Unique {
		by := "by 1 known item"
		if i > 0 {
			by = fmt.Sprintf("by up to %d known items", i+1)
		}
		share(by, count)
	}
	share("by all items", p.UniqueWhole)
	s.WriteString("sets to count, as given:\n")
	s.WriteString(pipeline.CountForecast{Sets: p.Sets, Seconds: p.Seconds}.Text())
	for _, c := range p.Persons {
		fmt.Fprintf(&s, "warning: %v\n", c)
	}
	s.WriteString("most frequent items:\n")
	for _, it := range p.Top {
		fmt.Fprintf(&s, "  %8s  %s\n", n(it.Support), it.Label)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&s, "note: %s\n", note)
	}
	return s.String()
}
