package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/pipeline"
	"mingle/privacy"
)

// suppressFlags say what may be left out of a release.
type suppressFlags struct {
	what, most string
	drop       bool
}

func (s *suppressFlags) register(f *pflag.FlagSet) {
	f.StringVar(
		&s.what, "suppress", "",
		"leave out, within --max-suppressed, what is too dear to generalize: items or transactions",
	)
	f.StringVar(
		&s.most, "max-suppressed", "",
		"share of all item occurrences that may be left out, such as 2.5% or 0.025",
	)
	f.BoolVar(
		&s.drop, "drop", false,
		"leave out the lines of suppressed transactions; else they are empty",
	)
}

var errDrop = usagef("--drop needs --suppress transactions")

// suppression reads the flags; nil: nothing may be left out.
func (s *suppressFlags) suppression(cmd *cobra.Command) (*pipeline.Suppression, error) {
	if s.what == "" {
		if cmd.Flags().Changed("drop") {
			return nil, errDrop
		}
		if cmd.Flags().Changed("max-suppressed") {
			return nil, usagef("--max-suppressed needs --suppress items or --suppress transactions")
		}
		return nil, nil
	}
	if s.what != "items" && s.what != "transactions" {
		return nil, usagef("--suppress: %q is not known: give items or transactions", s.what)
	}
	if s.drop && s.what != "transactions" {
		return nil, errDrop
	}
	if s.most == "" {
		return nil, usagef("--suppress needs --max-suppressed, the share of all item occurrences that may be left out, such as 2.5%%")
	}
	share, err := parseShare(s.most)
	if err != nil {
		return nil, usagef("--max-suppressed: %w", err)
	}
	return &pipeline.Suppression{Transactions: s.what == "transactions", Share: share}, nil
}

// parseShare reads "2.5%" or "0.025".
func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	whole := 1.0
	if percent {
		whole = 100
	}
	if err != nil || !(0 <= share && share <= whole) {
		return 0, fmt.Errorf(
			"%q is not a share: give a percentage from 0%% to 100%%, or a number from 0 to 1", text,
		)
	}
	if percent {
		return privacy.Hundredth(share), nil
	}
	return share, nil
}
