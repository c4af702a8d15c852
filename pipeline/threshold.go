package pipeline

import (
	"errors"
	"fmt"
	"strings"

	"mingle/report"
)

// ThresholdError says that a release keeps its promise and was not published all the same: one of
// its figures is what Job.FailIf does not let pass.
type ThresholdError struct{ Failed []string }

func (e *ThresholdError) Error() string {
	return "nothing was published: the release does not pass its thresholds (fail_if)\n" +
		strings.Join(e.Failed, "\n")
}

// pass holds the release to all thresholds.
func (r *run) pass(out *report.Outcome) error {
	var failed []string
	for _, t := range r.FailIf {
		if why := t.Failed(out); why != "" {
			failed = append(failed, why)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return &ThresholdError{failed}
}

func (t *kmTask) knownMost() int            { return t.Promise.M + 1 }
func (t *continuousTask) knownMost() int    { return t.Promise.M + 1 }
func (t *coherenceTask) knownMost() int     { return t.Promise.P + 1 }
func (t *nonreciprocalTask) knownMost() int { return knownOfWhole }

// checkThresholds refuses thresholds on figures that the run will not have.
func (r *run) checkThresholds() error {
	var faults []error
	most := r.task.knownMost()
	for _, t := range r.FailIf {
		if t.Known() > most {
			faults = append(faults, fmt.Errorf("--fail-if %s: the test of this release knows at "+
				"most %d items", t.Figure, most))
		}
	}
	return errors.Join(faults...)
}
