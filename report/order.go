package report

// OrderText says in which order the lines are published. It is a parameter of the run, so the page
// may say it.
func (r *Report) OrderText() string {
	switch {
	case r.Shuffled:
		return "The lines are in a random order: what stood where in the original is in the audit " +
			"file alone."
	case r.Verification.Recoding == "nonreciprocal":
		return "The lines are in a random order."
	}
	return "The lines are in the order of the original: somebody who knows the place of a person " +
		"there, for example by its time, knows the person's line. --shuffle changes it."
}
