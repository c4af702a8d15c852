package dataset

import (
	"context"

	"mingle/dataset/column"
	"mingle/internal/disk"
)

// HeadColumns is the beginning of a file of columns ([Format.IsColumns], but no database), for
// whoever chooses how to read it: the names of its columns and its first rows, n at most, as
// [column.Head] shows them, and the names of the columns of lists. Of opts the format, the sheet
// and the header count.
func HeadColumns(
	ctx context.Context, path string, opts Options, n int,
) (records [][]string, lists []string, err error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	opts = Options{Format: opts.Format, Name: path, Sheet: opts.Sheet, Header: opts.Header}
	if info, err := file.Stat(); err == nil {
		opts.Size = info.Size()
	}
	src, err := newSource(file, opts.Size, 1, "")
	if err != nil {
		return nil, nil, src.explain(err, opts.name(), 0)
	}
	defer src.Close()
	in := &input{ctx: ctx, src: src, raw: file, opts: opts}
	in.account = src.Account(opts.Size)
	in.account.Dense()
	defer func() { in.spool.Close() }()
	s, err := opts.Format.kind().open(in)
	if err == nil {
		records, lists, err = column.Head(s, n)
	}
	if err != nil {
		return nil, nil, in.explainColumns(err)
	}
	return records, lists, nil
}
