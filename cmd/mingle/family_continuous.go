package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/anonymize/continuous"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/pipeline"
)

// continuousFlags are k^m-anonymity of bags of numbers.
type continuousFlags struct {
	layout bagFlags
	ranges rangeFlags
	tree   hierarchyFlags
	bags   pipeline.Continuous
}

func (*continuousFlags) help() familyHelp {
	return familyHelp{
		name: pipeline.Continuous{}.Name(), required: []string{"k", "m"},
		secret: "original supports",
		anonymize: verbHelp{
			use:   "INPUT -k K -m M -o OUTPUT",
			short: "k^m-anonymity of bags of numbers (payments, measurements, dates) by ranges",
			long: `Publishes numbers as themselves or as ranges [lowest-highest] such that every bag of at most m
published values that occurs does so in at least k records. Duplicates count. Line i of the
output is record i of the input, unless --shuffle is given. No column leaves beside the values
but those of --keep-columns. What is about to be published is read back and judged by an
independent verifier; if it finds a breach, nothing is written.`,
			example: `  mingle generate income -o payments.csv
  mingle anonymize continuous payments.csv -k 10 -m 2 -o published.csv
  # visits.csv is a table of yours, with a column of dates:
  mingle anonymize continuous visits.csv --values date --unit month -k 5 -m 2 -o months.csv`,
		},
		verify: verbHelp{
			use:   "[ORIGINAL] PUBLISHED -k K -m M",
			short: "Does a published file of numbers and ranges keep k^m-anonymity?",
			long: `Counts every bag of at most m published values, from the published file alone. With the
original it also checks that line i of the published file is a generalization of line i of the
original. The exit code is 0 when the promise holds and 3 when it does not.`,
			example: `  mingle generate income -o payments.csv
  mingle anonymize continuous payments.csv -k 10 -m 2 -o published.csv
  mingle verify continuous payments.csv published.csv -k 10 -m 2
  mingle verify continuous published.csv -k 10 -m 2`,
		},
	}
}

func (c *continuousFlags) promise(f *pflag.FlagSet) {
	f.IntVarP(
		&c.bags.Promise.K, "k", "k", 0,
		"every bag of values that occurs does so in at least k records (at least 2)",
	)
	f.IntVarP(
		&c.bags.Promise.M, "m", "m", 0, "values an adversary may know of a person (at least 1)",
	)
}

func (c *continuousFlags) files(f *pflag.FlagSet) { c.layout.register(f, true) }

func (c *continuousFlags) method(f *pflag.FlagSet) {
	f.StringVar(&c.bags.Algorithm, "algorithm", continuous.ACD, "acd (ranges of its own), aa (over a hierarchy of ranges), local (a value may be published differently from record to record)")
	f.Float64VarP(
		&c.bags.Threshold, "threshold", "d", 0.001,
		"acd: take a merge that adds less than this to the loss without looking further (0 to 1)",
	)
	f.BoolVar(
		&c.bags.PaperOnly, "paper-only", false, "acd: without the passes that narrow ranges again",
	)
	c.ranges.register(f)
	c.tree.register(f)
}

func (c *continuousFlags) published(path string) (string, error) {
	return c.layout.tables.published(path)
}

func (c *continuousFlags) outputDelimiter() rune { return c.layout.between }

func (c *continuousFlags) outputFormat() dataset.Format { return dataset.Format(c.layout.output) }

func (c *continuousFlags) family(cmd *cobra.Command) (_ pipeline.Family, err error) {
	if c.bags.Algorithm != "" {
		if err := continuous.CheckName(c.bags.Algorithm); err != nil {
			return nil, usagef("--algorithm: %w", err)
		}
		if err := c.unused(cmd); err != nil {
			return nil, err
		}
	}
	if c.bags.Layout, err = c.layout.options(); err != nil {
		return nil, err
	}
	if c.bags.HierarchyOptions, err = c.tree.options(); err != nil {
		return nil, err
	}
	c.bags.Hierarchy, c.bags.Ranges = c.tree.path, c.ranges.options
	return c.bags, nil
}

