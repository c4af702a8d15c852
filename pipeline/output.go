package pipeline

import (
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset"
)

// publishedOptions is the layout of a published file whose original has the layout input: the same
// where the formats are the same.
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

// outputFormat is the format of a file to be written: the one asked for, that of its extension, or
// that of the input.
func outputFormat(path string, asked, input dataset.Format) dataset.Format {
	if asked != "" {
		return asked
	}
	base := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".zst")
	ext := filepath.Ext(base)
	if format := dataset.ByExtension(ext); format != "" {
		return format
	}
	if ext != ".csv" || input.IsCSV() {
		return input
	}
	return dataset.Basket
}

// warnings is all of them; an empty list where there is none, as the report's schema has it.
func warnings(lists ...[]string) []string { return append([]string{}, slices.Concat(lists...)...) }
