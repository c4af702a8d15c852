package release

import "mingle/dataset"

// Suppression is data from which some public items are deleted, each from every transaction.
// Private items are published as they are. All that is left has the same support as before.
type Suppression struct {
	Data  *dataset.Dataset // the original
	Items []int32          // the suppressed items, in the order in which they were chosen
	// Warnings are footnotes for the person who signs.
	Warnings []string
}

// Published spells out the release. Transaction i is what is left of transaction i of Data, over
// the same dictionary.
func (s *Suppression) Published() *dataset.Dataset {
	to := make([]int32, s.Data.Dict().Len())
	for i := range to {
		to[i] = int32(i)
	}
	for _, it := range s.Items {
		to[it] = Suppressed
	}
	return s.Data.Recode(s.Data.Dict(), to)
}
