package main

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"mingle/dataset/rows"
	"mingle/internal/disk"
	"mingle/pipeline"
)

// fileFlags are the flags that name a file which a command reads.
var fileFlags = []string{"hierarchy", "sensitive", "not-sensitive-values", "private"}

// allMissing says all at once which of the files that a command reads are not there, where the
// error says that one is not. What else is wrong comes first: files are looked for after that.
func allMissing(cmd *cobra.Command, args []string, err error) error {
	if err == nil {
		return nil
	}
	paths := slices.Clone(args)
	for _, name := range fileFlags {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			paths = append(paths, flag.Value.String())
		}
	}
	var bad faults
	for _, path := range paths {
		if path == pipeline.Stdin || rows.Is(path) {
			continue
		}
		if _, absent := disk.Stat(path); errors.Is(absent, fs.ErrNotExist) {
			bad.addf("%s: there is no such file", path)
		}
	}
	if slices.Contains(bad, err.Error()) {
		return bad.err()
	}
	return err
}
