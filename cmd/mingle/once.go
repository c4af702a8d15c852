package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// onceEach notes all values that the flags of a command get, and of those below it: see givenTwice.
// Of lists all values count.
func onceEach(cmd *cobra.Command) {
	wrap := func(flag *pflag.Flag) {
		_, list := flag.Value.(pflag.SliceValue)
		if _, is := flag.Value.(*onceFlag); is || list {
			return
		}
		flag.Value = &onceFlag{Value: flag.Value}
		if flag.DefValue == "0s" { // the help leaves out the default 0, of durations in pflag's type
			flag.DefValue = "0"
		}
	}
	cmd.PersistentFlags().VisitAll(wrap)
	cmd.Flags().VisitAll(wrap)
	for _, c := range cmd.Commands() {
		onceEach(c)
	}
}

// onceFlag is the value of a flag that has one, and what it was given. Who completes a word parses
// a command more than once, so to set it again is no error by itself. Numbers are decimal: pflag
// would take 010 for 8.
type onceFlag struct {
	pflag.Value
	given []string
}

func (o *onceFlag) Set(text string) error {
	o.given = append(o.given, text)
	switch o.Type() {
	case "int", "int64", "uint64":
		var err error
		if text, err = decimal(text); err != nil {
			return err
		}
	case "float64":
		if strings.ContainsAny(text, "xX_") {
			return strconv.ErrSyntax
		}
	}
	return o.Value.Set(text)
}

// decimal is a whole number without leading zeros, which would say another base.
func decimal(text string) (string, error) {
	digits := strings.TrimLeft(text, "+-")
	sign := text[:len(text)-len(digits)]
	if len(sign) > 1 || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", strconv.ErrSyntax
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits = "0"
	}
	return sign + digits, nil
}

// twice tells whether a flag was given again: a switch, something else.
func (o *onceFlag) twice() bool {
	if o.Type() == "bool" {
		return slices.ContainsFunc(o.given[1:], func(text string) bool {
			first, _ := strconv.ParseBool(o.given[0])
			again, _ := strconv.ParseBool(text)
			return again != first
		})
	}
	return len(o.given) > 1
}

// givenTwice refuses a command in which a flag that has one value is given two: the last would
// hold, and whoever reads the command may look at the other.
func givenTwice(cmd *cobra.Command) error {
	var bad faults
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if o, is := flag.Value.(*onceFlag); is && o.twice() {
			bad.addf("%s: %s is given twice, as %q and as %q: leave one out", cmd.CommandPath(),
				asTyped(flag), o.given[0], o.given[len(o.given)-1])
		}
	})
	return bad.err()
}
