package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mingle/cluster"
	"mingle/pipeline"
	"mingle/report"
)

func (a *app) sparkInspect() *cobra.Command {
	var flags sparkFlags
	cmd := &cobra.Command{
		Use:   "inspect INPUT -H HIERARCHY -k K -m M --master MASTER",
		Short: "Size, lengths, and how many sets of items few transactions have",
		Long: `Describes a file, or the files of a folder, before they are generalized. It tells numbers alone:
how many sets of up to m items occur, and how many of them do in fewer than k transactions. A job
a size counts them.`,
		Example: `  mingle spark inspect baskets.dat -H tree.csv -k 5 -m 2 --master spark://host:7077`,
		Args:    arguments(1, 1, "one file or folder of transactions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.sparkLook(cmd, &flags, args[0])
			if err != nil {
				return err
			}
			defer look.close()
			data := cluster.Data{
				Engine: look.engine, Version: pipeline.Version, Layout: look.layout, Input: args[0],
				Progress: look.begin,
			}
			p, err := data.Inspect(cmd.Context(), flags.promise.K, flags.promise.M)
			if err != nil {
				return err
			}
			return a.console.print(sparkProfile(p), p)
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

// sparkProfile is a profile as text.
func sparkProfile(p *cluster.Profile) string {
	n := func(v int64) string { return report.Number(int(v)) }
	var s strings.Builder
	fmt.Fprintf(&s, "transactions      %s, %s of them empty\n", n(p.Lines), n(p.Empty))
	fmt.Fprintf(&s, "items             %s of %s occur, %s times\n", n(int64(p.Items)),
		n(int64(p.Known)), n(p.Occurrences))
	fmt.Fprintf(&s, "longest           %s items\n", n(int64(p.Longest)))
	for i, of := range p.Sets {
		fmt.Fprintf(&s, "sets of %-9d %s occur, %s of them in fewer than %d transactions\n", i+1,
			n(of.Different), n(of.Rare), p.K)
	}
	return s.String()
}
