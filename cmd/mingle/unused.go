package main

import "github.com/spf13/cobra"

// unused collects flags that name what would not be read, or that contradict others: a report names
// the flags of its command, and these would be taken for what was done. A parameter of another
// algorithm is not refused: scripts try several algorithms with the same flags.
type unused struct {
	cmd    *cobra.Command
	faults faults
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
