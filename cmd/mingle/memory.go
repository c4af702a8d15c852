package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/internal/memory"
	"mingle/internal/publish"
	"mingle/pipeline"
	"mingle/privacy"
)

// memoryFlag is the bound on what a command holds.
type memoryFlag struct {
	text  string
	asked int64 // in bytes; 0: nothing was asked for
	bound int64 // that, or the default
	less  string
	stop  func()

	unbounded context.Context // that of the command, as it was before it was bounded
}

func (m *memoryFlag) register(f *pflag.FlagSet) {
	f.StringVar(
		&m.text, "memory", "",
		"bound on what is held, such as 500MB or 16GB (default 2GB); what needs more is refused",
	)
}

// given reads the flag.
func (m *memoryFlag) given() (int64, error) { return bytesOf("--memory", m.text) }

// bytesOf reads a size that a flag gives; 0: it is not given.
func bytesOf(flag, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	var n float64
	var unit string
	if _, err := fmt.Sscanf(text+" B", "%g%s", &n, &unit); err == nil && n > 0 {
		scale, ok := map[string]float64{
			"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "K": 1 << 10, "M": 1 << 20,
			"G": 1 << 30,
		}[strings.ToUpper(unit)]
		if bytes := n * scale; ok && bytes >= 1 && bytes < 1<<62 {
			return int64(bytes), nil
		}
	}
	return 0, usagef("%s (%s) must be a size such as 500MB or 2GB", flag, text)
}

// open begins to hold a command to its bound.
func (m *memoryFlag) open(a *app, cmd *cobra.Command) (err error) {
	if m.asked, err = m.given(); err != nil {
		return err
	}
	m.bound, m.less = cmp.Or(m.asked, memory.Default), lessOf(cmd)
	m.unbounded = cmd.Context()
	ctx, stop := memory.Guard(m.unbounded, m.bound, garbageOf(cmd), func(e *memory.Exceeded) {
		// it does not end by itself: nothing of it may stay
		outcome, left := publish.AbortAll(patienceToAppear)
		err := errors.Join(m.withAdvice(e), left)
		switch outcome {
		case publish.InPlace:
			err = &codedError{codeBroken, errors.Join(fmt.Errorf("more than %s of memory was "+
				"needed when all files were in place: only the result is not shown",
				memory.Size(e.Bound)), left)}
		case publish.Unknown:
			err = &codedError{codeBroken, errors.Join(fmt.Errorf(
				"more than %s of memory was needed while a table was to appear: %w",
				memory.Size(e.Bound), errUnsure), left)}
		}
		a.console.finish(err)
		printError(a.errs, err)
		leave(exitCode(err))
	})
	m.stop = stop
	cmd.SetContext(ctx)
	return nil
}

// garbageOf is how much garbage may pile up in a command.
func garbageOf(cmd *cobra.Command) int64 {
	if strings.HasPrefix(cmd.CommandPath(), "mingle verify") {
		return memory.Little // it goes through the data, and makes little of them
	}
	if f := cmd.Flag("algorithm"); f != nil {
		e, err := pipeline.FindAlgorithm("km", f.Value.String()) // of that kind in other families, too
		if err == nil && e.Traits().LittleGarbage {
			return memory.Little
		}
	}
	return memory.Some
}

// close ends that.
func (m *memoryFlag) close() {
	if m.stop != nil {
		m.stop()
	}
}

// reopened ends the bound of a command that another is to take the place of, with a bound of its
// own, and returns the context for that.
func (m *memoryFlag) reopened() context.Context {
	m.close()
	m.stop = nil
	return m.unbounded
}

// withAdvice says what to do about an error that says that memory is short.
func (m *memoryFlag) withAdvice(err error) error {
	if !errors.Is(err, privacy.ErrMemory) {
		return err
	}
	var exceeded *memory.Exceeded
	if errors.As(err, &exceeded) {
		err = exceeded
	}
	return fmt.Errorf(
		"%w. Give more by --memory if the machine has it, or ask for less: %s", err, m.less,
	)
}

// lessOf is what can be asked of a command that needs less memory.
func lessOf(cmd *cobra.Command) string {
	if strings.HasPrefix(cmd.CommandPath(), "mingle generate") {
		return "fewer items, patterns or lines"
	}
	list := []string{"fewer or shorter lines"}
	if cmd.Flags().Lookup("m") != nil {
		list = append(list, "a smaller m")
	}
	switch cmd.CommandPath() {
	case "mingle anonymize km":
		list = append(list, "--algorithm aa, which takes what --memory leaves it")
	case "mingle anonymize coherence":
		list = append(list, "a higher --nugget-support", "a small --nugget-length")
	case "mingle anonymize nonreciprocal":
		list = append(list, "a smaller k or l")
	}
	return strings.Join(list, ", or ")
}
