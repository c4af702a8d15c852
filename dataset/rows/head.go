package rows

import (
	"io"

	"mingle/dataset/column"
)

// Head is the beginning of a stream: [column.Head], which waits for no more rows than n.
func Head(in io.Reader, n int) (records [][]string, lists []string, err error) {
	s, err := Open(in, nil)
	if err != nil {
		return nil, nil, err
	}
	return column.Head(beginning{s, n}, n)
}

// beginning is a source whose batches have so many rows at most.
type beginning struct {
	*Source
	most int
}

func (b beginning) Next(to *column.Batch) error { return b.some(to, b.most) }
