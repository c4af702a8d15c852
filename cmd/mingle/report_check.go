package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/pipeline"
)

// checkFlags name the files that a report is compared with.
type checkFlags struct {
	check                   bool
	audit, hierarchy, items string
	releaseFile             string
}

func (c *checkFlags) register(f *pflag.FlagSet) {
	f.BoolVar(
		&c.check, "check", false,
		"compare: are these the files that the report names? REPORT.json PUBLISHED [ORIGINAL]",
	)
	f.StringVar(
		&c.audit, "audit", "", "the audit file of the run; the page then has its figures: SECRET",
	)
	f.StringVarP(&c.hierarchy, "hierarchy", "H", "", "with --check: the hierarchy")
	f.StringVar(&c.releaseFile, "release-file", "", "with --check: the release file, of mingle run")
	f.StringVar(&c.items, "sensitive", "", "with --check: the list of sensitive or private items")
}

// checkReport compares hashes; the exit code is 0 where all are the same, and 3 where one is not.
func (a *app) checkReport(
	cmd *cobra.Command, args []string, c *checkFlags, out *outputFlags,
) error {
	if out.path != "" || out.force {
		return usagef("%s --check compares and writes no page: leave out -o and --force",
			cmd.CommandPath())
	}
	if len(args) < 2 {
		return usagef("%s --check needs the report and the published file (and the original, with --audit)",
			cmd.CommandPath())
	}
	job := pipeline.ReportCheck{
		Report: args[0], Published: args[1], Audit: c.audit, Hierarchy: c.hierarchy, Items: c.items,
		ReleaseFile: c.releaseFile, Files: a.files(0),
	}
	if len(args) == 3 {
		job.Original = args[2]
	}
	match, err := job.Run(cmd.Context())
	if err != nil {
		return err
	}
	var text strings.Builder
	same := "DIFFERENT"
	if match.Same {
		same = "SAME"
	}
	fmt.Fprintf(&text, "%s: %s\n", same, match.Verdict)
	for _, f := range match.Files {
		verdict := "same"
		if !f.Same {
			verdict = "DIFFERENT"
		}
		fmt.Fprintf(&text, "  %-10s %s: %s\n", verdict, f.What, f.Says)
	}
	text.WriteString(
		"  Hashes were compared, nothing else; whether the promise holds, mingle verify says.\n",
	)
	return a.console.judged(match.Same, text.String(), match)
}
