package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mingle/anonymize/global/exact"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// Verdict is the answer to a check, and, where a certificate came with it, to the question how much of the loss was
// needed.
type Verdict struct {
	*verify.Finding
	Certificate *verify.CertificateFinding `json:"certificate,omitempty"`
	NCP         float64                    `json:"ncp,omitempty"` // of the published file; only with a certificate
}

// Judge is Run, and checks the certificate in an audit file too (or in a file of its own): every clause is counted anew
// from the original, and the bound proven anew. It needs the original.
func (c Check) Judge(ctx context.Context, certificate string) (*Verdict, error) {
	if certificate == "" {
		f, err := c.Run(ctx)
		return &Verdict{Finding: f}, err
	}
	if c.Original == "" {
		return nil, errors.New("a certificate is about the original data: give the original file too")
	}
	in, f, err := c.run(ctx)
	if err != nil || !f.Holds {
		return &Verdict{Finding: f}, err
	}
	v := &Verdict{Finding: f}
	cert, err := c.readCertificate(ctx, certificate, in.Tree)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	if v.Certificate, err = verify.Certificate(ctx, in.Original, in.Tree, c.Promise.K, c.Promise.M, cert); err != nil {
		return nil, stopped(ctx, err)
	}
	loss, err := measure.NCPOf(in.Tree, in.Original, in.Published)
	v.NCP = loss.NCP
	return v, err
}

// readCertificate finds the certificate in an audit file, or takes the whole file for one.
func (c Check) readCertificate(ctx context.Context, path string, t *hierarchy.Tree) (*release.Certificate, error) {
	text, err := c.Files.bytes(ctx, "certificate", path)
	if err != nil {
		return nil, err
	}
	var audit struct {
		Schema      string          `json:"schema"`
		Certificate json.RawMessage `json:"certificate"`
	}
	if err := json.Unmarshal(text, &audit); err == nil && audit.Schema == report.AuditSchema {
		if audit.Certificate == nil {
			return nil, fmt.Errorf("%s is the audit file of a run that proved no bound: there is no certificate in it (exact makes one, and --gap)", path)
		}
		text = audit.Certificate
	}
	cert, err := release.ReadCertificate(bytes.NewReader(text), t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cert, nil
}

// prove finds a lower bound for a release that came without one.
func (r *run) prove(ctx context.Context) error {
	if !r.Gap || r.release.Bound != nil {
		return nil
	}
	g, err := exact.Algorithm{TimeLimit: r.GapLimit}.Anonymize(ctx, r.input)
	if err != nil {
		return err
	}
	r.release.Bound = g.Bound
	r.release.Bound.Optimal = false // what is optimal is the release of exact, not this one
	return nil
}

// certificate spells the certificate of the release for the audit file; nil if there is none.
func (r *run) certificate() (json.RawMessage, error) {
	if r.release.Bound == nil || r.release.Bound.Certificate == nil {
		return nil, nil
	}
	var text bytes.Buffer
	if err := r.release.Bound.Certificate.Write(&text, r.tree); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}
