package anonymize

import "mingle/privacy"

// Traits are what an algorithm can do, with its settings. What is not given it cannot: of a new one
// little is taken for granted. A wrapper begins with those of the algorithm within it.
type Traits struct {
	// Packed says that it works on packed data (see dataset.Options.Packed) as well, so that a
	// whole run keeps to Input.Memory and not its working space alone.
	Packed bool
	// Symmetric says that its releases keep a promise against somebody who runs it in mind
	// (privacy.OfAlgorithm): a permutation of the transactions permutes what is published, and
	// nothing else, and the release meets the condition that verify checks.
	Symmetric bool
	// Persons says that it keeps promises of persons, who may have several transactions.
	Persons bool
	// Refuses says why it does not keep a promise for another reason than these two, as what
	// follows its name; "": it does. nil: there is no other reason.
	Refuses func(p privacy.KM) string
	// Randomized says that it leaves something to chance where Input.Seed is given.
	Randomized bool
	// KeepsBest says that it soon has some release, and ends with the best so far (see [Budget]).
	KeepsBest bool
	// LeavesLinesOut says that it may leave out whole transactions.
	LeavesLinesOut bool
	// LittleGarbage says that its steps make little beside what they hold.
	LittleGarbage bool

	// Need tells before the work what it holds with so many workers as the input allows, and with
	// one; nil: that is not known.
	Need func(in Input) (all, alone Need)
	// InParts is the algorithm with the transactions dealt into parts, which it works on one after
	// the other; nil: they cannot be.
	InParts func(parts int) Algorithm
	// MayBeLean tells, before the data is read, whether for a promise there is a form that takes
	// less memory, and works on packed data; nil: for none.
	MayBeLean func(p privacy.KM) bool
	// Lean is that form, and about how many bytes it holds beside its input; nil: there is none for
	// these data. It is given where MayBeLean is.
	Lean func(in Input) (lean Algorithm, least int64)
}

// NotKept is the error where an algorithm does not keep a promise that another one may keep.
type NotKept struct {
	Name string // of the algorithm
	Why  string // what follows the name
}

func (e *NotKept) Error() string { return e.Name + " " + e.Why }

// Keeps is nil where an algorithm keeps promises like that, else a *[NotKept].
func Keeps(a Algorithm, p privacy.KM) error {
	t, why := a.Traits(), ""
	switch {
	case p.AgainstAlgorithm() && !t.Symmetric:
		why = "does not keep a promise against the adversary \"algorithm\": who runs it in mind " +
			"can rule out originals until fewer than k lines are left"
	case p.Persons && !t.Persons:
		why = "counts transactions, not persons"
	case t.Refuses != nil:
		why = t.Refuses(p)
	}
	if why == "" {
		return nil
	}
	return &NotKept{a.Name(), why}
}
