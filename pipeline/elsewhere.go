package pipeline

import (
	"cmp"
	"context"
	"io"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/report"
)

// Elsewhere is a release of k^m-anonymity that was made, compared with its original and judged
// elsewhere, such as on a cluster. Its published files, one after another, are read here. The lines
// of persons ascend.
type Elsewhere struct {
	Hierarchy        string
	HierarchyOptions hierarchy.ReadOptions
	Original         string // its name
	Published        string // its name
	Layout           dataset.Options
	Promise          privacy.KM
	Sensitive        string // as of KM
	Algorithm        string
	Recipe           string // the command without what must not be published

	AllowUnknownSensitive bool
	FixedSeed             bool // a seed was given for what is left to chance

	Workers  int
	Memory   int64 // bound in bytes; 0: none
	Progress func(anonymize.Progress)
}

// Report makes the public report, which is a function of the published file, the hierarchy and the
// parameters: that of a Job which publishes the same lines, but for names. Memory is that of the
// published lines.
func (e Elsewhere) Report(ctx context.Context, published io.Reader) (*report.Report, error) {
	files := &Files{Workers: e.Workers}
	tree, err := files.Hierarchy(ctx, e.Hierarchy, e.HierarchyOptions)
	if err != nil {
		return nil, err
	}
	whole, items := tree, []string(nil)
	if e.Sensitive != "" {
		if items, err = files.Items(ctx, roleSensitive, e.Sensitive); err != nil {
			return nil, err
		}
		if tree, err = whole.Without(items); err != nil {
			return nil, err
		}
	}
	// no hash, and nothing else but its name: it was read elsewhere
	original := newSummer().file(roleTransactions, e.Original, "")
	inputs, err := report.PublicInputs(append([]report.File{{
		Role: original.Role, Name: original.Name,
	}}, files.Read...), nil)
	if err != nil {
		return nil, err
	}
	sum, opts := newSummer(), e.Layout
	opts.Own, opts.Workers = true, e.Workers
	lines, err := dataset.Read(ctx, io.TeeReader(published, sum), opts)
	if err != nil {
		return nil, err
	}
	p := publicKM{
		public: public{
			recipe: e.Recipe, inputs: inputs, test: true, workers: e.Workers, memory: e.Memory,
			written:  sum.file(report.RolePublished, e.Published, string(opts.Format)),
			listener: e.Progress, ascend: e.Promise.Persons,
		},
		promise: e.Promise, algorithm: cmp.Or(e.Algorithm, "aa"), tree: tree, whole: whole,
		sensitive: items, allowUnknown: e.AllowUnknownSensitive, fixed: e.FixedSeed,
	}
	if items != nil {
		if lines, p.hidden, err = dataset.Split(lines, items); err != nil {
			return nil, err
		}
	}
	if p.published, err = tree.EncodePublished(lines); err != nil {
		return nil, err
	}
	rep, err := p.report(ctx)
	if err == nil {
		addCautions(rep, KM{}.Name())
	}
	return rep, err
}

// addCautions completes a public report.
func addCautions(rep *report.Report, family string) {
	rep.Cautions = append(rep.Cautions, rep.BesideCautions()...)
	rep.Cautions = append(rep.Cautions, report.LossCautions(rep.Losses, rep.Published,
		rep.Breakdowns, report.TryLoss(family)...)...)
}
