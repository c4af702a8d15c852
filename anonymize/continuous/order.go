package continuous

import (
	"context"
	"slices"

	"mingle/release"
)

// inOrder runs an algorithm on the records in ascending order, by their values, and gives each
// record its line back. Where two repairs lose the same, an algorithm takes the one that it meets
// first; which one that is must not say in what order the records came: that may tell of persons.
// Equal records stay in the order in which they came.
func (in Input) inOrder(
	ctx context.Context, run func(Input, context.Context) (*release.Ranges, error),
) (*release.Ranges, error) {
	compare := func(a, b int32) int {
		return slices.Compare(in.Data.Record(int(a)), in.Data.Record(int(b)))
	}
	order := make([]int32, in.Data.Len())
	for i := range order {
		order[i] = int32(i)
	}
	if slices.IsSortedFunc(order, compare) {
		return run(in, ctx)
	}
	slices.SortStableFunc(order, compare)
	sorted := in
	sorted.Data = in.Data.Select(order)
	r, err := run(sorted, ctx)
	if err != nil {
		return nil, err
	}
	out := *r
	out.Data = in.Data
	if r.Nodes != nil {
		out.Nodes = make([]int32, len(r.Nodes))
		for at, i := range order {
			copy(out.Nodes[in.Data.Start(int(i)):in.Data.Start(int(i)+1)],
				r.Nodes[sorted.Data.Start(at):sorted.Data.Start(at+1)])
		}
	}
	return &out, nil
}
