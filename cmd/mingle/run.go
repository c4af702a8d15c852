package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/dataset/rows"
	"mingle/internal/disk"
	"mingle/internal/limits"
	"mingle/pipeline"
	"mingle/releasefile"
)

// run is "mingle run".
func (a *app) run() *cobra.Command {
	var (
		dry, schema bool
		machine     machineFlags
	)
	cmd := &cobra.Command{
		Use:   "run RELEASE.yaml",
		Short: "Make a whole release from one file: inputs, promise, outputs, statements, thresholds",
		Long: `Makes the release that a file says, as the command that it stands for does: the same bytes, the
same messages, the same exit codes. Paths are relative to the file. Where a figure is what
fail_if forbids, nothing is published and the exit code is 3. With --dry all is checked that can
be before the work, and the cost is forecast; nothing is written. "mingle init" writes a file to
begin with, and --print-release of every "mingle anonymize" that of a command.`,
		Example: `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle init shop.jsonl --yes -o release.yaml
  mingle run release.yaml --dry
  mingle run release.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				return a.printSchema(cmd)
			}
			if err := arguments(1, 1, "one release file")(cmd, args); err != nil {
				return err
			}
			a.dry = dry
			return a.runFile(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.BoolVar(&dry, "dry", false, "check the file and all that it names, forecast the cost, and write nothing")
	f.Bool("force", false, "replace existing files, as replace: true in the file does")
	f.BoolVar(&schema, "schema", false, "print the JSON schema of release files, for editors")
	machine.register(f)
	return cmd
}

// runFile does what the command does that a file stands for.
func (a *app) runFile(cmd *cobra.Command, path string) error {
	file, err := a.readRelease(path)
	if err != nil {
		return err
	}
	inner, _, err := cmd.Root().Find([]string{"anonymize", file.Family})
	if err != nil {
		return err
	}
	for _, name := range []string{"workers", "force", "memory"} { // what the file need not say
		if cmd.Flags().Changed(name) {
			file.Beside = append(file.Beside, name)
		}
	}
	input, err := setFlags(inner, file)
	if err != nil {
		return file.Located(err)
	}
	for _, name := range file.Beside {
		if name == "memory" { // is a flag of all commands
			continue
		}
		if err := inner.Flags().Set(name, cmd.Flags().Lookup(name).Value.String()); err != nil {
			return err
		}
	}
	a.definition, a.said = file, file.Statements
	inner.SetContext(a.memory.reopened())
	err = cmd.Root().PersistentPreRunE(inner, []string{input})
	if err == nil {
		err = a.present(file)
	}
	if err == nil {
		err = inner.RunE(inner, []string{input})
	}
	return file.Located(err)
}

// readRelease reads a release file, and puts its directory before the paths in it.
func (a *app) readRelease(path string) (*releasefile.File, error) {
	in, name, dir := a.in, "standard input", "."
	if path != pipeline.Stdin {
		text, err := limits.File(path, limits.MaxPlan, "a release file")
		var large *limits.TooLarge
		if errors.As(err, &large) {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if err != nil {
			return nil, readable(path, err)
		}
		in, name, dir = bytes.NewReader(text), path, filepath.Dir(path)
	}
	file, err := releasefile.Read(in, name, os.LookupEnv)
	if err != nil {
		return nil, usagef("%w", err)
	}
	file.Within(dir)
	if v, _ := file.Value("input.file"); path == pipeline.Stdin && v.Texts[0] == "-" {
		return nil, file.Located(errors.New("standard input cannot be both the release file and the original"))
	}
	return file, nil
}

// setFlags gives the flags of a command what a file says, and returns its argument.
func setFlags(cmd *cobra.Command, file *releasefile.File) (input string, err error) {
	if err := cmd.ParseFlags(nil); err != nil { // makes the flags of all commands its own
		return "", err
	}
	var bad faults
	for _, v := range file.Values {
		if v.Field.Argument {
			input = v.Texts[0]
			continue
		}
		// what the command line says goes before the file
		if flag := cmd.Flags().Lookup(v.Field.Flag); flag != nil && flag.Changed ||
			slices.Contains(file.Beside, v.Field.Flag) {
			continue
		}
		if err := setFlag(cmd.Flags(), v.Field.Flag, v.Texts); err != nil {
			bad.addf("--%s: %v", v.Field.Flag, flagReason(err))
		}
	}
	for _, t := range file.FailIf {
		if err := cmd.Flags().Set("fail-if", t.Figure+t.Text); err != nil {
			bad.addf("--fail-if: %v", err)
		}
	}
	return input, bad.err()
}

// setFlag sets a flag, of one value or of a list.
func setFlag(f *pflag.FlagSet, name string, texts []string) error {
	flag := f.Lookup(name)
	if flag == nil {
		return fmt.Errorf("this command has no such option")
	}
	if flag.Value.Type() == "stringSlice" { // it takes its text apart at commas
		return f.Set(name, separated(texts))
	}
	for _, text := range texts {
		if err := f.Set(name, text); err != nil {
			return err
		}
	}
	return nil
}

// flagReason is an error of a flag without what it says of the command line.
func flagReason(err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return fmt.Errorf("(%s) %w", value.GetValue(), value.Unwrap())
	}
	return err
}

// present says at once which of the files are not there that a release reads.
func (a *app) present(file *releasefile.File) error {
	var bad faults
	for _, v := range file.Values {
		if v.Field.Kind != releasefile.Path || v.Texts[0] == pipeline.Stdin {
			continue
		}
		path := v.Texts[0]
		if rows.Is(path) {
			if path = rows.File(path); path == "" {
				continue // on a server
			}
		}
		if _, err := disk.Stat(path); errors.Is(err, os.ErrNotExist) {
			bad.addf("%s: there is no such file", path)
		}
	}
	return bad.err()
}

// written are the paths that a job would write, as they would be opened, with what is said of those
// that are there already.
func written(job pipeline.Job) (out []string) {
	targets := []string{job.Output, job.Report, job.Page, job.Audit}
	if km, is := job.Family.(pipeline.KM); is {
		targets = append(targets, km.ProofFiles()...)
	}
	for _, path := range targets {
		switch {
		case path == "":
		case path != pipeline.Stdin && rows.Is(path):
			out = append(out, rows.Shown(path))
		case path == pipeline.Stdin:
			out = append(out, "standard output")
		default:
			if _, err := disk.Stat(path); err == nil && job.Force {
				path += " (replaces what is there)"
			}
			out = append(out, path)
		}
	}
	return out
}

// forecastText is what --dry says.
func forecastText(job pipeline.Job, f *pipeline.Forecast) string {
	var s strings.Builder
	s.WriteString("CHECKED: the release can be made as far as can be told before the work; nothing was written\n")
	fmt.Fprintf(&s, "original     %s: %s, %s, %s\n", fileName(job.Input),
		count(f.Transactions, "transaction"), count(f.Items, "item"),
		count(f.Occurrences, "occurrence"))
	if f.Combinations > 0 {
		fmt.Fprintf(&s, "to verify    %s combinations of at most %s",
			pipeline.SetsIn(f.Combinations), count(f.Known, "item"))
		if f.Seconds > 0 {
			fmt.Fprintf(&s, ", about %s to count as given", pipeline.Span(f.Seconds))
		}
		s.WriteString("\n")
	}
	if f.Memory > 0 {
		fmt.Fprintf(&s, "memory       about %d MB for the algorithm, beside the data", f.Memory>>20+1)
		if f.Room > 0 {
			fmt.Fprintf(&s, ", of %d MB that may be held", f.Room>>20)
		}
		s.WriteString("\n")
	}
	for i, path := range written(job) {
		head := ""
		if i == 0 {
			head = "would write"
		}
		fmt.Fprintf(&s, "%-12s %s\n", head, path)
	}
	for _, t := range job.FailIf {
		fmt.Fprintf(&s, "would stop   where %s %s\n", t.Figure, t.Text)
	}
	return s.String()
}

// printSchema prints the schema of release files, with the help of the flags.
func (a *app) printSchema(cmd *cobra.Command) error {
	if err := a.console.printsText("schema"); err != nil {
		return err
	}
	text, err := releaseSchema(cmd.Root())
	if err != nil {
		return err
	}
	_, err = a.out.Write(text)
	return err
}

func releaseSchema(root *cobra.Command) ([]byte, error) {
	return releasefile.Schema(func(family string, f releasefile.Field) string {
		return flagHelp(root, family, f)
	})
}

// flagHelp is what the help of a command says of the flag that a field is.
func flagHelp(root *cobra.Command, family string, f releasefile.Field) string {
	if f.Argument {
		return "the file of " + what(family) + "; relative to this file, as all paths are"
	}
	cmd, _, err := root.Find([]string{"anonymize", family})
	if err != nil {
		return ""
	}
	flag := cmd.Flags().Lookup(f.Flag)
	if flag == nil {
		flag = root.PersistentFlags().Lookup(f.Flag)
	}
	if flag == nil {
		return ""
	}
	return flag.Usage
}

// printRelease prints the release file that says the same as a command.
func (a *app) printRelease(
	cmd *cobra.Command, args []string, family string, given *anonymizeFlags,
) error {
	if err := a.console.printsText("print-release"); err != nil {
		return err
	}
	d := releasefile.Draft{
		Family: family, Values: map[string][]string{"input.file": {args[0]}},
		Head: "A release of mingle: mingle run THIS_FILE. Keep it where the paths lead from.",
	}
	byFlag := map[string]releasefile.Field{}
	for _, f := range releasefile.Of(family) {
		if !f.Argument {
			byFlag[f.Flag] = f
		}
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		f, is := byFlag[canonicalFlag(flag)]
		if !is {
			return
		}
		if list, is := flag.Value.(pflag.SliceValue); is {
			d.Values[f.Path()] = list.GetSlice()
			return
		}
		d.Values[f.Path()] = []string{flag.Value.String()}
		switch {
		case f.Secret && a.seedFrom != "":
			d.Variables = map[string]string{f.Path(): a.seedFrom}
			d.Head += "\nThe seed, a secret, comes from the environment: " + a.seedFrom + "."
		case f.Secret:
			d.Head += "\nSECRET: it holds the seed. Better: ${MINGLE_SEED}, from the environment."
		}
	})
	d.Statements = a.said
	var err error
	if d.FailIf, err = given.fail.thresholds(family); err != nil {
		return err
	}
	if path := given.page.statements; path != "" {
		if d.Statements, err = readStatements(path); err != nil {
			return err
		}
	}
	text, err := releasefile.Write(d)
	if err != nil {
		return usagef("%w", err)
	}
	_, err = io.Copy(a.out, bytes.NewReader(text))
	return err
}

// canonicalFlag is the name that a flag is shown by.
func canonicalFlag(flag *pflag.Flag) string {
	if name := shownAs[flag.Name]; flag.Hidden && name != "" {
		return name
	}
	return flag.Name
}

// shownAs are hidden names of flags: those that columns of numbers have in files of sets.
var shownAs = map[string]string{
	"transaction-column": "record-column", "item-column": "value-column",
	"set-column": "value-column",
}
