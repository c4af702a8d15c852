//go:build man

package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"mingle/pipeline"
)

// With the tag "man" the program writes the manual pages of all its commands into a directory and
// ends: go run -tags man ./cmd/mingle DIRECTORY. Only then are the libraries for that in it. The
// pages have the date SOURCE_DATE_EPOCH.
func init() {
	if err := writeManual(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(codeInternal)
	}
	os.Exit(codeDone)
}

func writeManual(dir string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	date := time.Unix(seconds, 0).UTC()
	root := (&app{}).command()
	root.DisableAutoGenTag = true
	var quiet func(*cobra.Command)
	quiet = func(cmd *cobra.Command) {
		cmd.DisableAutoGenTag = true
		for _, below := range cmd.Commands() {
			quiet(below)
		}
	}
	quiet(root)
	return doc.GenManTree(root, &doc.GenManHeader{
		Section: "1", Date: &date, Source: "mingle " + pipeline.Version, Manual: "mingle",
	}, dir)
}
