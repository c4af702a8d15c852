package nonreciprocal

import (
	"strings"

	"mingle/dataset"
)

// labelFaults are the labels that hide less than they seem to. An empty one is none: of a person
// who is known to have a label, it leaves the others. Two that differ in blanks only are one to
// whoever reads them, and two to whoever counts.
func (in Input) labelFaults() error {
	var faults dataset.Faults
	first := map[string]string{}
	for i, label := range in.Labels {
		trimmed := strings.TrimSpace(label)
		was, known := first[trimmed]
		switch {
		case trimmed == "":
			faults.Addf(in.Data.Line(i), "the label is empty, which is none and hides nobody: "+
				"leave the record out, or write what it means, if that is a label like others")
		case !known:
			first[trimmed] = label
		case was != label:
			faults.Addf(in.Data.Line(i), "the label %q differs from %q in blanks only: write "+
				"them alike", label, was)
		}
	}
	return faults.Err("")
}
