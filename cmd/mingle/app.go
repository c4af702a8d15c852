package main

import (
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/internal/nearest"
	"mingle/pipeline"
	"mingle/releasefile"
	"mingle/report"
)

// app is one run of the program.
type app struct {
	in        io.Reader
	out, errs io.Writer
	args      []string
	console   console
	memory    memoryFlag
	planned   func(pipeline.Job) // takes a release in place of making it; nil: it is made

	// of a release that a file says; nil: a command does
	definition *releasefile.File
	said       report.Statements
	seedFrom   string // the variable that a release file names in place of a seed; "": none
	dry        bool   // check it, and write nothing
}

// command is the tree of commands.
func (a *app) command() *cobra.Command {
	root := a.group(
		"mingle", "Publish set-valued data so that nobody in it can be singled out, and prove it",
	)
	root.Long = `mingle publishes set-valued data (baskets, diagnoses, clicks, queries, payments) so that
nobody in it can be singled out, and proves it: whatever it writes has passed an
independent verifier. It makes a report that is safe to publish.`
	root.Example = `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle inspect shop.jsonl
  mingle anonymize km shop.jsonl -H catalogue.csv -k 5 -m 2 -o published.jsonl --report report.json
  mingle verify km shop.jsonl published.jsonl -H catalogue.csv -k 5 -m 2
  mingle report report.json -o report.html`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpCommand(a.help(root))
	root.SetFlagErrorFunc(flagError)
	usage(root)
	root.SetGlobalNormalizationFunc(sameFlag)
	root.Version = pipeline.Version
	root.SetVersionTemplate(versionText(builtFrom()))
	a.console.flags(root.PersistentFlags())
	a.memory.register(root.PersistentFlags())
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if completing(cmd) {
			complete(root)
			return nil
		}
		if err := cmp.Or(nothingEmpty(cmd, args), givenTwice(cmd)); err != nil {
			return err
		}
		if err := openDescriptors(cmd, args); err != nil {
			return err
		}
		if err := a.console.open(a, cmd); err != nil {
			return err
		}
		return a.memory.open(a, cmd)
	}

	anonymize := a.group("anonymize", "Make a release that keeps a promise")
	verify := a.group("verify", "Check whether a published file keeps a promise")
	for _, family := range families() {
		anonymize.AddCommand(a.anonymize(family))
	}
	for _, family := range families() { // with flags of its own
		verify.AddCommand(a.verify(family))
	}
	hierarchy := a.group("hierarchy", "Make, check and convert hierarchies")
	hierarchy.AddCommand(
		a.hierarchyRanges(), a.hierarchyFanout(), a.hierarchyPrefix(), a.hierarchyICD(),
		a.hierarchyCheck(), a.hierarchyConvert(),
	)
	root.AddCommand(
		anonymize, a.run(), a.initialize(), verify, a.attack(), a.compare(), a.measure(),
		a.query(), a.sample(), a.report(), hierarchy, a.inspect(), a.generators(), a.serve(),
		a.spark(), a.worker(), a.version(),
	)
	onceEach(root)
	return root
}

// generators is "mingle generate".
func (a *app) generators() *cobra.Command {
	group := a.group("generate", "Make synthetic baskets of any size, from a seed")
	group.AddCommand(
		a.generateIncome(), a.generateQuest(), a.generateZipf(), a.generateShape(),
		a.generateShop(),
	)
	return group
}

// toBegin is what somebody is told who types the name of the program alone.
const toBegin = `An example:  mingle generate shop -o shop.jsonl, then mingle inspect shop.jsonl
The page:    mingle serve, from a file to the signed report in a browser
The manual:  mingle --help, and --help after any command
`

// nothingEmpty refuses arguments and flags that are given but empty, such as a shell's variable
// that is not set: what they stand for would be left out silently.
func nothingEmpty(cmd *cobra.Command, args []string) error {
	for i, arg := range args {
		if arg == "" {
			return usagef(
				"argument %d of %s is empty: is a variable not set?", i+1, cmd.CommandPath(),
			)
		}
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = usagef("--%s is given but empty: leave it out, or say what it should be", f.Name)
		}
	})
	return err
}

