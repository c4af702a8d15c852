package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset"
)

// publishedOptions is the layout of a published file whose original, at from, has the layout input:
// the same where the formats are the same. A .tsv file has tabs.
func publishedOptions(
	path string, asked dataset.Format, input dataset.Options, from string,
) dataset.Options {
	opts := sameOrUsual(path, asked, input)
	to, was := dataset.Extension(path) == dataset.TSV, dataset.Extension(from) == dataset.TSV
	if !opts.Format.IsCSV() || to == was {
		return opts
	}
	if opts.Delimiter = 0; to {
		opts.Delimiter = '\t'
	}
	return opts
}

// sameOrUsual is the layout of the input, or that of another format with its usual names.
func sameOrUsual(path string, asked dataset.Format, input dataset.Options) dataset.Options {
	format := outputFormat(path, asked, input.Format)
	if format == input.Format || input.Format == "" && asked == "" {
		return input
	}
	opts := dataset.Options{Format: format, Workers: input.Workers}
	switch format { // the columns' usual names, by which readers find them
	case dataset.Long:
		opts.TransactionColumn, opts.ItemColumn = dataset.UsualTransaction, dataset.UsualItem
	case dataset.Table, dataset.JSONL, dataset.Sheet: // which have no lists that show themselves
		opts.SetColumn = dataset.UsualSet
	}
	return opts
}

// outputFormat is the format of a file to be written: the one asked for, that of its extension, or
// that of the input.
func outputFormat(path string, asked, input dataset.Format) dataset.Format {
	if asked != "" {
		return asked
	}
	if format := dataset.ByExtension(dataset.Extension(path)); format != "" {
		return format
	}
	if !dataset.NamedCSV(path) || input.IsCSV() {
		return input
	}
	return dataset.Basket
}

// checkOutput refuses an extension that no format has: what is written would not be what the name
// says.
func checkOutput(path string, asked dataset.Format) error {
	ext := dataset.Extension(path)
	if asked != "" || path == "" || path == Stdin || ext == "" || dataset.NamedCSV(path) ||
		dataset.ByExtension(ext) != "" || strings.HasPrefix(path, "/dev/") {
		return nil
	}
	return fmt.Errorf("%s: no format that can be written has the extension %s: name the file %s, "+
		"or the format with --output-format", path, ext, strings.Join(dataset.Extensions(), ", "))
}

// checkReport refuses an extension that says something else than what a report is written as.
func checkReport(path string, rendered bool) error {
	ext := filepath.Ext(path)
	if rendered || ext == "" || strings.EqualFold(ext, ".json") || path == Stdin ||
		strings.HasPrefix(path, "/dev/") {
		return nil
	}
	return fmt.Errorf("%s: a report is written as .json, .html, .pdf or .txt", path)
}

// warnings is all of them; an empty list where there is none, as the report's schema has it.
func warnings(lists ...[]string) []string { return append([]string{}, slices.Concat(lists...)...) }
