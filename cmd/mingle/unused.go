package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mingle/pipeline"
)

// unused collects flags that are given and would change nothing: a report names the flags of its
// command, and one without effect would be taken for what was done.
type unused struct {
	cmd    *cobra.Command
	faults faults
}

// with refuses flags that the chosen algorithm does not take, where only the others named do.
func (u *unused) with(algorithm string, takers []string, more string, flags ...string) {
	if slices.Contains(takers, algorithm) {
		return
	}
	for _, name := range flags {
		if u.cmd.Flags().Changed(name) {
			u.faults.addf("--%s says nothing with --algorithm %s: it is for %s%s: leave it out",
				name, algorithm, strings.Join(takers, ", "), more)
		}
	}
}

// without refuses flags that are about another, which is not given.
func (u *unused) without(other string, flags ...string) {
	if u.cmd.Flags().Changed(other) {
		return
	}
	for _, name := range flags {
		if u.cmd.Flags().Changed(name) {
			u.faults.addf("--%s says nothing without --%s: leave it out, or give both", name, other)
		}
	}
}

// beside refuses flags that another takes the place of.
func (u *unused) beside(other string, flags ...string) {
	if !u.cmd.Flags().Changed(other) {
		return
	}
	for _, name := range flags {
		if u.cmd.Flags().Changed(name) {
			u.faults.addf("--%s says nothing beside --%s: leave one of the two out", name, other)
		}
	}
}

// settings refuses parameters that an algorithm over a hierarchy does not have.
func (u *unused) settings(algorithm string, suppressing bool) {
	for _, s := range pipeline.SettingsOf("km") {
		more := ""
		if s.Suppressing {
			if suppressing {
				continue
			}
			more = ", and any with --suppress"
		}
		u.with(algorithm, s.Algorithms, more, s.Name)
	}
}
