package main

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/anonymize/nonreciprocal"
	"mingle/dataset"
	"mingle/pipeline"
)

// nonreciprocalFlags are k-anonymity and l-diversity by nonreciprocal recoding.
type nonreciprocalFlags struct {
	layout layoutFlags
	seed   string
	sets   pipeline.Nonreciprocal
}

func (*nonreciprocalFlags) help() familyHelp {
	return familyHelp{
		shuffled: true,
		name:     pipeline.Nonreciprocal{}.Name(), secret: "the seed and the true matches",
		original: true,
		anonymize: verbHelp{
			use:   "INPUT -k K -o OUTPUT",
			short: "k-anonymity (or l-diversity of a label) without hierarchy: base sets with uncertain items",
			long: `Publishes for every record a base set, uncertain items and a threshold: the record differs from
the base in at most that many places, all of them uncertain items. Every record matches at
least k published records, each with the same probability of being its own. With -l each
label is a record's with a probability of at most 1/l, also for somebody who knows all records
and the algorithm (not with --algorithm cahd, which is there to compare). The output is jsonl,
in random order. What is about to be published is read back and judged by an independent
verifier; if it finds a breach, nothing is written.`,
			example: `  mingle generate shop -o shop.jsonl
  mingle anonymize nonreciprocal shop.jsonl -k 8 -o published.jsonl
  # stays.jsonl is yours, with a field of diagnoses:
  mingle anonymize nonreciprocal stays.jsonl -l 4 --label diagnosis -o diverse.jsonl --audit audit.json`,
		},
		verify: verbHelp{
			use:   "ORIGINAL PUBLISHED -k K",
			short: "Does a published file of base sets and uncertain items keep k-anonymity or l-diversity?",
			long: `Matches every original record against the published ones, and the other way round, from the
definition. With --label it also checks that the labels are those of the original. The exit
code is 0 when the promise holds and 3 when it does not.`,
			example: `  mingle generate shop -o shop.jsonl
  mingle anonymize nonreciprocal shop.jsonl -k 8 -o published.jsonl
  mingle verify nonreciprocal shop.jsonl published.jsonl -k 8
  # stays.jsonl is yours, with a field of diagnoses:
  mingle anonymize nonreciprocal stays.jsonl -l 4 --label diagnosis -o diverse.jsonl
  mingle verify nonreciprocal stays.jsonl diverse.jsonl -l 4 --label diagnosis`,
		},
	}
}

func (n *nonreciprocalFlags) promise(f *pflag.FlagSet) {
	f.IntVarP(
		&n.sets.Promise.K, "k", "k", 0,
		"every record matches at least k published records (at least 2)",
	)
	f.IntVarP(
		&n.sets.Promise.L, "l", "l", 0,
		"every record matches at least l published records with l different labels (at least 2)",
	)
	f.StringVar(
		&n.sets.Label, "label", "",
		"column of the sensitive label of each record (long, table and jsonl files)",
	)
}

func (n *nonreciprocalFlags) files(f *pflag.FlagSet) { n.layout.register(f, false) }

func (n *nonreciprocalFlags) method(f *pflag.FlagSet) {
	f.StringVar(&n.sets.Algorithm, "algorithm", nonreciprocal.NR, "nr (near records, without groups), cahd (disjoint groups, to compare; by l its groups tell of the labels)")
	f.StringVar(
		&n.sets.Graph, "graph", "",
		"nr: nearest (near neighbours; the default) or ring (neighbours in one order)",
	)
	f.StringVar(&n.sets.Items, "item-order", "", "order of the items that records are sorted by: dictionary, frequent, rare (default: the best of them)")
	f.IntVar(
		&n.sets.SegmentMin, "segment-min", 0,
		"least number of records whose order is improved together (default 300)",
	)
	f.IntVar(&n.sets.SegmentMax, "segment-max", 0, "and the greatest (default 350)")
	f.StringVar(&n.seed, "seed", "", "for tests only: any text. The same seed makes the same release; whoever knows it can undo it")
}

func (n *nonreciprocalFlags) published(path string) (string, error) { return path, nil }

// outputDelimiter: there is one layout of base sets.
func (*nonreciprocalFlags) outputDelimiter() rune { return 0 }

// outputFormat: there is one layout of base sets.
func (*nonreciprocalFlags) outputFormat() dataset.Format { return "" }

func (n *nonreciprocalFlags) family(*cobra.Command) (_ pipeline.Family, err error) {
	var bad faults
	bad.notNegative("segment-min", n.sets.SegmentMin)
	bad.notNegative("segment-max", n.sets.SegmentMax)
	if err := bad.err(); err != nil {
		return nil, err
	}
	n.sets.Layout, err = n.layout.options()
	return n.sets, err
}

// seedOf makes 256 bits of a text: 64 hexadecimal digits as they stand (an audit file has them),
// else its SHA-256.
func seedOf(text string) *[32]byte {
	var seed [32]byte
	if n, err := hex.Decode(
		seed[:], []byte(text[:min(len(text), 64)]),
	); err == nil && n == 32 && len(text) == 64 {
		return &seed
	}
	seed = sha256.Sum256([]byte(text))
	return &seed
}
