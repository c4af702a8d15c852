package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mingle/measure"
	"mingle/pipeline"
	"mingle/report"
	"mingle/verify"
)

// verify is "mingle verify" of one family.
func (a *app) verify(flags familyFlags) *cobra.Command {
	var (
		help    = flags.help()
		machine machineFlags
		bounds  pipeline.Bounds
		audit   string
	)
	least, need := 1, "the published file, with the original before it where it is at hand"
	if help.original {
		least, need = 2, "the original and the published file"
	}
	cmd := &cobra.Command{
		Use: help.name + " " + help.verify.use, Short: help.verify.short, Long: help.verify.long,
		Example: help.verify.example,
		Args:    arguments(least, 2, need),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, help.required...); err != nil {
				return err
			}
			pair := pipeline.Pair{Files: a.files(machine.workers), Audit: audit}
			if err := judged(cmd, &pair, flags, args); err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			var err error
			if bounds != (pipeline.Bounds{}) {
				err = a.certified(pair.VerifyWithBounds(cmd.Context(), bounds))
			} else {
				err = a.verdict(pair.Verify(cmd.Context()))
			}
			return allMissing(cmd, args, err)
		},
	}
	f := cmd.Flags()
	flags.promise(f)
	flags.files(f)
	if km, is := flags.(*kmFlags); is {
		f.BoolVar(
			&km.missing, "suppressed", false,
			"items and transactions of the original may be missing from the published file",
		)
		f.StringVar(&bounds.Proof, "proof", "", "check that the program FILE.opb, given FILE, is the data's: count its rare sets anew, so that what VeriPB says of FILE.opb and FILE.pbp is so of the data")
		f.StringVar(&bounds.Certificate, "certificate", "", "check the certificate in this audit file too: count every clause anew, prove the lower bound on the loss anew")
	}
	if !help.shuffled {
		auditFlag(f, &audit)
	}
	machine.register(f)
	return cmd
}

// judged fills in what is judged: the published file, and the original where it is at hand.
func judged(cmd *cobra.Command, p *pipeline.Pair, flags familyFlags, args []string) (err error) {
	if p.Published, err = flags.published(args[len(args)-1]); err != nil {
		return err
	}
	p.PublishedFormat = flags.outputFormat()
	if len(args) == 2 {
		p.Original = args[0]
	}
	if p.Audit != "" && len(args) < 2 {
		return usagef("--audit tells which line is of which transaction of the original: give the original too")
	}
	if p.Family, err = flags.family(cmd); err != nil {
		return err
	}
	p.PublishedDelimiter = flags.outputDelimiter()
	return nil
}

// certified prints a verdict with what proves a bound on the loss.
func (a *app) certified(v *pipeline.Verdict, err error) error {
	if err != nil {
		return err
	}
	if v.Certificate == nil && v.Program == nil {
		return a.verdict(v.Finding, nil)
	}
	var s strings.Builder
	s.WriteString(findingText(v.Finding))
	holds := true
	if v.Certificate != nil {
		holds = v.Certificate.Holds
		certificateText(&s, v)
	}
	if v.Program != nil {
		holds = holds && v.Program.Holds
		programText(&s, v)
	}
	return a.console.judged(holds, s.String(), v)
}

func certificateText(s *strings.Builder, v *pipeline.Verdict) {
	c := v.Certificate
	if !c.Holds {
		fmt.Fprintf(s, "NOT PROVEN: the certificate is refused: %s\n", c.Fault)
		return
	}
	fmt.Fprintf(
		s, "PROVEN: no global recoding that keeps the promise loses less than NCP %.6f\n", c.NCP,
	)
	fmt.Fprintf(
		s, "  checked:   %s counted anew in the original, %s of the proof\n",
		count(c.Clauses, "clause"), count(c.Steps, "step"),
	)
	if v.Unmeasured != "" {
		fmt.Fprintf(s, "  published: %s\n", v.Unmeasured)
		return
	}
	fmt.Fprintf(s, "  published: NCP %s", report.LossText(v.NCP))
	if gap, ok := measure.Gap(v.NCP, c.NCP); ok && gap >= 0 { // a local recoding may lose less
		fmt.Fprintf(s, ", %.2f %% above that", 100*gap)
	}
	s.WriteString("\n")
	if v.NCP > report.HeavyLoss {
		s.WriteString("  CAUTION: most of the data is lost. That these parameters force it is proven, " +
			"not that what is left is of use\n")
	}
}

func programText(s *strings.Builder, v *pipeline.Verdict) {
	p := v.Program
	if !p.Holds {
		fmt.Fprintf(s, "NOT THE DATA'S: the program %s is refused: %s\n", p.Program, p.Fault)
		return
	}
	fmt.Fprintf(s, "THE DATA'S: no global recoding that keeps the promise loses less than the "+
		"optimum of %s\n", p.Program)
	fmt.Fprintf(s, "  checked:   %s counted anew in the original, %s of the hierarchy\n",
		count(p.Clauses, "rare set"), count(p.Nodes, "node"))
	if v.Unmeasured != "" {
		fmt.Fprintf(s, "  published: %s\n", v.Unmeasured)
	} else {
		fmt.Fprintf(s, "  published: %s, NCP %s\n", report.Number(int(p.Published)),
			report.LossText(v.NCP))
	}
	if p.Claimed < 0 {
		fmt.Fprintf(s, "  claimed:   %s concludes no bound\n", p.Proof)
		return
	}
	fmt.Fprintf(s, "  claimed:   %s says that the optimum is at least %s, NCP %.6f", p.Proof,
		report.Number(int(p.Claimed)), p.NCP(p.Claimed))
	if gap, ok := measure.Gap(v.NCP, p.NCP(p.Claimed)); ok && gap >= 0 && v.Unmeasured == "" {
		fmt.Fprintf(s, "; what is published is %.2f %% above that", 100*gap)
	}
	fmt.Fprintf(s, "\n  next:      run veripb %s %s, which must say VERIFIED BOUNDS %d <= obj\n",
		p.Program, p.Proof, p.Claimed)
}

// verdict prints a finding; the exit code says whether the promise holds.
func (a *app) verdict(f *verify.Finding, err error) error {
	if err != nil {
		return err
	}
	return a.console.judged(f.Holds, findingText(f), f)
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
		fmt.Fprintf(
			&s, "  checked:   %s, %s counted one by one",
			count(f.Transactions, "transaction"), count(int(f.Itemsets), "combination"),
		)
	}
	if f.Recoding != "" {
		fmt.Fprintf(&s, ", %s recoding", f.Recoding)
	}
	s.WriteString("\n")
	for _, n := range f.Notes { // they say how the files were compared: breaches may hang on it
		fmt.Fprintf(&s, "  note:      %s\n", n)
	}
	for _, b := range f.Breaches {
		fmt.Fprintf(&s, "  breach:    %s%s\n", b.Message, onLines(b))
	}
	if more := f.BreachCount - int64(len(f.Breaches)); more > 0 {
		fmt.Fprintf(&s, "  ... and %s more\n", report.Number(int(more)))
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
