package pipeline

import (
	"context"
	"errors"
	"slices"

	"mingle/dataset"
	"mingle/dataset/profile"
	"mingle/dataset/rows"
	"mingle/internal/disk"
	"mingle/internal/limits"
)

// ColumnsBeside are the columns beside the sets of a file that was read as d with opts. Those of a
// file with a row an item are read for that, one by one: which of them are the same on all rows of
// a transaction shows only then. What cannot be read again, such as standard input or a pipe, has
// none of these.
func (f *Files) ColumnsBeside(
	ctx context.Context, path string, opts dataset.Options, d *dataset.Dataset,
) (out []dataset.Column, err error) {
	if !slices.ContainsFunc(d.Columns, func(c dataset.Column) bool { return c.Key }) {
		return d.Columns, nil
	}
	if info, err := disk.Stat(path); err == nil && !info.Mode().IsRegular() || path == Stdin ||
		opts.Format.IsCSV() && opts.Header == dataset.HeaderAbsent {
		return nil, nil
	}
	again := Files{Workers: f.Workers, Databases: f.Databases} // what it reads is in no report
	header, err := again.header(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	for _, name := range header {
		with := opts
		with.LabelColumns, with.Progress = []string{name}, nil
		if _, known := d.Column(name); known || slices.Contains(opts.LabelColumns, name) {
			continue
		}
		read, _, err := again.Transactions(ctx, roleTransactions, path, with)
		if isNoText(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if c, has := read.Column(name); has {
			out = append(out, c)
		}
	}
	return out, nil
}

// isNoText tells whether reading a column as one of texts failed for what is in it: several values
// a transaction, the items, or more text than may be kept.
func isNoText(err error) bool {
	var faults *dataset.Faults
	var large *limits.TooLarge
	return errors.As(err, &faults) || errors.As(err, &large)
}

// header is the names of the columns of a file with a row an item.
func (f *Files) header(ctx context.Context, path string, opts dataset.Options) ([]string, error) {
	var head [][]string
	var err error
	switch {
	case opts.Format == dataset.Database:
		head, err = f.headOfRows(ctx, path, opts)
	case opts.Format.IsColumns():
		head, _, err = dataset.HeadColumns(ctx, path, opts, 1)
	default:
		_, head, err = dataset.Head(path, opts.Encoding, 1)
	}
	if err != nil || len(head) == 0 {
		return nil, err
	}
	return head[0], nil
}

// headOfRows is the beginning of a table, or of the rows of a query.
func (f *Files) headOfRows(
	ctx context.Context, path string, opts dataset.Options,
) (head [][]string, err error) {
	if path, err = locate(path, opts); err != nil {
		return nil, err
	}
	in, err := f.database(ctx, path, opts.Query)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head, _, err = rows.Head(in, 1)
	return head, err
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
