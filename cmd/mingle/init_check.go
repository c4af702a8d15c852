package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/pipeline"
	"mingle/releasefile"
)

// ofInit are flags that say how init works, and not what the file says.
var ofInit = []string{"family", "yes", "output", "force"}

// usable refuses flags that were given and that the file would not have.
func (b *beginning) usable(cmd *cobra.Command) error {
	var bad faults
	for _, n := range []struct {
		name         string
		value, least int
	}{{"k", b.k, 2}, {"m", b.m, 1}, {"l", b.l, 2}} {
		if cmd.Flags().Changed(n.name) && n.value < n.least {
			bad.addf("-%s (%d) must be at least %d", n.name, n.value, n.least)
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(ofInit, f.Name) || cmd.InheritedFlags().Lookup(f.Name) != nil {
			return
		}
		if why := b.noPlace(f); why != "" {
			bad.addf("%s: %s", flagAsTyped(f), why)
		}
	})
	return bad.err()
}

// noPlace is why a flag is not for the family; "": it is.
func (b *beginning) noPlace(f *pflag.Flag) string {
	name := b.fieldFlag(f.Name)
	switch {
	case b.family == (pipeline.KM{}).Name() && name == "l":
		return "diversity needs to know what is sensitive: leave it out, and write promise.l into " +
			"the file, with promise.sensitive or promise.sensitive_columns"
	case b.family == (pipeline.Continuous{}).Name() && isOfTree(name):
		return "init proposes no hierarchy of ranges: leave it out, and write it into the file"
	case !slices.ContainsFunc(releasefile.Of(b.family), func(field releasefile.Field) bool {
		return field.Flag == name
	}):
		return "it is not for releases of kind " + b.family + ": leave it out"
	}
	return ""
}

// fieldFlag is the flag of the field that a flag of init becomes.
func (b *beginning) fieldFlag(name string) string {
	switch b.family {
	case pipeline.Continuous{}.Name():
		if shown := shownAs[name]; shown != "" {
			return shown
		}
	case pipeline.Coherence{}.Name():
		if name == "m" {
			return "p"
		}
	}
	return name
}

// isOfTree tells whether a flag is one of the hierarchy.
func isOfTree(flag string) bool {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(hierarchyFlags).register(f)
	return f.Lookup(flag) != nil
}

func flagAsTyped(f *pflag.Flag) string {
	if len(f.Name) == 1 {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// fits holds the files and columns that flags name against the data.
func (a *app) fits(ctx context.Context, cmd *cobra.Command, b *beginning) error {
	for flag, column := range map[string]string{"person-column": b.person, "label": b.label} {
		if !cmd.Flags().Changed(flag) {
			continue
		}
		if err := a.hasColumn(ctx, b, column); err != nil {
			return usagef("--%s: %w", flag, err)
		}
	}
	if !cmd.Flags().Changed("hierarchy") {
		return nil
	}
	opts, err := b.tree.options()
	if err != nil {
		return err
	}
	tree, err := a.files(0).Hierarchy(ctx, b.tree.path, opts)
	if err != nil {
		return usagef("--hierarchy: %w", err)
	}
	if _, err := tree.Encode(b.sets); err != nil {
		return usagef("--hierarchy: %s: %w", b.tree.path, err)
	}
	return nil
}

// hasColumn refuses a column that the data does not have beside the sets.
func (a *app) hasColumn(ctx context.Context, b *beginning, column string) error {
	columns, err := a.files(0).ColumnsBeside(ctx, b.data, b.opts, b.sets)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	if slices.Contains(names, column) {
		return nil
	}
	there := "there are none"
	if len(names) > 0 {
		there = "there are " + brief(strings.Join(names, ", "))
	}
	return fmt.Errorf("%s has no column %q with one value a transaction beside the sets: %s",
		b.shown(), column, there)
}

// refusal is why the release that a text says cannot be made, as far as it can be told without the
// data.
func (b *beginning) refusal(ctx context.Context, text []byte) error {
	file, err := releasefile.Read(bytes.NewReader(text), b.out.path, os.LookupEnv)
	if err != nil {
		return err
	}
	var job pipeline.Job
	a := &app{in: strings.NewReader(""), out: io.Discard, errs: io.Discard}
	a.planned = func(j pipeline.Job) { job = j }
	cmd, _, err := a.command().Find([]string{"anonymize", file.Family})
	if err != nil {
		return err
	}
	cmd.SetContext(ctx)
	input, err := setFlags(cmd, file)
	if err == nil {
		err = cmd.RunE(cmd, []string{input})
	}
	if err == nil {
		err = job.CheckParameters()
	}
	if err == nil {
		return nil
	}
	return usagef("this release would be refused, so nothing was written: %s", b.asFlags(err))
}

// asFlags is an error with the flags of init for the parameters that it names.
func (b *beginning) asFlags(err error) string {
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		for _, name := range []string{"k", "m", "l"} {
			line = strings.ReplaceAll(" "+line, " "+b.fieldFlag(name)+" (", " -"+name+" (")[1:]
		}
		if !slices.Contains(lines, line) { // what is wrong may be found twice
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
