package verify

import (
	"fmt"

	"mingle/dataset"
)

// surplus notes what the published file shows beside what is judged.
func (f *Finding) surplus(s dataset.Surplus) { f.Notes = append(f.Notes, Surplus(s)...) }

// Surplus says what a published file shows beside the sets, or bags, of its lines. The definitions
// are of these alone, so it is neither judged nor a breach.
func Surplus(s dataset.Surplus) []string {
	var out []string
	if s.Unsorted > 0 {
		out = append(out, fmt.Sprintf("what is in a line of the published file is not always sorted, "+
			"first in line %d: its order may tell more, such as what came first, and was not judged",
			s.Unsorted))
	}
	if n := s.Comments; n > 0 {
		out = append(out, fmt.Sprintf("the published file has comments (%s), which were not judged",
			plural(n, "line")))
	}
	if n := s.Ends; n > 0 {
		out = append(out, fmt.Sprintf("the published file has ends of itemsets and sequences (%d): "+
			"they tell which items came together, and were not judged", n))
	}
	if n := s.Empty; n > 0 {
		out = append(out, fmt.Sprintf("the published file has rows, fields or elements without an "+
			"item (%d): they may tell how many items were left out, and were not judged", n))
	}
	return out
}
