package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// AuditSchema names the layout of the audit file.
const AuditSchema = "mingle.audit/2"

// Audit is what the custodian keeps and nobody else may see: the supports of the original data,
// what was measured against it, which part a transaction was in, and the key of the report's keyed
// hashes.
type Audit struct {
	Schema  string   `json:"schema"`
	Secret  string   `json:"secret"` // a warning for whoever opens the file
	Program Program  `json:"program"`
	Command []string `json:"command"` // as it was given
	Inputs  []File   `json:"inputs"`  // with their sizes and SHA-256
	Outputs []File   `json:"outputs"` // the published file and, where one was written, the report
	Key     Key      `json:"key"`

	Custodian *Custodian  `json:"custodian"`
	Items     []AuditItem `json:"items"`
	Sensitive []AuditItem `json:"sensitive,omitempty"`
	// Parts is the part each transaction was in, in the order of the file; only algorithms that
	// work on parts have it.
	Parts []int32 `json:"parts,omitempty"`
	// Order says which transaction of the original each line of the published file is of, both
	// counted from 1, where the lines were shuffled; lines that were left out have a place too.
	Order []int32 `json:"order,omitempty"`
	// Certificate proves the lower bound on the loss, where one was proven: see
	// docs/algorithms/exact.md.
	Certificate json.RawMessage `json:"certificate,omitempty"`
	// Seed is the secret of what the algorithm left to chance: 256 bits, hexadecimal. With it, the
	// original and the same options the release can be made again.
	Seed string `json:"seed,omitempty"`
	// Draw is the seed and the true matches of nonreciprocal recoding.
	Draw *Draw `json:"draw,omitempty"`
}

// RoleReport is the role of the report among the outputs of an audit file.
const RoleReport = "report"

// RoleReleaseFile is the role of the file that says the release. It may hold the seed, and
// conditions on what only the custodian sees: the report has at most its keyed hash.
const RoleReleaseFile = "release file"

// RolePublished is the role of the published file.
const RolePublished = "published"

// AuditItem is an item of the original data that occurs.
type AuditItem struct {
	Item        string   `json:"item"`
	Support     int      `json:"support"` // transactions of the original that contain it
	PublishedAs []string `json:"published_as"`
}

// NewAudit starts an audit file with its warning.
func NewAudit(p Program, command []string) *Audit {
	return &Audit{
		Schema: AuditSchema, Program: p, Command: command,
		Secret: "This file holds supports of the original data. Whoever has it can undo part " +
			"of the protection: keep it where the original is kept.",
	}
}

// WriteJSON writes the audit file, indented.
func (a *Audit) WriteJSON(w io.Writer) error { return writeJSON(w, a) }

// ReadAudit reads an audit file that WriteJSON wrote.
func ReadAudit(r io.Reader) (*Audit, error) {
	a := &Audit{}
	err := json.NewDecoder(r).Decode(a)
	if err == nil && a.Schema != AuditSchema {
		return nil, fmt.Errorf("this is not an audit file that this version reads: its schema "+
			"is %q, not %q", a.Schema, AuditSchema)
	}
	if err != nil {
		return nil, fmt.Errorf("this is not an audit file: %w", err)
	}
	return a, nil
}
