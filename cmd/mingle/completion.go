package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/anonymize/continuous"
	"mingle/anonymize/nonreciprocal"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/pipeline"
)

// completing tells whether a shell asks what a word may be: then nothing is done, and empty words
// are what is asked about.
func completing(cmd *cobra.Command) bool {
	return cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd
}

// values are what flags may be, where that is a list; by their names.
var values = map[string]func(cmd *cobra.Command) []string{
	"algorithm":        algorithmNames,
	"input-format":     func(*cobra.Command) []string { return strings.Split(formatNames(), ", ") },
	"output-format":    outputFormats,
	"hierarchy-format": fixed(hierarchy.FormatNames()...),
	"adversary":        fixed("data", "algorithm"),
	"suppress":         fixed("items", "transactions"),
	"family":           fixed(pipeline.Families()...),
	"graph":            fixed("nearest", "ring"),
	"item-order":       fixed("dictionary", "frequent", "rare"),
	"values":           fixed("number", "date", "timestamp"),
	"unit":             fixed(bag.Units()...),
	"header":           fixed("yes", "no"),
}

func fixed(names ...string) func(*cobra.Command) []string {
	return func(*cobra.Command) []string { return names }
}

// outputFormats are those that a command writes: made-up data go to files alone.
func outputFormats(cmd *cobra.Command) []string {
	if cmd.Name() == "sample" {
		return strings.Split(fileFormatNames(), ", ")
	}
	return strings.Split(formatNames(), ", ")
}

// algorithmNames are those of the family that the command is of.
func algorithmNames(cmd *cobra.Command) []string {
	switch cmd.Name() {
	case pipeline.Continuous{}.Name():
		return continuous.Algorithms()
	case pipeline.Nonreciprocal{}.Name():
		return []string{nonreciprocal.NR, nonreciprocal.CAHD}
	}
	var out []string
	for _, e := range pipeline.Algorithms(cmd.Name()) {
		out = append(out, e.Name+"\t"+e.Summary)
	}
	return out
}

// complete tells shells what the flags of a command, and of those below it, may be. It is for the
// process that a shell asks: cobra keeps what it is told for as long as the process lives.
func complete(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		list := values[f.Name]
		if list == nil && !namesColumn(f.Name) {
			return
		}
		found := func(cmd *cobra.Command, args []string, _ string) (
			[]string, cobra.ShellCompDirective,
		) {
			if list == nil {
				return columnNames(args), cobra.ShellCompDirectiveNoFileComp
			}
			return list(cmd), cobra.ShellCompDirectiveNoFileComp
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, found) // fails only if done before
	})
	for _, below := range cmd.Commands() {
		complete(below)
	}
}

// namesColumn tells whether a flag names columns of the file that is the first argument.
func namesColumn(flag string) bool {
	return flag == "label" || strings.HasSuffix(flag, "-column") ||
		strings.HasSuffix(flag, "-columns") && flag != "hierarchy-columns"
}

// columnNames are those of the first argument, none where it has none.
func columnNames(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	names, err := dataset.FirstRecord(args[0])
	if err != nil {
		return nil
	}
	return names
}
