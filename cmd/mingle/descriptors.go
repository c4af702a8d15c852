package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/internal/publish"
)

// openDescriptors refuses names of descriptors, such as /dev/fd/3, that the user has not opened:
// they would lead to nothing, or to what the program has open itself.
func openDescriptors(cmd *cobra.Command, args []string) (err error) {
	check := func(path string) {
		if n, named := publish.Descriptor(path); named && !publish.Inherited(n) && err == nil {
			err = usagef("%s names descriptor %d, which is not open: redirect it (as %d<file or %d>file), "+
				"or name a file", path, n, n, n)
		}
	}
	for _, arg := range args {
		check(arg)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" {
			check(f.Value.String())
		}
	})
	return err
}
