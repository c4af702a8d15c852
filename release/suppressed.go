package release

import "mingle/dataset"

// Suppression is data from which some public items are deleted, each from every transaction. All
// that is left has the same support as before.
type Suppression struct {
	Data    *dataset.Dataset // the original
	Private []bool           // by item: private items are published as they are
	Items   []int32          // the suppressed items, in the order in which they were chosen
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

// Occurrences is the number of item occurrences that are not published.
func (s *Suppression) Occurrences() int {
	supports := s.Data.Supports()
	n := 0
	for _, it := range s.Items {
		n += supports[it]
	}
	return n
}
