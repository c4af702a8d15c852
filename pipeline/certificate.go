package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mingle/measure"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// Verdict is the answer to a check, and, where a certificate came with it, to the question how much
// of the loss was needed.
type Verdict struct {
	*verify.Finding
	Certificate *verify.CertificateFinding `json:"certificate,omitempty"`
	// of the published file; only with a certificate
	NCP float64 `json:"ncp,omitempty"`
}

// VerifyWithCertificate is Verify, and checks the certificate in an audit file too (or in a file of
// its own): every clause is counted anew from the original, and the bound proven anew. It is for
// [KM], and needs the original.
func (p Pair) VerifyWithCertificate(ctx context.Context, path string) (*Verdict, error) {
	if p.Original == "" {
		return nil, errors.New(
			"a certificate is about the original data: give the original file too",
		)
	}
	opened, f, err := p.verify(ctx)
	if err != nil || !f.Holds {
		return &Verdict{Finding: f}, err
	}
	t, is := opened.(*kmTask)
	if !is {
		return nil, fmt.Errorf("a release of kind %s has no certificate", p.Family.Name())
	}
	v := &Verdict{Finding: f}
	cert, err := t.readCertificate(ctx, path)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	if v.Certificate, err = verify.CertificateOfPersons(
		ctx, t.input.Data, t.input.Persons, t.tree, t.Promise.K, t.Promise.M, cert,
	); err != nil {
		return nil, stopped(ctx, err)
	}
	loss, err := measure.NCPOf(t.tree, t.input.Data, t.published)
	v.NCP = loss.NCP
	return v, err
}

// readCertificate finds the certificate in an audit file, or takes the whole file for one.
func (t *kmTask) readCertificate(ctx context.Context, path string) (*release.Certificate, error) {
	text, err := t.files.bytes(ctx, "certificate", path)
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
	cert, err := release.ReadCertificate(bytes.NewReader(text), t.tree)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cert, nil
}

// certificate spells the certificate of the release for the audit file; nil if there is none.
func (t *kmTask) certificate() (json.RawMessage, error) {
	if t.release.Bound == nil || t.release.Bound.Certificate == nil {
		return nil, nil
	}
	var text bytes.Buffer
	if err := t.release.Bound.Certificate.Write(&text, t.tree); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}