// unused refuses what the algorithm does not take.
func (c *continuousFlags) unused(cmd *cobra.Command) error {
	no := unused{cmd: cmd}
	if c.bags.Algorithm != continuous.AA {
		for _, name := range []string{
			"width", "fan-out", "origin", "hierarchy", "hierarchy-format", "hierarchy-separator",
			"add-root", "hierarchy-columns",
		} {
			if cmd.Flags().Changed(name) {
				no.faults.addf(
					"--%s is for --algorithm aa, %s makes ranges of its own: leave it out", name,
					c.bags.Algorithm,
				)
			}
		}
	} else {
		no.beside("hierarchy", "width", "fan-out", "origin")
		no.without(
			"hierarchy", "hierarchy-format", "hierarchy-separator", "add-root", "hierarchy-columns",
		)
	}
	return no.faults.err()
}

// bagFlags say how files of numbers are laid out.
type bagFlags struct {
	formatFlags
	set, id string
	other   map[string]*string // the columns by other names, see otherNames
	valueFlags
}

func (b *bagFlags) register(f *pflag.FlagSet, output bool) {
	f.StringVar(
		&b.input, "input-format", "",
		"format of the records: "+strings.Join(bagFormats(), ", ")+" (default: found out)",
	)
	if output {
		b.written(f, "published", "", "as the input")
	}
	f.StringVar(
		&b.inner, "inner-delimiter", "", "between the values of a record in a table (default ';')",
	)
	f.StringVar(
		&b.set, "value-column", "",
		"column of the values in a table or a long file, field of the values in jsonl",
	)
	f.StringVar(&b.id, "record-column", "", "column of the record in a long file")
	b.otherNames(f)
	b.formatFlags.register(f, output)
	b.valueFlags.register(f)
}

// bagFormats are the formats that numbers can be in.
func bagFormats() (names []string) {
	for _, f := range dataset.Formats() {
		if f != dataset.SPMF {
			names = append(names, string(f))
		}
	}
	return names
}

// otherNames are those that the columns have in files of transactions.
func (b *bagFlags) otherNames(f *pflag.FlagSet) {
	b.other = map[string]*string{}
	for name := range shownAs {
		b.other[name] = f.String(name, "", "")
		f.Lookup(name).Hidden = true
	}
}

// columns are those of records and of values, each by whichever name it was given, and by one.
func (b *bagFlags) columns(bad *faults) (id, set string) {
	id, set = b.id, b.set
	for _, name := range slices.Sorted(maps.Keys(b.other)) {
		column := &set
		if shownAs[name] == "record-column" {
			column = &id
		}
		switch {
		case *b.other[name] == "":
		case *column != "":
			bad.addf("--%s is another name of --%s: name the column once", name, shownAs[name])
		default:
			*column = *b.other[name]
		}
	}
	return id, set
}

// valueFlags say what values are.
type valueFlags struct{ kind, form, unit string }

func (v *valueFlags) register(f *pflag.FlagSet) {
	f.StringVar(&v.kind, "values", "number", "what the values are: number, date, timestamp")
	f.StringVar(
		&v.form, "layout", "",
		"layout of dates and timestamps, in the notation of Go (default: 2006-01-02, RFC 3339)",
	)
	f.StringVar(&v.unit, "unit", "", "round dates and timestamps down to this unit and show them in it: "+strings.Join(bag.Units(), ", "))
}

func (v *valueFlags) parse() (bag.Kind, error) {
	kind, err := bag.NewKind(v.kind, v.form, v.unit)
	if err != nil {
		err = fmt.Errorf("--values, --layout, --unit: %w", err)
	}
	return kind, err
}

// options makes the layout, or says all that is wrong.
func (b *bagFlags) options() (bag.Layout, error) {
	var bad faults
	id, set := b.columns(&bad)
	l := bag.Layout{Set: set, ID: id}
	l.Format, l.Delimiter, l.Inner = b.layout(&bad)
	l.SkipIncomplete, l.Encoding, l.Sheet = b.incomplete, b.encoding, b.sheet
	l.Table, l.Query = b.tables.table, b.tables.query
	kind, err := b.valueFlags.parse()
	if err != nil {
		bad.addf("%v", err)
	}
	l.Kind = kind
	return l, bad.err()
}

// rangeFlags say how ranges are built.
type rangeFlags struct{ options hierarchy.RangeOptions }

func (r *rangeFlags) register(f *pflag.FlagSet) {
	f.StringVar(
		&r.options.Width, "width", "100",
		"width of the narrowest ranges; days for dates, seconds for timestamps",
	)
	f.IntVar(&r.options.Fanout, "fan-out", 2, "ranges that make one of the next level (at least 2)")
	f.StringVar(&r.options.Origin, "origin", "0", "where ranges begin (default 0)")
}
