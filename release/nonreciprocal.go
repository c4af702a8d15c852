package release

import (
	"errors"

	"mingle/dataset"
)

// Nonreciprocal is data published without groups or hierarchies (xue-2012 section 3): for every
// record a base set, a set of uncertain items and a threshold. Its possible worlds are the sets
// that differ from the base in at most threshold places, all of them uncertain items.
//
// Its records are in a random order that has nothing to do with that of the original.
type Nonreciprocal struct {
	Base      *dataset.Dataset // over the dictionary of the original
	Uncertain *dataset.Dataset // over the same dictionary, as many records
	Threshold []int32
	Labels    []string // the sensitive label of each record; nil: none

	Warnings []string // footnotes for the person who signs

	Surplus dataset.Surplus // what the file that it was read from shows beside
}

// Check refuses a release whose parts are not of the same records and items.
func (r *Nonreciprocal) Check() error {
	switch {
	case r == nil || r.Base == nil || r.Uncertain == nil:
		return errors.New("no release of base sets is given")
	case !r.Base.Dict().Equal(r.Uncertain.Dict()):
		return errors.New("the base sets and the uncertain items are not over the same items")
	case r.Base.Len() != r.Uncertain.Len() || r.Base.Len() != len(r.Threshold) ||
		r.Labels != nil && r.Base.Len() != len(r.Labels):
		return errors.New("the base sets, the uncertain items, the thresholds and the labels " +
			"are not of the same records")
	}
	return nil
}

// Len is the number of records.
func (r *Nonreciprocal) Len() int { return r.Base.Len() }

// Dict names the items.
func (r *Nonreciprocal) Dict() *dataset.Dictionary { return r.Base.Dict() }

// Matches tells whether a set of items (ids of the dictionary, ascending) is a possible world of
// record i.
func (r *Nonreciprocal) Matches(i int, tx []int32) bool {
	base, uncertain := r.Base.Tx(i), r.Uncertain.Tx(i)
	left := r.Threshold[i]
	for len(base) > 0 || len(tx) > 0 {
		var it int32
		switch {
		case len(tx) == 0 || len(base) > 0 && base[0] < tx[0]:
			it, base = base[0], base[1:]
		case len(base) == 0 || tx[0] < base[0]:
			it, tx = tx[0], tx[1:]
		default:
			base, tx = base[1:], tx[1:]
			continue
		}
		for len(uncertain) > 0 && uncertain[0] < it {
			uncertain = uncertain[1:]
		}
		if left--; left < 0 || len(uncertain) == 0 || uncertain[0] != it {
			return false
		}
	}
	return true
}
