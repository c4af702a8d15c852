package pipeline

import (
	"fmt"
	"strings"

	"mingle/anonymize"
	"mingle/anonymize/auto"
	"mingle/anonymize/core"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/anonymize/peel"
	"mingle/anonymize/suppress"
	"mingle/privacy"
)

// Entry is one algorithm that users can choose.
type Entry struct {
	Family  string // the promise it keeps, and the command: anonymize FAMILY
	Name    string
	Summary string // one line, for help
	New     func(Settings) anonymize.Algorithm
}

// Settings are the parameters of single algorithms; the others ignore them.
type Settings struct {
	Parts          int // lra, vpa, also within auto: 0 means 3
	Flexibility    int // lra, also within auto: transactions a border may move by; -1 means 10
	PartitionLevel int // vpa, also within auto: height of the subtrees that stay together

	// Budget is for those that keep their best, and for suppression around any once the algorithm
	// has its first release. The others end without a release after its time limit.
	anonymize.Budget

	// Suppression, if not nil, lets the algorithm leave things out within a budget.
	Suppression *Suppression
}

// Suppression is what may be left out of a release.
type Suppression struct {
	Transactions bool    // whole transactions; else whole items
	Share        float64 // of all item occurrences, at most; 0 to 1
}

// algorithms is the one table of algorithms; the first of a family is its default.
var algorithms = []Entry{
	{"km", "auto", "local, the others where they take little or --time-limit gives them time, and keeps the least loss: the default", newAuto},
	{"km", "aa", "apriori-based, the papers' heuristic", func(Settings) anonymize.Algorithm { return global.AA{} }},
	{"km", "da", "direct: one walk over the whole count tree", func(Settings) anonymize.Algorithm { return global.DA{} }},
	{"km", "oa", "optimal, for small domains", func(Settings) anonymize.Algorithm { return global.OA{} }},
	{"km", "exact", "optimal on real domains, with a proof", func(s Settings) anonymize.Algorithm {
		return exact.Algorithm{Budget: s.Budget}
	}},
	{"km", "local", "every occurrence as detailed as it can be: least loss", func(s Settings) anonymize.Algorithm {
		return local.Algorithm{Budget: s.Budget}
	}},
	{"km", "lra", "local recoding in parts of similar transactions", func(s Settings) anonymize.Algorithm { return s.lra() }},
	{"km", "vpa", "the domain in parts, in parallel", func(s Settings) anonymize.Algorithm { return s.vpa() }},
	{"km", "core", "the common in full detail, the rest in groups of k: for --adversary algorithm", func(s Settings) anonymize.Algorithm {
		return core.Algorithm{Budget: s.Budget}
	}},
	{"km", "peel", "top-down local recoding of persons: for --person-column", func(Settings) anonymize.Algorithm { return peel.Algorithm{} }},
	{"km", "partition", "top-down local recoding, for any m", func(Settings) anonymize.Algorithm { return partition.Algorithm{} }},
}

func (s Settings) lra() partition.LRA {
	return partition.LRA{Parts: s.Parts, Flexibility: s.Flexibility}
}

func (s Settings) vpa() global.VPA {
	return global.VPA{Parts: s.Parts, PartitionLevel: s.PartitionLevel}
}

func newAuto(s Settings) anonymize.Algorithm {
	vertical, horizontal := s.vpa(), s.lra()
	a := auto.Algorithm{Budget: s.Budget, VPA: &vertical, LRA: &horizontal}
	switch by := s.Suppression; {
	case by == nil:
	case by.Transactions:
		a.Transactions = by.Share
	default:
		a.Items = by.Share
	}
	return a
}

// Make makes the algorithm of an entry, with suppression where the settings ask for it.
func (e Entry) Make(s Settings) anonymize.Algorithm {
	a := e.make(s)
	switch by := s.Suppression; {
	case by == nil || e.Name == "auto": // auto suppresses by itself
		return a
	case by.Transactions:
		return suppress.Transactions{Inner: a, Max: by.Share, Budget: s.Budget}
	default:
		return suppress.Items{Inner: a, Max: by.Share, Budget: s.Budget}
	}
}

// make makes the algorithm alone. One that has no release before its end has it in time or not at
// all.
func (e Entry) make(s Settings) anonymize.Algorithm {
	a := e.New(s)
	if s.TimeLimit <= 0 || a.Traits().KeepsBest {
		return a
	}
	return inTime{a, s.TimeLimit}
}

// Traits are what the algorithm of an entry can do, without suppression.
func (e Entry) Traits() anonymize.Traits { return e.New(Settings{}).Traits() }

// choices names the algorithms that keep a promise and can do something.
func choices(p privacy.KM, can func(anonymize.Traits) bool) string {
	var names []string
	for _, e := range Algorithms(KM{}.Name()) {
		if a := e.New(Settings{}); can(a.Traits()) && anonymize.Keeps(a, p) == nil {
			names = append(names, e.Name)
		}
	}
	if last := len(names) - 1; last > 0 {
		names = append(names[:last-1], names[last-1]+" or "+names[last])
	}
	return strings.Join(names, ", ")
}

// Algorithms lists the algorithms of a family, the default first.
func Algorithms(family string) []Entry {
	var out []Entry
	for _, e := range algorithms {
		if e.Family == family {
			out = append(out, e)
		}
	}
	return out
}

// FindAlgorithm finds an algorithm of a family by its name.
func FindAlgorithm(family, name string) (Entry, error) {
	var names []string
	for _, e := range Algorithms(family) {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, fmt.Errorf(
		"algorithm %q is not known: anonymize %s has %s", name, family, strings.Join(names, ", "),
	)
}
