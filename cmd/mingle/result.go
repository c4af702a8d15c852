package main

import (
	"os"
	"strings"

	"mingle/report"
	"mingle/verify"
)

// bare tells whether reports leave out times and memory: SOURCE_DATE_EPOCH is the sign of builds that must be the same byte
// for byte.
func bare() bool {
	_, is := os.LookupEnv("SOURCE_DATE_EPOCH")
	return is
}

// published prints the report of a release that was made, or passes on why none was.
func (a *app) published(rep *report.Report, err error) error {
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := rep.WriteText(&text); err != nil {
		return err
	}
	return a.console.print(text.String(), rep)
}

// judged prints a verdict, or passes on why there is none.
func (a *app) judged(finding *verify.Finding, err error) error {
	if err != nil {
		return err
	}
	return a.verdict(finding)
}
