package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"mingle/anonymize"
	"mingle/dataset/rows"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/report"
)

// The exit codes that scripts rely on.
const (
	codeDone        = 0   // done; the guarantee holds
	codeInternal    = 1   // a fault of the program or the machine, or a table may have appeared
	codeInput       = 2   // wrong usage or bad input: nothing is written
	codeBroken      = 3   // the guarantee does not hold, or cannot be reached
	codeInterrupted = 130 // Ctrl-C
)

var (
	errInterrupted     = errors.New("interrupted: nothing was written")
	errInterruptedLate = errors.New(
		"interrupted when all files were in place: only the result is not shown",
	)
	errInterruptedUnsure = fmt.Errorf("interrupted while a table was to appear: %w", errUnsure)
	errUnsure            = errors.New(
		"whether it did is not known. The files that belong to it (report, audit file) are in place, " +
			"and what they replaced is beside them, under names that begin with .mingle-. Look whether " +
			"the table is the new one, or ask \"mingle report --check\"; if it is not, run the command " +
			"again with --force",
	)
)

// codedError is an error that knows its exit code.
type codedError struct {
	code int
	error
}

func (e *codedError) Unwrap() error { return e.error }

// usagef is an error in what was typed.
func usagef(format string, args ...any) error {
	return &codedError{codeInput, fmt.Errorf(format, args...)}
}

// exitCode finds the exit code of an error. What is not known to be anything else is a fault of the
// input: all faults of the program itself are marked. A verdict stays one where it could not be
// shown; what the machine refused is no fault of the input, whoever met it.
func exitCode(err error) int {
	var coded *codedError
	var threshold *pipeline.ThresholdError
	switch {
	case err == nil:
		return codeDone
	case errors.Is(err, errInterrupted), errors.Is(err, errInterruptedLate),
		errors.Is(err, errInterruptedUnsure), errors.Is(err, context.Canceled):
		return codeInterrupted
	case errors.As(err, &coded) && coded.code != codeInput:
		return coded.code
	case errors.As(err, &threshold), isAny(err, withoutRelease):
		return codeBroken
	case errors.Is(err, privacy.ErrFault), errors.Is(err, rows.ErrUnknown), ofMachine(err):
		return codeInternal
	}
	return codeInput
}

// withoutRelease are the errors of data, or of a machine, that lets no release be made or judged.
var withoutRelease = []error{
	privacy.ErrInfeasible, privacy.ErrBroken, privacy.ErrTooMuch, privacy.ErrMemory,
	anonymize.ErrTooLate,
}

// ofMachine tells whether the machine refused: no space, an error of reading or writing, a reader
// that is gone.
func ofMachine(err error) bool {
	return errors.Is(err, io.ErrShortWrite) || isAny(err, machineErrors)
}

func isAny(err error, of []error) bool {
	return slices.ContainsFunc(of, func(one error) bool { return errors.Is(err, one) })
}

// printError prints one line a fault.
func printError(w io.Writer, err error) {
	if err == nil || errors.Is(err, errVerdict) {
		return
	}
	var coded *codedError // it says more than that
	if exitCode(err) == codeInterrupted && !errors.Is(err, errInterruptedLate) &&
		!errors.Is(err, errInterruptedUnsure) && !errors.As(err, &coded) {
		err = errInterrupted
	}
	for _, line := range report.Lines(err) {
		fmt.Fprintf(w, "mingle: %s\n", report.Visible(line))
	}
}

// errVerdict is a verdict that has been printed already.
var errVerdict = errors.New("the guarantee does not hold")

// judged prints a verdict, and is the error of one that is no, also where it cannot be printed.
func (c *console) judged(holds bool, text string, value any) error {
	err := c.print(text, value)
	switch {
	case holds:
		return err
	case err != nil:
		return &codedError{codeBroken, fmt.Errorf("the verdict is no, and cannot be shown: %w", err)}
	}
	return &codedError{codeBroken, errVerdict}
}
