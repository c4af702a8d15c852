package judge

import (
	"context"
	"maps"
	"slices"
)

// Recoding tells whether published files are a global recoding of the original, whatever they
// promise: no published label is above another, and the lines are what the labels make of the
// original's, at the same places, or of persons in any order. K, M and L are not looked at.
func (r Release) Recoding(ctx context.Context) (*Finding, error) {
	// each label is in one line at least, and a sensitive item in at most all of its lines
	r.K, r.M, r.L, r.recoding = 1, 1, min(1, len(r.Layout.Sensitive)), true
	f, err := r.Judge(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range slices.Sorted(maps.Keys(f.Supports)) {
		for v := r.Tree.Parent(u); v >= 0 && f.Broken == 0; v = r.Tree.Parent(v) {
			if _, both := f.Supports[v]; both {
				f.breach(Breach{
					Items: []string{r.Tree.Label(u), r.Tree.Label(v)}, Text: "(one is above the other)",
				})
			}
		}
	}
	f.Holds = f.Broken == 0
	return f, nil
}
