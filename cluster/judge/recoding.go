package judge

import "context"

// Recoding tells whether published files are a recoding of the original, global or local, whatever
// they promise: the lines are what the labels make of the original's, at the same places, or of
// persons, whose recoding must be global, in any order. K, M and L are not looked at.
func (r Release) Recoding(ctx context.Context) (*Finding, error) {
	// each label is in one line at least, and a sensitive item in at most all of its lines
	r.K, r.M, r.L, r.recoding = 1, 1, min(1, len(r.Layout.Sensitive)), true
	return r.Judge(ctx)
}
