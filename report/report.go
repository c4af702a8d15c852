// Package report holds what is said about a release: one [Report] value, safe to publish, rendered
// as text, JSON and HTML; and the [Audit] file, which is secret.
//
// A report is a function of the published file, the hierarchy and the parameters of the run:
// whoever has these learns nothing more of the original from it. What a run found by looking at the
// original (losses, the test before and after, notes of the reader, times) is [Custodian]; it goes
// to the audit file and to the custodian's own screen. The same input, options and seed give the
// same report, byte for byte, apart from the keyed hashes that tie it to an audit file where one is
// asked for. It bears no date: when a release was signed is for the person who signs.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"mingle/attack"
	"mingle/internal/limits"
)

// Schema names the layout of the JSON; docs/report.schema.json describes it. The number changes
// when a field is renamed, removed or given another meaning.
const Schema = "mingle.report/3"

// Report is what a custodian signs.
type Report struct {
	Schema  string  `json:"schema"`
	Program Program `json:"program"`
	// Command is that of the release. Directories, the seed, and what cannot change the release,
	// such as the number of workers, are left out; the audit file has the command as it was given.
	// From the same files it makes the same release again where nothing is left to chance and no
	// time limit ends the search; where chance decides, the seed is needed too.
	Command string `json:"command"`
	Inputs  []File `json:"inputs"`
	Outputs []File `json:"outputs"`

	Guarantee    Guarantee     `json:"guarantee"`
	Algorithm    string        `json:"algorithm"`
	Verification *Verification `json:"verification"`
	Published    Published     `json:"published"`
	// Beside tells of the columns that are published beside the sets: each, and all together.
	Beside []Beside `json:"beside,omitempty"`
	// Shuffled says that the lines are in a random order; else line i is transaction i of the
	// original, but in nonreciprocal releases.
	Shuffled bool `json:"shuffled,omitempty"`
	// Ascending says that they are in ascending order instead, byte by byte.
	Ascending bool `json:"ascending,omitempty"`
	// Losses are those that can be computed from the published file and the hierarchy alone.
	Losses []Loss `json:"losses"`
	// Recoding says what stands for what in the published file. With a local recoding an item may
	// also be published as itself or as another of the labels above it.
	Recoding []Rule `json:"recoding"`
	// LeavesOut says that items or transactions of the original may be published nowhere.
	LeavesOut bool `json:"leaves_out,omitempty"`
	// NotPublished lists the items of the hierarchy that no published label stands for, where the
	// method may leave items out. Whether they are in the original is not told.
	NotPublished []string `json:"not_published,omitempty"`
	// Breakdowns split up what is published; Attack is the adversarial test of the published file,
	// where one was made.
	Breakdowns []Breakdown `json:"breakdowns,omitempty"`
	Attack     *Attack     `json:"attack,omitempty"`
	// Decided counts the labels above items that can be one item only, of releases over a
	// hierarchy.
	Decided *attack.Decided `json:"decided,omitempty"`

	// Cautions are why a verdict that holds is not green.
	Cautions []Caution `json:"cautions,omitempty"`
	Warnings []string  `json:"warnings"`
	// OfOriginal says what this report itself tells of the original.
	OfOriginal []string `json:"of_original"`
}

// Verification is the verdict, without what was counted on the way: that depends on the original.
type Verification struct {
	Holds bool `json:"holds"`
	// Compared says that the published file was compared with the original too.
	Compared   bool   `json:"compared"`
	Promise    string `json:"promise"`
	Inequality string `json:"inequality"`
	// global, local, suppression or nonreciprocal, as the published file shows it
	Recoding string `json:"recoding"`
}

// Program says what made the release.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
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

// WriteJSON writes the report, indented.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Read reads a report that WriteJSON wrote, of this version or the one before. Unknown fields,
// missing ones and other versions are errors: a report half understood must not be rendered.
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
	if head.Schema != Schema && head.Schema != schema2 {
		return nil, fmt.Errorf("this is not a report that this version reads: its schema is "+
			"%q, not %q", head.Schema, Schema)
	}
	out := &Report{}
	if err := strictly(text, out); err != nil {
		return nil, fmt.Errorf("this report is damaged: %w", err)
	}
	if err := complete(text, out, head.Schema == Schema); err != nil {
		return nil, fmt.Errorf("this report is damaged: %w", err)
	}
	out.Schema = Schema
	return out, nil
}

// strictly decodes JSON and refuses fields that it does not know.
func strictly(text []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(out)
}
