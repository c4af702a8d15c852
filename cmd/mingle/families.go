package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/dataset"
	"mingle/pipeline"
)

// familyFlags are a family of guarantees as the commands have it: its parameters as flags, and what
// its help says. "anonymize FAMILY" and "verify FAMILY" are made of it.
type familyFlags interface {
	help() familyHelp
	// promise registers what is promised: flags of both commands.
	promise(*pflag.FlagSet)
	// files registers how the files are laid out, and what belongs to them.
	files(*pflag.FlagSet)
	// method registers how a release is made.
	method(*pflag.FlagSet)
	// family is what the flags say; all faults at once.
	family(*cobra.Command) (pipeline.Family, error)
	outputFormat() dataset.Format
	outputDelimiter() rune // as family has it
	// published is the published file, or the table of a database where one is named.
	published(path string) (string, error)
}

// familyHelp is the help of a family's commands.
type familyHelp struct {
	name              string
	anonymize, verify verbHelp
	secret            string   // what its audit file holds
	required          []string // flags of both commands
	more              []string // required of anonymize alone
	original          bool     // verify cannot do without the original
	shuffled          bool     // the lines of every release are in a random order
}

// verbHelp is the help of one command: usage without the name, one line, a paragraph, examples.
type verbHelp struct{ use, short, long, example string }

// families are all families, each with flags of its own.
func families() []familyFlags {
	return []familyFlags{&continuousFlags{}, &nonreciprocalFlags{}, &coherenceFlags{}, &kmFlags{}}
}
