package pipeline

import (
	"context"
	"encoding/hex"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/internal/publish"
	"mingle/report"
	"mingle/verify"
)

// outputOptions is how the published file is laid out: as the input where the two formats are the same.
func (r *run) outputOptions() dataset.Options {
	opts := publishedOptions(r.Output, r.OutputFormat, r.InputOptions)
	opts.Name = name(r.Output)
	opts.Progress = nil
	return opts
}

// own is the options for reading back what was written: it may unpack to any multiple of its size.
func own(opts dataset.Options) dataset.Options {
	opts.Own = true
	return opts
}

// publishedOptions is the layout of a published file whose original has the layout input: the same where the formats
// are the same.
func publishedOptions(path string, asked dataset.Format, input dataset.Options) dataset.Options {
	format := outputFormat(path, asked, input.Format)
	if format == input.Format || input.Format == "" && asked == "" {
		return input
	}
	opts := dataset.Options{Format: format, Workers: input.Workers}
	switch format { // the columns' usual names, by which readers find them
	case dataset.Long:
		opts.TransactionColumn, opts.ItemColumn = "transaction", "item"
	case dataset.Table, dataset.JSONL:
		opts.SetColumn = "items"
	}
	return opts
}

// outputFormat is the format of a file to be written: the one asked for, that of its extension, or that of the input.
func outputFormat(path string, asked, input dataset.Format) dataset.Format {
	if asked != "" {
		return asked
	}
	base := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".zst")
	switch filepath.Ext(base) {
	case ".dat":
		return dataset.Fimi
	case ".txt":
		return dataset.SPMF
	case ".jsonl", ".ndjson":
		return dataset.JSONL
	case ".csv":
		if slices.Contains([]dataset.Format{dataset.Basket, dataset.Long, dataset.Table}, input) {
			return input
		}
		return dataset.Basket
	}
	return input
}

// writeDataset writes data in a format, compressed as the path's extension has it, and sums the bytes.
func writeDataset(w io.Writer, d *dataset.Dataset, path string, opts dataset.Options) (*report.File, error) {
	sum := &summer{hash: newHash()}
	packed, err := dataset.Compress(io.MultiWriter(w, sum), path)
	if err != nil {
		return nil, err
	}
	if err := dataset.Write(packed, d, opts); err != nil {
		return nil, err
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	file := sum.file(report.RolePublished, path, string(opts.Format))
	if path == publish.Stdout {
		file.Name = "standard output"
	}
	return &file, nil
}

// BindPublished binds published data, and the sensitive items in it, to the hierarchy of a check. The hierarchy must be
// without the sensitive items.
func BindPublished(in *verify.KMInput, published *dataset.Dataset, sensitive []string) (err error) {
	plain := published
	if sensitive != nil {
		if plain, in.PublishedSensitive, err = Split(published, sensitive); err != nil {
			return err
		}
	}
	in.Published, err = in.Tree.EncodePublished(plain)
	return err
}

// announce makes the report: from what is public alone.
func (r *run) announce(ctx context.Context) error {
	common, err := r.session.public(r.Recipe, r.files.Read, *r.written, r.Audit)
	if err != nil {
		return err
	}
	common.test, common.workers, common.memory = r.Report != "", r.Workers, r.Memory
	p := publicKM{
		public: common, promise: r.Promise, algorithm: r.Algorithm.Name(), maySuppress: r.MaySuppress,
		tree: r.tree, published: r.published, hidden: r.publishedHidden,
		// a promise against the adversary "algorithm" holds with coins known, too
		fixed: r.Seed != nil && r.input.Seed != nil && !r.Promise.AgainstAlgorithm(),
	}
	r.announced, err = p.report(ctx)
	return err
}

// finish writes the report and the audit file, and puts all files in place.
func (r *run) finish(ctx context.Context) (*report.Outcome, error) {
	return r.session.leave(ctx, results{
		Outcome: &report.Outcome{Report: r.announced, Custodian: r.custodian()},
		read:    r.files.Read, written: *r.written, command: r.Command, report: r.Report, audit: r.Audit, fill: r.fillAudit,
	})
}

// custodian is what was found by looking at the original.
func (r *run) custodian() *report.Custodian {
	out := &report.Custodian{
		Verification: r.finding, Losses: r.losses, Suppressed: suppressedItems(r.release), Withheld: len(r.release.Withheld),
		Attack: r.tested, Tried: trials(r.release), Warnings: warnings(r.raw.Notes, r.release.Warnings, r.untested),
	}
	if !r.Bare {
		out.Measured = r.meter.measured()
		out.Measured.Bound = uint64(r.Memory)
	}
	return out
}

// fillAudit adds what the custodian keeps of a release over a hierarchy.
func (r *run) fillAudit(a *report.Audit) (err error) {
	a.Parts, a.Items = r.release.Parts, report.AuditItems(r.release)
	if r.input.Seed != nil {
		a.Seed = hex.EncodeToString(r.input.Seed[:])
	}
	if r.input.Sensitive != nil {
		a.Sensitive = report.SensitiveItems(r.input.Sensitive)
	}
	a.Certificate, err = r.certificate()
	return err
}

// warnings is all of them; an empty list where there is none, as the report's schema has it.
func warnings(lists ...[]string) []string { return append([]string{}, slices.Concat(lists...)...) }
