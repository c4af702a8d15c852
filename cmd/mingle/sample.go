package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mingle/dataset"
	"mingle/pipeline"
)

// sample is "mingle sample".
func (a *app) sample() *cobra.Command {
	var (
		layout  layoutFlags
		tree    hierarchyFlags
		machine machineFlags
		out     outputFlags
		job     pipeline.Completion
	)
	cmd := &cobra.Command{
		Use:   "sample PUBLISHED -H HIERARCHY -o OUTPUT",
		Short: "Draw an item for every group of a release, so that any program can read it",
		Long: `Makes transactions of items alone from a release by generalization: every published group becomes
one item below it, each as likely as another, but for those below a child of the group that the line
has a label of. It is a function of the release and the seed, so it tells no more of the original
than the release does. What is counted in it within groups is made up: use it to try programs, and
query or the release itself for figures.`,
		Example: `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle anonymize km shop.jsonl -H catalogue.csv -k 5 -m 2 -o published.jsonl
  mingle sample published.jsonl -H catalogue.csv -o made-up.jsonl`,
		Args: arguments(1, 1, "one published file"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := required(cmd, "hierarchy", "output"); err != nil {
				return err
			}
			if job.Layout, err = layout.options(); err != nil {
				return err
			}
			if job.HierarchyOptions, err = tree.options(); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			job.Files, job.Out = *a.files(machine.workers), a.out
			job.Published, job.Hierarchy = args[0], tree.path
			job.Output, job.Force = out.path, out.force
			job.OutputFormat, job.Delimiter = dataset.Format(layout.output), layout.between
			made, err := job.Run(cmd.Context())
			if err != nil {
				return err
			}
			text := fmt.Sprintf("%s: %s, %s, made up below the labels of %s\n", out.path,
				count(made.Len(), "transaction"), count(made.Occurrences(), "occurrence"), args[0])
			return a.console.print(text, map[string]any{
				"written": out.path, "transactions": made.Len(), "occurrences": made.Occurrences(),
			})
		},
	}
	f := cmd.Flags()
	tree.register(f)
	layout.register(f, false)
	layout.writtenTransactions(f, "made-up", fileFormatNames())
	f.Uint64Var(&job.Seed, "seed", 1, "seed of the draws")
	out.register(f, "the file of made-up transactions")
	machine.register(f)
	return cmd
}
