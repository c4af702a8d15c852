package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// subjects are what the flags of releases are about, in the order of the help, with the flags of
// each. One that names a file to be written is about the output, wherever it stands here.
var subjects = []struct {
	name  string
	flags []string
}{
	{"Promise", []string{
		"k", "m", "l", "h", "p", "adversary", "allow-unknown-private", "allow-unknown-sensitive",
		"label", "max-person-share",
		"negative-knowledge", "not-sensitive-values", "null-is-value", "person-column", "private",
		"sensitive", "sensitive-column", "sensitive-known", "suppressed",
	}},
	{"Input", []string{
		"add-root", "audit", "certificate", "clean", "delimiter", "encoding", "fan-out", "header",
		"hierarchy", "hierarchy-columns", "hierarchy-format", "hierarchy-separator", "inner-delimiter",
		"input-format", "item-column", "layout", "null", "origin", "query", "record-column",
		"sequences", "set-column", "sheet", "skip-incomplete", "table", "transaction-column", "unit",
		"value-column", "values", "width",
	}},
	{"Output", []string{
		"fail-if", "final", "force", "keep-columns", "keep-identifiers",
		"output", "output-delimiter", "output-format", "output-table", "page", "print-release",
		"proof", "report", "shuffle", "statements",
	}},
	{"Algorithm", nil}, // what the family has beside these
	{"Run", []string{
		"conf", "help", "master", "seed", "spark-home", "spark-log", "worker-memory", "workers",
	}},
}

const (
	algorithmSubject = "Algorithm"
	outputSubject    = "Output"

	leastWidth, mostWidth = 80, 100 // of lines of the help
)

func init() { // cobra keeps what templates call for the process, not for a command
	cobra.AddTemplateFunc("bySubject", bySubject)
	cobra.AddTemplateFunc("wrapped", func(f *pflag.FlagSet) string {
		return f.FlagUsagesWrapped(helpWidth())
	})
}

// usage makes the help of all commands: flags by their subjects, in lines that fit.
func usage(root *cobra.Command) {
	const flags, global = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}",
		"{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}"
	root.SetUsageTemplate(strings.NewReplacer(
		flags, "{{bySubject . | trimTrailingWhitespaces}}",
		global, "{{wrapped .InheritedFlags | trimTrailingWhitespaces}}",
	).Replace(root.UsageTemplate()))
}

// helpWidth is how long lines of the help may be.
func helpWidth() int {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return mostWidth
	}
	return min(max(width, leastWidth), mostWidth)
}

// bySubject is the help of a command's flags: in parts where a release is made or judged, which has
// too many to look through one by one.
func bySubject(cmd *cobra.Command) string {
	f := cmd.LocalFlags()
	if !cmd.HasParent() || !slices.Contains([]string{"anonymize", "verify"}, cmd.Parent().Name()) {
		return "Flags:\n" + f.FlagUsagesWrapped(helpWidth())
	}
	parts := map[string]*pflag.FlagSet{}
	f.VisitAll(func(flag *pflag.Flag) {
		name := subjectOf(flag)
		if parts[name] == nil {
			parts[name] = pflag.NewFlagSet(name, pflag.ContinueOnError)
		}
		parts[name].AddFlag(flag)
	})
	var out []string
	for _, s := range subjects {
		if part := parts[s.name]; part != nil {
			out = append(out, s.name+" flags:\n"+part.FlagUsagesWrapped(helpWidth()))
		}
	}
	return strings.Join(out, "\n")
}

func subjectOf(flag *pflag.Flag) string {
	if flag.Annotations[targetMark] != nil {
		return outputSubject
	}
	for _, s := range subjects {
		if slices.Contains(s.flags, flag.Name) {
			return s.name
		}
	}
	return algorithmSubject
}
