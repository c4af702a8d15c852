package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mingle/hierarchy"
	"mingle/internal/limits"
)

// certificateFormat names the layout below; another layout gets another number.
const certificateFormat = "mingle-certificate/1"

// The layout of a certificate in a file: JSON; nodes of the hierarchy are listed once by label and
// named by their place in that list everywhere else.
type certificateJSON struct {
	Format  string       `json:"format"`
	K       int          `json:"k"`
	M       int          `json:"m"`
	Scale   int64        `json:"scale"`
	Bound   int64        `json:"bound"`
	Nodes   []string     `json:"nodes"`
	Clauses []clauseJSON `json:"clauses"`
	Proof   *proofJSON   `json:"proof"`
}

type clauseJSON struct {
	Nodes   []int `json:"nodes"`
	Support int   `json:"support"`
}

type proofJSON struct {
	Rows      []rowJSON    `json:"rows,omitempty"`
	Threshold int64        `json:"threshold,omitempty"`
	Parts     []partJSON   `json:"parts,omitempty"`
	Branch    int          `json:"branch,omitempty"`
	Sides     []*proofJSON `json:"sides,omitempty"`
}

type rowJSON struct {
	Nodes []int `json:"nodes"`
	Need  int   `json:"need"`
	Y     int64 `json:"y"`
}

type partJSON struct {
	Nodes []int      `json:"nodes"`
	Bound int64      `json:"bound"`
	Proof *proofJSON `json:"proof"`
}

// Write writes the certificate as JSON, nodes by their labels in t.
func (c *Certificate) Write(w io.Writer, t *hierarchy.Tree) error {
	e := &certificateEncoder{tree: t, place: map[int32]int{}}
	out := certificateJSON{
		Format: certificateFormat, K: c.K, M: c.M, Scale: c.Scale, Bound: c.Bound,
		Clauses: []clauseJSON{},
	}
	for _, clause := range c.Clauses {
		out.Clauses = append(out.Clauses, clauseJSON{e.places(clause.Nodes), clause.Support})
	}
	out.Proof = e.proof(c.Proof)
	out.Nodes = e.labels
	return json.NewEncoder(w).Encode(out)
}

type certificateEncoder struct {
	tree   *hierarchy.Tree
	labels []string
	place  map[int32]int
}

func (e *certificateEncoder) places(nodes []int32) []int {
	out := make([]int, len(nodes))
	for i, u := range nodes {
		at, ok := e.place[u]
		if !ok {
			at = len(e.labels)
			e.place[u] = at
			e.labels = append(e.labels, e.tree.Label(u))
		}
		out[i] = at
	}
	return out
}

func (e *certificateEncoder) proof(p *Proof) *proofJSON {
	if p == nil {
		return nil
	}
	out := &proofJSON{Threshold: p.Threshold}
	for _, r := range p.Rows {
		out.Rows = append(out.Rows, rowJSON{e.places(r.Nodes), r.Need, r.Y})
	}
	for _, part := range p.Parts {
		out.Parts = append(
			out.Parts, partJSON{e.places(part.Nodes), part.Bound, e.proof(part.Proof)},
		)
	}
	if p.Sides[0] != nil {
		out.Branch = e.places([]int32{p.Branch})[0]
		out.Sides = []*proofJSON{e.proof(p.Sides[0]), e.proof(p.Sides[1])}
	}
	return out
}

// ReadCertificate reads what Write wrote. It checks the form, not the proof: that is what package
// verify is for.
func ReadCertificate(r io.Reader, t *hierarchy.Tree) (*Certificate, error) {
	var in certificateJSON
	text, err := limits.JSON(r, limits.MaxAudit, "a certificate")
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	if in.Format != certificateFormat {
		return nil, fmt.Errorf(
			"certificate: the format is %q, not %q", in.Format, certificateFormat,
		)
	}
	d := &certificateDecoder{nodes: make([]int32, len(in.Nodes))}
	for i, label := range in.Nodes {
		u, ok := t.Node(label)
		if !ok {
			return nil, fmt.Errorf("certificate: the hierarchy has no node %q", label)
		}
		d.nodes[i] = u
	}
	c := &Certificate{K: in.K, M: in.M, Scale: in.Scale, Bound: in.Bound, Clauses: []Clause{}}
	if in.Scale < 1 {
		return nil, errors.New("certificate: the scale must be at least 1")
	}
	for _, clause := range in.Clauses {
		c.Clauses = append(c.Clauses, Clause{d.at(clause.Nodes), clause.Support})
	}
	c.Proof = d.proof(in.Proof)
	return c, d.err
}

// certificateDecoder remembers the first fault.
type certificateDecoder struct {
	nodes []int32
	err   error
}

func (d *certificateDecoder) at(places []int) []int32 {
	out := make([]int32, len(places))
	for i, p := range places {
		if p < 0 || p >= len(d.nodes) {
			d.err = fmt.Errorf("certificate: node %d is not in its list of %d", p, len(d.nodes))
			return nil
		}
		out[i] = d.nodes[p]
	}
	return out
}

func (d *certificateDecoder) proof(p *proofJSON) *Proof {
	if p == nil {
		return nil
	}
	out := &Proof{Threshold: p.Threshold}
	for _, r := range p.Rows {
		out.Rows = append(out.Rows, ProofRow{d.at(r.Nodes), r.Need, r.Y})
	}
	for _, part := range p.Parts {
		out.Parts = append(out.Parts, ProofPart{d.at(part.Nodes), part.Bound, d.proof(part.Proof)})
	}
	switch len(p.Sides) {
	case 0:
	case 2:
		if nodes := d.at([]int{p.Branch}); nodes != nil {
			out.Branch = nodes[0]
		}
		out.Sides = [2]*Proof{d.proof(p.Sides[0]), d.proof(p.Sides[1])}
	default:
		d.err = errors.New("certificate: a case distinction has two sides")
	}
	return out
}
