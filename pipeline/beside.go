package pipeline

import (
	"context"
	"slices"

	"mingle/dataset"
	"mingle/dataset/profile"
)

// ColumnsBeside are the columns beside the sets of a file that was read as d with opts. Those of a
// long file are read for that, one by one: which of them are the same on all rows of a transaction
// shows only then. What cannot be read again, such as standard input, has none of these.
func ColumnsBeside(
	ctx context.Context, path string, opts dataset.Options, d *dataset.Dataset,
) (out []dataset.Column) {
	if opts.Format != dataset.Long {
		return d.Columns
	}
	if path == Stdin || opts.Header == dataset.HeaderAbsent {
		return nil
	}
	header, err := dataset.FirstRecord(path)
	if err != nil {
		return nil
	}
	for _, name := range header {
		again := opts
		again.LabelColumns, again.Progress = []string{name}, nil
		if _, known := d.Column(name); known || slices.Contains(opts.LabelColumns, name) {
			continue
		}
		with, err := dataset.Open(ctx, path, again) // an error: it has several values, or the items
		if err != nil {
			continue
		}
		if c, has := with.Column(name); has {
			out = append(out, c)
		}
	}
	return out
}

// PersonColumns are the columns beside the sets that look like those of persons with several
// transactions.
func PersonColumns(columns []dataset.Column) (out []profile.PersonColumn) {
	for _, c := range columns {
		if p, is := profile.LooksLikePersons(c); is {
			out = append(out, p)
		}
	}
	return out
}
