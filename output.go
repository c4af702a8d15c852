package mingle

import (
	"context"
	"encoding/hex"
	"fmt"
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
	file := sum.file("published", path, string(opts.Format))
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

// finish writes the report and the audit file, and puts all files in place.
func (r *run) finish(ctx context.Context) (*report.Report, error) {
	out := r.report()
	return out, r.session.finish(ctx, target{"audit", r.Audit, publish.Private, r.writeAudit}, target{"report", r.Report, publish.Public, out.WriteJSON})
}

func (r *run) writeAudit(w io.Writer) error {
	audit, err := r.audit()
	if err != nil {
		return err
	}
	return audit.WriteJSON(w)
}

func (r *run) report() *report.Report {
	out := &report.Report{
		Schema: report.Schema, Program: Program, Command: r.Recipe,
		Inputs: r.files.Read, Outputs: []report.File{*r.written},
		Guarantee: report.KM(r.Promise), Algorithm: r.Algorithm.Name(), Verification: r.finding,
		Published: report.Count(r.published), Losses: r.losses,
		Recoding: report.Recoding(r.tree, r.published), Warnings: warnings(r.raw.Notes, r.columnWarning(), r.release.Warnings, r.untested),
		Suppressed: suppressedItems(r.release), Withheld: len(r.release.Withheld), Tried: trials(r.release),
		Breakdowns: report.Breakdowns(r.tree, r.published), Attack: r.tested,
	}
	if !r.Bare {
		out.Measured = r.meter.measured()
		out.Measured.Bound = uint64(r.Memory)
	}
	return out
}

// audit is what the custodian keeps.
func (r *run) audit() (*report.Audit, error) {
	a := report.NewAudit(Program, r.Command)
	a.Inputs, a.Outputs, a.Parts = r.files.Read, []report.File{*r.written}, r.release.Parts
	a.Items = report.AuditItems(r.release)
	if r.input.Seed != nil {
		a.Seed = hex.EncodeToString(r.input.Seed[:])
	}
	if r.input.Sensitive != nil {
		a.Sensitive = report.SensitiveItems(r.input.Sensitive)
	}
	var err error
	a.Certificate, err = r.certificate()
	return a, err
}

// columnWarning names the columns that are published as they are: a guarantee on the items says nothing about them.
func (r *run) columnWarning() []string {
	var names []string
	for _, c := range r.published.Columns {
		names = append(names, fmt.Sprintf("%q", c.Name))
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"the published file has columns beside the items, unchanged (" + strings.Join(names, ", ") +
		"): the guarantee says nothing about what they tell of a person; take out what identifies"}
}

// warnings is all of them; an empty list where there is none, as the report's schema has it.
func warnings(lists ...[]string) []string { return append([]string{}, slices.Concat(lists...)...) }
