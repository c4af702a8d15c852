package report

import (
	"encoding/json"
	"io"
)

// AuditSchema names the layout of the audit file.
const AuditSchema = "mingle.audit/1"

// Audit is what the custodian keeps and nobody else may see: the supports of the original data, and which part a
// transaction was in.
type Audit struct {
	Schema  string   `json:"schema"`
	Secret  string   `json:"secret"` // a warning for whoever opens the file
	Program Program  `json:"program"`
	Command []string `json:"command"` // as it was given
	Inputs  []File   `json:"inputs"`
	Outputs []File   `json:"outputs"`

	Items     []AuditItem `json:"items"`
	Sensitive []AuditItem `json:"sensitive,omitempty"`
	// Parts is the part each transaction was in, in the order of the file; only algorithms that work on parts have it.
	Parts []int32 `json:"parts,omitempty"`
	// Certificate proves the lower bound on the loss, where one was proven: see docs/algorithms/exact.md.
	Certificate json.RawMessage `json:"certificate,omitempty"`
	// Seed is the secret of what the algorithm left to chance: 256 bits, hexadecimal. With it, the original and the same
	// options the release can be made again.
	Seed string `json:"seed,omitempty"`
	// Draw is the seed and the true matches of nonreciprocal recoding.
	Draw *Draw `json:"draw,omitempty"`
}

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
		Secret: "This file holds supports of the original data. Whoever has it can undo part of the protection: keep it where the original is kept.",
	}
}

// WriteJSON writes the audit file, indented.
func (a *Audit) WriteJSON(w io.Writer) error { return writeJSON(w, a) }
