package pipeline

import (
	"context"
	"fmt"
	"io"

	"mingle/dataset"
)

// sets is what the tasks of families of sets have in common: how their files are laid out and read.
type sets struct {
	*env
	layout dataset.Options // of the original
	output dataset.Options // of the published file
	raw    *dataset.Dataset
}

func (s *sets) read(ctx context.Context) (err error) {
	s.raw, s.layout, err = s.files.Transactions(ctx, roleTransactions, s.originalPath, s.layout)
	if err == nil {
		s.raw, err = s.inOrder(s.raw)
	}
	return err
}

// layOut lays the published file out as the original where the two formats are the same.
func (s *sets) layOut(asked dataset.Format) (err error) {
	opts := publishedOptions(s.publishedPath, asked, s.layout)
	opts.Progress = nil
	s.output, err = s.files.layout(s.publishedPath, opts)
	return err
}

func (s *sets) format() dataset.Format { return s.output.Format }

// parsed reads a published file of sets.
func (s *sets) parsed(ctx context.Context, in io.Reader, own bool) (*dataset.Dataset, error) {
	opts := s.output
	opts.Own = own // what the program wrote may unpack to any multiple of its size
	return dataset.Read(ctx, in, opts)
}

// over is published data over the dictionary of the original, which must have all its labels.
func (s *sets) over(dict *dataset.Dictionary, d *dataset.Dataset) (*dataset.Dataset, error) {
	to := make([]int32, d.Dict().Len())
	for i, label := range d.Dict().Labels() {
		id, ok := dict.ID(label)
		if !ok {
			return nil, fmt.Errorf("%s: item %q is not in the original: such a release leaves items out and adds none",
				name(s.publishedPath), label)
		}
		to[i] = id
	}
	return d.Recode(dict, to), nil
}
