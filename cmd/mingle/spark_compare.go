package main

import (
	"strings"

	"github.com/spf13/cobra"

	"mingle/attack"
	"mingle/cluster"
	"mingle/pipeline"
)

// sparkBeside are the flags of what is compared with its original.
type sparkBeside struct {
	sparkFlags
	adversary attack.Options
}

func (s *sparkBeside) register(cmd *cobra.Command) {
	f := cmd.Flags()
	s.on(f)
	f.StringVar(&s.sensitive, "sensitive", "", "file with the sensitive items, one a line")
	f.StringVar(&s.person, "person-column", "", "field of jsonl that says whose each transaction is, where a person has several")
	f.BoolVar(&s.allowUnknown, "allow-unknown-sensitive", false, "the list of sensitive items may have items that neither the data nor the hierarchy has")
}

// compared checks the flags and starts a session; closing ends it.
func (s *sparkBeside) compared(
	a *app, cmd *cobra.Command, args []string,
) (c *cluster.Compared, closing func(), err error) {
	layout, err := s.read(args[0])
	if err == nil {
		_, err = layout.Tree()
	}
	if err != nil {
		return nil, nil, err
	}
	shown := &sparkProgress{console: &a.console}
	s.options.Tasks = shown.tasks
	engine, closing, err := s.open(cmd)
	if err != nil {
		return nil, nil, err
	}
	return &cluster.Compared{
		Engine: engine, Version: pipeline.Version, Layout: layout,
		Original: args[0], Published: args[1], AllowUnknown: s.allowUnknown, Progress: shown.begin,
	}, closing, nil
}

func (a *app) sparkMeasure() *cobra.Command {
	var flags sparkBeside
	cmd := &cobra.Command{
		Use:   "measure ORIGINAL PUBLISHED -H HIERARCHY --master MASTER",
		Short: "What published files lost: NCP",
		Long: `Compares published files with their original, where both lie. NCP is the share of the hierarchy
an average item is blurred over, as "mingle measure" tells it. First the lines are compared: other
files than a recoding of this original, global or local, are refused; of persons local ones, too.`,
		Example: `  mingle spark measure baskets.dat published -H tree.csv --master spark://host:7077`,
		Args:    arguments(2, 2, "the original and the published files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, "hierarchy", "master"); err != nil {
				return err
			}
			c, closing, err := flags.compared(a, cmd, args)
			if err != nil {
				return err
			}
			defer closing()
			losses, err := c.Measure(cmd.Context())
			if err != nil {
				return err
			}
			return a.console.print(cautions(losses.Notes)+ncpText(losses.NCP), losses)
		},
	}
	flags.register(cmd)
	return cmd
}

func (a *app) sparkAttack() *cobra.Command {
	var flags sparkBeside
	cmd := &cobra.Command{
		Use:   "attack ORIGINAL PUBLISHED -H HIERARCHY -m M --master MASTER",
		Short: "What an adversary who knows 1 to m items of a person gains, before and after",
		Long: `Attacks the original and the published files of a global recoding where both lie, as "mingle
attack" does: singling out and inference. All combinations are counted, a job a number of known
items, so that no figure is sampled. Linking, and what a person lacks, are sampled on one machine
and not looked at here.`,
		Example: `  mingle spark attack baskets.dat published -H tree.csv -k 5 -m 2 --master spark://host:7077`,
		Args:    arguments(2, 2, "the original and the published files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, "hierarchy", "m", "master"); err != nil {
				return err
			}
			if err := flags.adversary.Validate(); err != nil {
				return usagef("%w", err)
			}
			c, closing, err := flags.compared(a, cmd, args)
			if err != nil {
				return err
			}
			defer closing()
			result, err := c.Attack(cmd.Context(), flags.adversary.K, flags.adversary.M)
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
	flags.register(cmd)
	f := cmd.Flags()
	f.IntVarP(&flags.adversary.M, "m", "m", 0, "items an adversary may know of a person (at least 1)")
	f.IntVarP(&flags.adversary.K, "k", "k", 5, "tell how often fewer than k transactions match (at least 2)")
	return cmd
}
