// Package report holds what is said about a release: one [Report] value, safe to publish, rendered as text, JSON and HTML;
// and the [Audit] file, which is secret.
//
// A report holds no support of the original data, no seed and no assignment of transactions to parts. The same input and
// options give the same report, byte for byte, apart from its last section, Measured. It bears no date: when a release was signed is
// for the person who signs.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"mingle/internal/limits"
	"mingle/privacy"
	"mingle/verify"
)

// Schema names the layout of the JSON; docs/report.schema.json describes it. The number changes when a field is
// renamed, removed or given another meaning.
const Schema = "mingle.report/1"

// Report is what a custodian signs.
type Report struct {
	Schema  string  `json:"schema"`
	Program Program `json:"program"`
	// Command makes the same release again from files of these names. Directories and what cannot change the release, such
	// as the number of workers, are left out; the audit file has the command as it was given.
	Command string `json:"command"`
	Inputs  []File `json:"inputs"`
	Outputs []File `json:"outputs"`

	Guarantee    Guarantee       `json:"guarantee"`
	Algorithm    string          `json:"algorithm"`
	Verification *verify.Finding `json:"verification"`
	Published    Published       `json:"published"`
	Losses       []Loss          `json:"losses"`
	// Recoding says what stands for what in the published file. With a local recoding an item may also be published as
	// itself or as another of the labels above it.
	Recoding []Rule `json:"recoding"`
	// Suppressed lists the items that are missing from every line, by label, where the method suppresses whole items.
	Suppressed []string `json:"suppressed,omitempty"`
	// Withheld counts the transactions that are not published, where the method suppresses whole transactions.
	Withheld int `json:"withheld,omitempty"`
	// Breakdowns split up what is published; Attack is the adversarial test, where one was made.
	Breakdowns []Breakdown `json:"breakdowns,omitempty"`
	Attack     *Attack     `json:"attack,omitempty"`
	// Tried is what was tried before this release was chosen, where several ways were.
	Tried []Trial `json:"tried,omitempty"`

	Warnings []string `json:"warnings"`

	Measured *Measured `json:"measured,omitempty"`
}

// Trial is a way to make the release that was tried.
type Trial struct {
	Algorithm string   `json:"algorithm"`
	NCP       *float64 `json:"ncp,omitempty"` // what its release would have lost; absent: it made none
	Note      string   `json:"note,omitempty"`
}

// Loss is the NCP as text, "" where there is no release.
func (t Trial) Loss() string {
	if t.NCP == nil {
		return ""
	}
	return fmt.Sprintf("%.6f", *t.NCP)
}

// Program says what made the release.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// File names a file by its bytes.
type File struct {
	Role   string `json:"role"` // transactions, hierarchy, sensitive items, published
	Name   string `json:"name"` // without its directory
	Format string `json:"format,omitempty"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Guarantee is the promise in words.
type Guarantee struct {
	Model      string             `json:"model"`      // km, continuous, coherence, nonreciprocal
	Parameters privacy.KM         `json:"parameters"` // coherence: m is p; nonreciprocal: m is 0, all items
	Coherence  *privacy.Coherence `json:"coherence,omitempty"`
	Statement  string             `json:"statement"`
	Words      string             `json:"words"` // for whoever does not know the statement's name
	Inequality string             `json:"inequality"`
	Adversary  string             `json:"adversary"`
	NotCovered []string           `json:"not_covered"`
	Answers    []Answer           `json:"answers"`
}

// Answer is what the guarantee says to one of the three questions of WP216.
type Answer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Published is what anyone can count in the published file.
type Published struct {
	Transactions int `json:"transactions"`
	Empty        int `json:"empty"`
	Occurrences  int `json:"occurrences"`
	Items        int `json:"items"`   // distinct ones
	Longest      int `json:"longest"` // items of the longest transaction
}

// Loss is one measure of what the release lost.
type Loss struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Formula string  `json:"formula"`
	Source  string  `json:"source"`
}

// Rule says which items of the hierarchy a published label stands for.
type Rule struct {
	Label string   `json:"label"`
	Items []string `json:"items"`
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
		s += fmt.Sprintf(": more than the bound of %d MB, which aa and da keep to best", m.Bound>>20)
	}
	return s
}

// Phase is one step of a run.
type Phase struct {
	Name       string  `json:"name"`
	Seconds    float64 `json:"seconds"`
	PeakMemory uint64  `json:"peak_memory_bytes"`
}

// KM spells out k^m-anonymity.
func KM(p privacy.KM) Guarantee {
	g := Guarantee{
		Model: "km", Parameters: p, Statement: p.String(), Inequality: p.Inequality(),
		Adversary: p.Adversary(), NotCovered: p.NotCovered(),
	}
	who := fmt.Sprintf("somebody who knows at most %d items of a person's transaction", p.M)
	g.Words = fmt.Sprintf("Every combination of up to %d published items that occurs at all is in at least %d transactions: whoever knows up to %d items of a person is left with at least %d candidates.", p.M, p.K, p.M, p.K)
	if p.Diverse() {
		g.Words += fmt.Sprintf(" Of those, at most one in %d has any one of the sensitive items.", p.L)
	}
	g.Answers = []Answer{
		{"Can somebody be singled out?", fmt.Sprintf("Not by %s: at least %d published transactions match. Beyond that it is not bounded.", who, p.K)},
		{"Can records of one person be linked?", fmt.Sprintf("Not bounded beyond the above: %s finds at least %d candidates in this release; several "+
			"transactions of a person, or several releases, are not taken into account.", who, p.K)},
		{"Can something be inferred?", inference(p, who)},
	}
	return g
}

func inference(p privacy.KM, who string) string {
	if !p.Diverse() {
		return "Not bounded: all transactions that match may share a further item. Sensitive items need l^m-diversity."
	}
	return fmt.Sprintf("For the sensitive items only: %s learns any of them with a probability of at most 1/%d. For all other items it is not bounded.", who, p.L)
}

// WriteJSON writes the report, indented.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Read reads a report that WriteJSON wrote. Unknown fields and other versions are errors: a report half understood
// must not be rendered.
func Read(r io.Reader) (*Report, error) {
	text, err := limits.JSON(r, limits.MaxReport, "a report")
	if err != nil {
		return nil, err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("this is not a report in JSON: %w", err)
	}
	if head.Schema != Schema {
		return nil, fmt.Errorf("this is not a report that this version reads: its schema is %q, not %q", head.Schema, Schema)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	out := &Report{}
	if err := dec.Decode(out); err != nil {
		return nil, fmt.Errorf("this report is damaged: %w", err)
	}
	if out.Verification == nil {
		return nil, fmt.Errorf("this report is damaged: it has no verification")
	}
	return out, nil
}
