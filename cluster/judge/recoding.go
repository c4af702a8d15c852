package judge

import "context"

// Recoding tells whether published files are a global recoding of the original, whatever they
// promise: the published labels are a cut of the hierarchy, and the lines are what this makes of
// the original's, at the same places, or of persons in any order. K, M and L are not looked at.
func (r Release) Recoding(ctx context.Context) (*Finding, error) {
	r.K, r.M, r.L, r.recoding = 1, 1, 0, true // of one line at least each label is
	f := &Finding{}
	err := r.sets(ctx, f)
	if err == nil {
		r.antichain(f)
	}
	if err == nil && f.Broken == 0 {
		err = r.lines(ctx, f)
	}
	f.Holds = f.Broken == 0
	return f, err
}
