package continuous

import (
	"context"

	"mingle/release"
)

// Split starts from one range over the whole domain and divides it as narrow does: a global recoding found from the
// top. It is not in the paper.
type Split struct{}

// Name is "split".
func (Split) Name() string { return "split" }

// Anonymize implements [Algorithm].
func (Split) Anonymize(ctx context.Context, in Input) (*release.Ranges, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	seg, post := newSegments(in.Data), newPostings(in.Data)
	if n := seg.values(); n > 0 {
		seg.merge(span{0, n - 1})
	}
	if err := narrow(ctx, in, seg, post); err != nil {
		return nil, err
	}
	return release.GlobalRanges(in.Data, seg.terms(in.Data)), nil
}
