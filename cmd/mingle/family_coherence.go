package main

import (
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/anonymize/coherence"
	"mingle/dataset"
	"mingle/pipeline"
	"mingle/privacy"
)

// coherenceFlags are (h,k,p)-coherence by suppression.
type coherenceFlags struct {
	layout  layoutFlags
	nuggets nuggetFlags
	sets    pipeline.Coherence
}

func (*coherenceFlags) help() familyHelp {
	return familyHelp{
		name: pipeline.Coherence{}.Name(), required: []string{"h", "k", "p"},
		more:   []string{"nugget-support"},
		secret: "original supports",
		anonymize: verbHelp{
			use:   "INPUT --h H -k K -p P --nugget-support S --private FILE -o OUTPUT",
			short: "(h,k,p)-coherence by suppressing public items, with frequent itemsets kept",
			long: `Deletes public items, each from every transaction, until every combination of at most p public
items that occurs does so in at least k transactions and implies no private item with a
probability above h. The items are chosen such that as many frequent itemsets ("nuggets") as
possible stay; what stays has the same support as before. What is about to be published is
read back and judged by an independent verifier; if it finds a breach, nothing is written. Line
i of the output is transaction i of the input, unless --shuffle is given; no column leaves beside
the items but those of --keep-columns.`,
			example: `  mingle generate shop -o shop.jsonl
  echo "Lager 330 ml" > private.txt
  mingle anonymize coherence shop.jsonl --private private.txt --h 0.4 -k 5 -p 3 --nugget-support 1% -o published.jsonl`,
		},
		verify: verbHelp{
			use:   "[ORIGINAL] PUBLISHED --h H -k K -p P --private FILE",
			short: "Does a published file keep (h,k,p)-coherence?",
			long: `Judges a published file from the definition. With the original it also checks that line i of
the published file is line i of the original without some public items, each missing from
every line. Each breach comes with a witness and the lines where it can be looked up. The exit
code is 0 when the promise holds and 3 when it does not.`,
			example: `  mingle generate shop -o shop.jsonl
  echo "Lager 330 ml" > private.txt
  mingle anonymize coherence shop.jsonl --private private.txt --h 0.4 -k 5 -p 3 --nugget-support 1% -o published.jsonl
  mingle verify coherence shop.jsonl published.jsonl --private private.txt --h 0.4 -k 5 -p 3
  mingle verify coherence published.jsonl --private private.txt --h 0.4 -k 5 -p 3`,
		},
	}
}

func (c *coherenceFlags) promise(f *pflag.FlagSet) {
	f.Var(
		(*shareFlag)(&c.sets.Promise.H), "h",
		"no private item is implied with a probability above this (above 0, at most 1)",
	)
	f.IntVarP(&c.sets.Promise.K, "k", "k", 0, "every combination of public items that occurs does so in at least k transactions (at least 2)")
	f.IntVarP(
		&c.sets.Promise.P, "p", "p", 0,
		"public items an adversary may know of a person (at least 1)",
	)
	f.StringVar(
		&c.sets.Private, "private", "",
		"file with the private items, one a line; all others are public",
	)
	f.BoolVar(
		&c.sets.AllowUnknownPrivate, "allow-unknown-private", false, "the list may have items "+
			"that the data does not have, as one that serves many data sets",
	)
}

func (c *coherenceFlags) files(f *pflag.FlagSet) { c.layout.register(f, true) }

func (c *coherenceFlags) method(f *pflag.FlagSet) { c.nuggets.register(f) }

func (c *coherenceFlags) published(path string) (string, error) {
	return c.layout.tables.published(path)
}

func (c *coherenceFlags) outputDelimiter() rune { return c.layout.between }

func (c *coherenceFlags) outputFormat() dataset.Format { return dataset.Format(c.layout.output) }

func (c *coherenceFlags) family(cmd *cobra.Command) (_ pipeline.Family, err error) {
	no := unused{cmd: cmd}
	if no.without("private", "allow-unknown-private"); no.faults != nil {
		return nil, no.faults.err()
	}
	if c.nuggets.support != "" {
		if err := c.nuggets.parse(&c.sets); err != nil {
			return nil, err
		}
	}
	c.sets.Layout, err = c.layout.options()
	return c.sets, err
}

// shareFlag is the value of --h, exactly as it was written.
type shareFlag float64

func (s *shareFlag) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }
func (s *shareFlag) Type() string   { return "decimal" }

func (s *shareFlag) Set(text string) error {
	h, err := privacy.ParseShare(text)
	*s = shareFlag(h)
	return err
}

// nuggetFlags say what is worth keeping, and how it is counted.
type nuggetFlags struct {
	support       string
	length        int
	ignore, paper bool
	moles         string
}

func (n *nuggetFlags) register(f *pflag.FlagSet) {
	f.StringVar(&n.support, "nugget-support", "", "itemsets in at least this many transactions are worth keeping: a number, or a share such as 1%")
	f.IntVar(&n.length, "nugget-length", 0, "and of at most this many items (0: any number)")
	f.BoolVar(
		&n.ignore, "ignore-nuggets", false,
		"hold the moles of an item against its transactions instead of its nuggets",
	)
	f.BoolVar(
		&n.paper, "paper-only", false, "hold the moles of an item against its nuggets, as the "+
			"paper does (default: both, and the release that keeps more nuggets)",
	)
	f.StringVar(
		&n.moles, "count-moles", "auto",
		"how moles are counted: auto, projection, diagram; the result is the same",
	)
}

// parse puts the flags into a job, or says all that is wrong.
func (n *nuggetFlags) parse(family *pipeline.Coherence) (err error) {
	var bad faults
	if family.NuggetSupport, err = pipeline.ParseSupport(n.support); err != nil {
		bad.addf("--nugget-support: %v", err)
	}
	if family.Moles, err = coherence.ParseCounting(n.moles); err != nil {
		bad.addf("--count-moles: %v", err)
	}
	family.NuggetLen, family.Scoring = n.length, coherence.Better
	switch {
	case n.ignore && n.paper:
		bad.addf("--ignore-nuggets and --paper-only are opposites: give one of them")
	case n.ignore:
		family.Scoring = coherence.ByOccurrences
	case n.paper:
		family.Scoring = coherence.ByNuggets
	}
	return bad.err()
}