// groupMark is the annotation of a command that is a group.
const groupMark = "group"

// group is a command that does nothing without a command below it.
func (a *app) group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Annotations: map[string]string{groupMark: name},
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && cmd.HasParent() {
				return usagef(
					"%s needs one of: %s", cmd.CommandPath(),
					strings.Join(names(cmd.Commands()), ", "),
				)
			}
			if len(args) == 0 && isTerminal(a.out) {
				return a.console.print(toBegin, nil)
			}
			if len(args) == 0 {
				return cmd.Help()
			}
			return noCommand(cmd, args[0])
		},
	}
}

// noCommand is the error where a group has no command of the name.
func noCommand(group *cobra.Command, typed string) error {
	return usagef("%s knows no command %q%s", group.CommandPath(), typed, meant(group, typed))
}

// help is "mingle help".
func (a *app) help(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 {
				err = noCommand(cmd, rest[0])
			}
			if err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

func names(commands []*cobra.Command) []string {
	var out []string
	for _, c := range commands {
		if c.IsAvailableCommand() {
			out = append(out, c.Name())
		}
	}
	return out
}

func meant(cmd *cobra.Command, typed string) string {
	cmd.SuggestionsMinimumDistance = 2
	if s := cmd.SuggestionsFor(typed); len(s) > 0 {
		return ": did you mean " + strings.Join(s, " or ") + "?"
	}
	return ": it has " + strings.Join(names(cmd.Commands()), ", ")
}

// flagError adds what may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return badValue(cmd, value)
	}
	// the flags of a mistyped command are not known either
	if args := cmd.Flags().Args(); cmd.Annotations[groupMark] != "" && len(args) > 0 {
		return noCommand(cmd, args[0])
	}
	if letter, unknown := strings.CutPrefix(err.Error(), "unknown shorthand flag: "); unknown {
		name, _, _ := strings.Cut(letter, " in ")
		return usagef(
			"%s knows no flag -%s (see %s --help)", cmd.CommandPath(), strings.Trim(name, "'"),
			cmd.CommandPath(),
		)
	}
	typed, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return usagef("%s: %w (see %s --help)", cmd.CommandPath(), err, cmd.CommandPath())
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if best := nearest.Name(typed, known); best != "" {
		return usagef("%s knows no flag --%s: did you mean --%s?", cmd.CommandPath(), typed, best)
	}
	return usagef(
		"%s knows no flag --%s (see %s --help)", cmd.CommandPath(), typed, cmd.CommandPath(),
	)
}

// badValue says what the value of a flag must be.
func badValue(cmd *cobra.Command, err *pflag.InvalidValueError) error {
	must, known := map[string]string{
		"int": "a whole number", "int64": "a whole number", "uint64": "a whole number from 0 up",
		"float64": "a number", "duration": "a duration, such as 30s or 5m",
		"bool": "true or false, after a =",
	}[err.GetFlag().Value.Type()]
	name := asTyped(err.GetFlag())
	if errors.Is(err, strconv.ErrRange) {
		return usagef("%s: %s (%s) is out of range: no number of that size is taken",
			cmd.CommandPath(), name, err.GetValue())
	}
	if !known {
		return usagef("%s: %s (%s): %w", cmd.CommandPath(), name, err.GetValue(), err.Unwrap())
	}
	return usagef("%s: %s (%s) must be %s", cmd.CommandPath(), name, err.GetValue(), must)
}

// asTyped is how a flag is typed.
func asTyped(flag *pflag.Flag) string {
	if flag.Shorthand == flag.Name {
		return "-" + flag.Name
	}
	return "--" + flag.Name
}

// sameFlag finds a flag by a name that other programs have for it.
func sameFlag(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "fanout" {
		name = "fan-out"
	}
	return pflag.NormalizedName(name)
}

// arguments checks how many arguments there are, and says what they are.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usagef(
				"%s needs %s: %d given (see %s --help)", cmd.CommandPath(), what, len(args),
				cmd.CommandPath(),
			)
		}
		return nil
	}
}
