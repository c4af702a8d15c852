package auto

import (
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/peel"
)

// ofPersons leaves out what does not keep a promise of persons, where that is asked, and adds what
// is for that alone.
func ofPersons(in anonymize.Input, list []trial) []trial {
	if !in.Promise.Persons {
		return list
	}
	list = append(list, trial{Algorithm: peel.Algorithm{}})
	return slices.DeleteFunc(list, func(t trial) bool {
		return anonymize.Keeps(t.Algorithm, in.Promise) != nil
	})
}
