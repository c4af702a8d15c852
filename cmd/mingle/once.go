package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// promised are the flags with one value that say what is promised. Of two values the last would
// hold, and whoever reads the command may look at the other.
var promised = []string{
	"k", "m", "l", "h", "p", "adversary", "max-person-share", "sensitive", "sensitive-known",
	"negative-knowledge", "null-is-value", "not-sensitive-values", "private", "person-column",
	"label", "hierarchy",
}

// onceEach notes all values that flags of a command, and of those below it, get which say what is
// promised: see givenTwice.
func onceEach(cmd *cobra.Command) {
	for _, name := range promised {
		if flag := cmd.Flags().Lookup(name); flag != nil {
			flag.Value = &onceFlag{Value: flag.Value}
		}
	}
	for _, c := range cmd.Commands() {
		onceEach(c)
	}
}

// onceFlag is the value of a flag that is given once, and what it was given. Who completes a word
// parses a command more than once, so to set it again is no error by itself.
type onceFlag struct {
	pflag.Value
	given []string
}

func (o *onceFlag) Set(text string) error {
	o.given = append(o.given, text)
	return o.Value.Set(text)
}

// givenTwice refuses a command in which a flag that says what is promised has two values.
func givenTwice(cmd *cobra.Command) error {
	var bad faults
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if o, is := flag.Value.(*onceFlag); is && len(o.given) > 1 {
			bad.addf("%s: %s is given twice, as %q and as %q: leave one out", cmd.CommandPath(),
				asTyped(flag), o.given[0], o.given[1])
		}
	})
	return bad.err()
}
