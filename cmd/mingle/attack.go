package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/dataset"
	"mingle/pipeline"
)

// attack is "mingle attack".
func (a *app) attack() *cobra.Command {
	var (
		layout  layoutFlags
		tree    hierarchyFlags
		values  valueFlags
		machine machineFlags
		job     pipeline.Attack
	)
	cmd := &cobra.Command{
		Use:   "attack ORIGINAL PUBLISHED [-H HIERARCHY] -m M",
		Short: "What an adversary who knows 1 to m items of a person gains, before and after",
		Long: `Attacks the original and the published file in the same way, and sets both beside a baseline
that knows nothing: how many transactions match 1 to m known items of a random person
(singling out), and with what probability they imply a further item the person has
(inference). All combinations are looked at where there are few enough; otherwise they are
sampled and the interval (95 % confidence) is told.`,
		Example: `  mingle attack shop.csv published.csv -H catalogue.csv -m 3 -k 5`,
		Args:    arguments(2, 2, "the original and the published file"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := required(cmd, "m"); err != nil {
				return err
			}
			job.Original, job.Published, job.Hierarchy = args[0], args[1], tree.path
			job.PublishedFormat, job.Files = dataset.Format(layout.output), a.files(machine.workers)
			job.Adversary.Workers, job.Adversary.Progress = machine.workers, a.console.progress
			if job.Options, err = layout.options(); err != nil {
				return err
			}
			if job.HierarchyOptions, err = tree.options(); err != nil {
				return err
			}
			if job.Values, err = values.parse(); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			result, err := job.Run(cmd.Context())
			if err != nil {
				return err
			}
			var text strings.Builder
			if err := result.WriteText(&text); err != nil {
				return err
			}
			return a.console.print(text.String(), result)
		},
	}
	f := cmd.Flags()
	tree.register(f)
	registerAttack(f, &job)
	layout.register(f, true)
	values.register(f)
	machine.register(f)
	return cmd
}

// registerAttack makes the flags of the release and of the adversary.
func registerAttack(f *pflag.FlagSet, job *pipeline.Attack) {
	f.IntVarP(&job.Adversary.M, "m", "m", 0, "items an adversary may know of a person (at least 1)")
	f.IntVarP(&job.Adversary.K, "k", "k", 5, "tell how often fewer than k transactions match (at least 2)")
	f.StringVar(&job.Kind, "kind", pipeline.KindGeneralized, "of the release: km, coherence, nonreciprocal or continuous")
	f.BoolVar(&job.Adversary.NegativeKnowledge, "negative-knowledge", false, "the adversary may also know items that a person does not have")
	f.StringVar(&job.Sensitive, "sensitive", "", "file with the sensitive items, one a line")
	f.Int64Var(&job.Adversary.Exact, "exact", 10_000_000, "look at all combinations of a person and items up to so many (-1: sample always)")
	f.IntVar(&job.Adversary.Draws, "draws", 100_000, "otherwise draw so many")
	f.Uint64Var(&job.Adversary.Seed, "seed", 1, "seed of the draws")
}
