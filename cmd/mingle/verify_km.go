package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mingle/dataset"
	"mingle/measure"
	"mingle/pipeline"
	"mingle/report"
	"mingle/verify"
)

// verifyKM is "mingle verify km".
func (a *app) verifyKM() *cobra.Command {
	var (
		layout  layoutFlags
		tree    hierarchyFlags
		km      kmFlags
		machine machineFlags

		certificate string
		missing     bool
	)
	cmd := &cobra.Command{
		Use:   "km [ORIGINAL] PUBLISHED -H HIERARCHY -k K -m M",
		Short: "Does a published file keep k^m-anonymity (and l^m-diversity)?",
		Long: `Judges a published file from the definition. With the original it also checks that line i of
the published file is a recoding of line i of the original. Each breach comes with a
witness and the lines where it can be looked up. The exit code is 0 when the promise
holds and 3 when it does not.`,
		Example: `  mingle verify km shop.csv published.csv -H catalogue.csv -k 5 -m 2
  mingle verify km published.csv -H catalogue.csv -k 5 -m 2`,
		Args: arguments(1, 2, "the published file, with the original before it where it is at hand"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := required(cmd, "hierarchy", "k", "m"); err != nil {
				return err
			}
			check := pipeline.Check{
				Published: args[len(args)-1], Hierarchy: tree.path, Sensitive: km.sensitive, Promise: km.promise, MaySuppress: missing,
				PublishedFormat: dataset.Format(layout.output), Files: a.files(machine.workers),
			}
			if len(args) == 2 {
				check.Original = args[0]
			}
			if check.Options, err = layout.options(); err != nil {
				return err
			}
			if check.HierarchyOptions, err = tree.options(); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			verdict, err := check.Judge(cmd.Context(), certificate)
			if err != nil {
				return err
			}
			if verdict.Certificate == nil {
				return a.verdict(verdict.Finding)
			}
			return a.certified(verdict)
		},
	}
	f := cmd.Flags()
	tree.register(f)
	km.register(f)
	f.BoolVar(&missing, "suppressed", false, "items and transactions of the original may be missing from the published file")
	layout.register(f, true)
	machine.register(f)
	f.StringVar(&certificate, "certificate", "", "check the certificate in this audit file too: count every clause anew, prove the lower bound on the loss anew")
	return cmd
}

// certified prints a verdict with a certificate.
func (a *app) certified(v *pipeline.Verdict) error {
	var s strings.Builder
	s.WriteString(findingText(v.Finding))
	if c := v.Certificate; c.Holds {
		fmt.Fprintf(&s, "PROVEN: no global recoding that keeps the promise loses less than NCP %.6f\n", c.NCP)
		fmt.Fprintf(&s, "  checked:   %s clauses counted anew in the original, %s steps of the proof\n", report.Number(c.Clauses), report.Number(c.Steps))
		fmt.Fprintf(&s, "  published: NCP %.6f", v.NCP)
		if gap, ok := measure.Gap(v.NCP, c.NCP); ok {
			fmt.Fprintf(&s, ", %.2f %% above that", 100*gap)
		}
		s.WriteString("\n")
	} else {
		fmt.Fprintf(&s, "NOT PROVEN: the certificate is refused: %s\n", c.Fault)
	}
	if err := a.console.print(s.String(), v); err != nil {
		return err
	}
	if !v.Certificate.Holds {
		return &codedError{codeBroken, errVerdict}
	}
	return nil
}

// verdict prints a finding; the exit code says whether the promise holds.
func (a *app) verdict(f *verify.Finding) error {
	if err := a.console.print(findingText(f), f); err != nil {
		return err
	}
	if !f.Holds {
		return &codedError{codeBroken, errVerdict}
	}
	return nil
}

func findingText(f *verify.Finding) string {
	var s strings.Builder
	if f.Holds {
		fmt.Fprintf(&s, "HOLDS: %s\n", f.Promise)
	} else {
		fmt.Fprintf(&s, "BROKEN: %s\n", f.Promise)
	}
	fmt.Fprintf(&s, "  condition: %s\n", f.Inequality)
	if f.Matches != nil {
		fmt.Fprintf(&s, "  checked:   %v", f.Matches)
	} else {
		fmt.Fprintf(&s, "  checked:   %s transactions, %s combinations counted one by one", report.Number(f.Transactions), report.Number(int(f.Itemsets)))
	}
	if f.Recoding != "" {
		fmt.Fprintf(&s, ", %s recoding", f.Recoding)
	}
	s.WriteString("\n")
	for _, b := range f.Breaches {
		fmt.Fprintf(&s, "  breach:    %s%s\n", b.Message, onLines(b))
	}
	if more := f.BreachCount - int64(len(f.Breaches)); more > 0 {
		fmt.Fprintf(&s, "  ... and %s more\n", report.Number(int(more)))
	}
	for _, n := range f.Notes {
		fmt.Fprintf(&s, "  note:      %s\n", n)
	}
	return s.String()
}

// onLines says where to look a breach up.
func onLines(b verify.Breach) string {
	if len(b.Lines) == 0 || strings.Contains(b.Message, "line ") {
		return ""
	}
	var lines []string
	for _, n := range b.Lines {
		lines = append(lines, fmt.Sprint(n))
	}
	if len(lines) == 1 {
		return " (line " + lines[0] + " of the published file)"
	}
	return " (lines " + strings.Join(lines, ", ") + " of the published file)"
}
