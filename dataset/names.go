package dataset

import (
	"context"
	"io"
)

// ColumnNames lists the columns of a long or table file; nil where it has no header.
func ColumnNames(ctx context.Context, r io.Reader, opts Options) ([]string, error) {
	if opts.Header == HeaderAbsent || opts.Format != Long && opts.Format != Table {
		return nil, nil
	}
	src, err := newSource(r, opts.Size, 1)
	if err != nil {
		return nil, src.explain(err, opts.name(), 0)
	}
	defer src.Close()
	in := &input{ctx: ctx, src: src, opts: opts, cut: splitter{src: src, size: blockSize}}
	in.cut.quoted, in.cut.delim = true, opts.delimiter()
	first, err := in.next(nil)
	if err != nil && err != io.EOF {
		return nil, in.explain(err)
	}
	var out part
	names, _ := readHeader(first, opts.delimiter(), false, &out)
	return names, out.faults.Err(opts.name())
}
