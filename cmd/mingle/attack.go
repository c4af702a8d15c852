package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/attack"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/pipeline"
	"mingle/privacy"
)

// attackFlags name the release and the adversary.
type attackFlags struct {
	layout    layoutFlags
	tree      hierarchyFlags
	values    valueFlags
	kind      string
	sensitive string
	persons   string   // the column of the persons
	known     bool     // sensitive items are among what is known
	unknown   bool     // the list of sensitive items may have items that nothing else has
	columns   []string // sensitive ones
	null      bool     // an empty value in them is a value
	open      string   // values that may be learned
	adversary attack.Options
}

// attack is "mingle attack".
func (a *app) attack() *cobra.Command {
	var (
		flags   attackFlags
		machine machineFlags
		audit   string
	)
	cmd := &cobra.Command{
		Use:   "attack ORIGINAL PUBLISHED [-H HIERARCHY] -m M",
		Short: "What an adversary who knows 1 to m items of a person gains, before and after",
		Long: `Attacks the original and the published file in the same way, and sets both beside a baseline
that knows nothing: how many transactions match 1 to m known items of a random person
(singling out), and with what probability they imply a further item the person has
(inference). All combinations are looked at where there are few enough; otherwise they are
sampled and the interval (95 % confidence) is told.`,
		Example: `  mingle generate shop --transactions 1000 -o shop.jsonl --catalogue catalogue.csv
  mingle anonymize km shop.jsonl -H catalogue.csv -k 5 -m 2 -o published.jsonl
  mingle attack shop.jsonl published.jsonl -H catalogue.csv -m 3 -k 5`,
		Args: arguments(2, 2, "the original and the published file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, "m"); err != nil {
				return err
			}
			family, err := flags.family()
			if err != nil {
				return err
			}
			if err := machine.check(); err != nil {
				return err
			}
			flags.adversary.Workers, flags.adversary.Progress = machine.workers, a.console.progress
			published, err := flags.layout.tables.published(args[1])
			if err != nil {
				return err
			}
			pair := pipeline.Pair{
				Family: family, Original: args[0], Published: published,
				PublishedFormat: dataset.Format(flags.layout.output),
				Files:           a.files(machine.workers), Audit: audit,
				PublishedDelimiter: flags.layout.between,
			}
			result, err := pair.Attack(cmd.Context(), flags.adversary)
			if err != nil {
				return allMissing(cmd, args, err)
			}
			var text strings.Builder
			if err := result.WriteText(&text); err != nil {
				return err
			}
			return a.console.print(text.String(), result)
		},
	}
	flags.register(cmd.Flags())
	auditFlag(cmd.Flags(), &audit)
	machine.register(cmd.Flags())
	return cmd
}

func (t *attackFlags) register(f *pflag.FlagSet) {
	t.tree.register(f)
	t.layout.register(f, true)
	t.values.register(f)
	personFlag(f, &t.persons)
	adversary := &t.adversary
	f.IntVarP(&adversary.M, "m", "m", 0, "items an adversary may know of a person (at least 1)")
	f.IntVarP(
		&adversary.K, "k", "k", 5, "tell how often fewer than k transactions match (at least 2)",
	)
	f.StringVar(
		&t.kind, "kind", pipeline.KM{}.Name(),
		"of the release: km, coherence, nonreciprocal or continuous",
	)
	f.BoolVar(
		&adversary.NegativeKnowledge, "negative-knowledge", false,
		"the adversary may also know items that a person does not have",
	)
	f.StringVar(&t.sensitive, "sensitive", "", "file with the sensitive items, one a line")
	f.BoolVar(&t.known, "sensitive-known", false, "the adversary may also know sensitive items")
	f.StringArrayVar(&t.columns, "sensitive-column", nil, "column (long, table) or field (jsonl) whose values are inferred, too; may be given several times")
	f.BoolVar(&t.null, "null-is-value", false, "an empty value of a sensitive column is a value, too")
	f.StringVar(&t.open, "not-sensitive-values", "", "file with values of sensitive columns that are not looked at, one a line")
	f.BoolVar(&t.unknown, "allow-unknown-sensitive", false, "the list may have items that neither the data nor the hierarchy has")
	f.Int64Var(
		&adversary.Exact, "exact", 10_000_000,
		"look at all combinations of a person and items up to so many (-1: sample always)",
	)
	f.IntVar(&adversary.Draws, "draws", 100_000, "otherwise draw so many")
	f.Uint64Var(&adversary.Seed, "seed", 1, "seed of the draws")
}

// family is the family of the release, as far as an attack needs it.
func (t *attackFlags) family() (pipeline.Family, error) {
	layout, err := t.layout.options()
	if err != nil {
		return nil, err
	}
	tree, err := t.tree.options()
	if err != nil {
		return nil, err
	}
	values, err := t.values.parse()
	if err != nil {
		return nil, err
	}
	km, bags := pipeline.KM{}.Name(), pipeline.Continuous{}.Name()
	if t.kind != km && (t.tree.path != "" || t.sensitive != "" || t.persons != "" ||
		len(t.columns) > 0) {
		return nil, fmt.Errorf("a hierarchy, a list of sensitive items, sensitive columns and a "+
			"column of persons are for releases of kind %s: leave them out", km)
	}
	switch {
	case t.known && t.sensitive == "":
		return nil, errors.New("that sensitive items are known needs their list: give it with " +
			"--sensitive")
	case t.known && t.adversary.NegativeKnowledge:
		return nil, errors.New("known sensitive items and negative knowledge are not taken into " +
			"account together: leave one out")
	}
	if given := values.String(); t.kind != bags && given != bag.Numbers().String() {
		return nil, fmt.Errorf("values that are a %s are for releases of kind %s", given, bags)
	}
	switch t.kind {
	case km:
		return pipeline.KM{
			Layout: layout, Hierarchy: t.tree.path, HierarchyOptions: tree, Sensitive: t.sensitive,
			AllowUnknownSensitive: t.unknown, NotSensitive: t.open, PersonColumn: t.persons,
			Promise: privacy.KM{
				Columns: t.columns, NullIsValue: t.null, SensitiveKnown: t.known,
			},
		}, nil
	case bags:
		return pipeline.Continuous{Layout: bag.Layout{
			Format: layout.Format, Delimiter: layout.Delimiter, Inner: layout.InnerDelimiter,
			Set: layout.SetColumn, ID: layout.TransactionColumn, Kind: values,
			SkipIncomplete: layout.SkipIncomplete, Encoding: layout.Encoding,
			Sheet: layout.Sheet, Table: layout.Table, Query: layout.Query,
		}}, nil
	case pipeline.Nonreciprocal{}.Name():
		return pipeline.Nonreciprocal{Layout: layout}, nil
	case pipeline.Coherence{}.Name():
		return pipeline.Coherence{Layout: layout}, nil
	}
	return nil, pipeline.UnknownFamily(t.kind)
}
