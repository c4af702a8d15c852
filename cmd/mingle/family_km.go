package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/dataset"
	"mingle/pipeline"
	"mingle/privacy"
)

// kmFlags are k^m-anonymity and l^m-diversity by generalization.
type kmFlags struct {
	layout    layoutFlags
	tree      hierarchyFlags
	km        pipeline.KM
	algorithm string
	settings  pipeline.Settings
	seed      string
	left      suppressFlags
	missing   bool // of a file to verify: items and transactions may be missing
}

func (*kmFlags) help() familyHelp {
	return familyHelp{
		name: pipeline.KM{}.Name(), required: []string{"hierarchy", "k", "m"},
		secret: "original supports and the seed",
		anonymize: verbHelp{
			use:   "INPUT -H HIERARCHY -k K -m M -o OUTPUT",
			short: "k^m-anonymity (and l^m-diversity) by generalization over a hierarchy",
			long: `Publishes items as groups of a hierarchy such that every combination of at most m published
items that occurs does so in at least k transactions. Line i of the output is transaction
i of the input, unless --shuffle is given or persons are counted. No column leaves beside the
items but those of --keep-columns. What is about to be published is read back and judged by an
independent verifier; if it finds a breach, nothing is written.`,
			example: `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle anonymize km shop.jsonl -H catalogue.csv -k 5 -m 2 -o published.jsonl --report report.json
  echo "Lager 330 ml" > sensitive.txt
  mingle anonymize km shop.jsonl -H catalogue.csv -k 5 -m 2 --sensitive sensitive.txt -l 3 -o diverse.jsonl`,
		},
		verify: verbHelp{
			use:   "[ORIGINAL] PUBLISHED -H HIERARCHY -k K -m M",
			short: "Does a published file keep k^m-anonymity (and l^m-diversity)?",
			long: `Judges a published file from the definition. With the original it also checks that line i of
the published file is a recoding of line i of the original. Each breach comes with a
witness and the lines where it can be looked up. The exit code is 0 when the promise
holds and 3 when it does not.`,
			example: `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle anonymize km shop.jsonl -H catalogue.csv -k 5 -m 2 -o published.jsonl
  mingle verify km shop.jsonl published.jsonl -H catalogue.csv -k 5 -m 2
  mingle verify km published.jsonl -H catalogue.csv -k 5 -m 2`,
		},
	}
}

func (k *kmFlags) promise(f *pflag.FlagSet) {
	p := &k.km.Promise
	f.IntVarP(
		&p.K, "k", "k", 0,
		"every combination that occurs does so in at least k transactions (at least 2)",
	)
	f.IntVarP(&p.M, "m", "m", 0, "items an adversary may know of a person (at least 1)")
	f.StringVar(&k.km.Sensitive, "sensitive", "", "file with the sensitive items, one a line: published as they are, not taken as known, and with -l not to be inferred")
	f.BoolVar(&k.km.AllowUnknownSensitive, "allow-unknown-sensitive", false, "the list may have items that neither the data nor the hierarchy has, as one that serves many data sets")
	f.BoolVar(&p.SensitiveKnown, "sensitive-known", false, "the adversary may also know sensitive items; where generalizing cannot keep that, occurrences of them are left out")
	f.StringArrayVar(&p.Columns, "sensitive-column", nil, "column (long, table) or field (jsonl) whose values must not be inferred, as -l says, and are published as they are; may be given several times")
	f.BoolVar(&p.NullIsValue, "null-is-value", false, "an empty value of a sensitive column is a value too; else lines without one are not counted")
	f.StringVar(&k.km.NotSensitive, "not-sensitive-values", "", "file with values of sensitive columns that anybody may learn, one a line, such as none")
	f.IntVarP(
		&p.L, "l", "l", 0,
		"no such combination implies a sensitive item, or a value of a sensitive column, with more than 1/l (at least 2)",
	)
	f.Var((*knowledgeFlag)(&p.Knows), "adversary", "what an adversary has in mind beside those items: data (the published file), or algorithm (whatever made it, too; costs far more detail)")
	f.Var((*personShareFlag)(&p.PersonShare), "max-person-share", "with --person-column: no person has more than this share of the lines with any such combination, such as 1/5")
	f.BoolVar(
		&p.NegativeKnowledge, "negative-knowledge", false,
		"the adversary may also know items that a person does not have",
	)
}

func (k *kmFlags) files(f *pflag.FlagSet) {
	personFlag(f, &k.km.PersonColumn)
	k.tree.register(f)
	k.layout.register(f, true)
}

