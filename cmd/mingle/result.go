package main

import (
	"fmt"
	"os"
	"strings"

	"mingle/report"
	"mingle/verify"
)

// bare tells whether audit files leave out times and memory: SOURCE_DATE_EPOCH is the sign of builds that must be the same byte
// for byte.
func bare() bool {
	_, is := os.LookupEnv("SOURCE_DATE_EPOCH")
	return is
}

// published prints what the custodian may see of a release that was made, or passes on why none was.
func (a *app) published(out *report.Outcome, err error) error {
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := out.WriteText(&text); err != nil {
		return err
	}
	if err := a.console.print(text.String(), out); err != nil {
		return &codedError{codeInternal, fmt.Errorf("all files are in place; only the result could not be shown: %w", err)}
	}
	return nil
}

// judged prints a verdict, or passes on why there is none.
func (a *app) judged(finding *verify.Finding, err error) error {
	if err != nil {
		return err
	}
	return a.verdict(finding)
}
