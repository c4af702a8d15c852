package main

import "github.com/spf13/pflag"

// columnFlags say which columns are published beside the sets.
type columnFlags struct {
	keep        []string
	identifiers bool
}

func (c *columnFlags) register(f *pflag.FlagSet) {
	f.StringSliceVar(&c.keep, "keep-columns", nil, "columns (long, table) or fields (jsonl) that are published too, unchanged, such as age,sex; no other is. The guarantee says nothing about them")
	f.BoolVar(&c.identifiers, "keep-identifiers", false, "also such columns that are or nearly are identifiers: that tell half of the lines from all others, or have half as many values as there are lines and more than 20")
}

// check refuses what is asked for about no column.
func (c *columnFlags) check() error {
	if c.identifiers && len(c.keep) == 0 {
		return usagef("--keep-identifiers is about the columns of --keep-columns: name them, or leave it out")
	}
	return nil
}
