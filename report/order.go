package report

import "slices"

// OrderText says in which order the lines are published. It is a parameter of the run, so the page
// may say it.
func (r *Report) OrderText() string {
	switch told := r.columnsMayTellOrder(); {
	case r.Ascending:
		return "The lines are in the order of what they say, so that it tells nothing of where they " +
			"stood in the original, or of whose they are."
	case r.Shuffled && told:
		return "The lines are in a random order. The audit file has it, and the columns that are " +
			"published beside the " + r.BesideWhat() + " may tell it too: whoever knows what a " +
			"line of the original has in them finds the line, and its place."
	case r.Shuffled:
		return "The lines are in a random order: what stood where in the original is in the audit " +
			"file alone."
	case r.Verification.Recoding == "nonreciprocal" && told:
		return "The lines are in a random order. The published label may tell it: whoever knows a " +
			"person's label finds the line."
	case r.Verification.Recoding == "nonreciprocal":
		return "The lines are in a random order."
	}
	return "The lines are in the order of the original: somebody who knows the place of a person " +
		"there, for example by its time, knows the person's line. --shuffle changes it."
}

// columnsMayTellOrder tells whether columns are published by which lines may be found again.
func (r *Report) columnsMayTellOrder() bool {
	return len(r.Beside) > 0 || len(r.Guarantee.Columns) > 0 ||
		slices.ContainsFunc(r.Cautions, func(c Caution) bool { return c.About == AboutIdentifier })
}
