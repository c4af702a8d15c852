package verify

import (
	"cmp"
	"slices"
)

// maxBreaches is the number of witnesses a finding spells out.
const maxBreaches = 20

// maxLines is the number of lines named for one witness.
const maxLines = 5

// Finding is the verdict on one release.
type Finding struct {
	Holds        bool   `json:"holds"`
	Promise      string `json:"promise"`
	Inequality   string `json:"inequality"`
	Recoding     string `json:"recoding"` // "global", "local" or "nonreciprocal"
	Transactions int    `json:"transactions"`

	// Itemsets is the number of combinations whose support was counted one by one. Combinations that are safe by one of
	// the proofs in this package (see classes) are not in it.
	Itemsets int64 `json:"itemsets"`

	// Breaches are the first 20 witnesses: faults of the file before faults of the promise, small combinations before
	// large ones, then in the order of the hierarchy's leaves.
	Breaches []Breach `json:"breaches,omitempty"`

	// BreachCount is the number of breaches found. No breach is counted twice, but the supersets of a rare combination are
	// not all looked at: it is a lower bound, and zero only when there is none.
	BreachCount int64    `json:"breach_count"`
	Notes       []string `json:"notes,omitempty"`

	Matches *MatchCounts `json:"matches,omitempty"` // of nonreciprocal recoding only
}

// The kinds of breaches, in the order in which they are listed.
const (
	KindCount      = "count"      // the files do not have the same number of transactions
	KindRecoding   = "recoding"   // a published line is not a recoding of its original line
	KindSensitive  = "sensitive"  // the sensitive items of a line were changed
	KindSupport    = "support"    // a combination of published nodes occurs, in fewer than k transactions
	KindDiversity  = "diversity"  // a combination implies a sensitive item with a probability above 1/l
	KindCompatible = "compatible" // read child by child, too few lines can have some items, or a line cannot have its own
	KindCertain    = "certain"    // too few lines are in a class of identical lines that may have some items, or certainly have those
	KindKnowledge  = "knowledge"  // knowledge of original items is matched by fewer than k transactions, or implies a sensitive item
)

// Breach is one witness against a release.
type Breach struct {
	Kind    string   `json:"kind"`
	Itemset []string `json:"itemset"`
	// Support is what there is, Needed what there should be at least: transactions with the combination against k or, for
	// a diversity breach, against l times those that have the sensitive item too.
	Support   int    `json:"support"`
	Needed    int    `json:"needed"`
	Lines     []int  `json:"lines,omitempty"` // up to 5 lines of the published file
	Sensitive string `json:"sensitive,omitempty"`
	Message   string `json:"message"`
}

// witness is a breach by a combination, before it is spelled out.
type witness struct {
	nodes     []int32 // ascending; for knowledge: claims
	sensitive int32   // -1: too little support
	support   int
	needed    int
}

func compareWitnesses(a, b witness) int {
	return cmp.Or(cmp.Compare(len(a.nodes), len(b.nodes)), slices.Compare(a.nodes, b.nodes), cmp.Compare(a.sensitive, b.sensitive))
}

// shelf keeps the first witnesses in order and counts all.
type shelf struct {
	kept  []witness
	count int64
}

// add files a witness; nodes is copied only when it is kept.
func (s *shelf) add(nodes []int32, sensitive int32, support, needed int) {
	s.count++
	full := len(s.kept) == maxBreaches
	if full && len(nodes) > len(s.kept[maxBreaches-1].nodes) {
		return
	}
	w := witness{slices.Clone(nodes), sensitive, support, needed}
	slices.Sort(w.nodes)
	s.keep(w)
}

func (s *shelf) keep(w witness) {
	at, _ := slices.BinarySearchFunc(s.kept, w, compareWitnesses)
	if at == maxBreaches {
		return
	}
	s.kept = slices.Insert(s.kept, at, w)
	s.kept = s.kept[:min(len(s.kept), maxBreaches)]
}

// merge adds what another shelf found. The result does not depend on the order of merging.
func (s *shelf) merge(o *shelf) {
	s.count += o.count
	for _, w := range o.kept {
		s.keep(w)
	}
}
