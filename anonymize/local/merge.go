package local

import (
	"mingle/anonymize"
	"mingle/dataset"
)

// lines are the transactions as the search takes them: identical ones, with the same sensitive
// items and the same refusals, are one with a weight.
type lines struct {
	merged    *dataset.Merged
	sensitive *dataset.Dataset // nil: no l-diversity is asked
	refused   *refusals        // nil: nothing is
}

func merge(in anonymize.Input) lines {
	if in.Promise.Diverse() {
		merged, sensitive := anonymize.MergeSensitive(in)
		return lines{merged: merged, sensitive: sensitive}
	}
	return lines{merged: dataset.Merge(in.Data)}
}