func (k *kmFlags) method(f *pflag.FlagSet) {
	s := &k.settings
	f.StringVar(&k.algorithm, "algorithm", pipeline.Algorithms("km")[0].Name, algorithmHelp("km"))
	f.IntVar(&s.Parts, "parts", 3, "lra, vpa, auto: the number of parts")
	f.IntVar(
		&s.Flexibility, "flexibility", 10,
		"lra, auto: how many transactions a border between parts may move by",
	)
	f.IntVar(
		&s.PartitionLevel, "partition-level", 0,
		"vpa, auto: height of the subtrees that stay in one part",
	)
	f.IntVar(&s.Effort, "effort", 0, "local, core, auto, and suppression: how long local and core search for less loss, such as 10; 1 is a few passes over the data, of suppression about a minute at most (default: 1, for auto with a time limit some seconds)")
	f.DurationVar(&s.TimeLimit, "time-limit", 0, keepsBest()+", and --suppress with any: end with the best result after this time, such as 10m, which then depends on the machine; the others end without one. Without it auto tries what ends soon, by counts of the data. 0 is the same as none given")
	f.BoolVar(&s.KeepBest, "keep-best", false, keepsBest()+", and --suppress with any: on Ctrl-C end with the best verified result; a second Ctrl-C ends without")
	f.BoolVar(&k.km.Gap, "gap", false, "prove how much any global recoding must lose, and report the gap (takes about as long as exact)")
	f.StringVar(&k.km.Proof, "proof", "", "exact, or any with --gap: write the proof of the least loss for an outside checker too, VeriPB: FILE.opb, the program, and FILE.pbp, given FILE. SECRET: they name combinations that few have; mode 0600")
	f.StringVar(&k.seed, "seed", "", "of what is left to chance: the seed in an audit file makes that release again, any other text is for tests only. Whoever knows it can run the algorithm in mind")
	k.left.register(f)
}

func (k *kmFlags) published(path string) (string, error) { return k.layout.tables.published(path) }

func (k *kmFlags) outputDelimiter() rune { return k.layout.between }

func (k *kmFlags) outputFormat() dataset.Format { return dataset.Format(k.layout.output) }

func (k *kmFlags) family(cmd *cobra.Command) (_ pipeline.Family, err error) {
	if k.km.Layout, err = k.layout.options(); err != nil {
		return nil, err
	}
	if k.km.HierarchyOptions, err = k.tree.options(); err != nil {
		return nil, err
	}
	k.km.Hierarchy, k.km.MaySuppress = k.tree.path, k.missing
	no := unused{cmd: cmd}
	if no.without("sensitive", "allow-unknown-sensitive"); no.faults != nil {
		return nil, no.faults.err()
	}
	if k.algorithm == "" { // a file to verify
		return k.km, nil
	}
	entry, err := pipeline.FindAlgorithm("km", k.algorithm)
	if err != nil {
		return nil, usagef("--algorithm: %w", err)
	}
	if err := k.settingsGiven(); err != nil {
		return nil, err
	}
	if k.settings.Suppression, err = k.left.suppression(cmd); err != nil {
		return nil, err
	}
	k.km.Algorithm, k.km.GapLimit = entry.Make(k.settings), k.settings.TimeLimit
	k.km.MaySuppress, k.km.Drop = k.settings.Suppression != nil, k.left.drop
	return k.km, nil
}

// settingsGiven refuses numbers that cannot be meant, all at once.
func (k *kmFlags) settingsGiven() error {
	var bad faults
	s := &k.settings
	bad.notNegative("effort", s.Effort)
	bad.notNegative("parts", s.Parts)
	bad.notNegative("flexibility", s.Flexibility)
	bad.notNegative("partition-level", s.PartitionLevel)
	if s.TimeLimit < 0 {
		bad.addf("--time-limit (%v) must not be negative", s.TimeLimit)
	}
	return bad.err()
}

// knowledgeFlag is the value of --adversary.
type knowledgeFlag privacy.Knowledge

func (a *knowledgeFlag) String() string { return privacy.Knowledge(*a).String() }
func (a *knowledgeFlag) Type() string   { return "data|algorithm" }

func (a *knowledgeFlag) Set(name string) error {
	known, err := privacy.ParseKnowledge(name)
	*a = knowledgeFlag(known)
	return err
}

func algorithmHelp(family string) string {
	var lines []string
	for _, e := range pipeline.Algorithms(family) {
		lines = append(lines, e.Name+" ("+e.Summary+")")
	}
	return strings.Join(lines, ", ")
}

// keepsBest names the algorithms that end with the best they have.
func keepsBest() string {
	var names []string
	for _, e := range pipeline.Algorithms("km") {
		if e.Traits().KeepsBest {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, ", ")
}
