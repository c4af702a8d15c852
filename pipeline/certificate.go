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
	"mingle/verify/bound"
)

// Verdict is the answer to a check, and, where a certificate came with it, to the question how much
// of the loss was needed.
type Verdict struct {
	*verify.Finding
	Certificate *bound.CertificateFinding `json:"certificate,omitempty"`
	Program     *ProgramVerdict           `json:"program,omitempty"`
	// of the published file; only with a certificate or a program
	NCP float64 `json:"ncp,omitempty"`
	// Unmeasured is why neither NCP nor the penalty beside a program is told; "": they are.
	Unmeasured string `json:"unmeasured,omitempty"`
}

// Bounds are files that prove a bound on the loss.
type Bounds struct {
	// Certificate is an audit file with a certificate, or the certificate by itself: every clause
	// is counted anew from the original, and the bound proven anew; "": none.
	Certificate string
	// Proof is the name without extension of a program and its proof for an outside checker, as
	// KM.Proof has it: every clause of the program is counted anew from the original. The proof is
	// left to that checker; "": none.
	Proof string
}

// VerifyWithBounds is Verify, and checks what proves a bound on the loss too. It is for [KM], and
// needs the original.
func (p Pair) VerifyWithBounds(ctx context.Context, b Bounds) (*Verdict, error) {
	if p.Original == "" {
		return nil, errors.New("what proves a bound (--certificate, --proof) is about the original " +
			"data: give the original file too")
	}
	opened, f, err := p.verify(ctx)
	if err != nil || !f.Holds {
		return &Verdict{Finding: f}, err
	}
	t, is := opened.(*kmTask)
	if !is {
		return nil, fmt.Errorf("a release of kind %s has no certificate", p.Family.Name())
	}
	v, err := t.checkBounds(ctx, b)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	v.Finding = f
	return v, nil
}

// checkBounds is the verdict without its finding.
func (t *kmTask) checkBounds(ctx context.Context, b Bounds) (*Verdict, error) {
	v := &Verdict{}
	var loss measure.Loss
	var err error
	if all, left := t.input.Data.Len(), t.published.Len(); left < all {
		v.Unmeasured = fmt.Sprintf("it has %d of the %d lines, so that its NCP is not measured",
			left, all)
	} else if loss, err = measure.NCPOf(
		ctx, t.tree, t.input.Data, t.published, t.input.WorkerCount(),
	); err != nil {
		return nil, err
	}
	v.NCP = loss.NCP
	if b.Certificate != "" {
		if v.Certificate, err = t.checkCertificate(ctx, b.Certificate); err != nil {
			return nil, err
		}
	}
	if b.Proof != "" {
		if v.Program, err = t.checkProgram(ctx, proofBase(b.Proof)); err != nil {
			return nil, err
		}
		v.Program.Published = loss.Penalty
	}
	return v, nil
}

func (t *kmTask) checkCertificate(
	ctx context.Context, path string,
) (*bound.CertificateFinding, error) {
	cert, err := t.readCertificate(ctx, path)
	if err != nil {
		return nil, err
	}
	return bound.Certificate(ctx, t.boundInput(), cert)
}

// boundInput is what a bound on the loss is about.
func (t *kmTask) boundInput() bound.Input {
	return bound.Input{
		Data: t.input.Data, Tree: t.tree, Persons: t.input.Persons,
		K: t.Promise.K, M: t.Promise.M,
	}
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
