package report

import (
	"fmt"

	"mingle/verify"
)

// Outcome is what a run says: the report, and what only the custodian may see.
type Outcome struct {
	Report    *Report    `json:"report"`
	Custodian *Custodian `json:"custodian,omitempty"` // nil: not known
	// FromFile says that both were read from files: nothing of it has been verified. SHA256 is that
	// of the report's file; "": that of the report as it is written.
	FromFile bool   `json:"-"`
	SHA256   string `json:"-"`

	// Statements are what the human who signs says beside. Final says that nothing is missing: the
	// page has nothing to be filled in but the signature.
	Statements Statements `json:"-"`
	Final      bool       `json:"-"`
}

// Custodian is what a run found by looking at the original: each figure rules out originals from
// which the same release could have been made. It is secret; the audit file holds it.
type Custodian struct {
	// choices that the algorithm made for these data
	Method       string          `json:"method,omitempty"`
	Verification *verify.Finding `json:"verification"` // with the original
	Losses       []Loss          `json:"losses"`
	// Breakdowns split up the occurrences of the original by what became of them.
	Breakdowns []Breakdown `json:"breakdowns,omitempty"`
	// Suppressed lists the items of the original that are published nowhere, by label, where the
	// method suppresses whole items; Withheld counts the transactions that are not published.
	Suppressed []string `json:"suppressed,omitempty"`
	Withheld   int      `json:"withheld,omitempty"`
	// SuppressedSensitive lists the sensitive items of which occurrences were left out, as they may
	// be known.
	SuppressedSensitive []SuppressedItem `json:"suppressed_sensitive,omitempty"`
	// Persons is about the persons whose the transactions are, where the unit is a person.
	Persons *Persons `json:"persons,omitempty"`
	// Beside tells of the columns that are published beside the sets, by persons, where the unit is
	// a person.
	Beside []Beside `json:"beside,omitempty"`
	// Attack is the adversarial test of the original and of the release, where one was made.
	Attack *Attack `json:"attack,omitempty"`
	// Proof is of the bound on the loss, for an outside checker, where one was written.
	Proof *Proof `json:"proof,omitempty"`
	// Tried is what was tried before this release was chosen, where several algorithms were.
	Tried    []Trial   `json:"tried,omitempty"`
	Cautions []Caution `json:"cautions,omitempty"`
	Warnings []string  `json:"warnings"`
	Measured *Measured `json:"measured,omitempty"`
}

// SuppressedItem is an item some of whose occurrences were left out.
type SuppressedItem struct {
	Item        string `json:"item"`
	Occurrences int    `json:"occurrences"` // that were left out
	Of          int    `json:"of"`          // that the original has
}

// Text says how many are left out.
func (s SuppressedItem) Text() string {
	return fmt.Sprintf("%s (%s of %s)", s.Item, Number(s.Occurrences), Number(s.Of))
}

// sensitiveSummary names the items, and counts the occurrences that were left out.
func sensitiveSummary(items []SuppressedItem) string {
	n := 0
	var names []string
	for _, s := range items {
		n += s.Occurrences
		names = append(names, s.Text())
	}
	return plural(n, "sensitive occurrence") + " of " + itemSummary(names)
}

// Notes lists what the custodian should read before signing: of the run, and of the verifier.
func (c *Custodian) Notes() []string {
	if c == nil {
		return nil
	}
	notes := append([]string{}, c.Warnings...)
	if c.Verification != nil {
		notes = append(notes, c.Verification.Notes...)
	}
	return notes
}

// Trial is an algorithm that was tried.
type Trial struct {
	Algorithm string `json:"algorithm"`
	// what its release would have lost; absent: it made none
	NCP  *float64 `json:"ncp,omitempty"`
	Note string   `json:"note,omitempty"`
}

// Loss is the NCP as text, "" where there is no release.
func (t Trial) Loss() string {
	if t.NCP == nil {
		return ""
	}
	return LossText(*t.NCP)
}

// Measured is what differs from run to run.
type Measured struct {
	Phases []Phase `json:"phases"`
	// Seconds is wall-clock time; memory is the most that was held at once, in bytes.
	Seconds    float64 `json:"seconds"`
	PeakMemory uint64  `json:"peak_memory_bytes"`
	Bound      uint64  `json:"memory_bound_bytes,omitempty"` // that was asked for; 0: none
}

// String says what a run took, and if that was clearly more than it was given.
func (m *Measured) String() string {
	s := fmt.Sprintf("%.2f s, %d MB at most", m.Seconds, m.PeakMemory>>20)
	if m.Bound > 0 && float64(m.PeakMemory) > 1.2*float64(m.Bound) {
		s += fmt.Sprintf(": more than the bound of %d MB, which aa and da keep to best",
			m.Bound>>20)
	}
	return s
}

// Phase is one step of a run.
type Phase struct {
	Name       string  `json:"name"`
	Seconds    float64 `json:"seconds"`
	PeakMemory uint64  `json:"peak_memory_bytes"`
}
