package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/report"
	"mingle/verify"
)

// BreachError says that a release was not written because the verifier found that it breaks its
// promise.
type BreachError struct{ Finding *verify.Finding }

func (e *BreachError) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "the release does not keep %s and was not written: this is a fault of the algorithm; please report it", e.Finding.Promise)
	for _, b := range e.Finding.Breaches {
		s.WriteString("\n" + b.Message)
	}
	if more := e.Finding.BreachCount - int64(len(e.Finding.Breaches)); more > 0 {
		fmt.Fprintf(&s, "\n... and %s more", report.Number(int(more)))
	}
	return s.String()
}

// Is tells that it is a [privacy.ErrBroken].
func (*BreachError) Is(kind error) bool { return kind == privacy.ErrBroken }

// InternalError is a fault of the program, not of what it was given.
type InternalError struct {
	Step string
	Err  error
}

func (e *InternalError) Error() string {
	return fmt.Sprintf(
		"internal fault while the program was to %s; nothing was written. Please report this: %v",
		e.Step, e.Err,
	)
}

func (e *InternalError) Unwrap() error { return e.Err }

// Is tells that it is a [privacy.ErrFault].
func (*InternalError) Is(kind error) bool { return kind == privacy.ErrFault }

// reworded is an error in other words; what it was can still be asked for.
type reworded struct {
	text string
	err  error
}

func (e *reworded) Error() string { return e.text }

func (e *reworded) Unwrap() error { return e.err }

// inFile says in which file the items are that a hierarchy does not know, and what to do.
func inFile(path string, err error) error {
	var missing *hierarchy.MissingItemsError
	if !errors.As(err, &missing) {
		return err
	}
	lines := strings.Split(missing.Error(), "\n")
	for i := range lines {
		lines[i] = name(path) + ": " + lines[i]
	}
	return &reworded{strings.Join(lines, "\n") +
		"\nadd what is missing to the hierarchy, or take it out of the data", err}
}

// swapped puts before an error that the original may be the published file: it has groups for
// items.
func (e *env) swapped(err error) error {
	var missing *hierarchy.MissingItemsError
	if !e.compared || !errors.As(err, &missing) {
		return err
	}
	group := func(m hierarchy.MissingItem) bool { return m.Group }
	if !slices.ContainsFunc(missing.Items, group) {
		return err
	}
	return fmt.Errorf("%s has groups of the hierarchy for items, as a published file has: the "+
		"original comes first, then the published file; are the two swapped?\n%w",
		name(e.originalPath), err)
}

// unknownItems is the verdict on a published file with items that the hierarchy does not have: it
// is no release at all.
func unknownItems(
	p privacy.Promise, missing *hierarchy.MissingItemsError, transactions int,
) *verify.Finding {
	f := &verify.Finding{
		Promise: p.String(), Inequality: p.Inequality(), Transactions: transactions,
		BreachCount: int64(len(missing.Items)),
		Notes: []string{
			"nothing else was checked; is this the hierarchy that the release was made with?",
		},
	}
	const shown = 20
	for _, m := range missing.Items[:min(shown, len(missing.Items))] {
		f.Breaches = append(f.Breaches, verify.Breach{
			Kind: verify.KindRecoding, Itemset: []string{m.Label}, Support: m.Count,
			Lines: []int{m.FirstLine},
			Message: fmt.Sprintf(
				"published item %.100q is not in the hierarchy: it is no recoding of anything", m.Label,
			),
		})
	}
	return f
}
