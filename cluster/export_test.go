package cluster

import (
	"context"
	"io"
)

// Map and Whose are what a worker does of a plan, without the text of it.

func (p *Plan) Map(ctx context.Context, r io.Reader, w io.Writer) error {
	return p.countSets(ctx, r, w)
}

func (p *Plan) Whose(ctx context.Context, r io.Reader, w io.Writer) error {
	return p.whose(ctx, r, w)
}

// SendOften has workers send what they count in pieces of so many bytes, until the test ends.
func SendOften(cleanup func(func()), n int) {
	was := mostUnsent
	mostUnsent = n
	cleanup(func() { mostUnsent = was })
}
