package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mingle/dataset"
	"mingle/dataset/profile"
)

// personColumns finds columns beside the sets that look like those of persons with several
// transactions. Those of a long file are read for that, one by one: which of them are the same on
// all rows of a transaction shows only then.
func (a *app) personColumns(
	ctx context.Context, path string, opts dataset.Options, d *dataset.Dataset,
) (out []profile.PersonColumn) {
	columns := d.Columns
	if opts.Format == dataset.Long {
		columns = a.besideLong(ctx, path, opts, d)
	}
	for _, c := range columns {
		if p, is := profile.LooksLikePersons(c); is {
			out = append(out, p)
		}
	}
	return out
}

// besideLong are the columns of a long file that have one value for each transaction. What cannot
// be read again, such as standard input, has none.
func (a *app) besideLong(
	ctx context.Context, path string, opts dataset.Options, d *dataset.Dataset,
) (out []dataset.Column) {
	if path == "-" || opts.Header == dataset.HeaderAbsent {
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

// personShareFlag is the value of --max-person-share: the n of 1/n.
type personShareFlag int

func (s *personShareFlag) String() string {
	if *s == 0 {
		return ""
	}
	return fmt.Sprintf("1/%d", int(*s))
}

func (s *personShareFlag) Type() string { return "1/N" }

func (s *personShareFlag) Set(text string) error {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "1/"))
	if err != nil || n < 2 || !strings.HasPrefix(text, "1/") {
		return fmt.Errorf("it is 1/N, where N is 2 or more, such as 1/5")
	}
	*s = personShareFlag(n)
	return nil
}
