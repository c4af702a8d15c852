package anonymize

import (
	"mingle/dataset"
)

// Need is how many bytes an algorithm holds beside its input: what its structures take of each
// occurrence, as its Need says, or as measured on eight data sets with m=2 and 3. It bounds what is
// held by a factor of at most 16 (TestNeedBoundsWhatIsHeld). A pair is one of an occurrence and a
// node above it, the root left out. For data of some tens of levels
// at most pairs are among what is held for each occurrence; more levels come on top.
type Need struct {
	Each   int // for an item occurrence
	Pair   int // for a pair
	Walk   int // for a pair too, where Input.Memory does not bound it
	Tables int // for what is counted; less on small data, where there is less to count
}

// Always is that for every input and any number of workers: Need of Traits.
func (n Need) Always(Input) (all, alone Need) { return n, n }

// usualLevels is how many pairs an occurrence has in hierarchies as they are: what Each was
// measured with.
const usualLevels = 6

// Bytes is that for data of so many occurrences, and pairs of one and a node above it.
func (n Need) Bytes(occurrences, pairs int64) int64 {
	const filled = 1000 // bytes of tables an occurrence
	beyond := max(0, pairs-usualLevels*occurrences)
	tables := min(int64(n.Tables), filled*occurrences)
	return int64(n.Each)*occurrences + int64(n.Pair)*beyond + tables
}

// pairs is how many pairs of an occurrence and a node above it, the root left out, there are.
func (in Input) pairs() int64 {
	pairs := int64(0)
	for leaf, n := range in.Data.Supports() {
		pairs += int64(n) * int64(in.Tree.Depth(int32(leaf)))
	}
	return pairs
}

// Within is the input with which an algorithm keeps to a bound in bytes: with Memory set where it
// needs to be told, if need be with one worker. Where there is none, least is how many bytes it
// needs; else 0. Where the algorithm cannot tell, that is not known.
func (in Input) Within(a Algorithm, room int64) (with Input, least int64) {
	t := a.Traits()
	if t.Need == nil || room <= 0 {
		return in, 0
	}
	occurrences, pairs := int64(in.Data.Occurrences()), in.pairs()
	all, alone := t.Need(in)
	walks := int64(all.Walk) * pairs
	if all.Bytes(occurrences, pairs)+walks <= room {
		return in, 0
	}
	if walks > 0 {
		in.Memory = room
	}
	least = all.Bytes(occurrences, pairs)
	if t.Packed || least <= room {
		return in, 0
	}
	if least = alone.Bytes(occurrences, pairs); least <= room {
		in.Workers = 1
		return in, 0
	}
	return in, least
}

// Lean is the lean form of an algorithm if that keeps to a bound in bytes with the original and the
// release as it is written; nil: there is none, or it does not.
func (in Input) Lean(a Algorithm, room int64) Algorithm {
	t := a.Traits()
	if t.Lean == nil || room <= 0 {
		return nil
	}
	in.Memory = room // it keeps to it
	lean, least := t.Lean(in)
	if lean == nil || least+2*in.Data.Bytes()+ofProgram > room {
		return nil
	}
	return lean
}

// mostParts is into how many parts transactions are dealt at most: each goes through all of them
// once.
const mostParts = 1 << 10

// ofProgram is what is held beside the data and the work: the program, what it reads and writes by,
// and garbage.
const ofProgram = 64 << 20

// Divide is an algorithm on as few parts as keep to a bound in bytes, with one worker; nil: it
// cannot be divided, or no number of parts does. The bound is of all that is held, the original
// and the program too: parts are for where memory is short.
func (in Input) Divide(a Algorithm, room int64) Algorithm {
	t := a.Traits()
	if t.InParts == nil {
		return nil
	}
	_, alone := t.Need(in)
	occurrences, pairs := int64(in.Data.Occurrences()), in.pairs()
	room -= ofProgram + 4*(occurrences+int64(in.Data.Len()))
	for parts := int64(2); parts <= mostParts; parts++ {
		if alone.ofPart(parts, occurrences, pairs, int64(in.Data.Len())) <= room {
			return t.InParts(int(parts))
		}
	}
	return nil
}

// ofPart is what is held for one of so many parts: what the work takes, the part itself (4 bytes an
// occurrence and a transaction), and the release of all (4 bytes an occurrence) with the part of
// each transaction (4 bytes).
func (n Need) ofPart(parts, occurrences, pairs, transactions int64) int64 {
	one := func(all int64) int64 { return (all + parts - 1) / parts }
	return n.Bytes(one(occurrences), one(pairs)) + 4*one(occurrences+transactions) +
		4*(occurrences+transactions)
}

// WalkOf is what a walk over the count tree holds for each pair: the pair, and a place for each
// node of a set but the last.
func WalkOf(m int, d *dataset.Dataset) int { return 4 + 8*(min(m, max(1, d.MaxLen()))-1) }

// Foretold is how many bytes an algorithm holds beside its input, at most, with so many workers as
// the input allows and without a bound; 0: that is not known.
func (in Input) Foretold(a Algorithm) int64 {
	t := a.Traits()
	if t.Need == nil {
		return 0
	}
	pairs := in.pairs()
	all, _ := t.Need(in)
	return all.Bytes(int64(in.Data.Occurrences()), pairs) + int64(all.Walk)*pairs
}
