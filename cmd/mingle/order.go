package main

import (
	"github.com/spf13/pflag"
)

// orderFlags say in which order lines are published.
type orderFlags struct {
	shuffle bool
	seed    string // of families that leave nothing else to chance
}

func (o *orderFlags) register(f *pflag.FlagSet) {
	f.BoolVar(&o.shuffle, "shuffle", false, "publish the lines in a random order, which the audit file alone tells: without that file (--audit) they cannot be compared with the original again")
	if f.Lookup("seed") == nil {
		f.StringVar(&o.seed, "seed", "", "of --shuffle: the seed in an audit file makes that release again, any other text is for tests only. Whoever knows it knows the order")
	}
}

// check refuses a seed that nothing needs.
func (o *orderFlags) check() error {
	if o.seed != "" && !o.shuffle {
		return usagef("--seed is the seed of a random order: give --shuffle too, or leave it out")
	}
	return nil
}

// personFlag names the column of the persons.
func personFlag(f *pflag.FlagSet, column *string) {
	f.StringVar(column, "person-column", "", "column (long, table) or field (jsonl) that says whose each transaction is, where a person has several: k counts distinct persons then. It is never published, and the lines are shuffled")
}

// auditFlag names the audit file of a release whose lines are in another order than the original.
func auditFlag(f *pflag.FlagSet, path *string) {
	f.StringVar(path, "audit", "", "the audit file of a release made with --shuffle or --person-column: it tells which line is of which transaction. One of other files is refused")
}
