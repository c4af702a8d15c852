package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/hierarchy"
	"mingle/internal/nearest"
	"mingle/measure"
	"mingle/pipeline"
	"mingle/report"
)

// queryFlags are the flags of "mingle query".
type queryFlags struct {
	layout     layoutFlags
	tree       hierarchyFlags
	machine    machineFlags
	list       string
	suppressed bool
}

// answered is a query with what a release says of it.
type answered struct {
	Items []string `json:"items"`
	measure.Answer
	Transactions int  `json:"transactions"`
	Suppressed   bool `json:"suppressed,omitempty"` // AtMost is not certain
}

// query is "mingle query".
func (a *app) query() *cobra.Command {
	var q queryFlags
	cmd := &cobra.Command{
		Use:   "query PUBLISHED -H HIERARCHY ITEM...",
		Short: "In how many transactions are some items? What a release says of it",
		Long: `Counts, in a release by generalization alone, the transactions with all of some items or groups.
The true number is certainly within the bounds, where nothing was suppressed. The estimate takes
each item below a published group for as likely as another, but for those below a child of the group
that the line has a label of, and items as independent; "mingle measure" tells its mean error.`,
		Example: `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle anonymize km shop.jsonl -H catalogue.csv -k 5 -m 2 -o published.jsonl
  mingle query published.jsonl -H catalogue.csv "Green tea 20 bags" Bakery
  echo "Green tea 20 bags,Bakery" > questions.csv
  mingle query published.jsonl -H catalogue.csv --queries questions.csv --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return a.answer(cmd, &q, args) },
	}
	f := cmd.Flags()
	q.tree.register(f)
	q.layout.register(f, false)
	f.StringVar(&q.list, "queries", "", "file of several queries, each a transaction: its format is that of its extension; .csv and none, as of standard input (-), are basket")
	f.BoolVar(&q.suppressed, "suppressed", false, "occurrences may have been left out of the release: then the bound from above is not certain")
	q.machine.register(f)
	return cmd
}

// answer reads the release, and answers the queries.
func (a *app) answer(cmd *cobra.Command, q *queryFlags, args []string) error {
	if len(args) == 0 {
		return usagef("mingle query needs a published file, and items")
	}
	if (q.list == "") == (len(args) == 1) {
		return usagef("name items after the published file, or a file of queries by --queries")
	}
	if err := required(cmd, "hierarchy"); err != nil {
		return err
	}
	opts, err := q.layout.options()
	if err != nil {
		return err
	}
	read, err := q.tree.options()
	if err != nil {
		return err
	}
	if err := q.machine.check(); err != nil {
		return err
	}
	files := a.files(q.machine.workers)
	t, err := files.Hierarchy(cmd.Context(), q.tree.path, read)
	if err != nil {
		return err
	}
	published, _, err := files.Release(cmd.Context(), args[0], opts)
	if err != nil {
		return err
	}
	queries := [][]string{args[1:]}
	if q.list != "" {
		if queries, err = readQueries(cmd, files, q.list); err != nil {
			return err
		}
	}
	all, err := a.answers(cmd.Context(), t, published, queries)
	if err != nil {
		return err
	}
	for i := range all {
		all[i].Suppressed = q.suppressed
	}
	if q.list == "" {
		return a.console.print(answersText(all), all[0])
	}
	return a.console.print(answersText(all), map[string]any{"answers": all})
}

// readQueries reads a file of queries. The layout that was named is that of the release.
func readQueries(cmd *cobra.Command, files *pipeline.Files, path string) ([][]string, error) {
	var opts dataset.Options
	if ext := dataset.Extension(path); ext == ".csv" || ext == "" && !rows.Is(path) {
		opts.Format = dataset.Basket
	}
	d, _, err := files.Transactions(cmd.Context(), "queries", path, opts)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for i := range d.Len() {
		out = append(out, d.Labels(i))
	}
	return out, nil
}

// answers asks a release. An item that is nowhere is told with the one that is most like it.
func (a *app) answers(
	ctx context.Context, t *hierarchy.Tree, published *dataset.Dataset, queries [][]string,
) ([]answered, error) {
	release := measure.NewAnswers(t, published)
	all := make([]answered, 0, len(queries))
	var bad faults
	for i, items := range queries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		a.console.progress("answering", int64(i), int64(len(queries)))
		answer, err := release.Ask(items...)
		var unknown *measure.UnknownError
		if errors.As(err, &unknown) {
			labels := slices.Concat(t.Dict().Labels(), published.Dict().Labels())
			hint := nearest.Name(unknown.Label, labels)
			if hint != "" {
				hint = fmt.Sprintf(": did you mean %q?", hint)
			}
			bad.addf("%v%s", err, hint)
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, answered{Items: items, Answer: answer, Transactions: published.Len()})
	}
	return all, bad.err()
}

func answersText(all []answered) string {
	if len(all) == 0 {
		return "there are no queries\n"
	}
	var s strings.Builder
	for _, a := range all {
		bounds := fmt.Sprintf("between %s and %s", report.Number(a.AtLeast), report.Number(a.AtMost))
		if a.Suppressed {
			bounds = "at least " + report.Number(a.AtLeast)
		}
		fmt.Fprintf(&s, "%s: about %.1f of %s, certainly %s\n",
			strings.Join(a.Items, " + "), a.Estimate, count(a.Transactions, "transaction"), bounds)
	}
	return s.String()
}
