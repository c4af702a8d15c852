package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mingle/anonymize/global/exact"
	"mingle/internal/publish"
	"mingle/release"
	"mingle/release/pbproof"
	"mingle/report"
	"mingle/verify/bound"
)

// Extensions of the two files of a proof: the pseudo-Boolean program, and the proof of its bound.
const (
	programExtension = ".opb"
	proofExtension   = ".pbp"
)

// ProofFiles are the two files of the proof that is asked for; none where none is.
func (k KM) ProofFiles() []string {
	if k.Proof == "" {
		return nil
	}
	return []string{k.Proof + programExtension, k.Proof + proofExtension}
}

// proofTargets are the files of the proof; none where none is asked for.
func (r *run) proofTargets() []target {
	t, is := r.task.(*kmTask)
	if !is || t.proofBase() == "" {
		return nil
	}
	return []target{
		{what: "proof", path: t.proofBase() + programExtension, mode: publish.Private},
		{what: "proof", path: t.proofBase() + proofExtension, mode: publish.Private},
	}
}

// prove writes the proof to temporary files.
func (r *run) prove(ctx context.Context) error {
	t := r.task.(*kmTask)
	var files [2]*publish.File
	var sums [2]*summer
	var to [2]io.Writer
	targets := r.proofTargets()
	for i, target := range targets {
		var err error
		if files[i], err = r.set.Create(target.path, target.mode); err != nil {
			return err
		}
		sums[i] = newSummer()
		to[i] = io.MultiWriter(files[i], sums[i])
	}
	p, err := t.writeProof(ctx, to[0], to[1])
	if errors.Is(err, pbproof.ErrUnproven) {
		return refused("write the proof", ctx, err)
	}
	if err != nil {
		return fmt.Errorf("cannot write the proof %s: %w", t.proofBase(), publish.Reason(err))
	}
	for i, role := range []string{report.RoleProgram, report.RoleProof} {
		p.Files[i] = sums[i].file(role, targets[i].path, "")
	}
	t.proven = p
	return ctx.Err()
}

func (t *kmTask) proofBase() string { return proofBase(t.Proof) }

// proofBase is the name of both files, where that of one of them was given.
func proofBase(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, programExtension), proofExtension)
}

// refuseProof refuses a proof of what proves no bound.
func (t *kmTask) refuseProof() error {
	_, bounds := t.Algorithm.(exact.Algorithm)
	switch base := t.proofBase(); {
	case t.Proof == "":
	case base == "" || base == Stdin || os.IsPathSeparator(base[len(base)-1]):
		return fmt.Errorf("%s: a proof is two files: give their name without the extensions %s "+
			"and %s", t.Proof, programExtension, proofExtension)
	case !t.Gap && !bounds:
		return fmt.Errorf("%s proves no bound on the loss: a proof needs --algorithm exact, or --gap",
			t.Algorithm.Name())
	}
	return nil
}

// writeProof writes the program and the proof of the release's bound.
func (t *kmTask) writeProof(
	ctx context.Context, program, proof io.Writer,
) (*report.Proof, error) {
	b := t.release.Bound
	data := t.input.Data
	p := release.NewProgram(t.tree, data.Supports(), b.Certificate)
	if err := p.WriteOPB(program, t.tree); err != nil {
		return nil, err
	}
	bounds, err := pbproof.Write(ctx, proof, t.tree, p, b.Certificate, t.release.Map)
	if err != nil {
		return nil, err
	}
	out := &report.Proof{Clauses: len(p.Clauses), Lower: bounds.Lower}
	if all := float64(data.Occurrences()) * float64(t.tree.Leaves()); all > 0 {
		out.NCP = float64(bounds.Lower) / all
	}
	if bounds.Solved {
		out.Upper = &bounds.Upper
	}
	return out, nil
}

// ProgramVerdict is the answer to the question whether a program is the data's, and what remains
// for an outside checker to say.
type ProgramVerdict struct {
	*bound.ProgramFinding
	Program string `json:"program_file"`
	Proof   string `json:"proof_file"`
	// Claimed is the lower bound that the proof concludes, not checked here; below 0: none.
	Claimed int64 `json:"claimed"`
	// Published is what the published file loses, in the program's objective.
	Published int64 `json:"published"`
}

// checkProgram counts the clauses of a program anew, and reads what its proof claims.
func (t *kmTask) checkProgram(ctx context.Context, base string) (*ProgramVerdict, error) {
	v := &ProgramVerdict{Program: base + programExtension, Proof: base + proofExtension}
	var program *release.Program
	err := t.files.open(ctx, report.RoleProgram, v.Program, "", func(r io.Reader) (err error) {
		if program, err = release.ReadOPB(r, t.tree); err != nil {
			return fmt.Errorf("%s: %w", v.Program, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v.ProgramFinding, err = bound.Program(ctx, t.boundInput(), program)
	if err != nil {
		return nil, err
	}
	return v, t.files.open(ctx, report.RoleProof, v.Proof, "", func(r io.Reader) (err error) {
		v.Claimed, err = pbproof.Claimed(r)
		return err
	})
}
