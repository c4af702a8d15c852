package verify

import (
	"fmt"

	"mingle/dataset"
	"mingle/privacy"
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
	Recoding     string `json:"recoding"` // "global", "local", "suppression" or "nonreciprocal"
	Transactions int    `json:"transactions"`

	// Itemsets is the number of combinations whose support was counted one by one. Combinations
	// that are safe by one of the proofs in this package (see classes) are not in it.
	Itemsets int64 `json:"itemsets"`

	// Breaches are the first 20 witnesses: faults of the file before faults of the promise, small
	// combinations before large ones, then in the order of the hierarchy's leaves.
	Breaches []Breach `json:"breaches,omitempty"`

	// BreachCount is the number of breaches found. No breach is counted twice, but the supersets of
	// a rare combination are not all looked at: it is a lower bound, and zero only when there is
	// none.
	BreachCount int64    `json:"breach_count"`
	Notes       []string `json:"notes,omitempty"`

	// Lacking says that items or lines of the original are missing and must not be: of a release
	// by suppression they may.
	Lacking bool `json:"-"`
	// SensitiveMissing is how many occurrences of known sensitive items are missing.
	SensitiveMissing int `json:"-"`

	Matches *MatchCounts `json:"matches,omitempty"` // of nonreciprocal recoding only
}

// newFinding is one without a breach.
func newFinding(p privacy.Promise, recoding string, transactions int) *Finding {
	f := &Finding{
		Promise: p.String(), Inequality: p.Inequality(), Recoding: recoding,
		Transactions: transactions,
	}
	if transactions == 0 {
		f.note("the published file has no line: there was nothing to judge")
	}
	return f
}

func (f *Finding) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// breach counts n breaches and spells out the first, as far as there is room.
func (f *Finding) breach(n int64, spelled ...Breach) {
	f.BreachCount += n
	room := maxBreaches - len(f.Breaches)
	f.Breaches = append(f.Breaches, spelled[:min(room, len(spelled))]...)
}

// repeats finds items that the published file has more than once in a line. Two items of a person
// that become one label are that label once: a second one tells how many there were.
func (f *Finding) repeats(published *dataset.Dataset) {
	r := published.Repeats
	if r.Count == 0 {
		return
	}
	f.breach(1, Breach{
		Kind: KindRepeated, Itemset: []string{}, Lines: []int{r.Line},
		Message: fmt.Sprintf("the published file has an item more than once in a line, first in "+
			"line %d (%s in all): that tells how many items the person had", r.Line,
			plural(r.Count, "repeated item")),
	})
}

// verdict says whether the promise is kept, by the breaches found.
func (f *Finding) verdict() *Finding {
	f.Holds = f.BreachCount == 0
	return f
}

// The kinds of breaches, in the order in which they are listed.
const (
	KindRepeated  = "repeated"  // an item is more than once in a published line
	KindCount     = "count"     // the files do not have the same number of transactions
	KindRecoding  = "recoding"  // a published line is not a recoding of its original line
	KindSensitive = "sensitive" // the sensitive items of a line were changed
	KindSupport   = "support"   // a combination of published nodes is in fewer than k transactions
	// KindDiversity: a combination implies a sensitive item with a probability above 1/l.
	KindDiversity = "diversity"
	// KindCompatible: read child by child, too few lines can have some items, or a line cannot have
	// its own.
	KindCompatible = "compatible"
	// KindCertain: too few lines are in a class of identical lines that may have some items, or
	// certainly have those.
	KindCertain = "certain"
	// KindKnowledge: knowledge of original items is matched by fewer than k transactions, or
	// implies a sensitive item.
	KindKnowledge = "knowledge"
)

// Breach is one witness against a release.
type Breach struct {
	Kind    string   `json:"kind"`
	Itemset []string `json:"itemset"`
	// Support is what there is, Needed what there should be at least: transactions with the
	// combination against k or, for a diversity breach, against l times those that have the
	// sensitive item too.
	Support   int    `json:"support"`
	Needed    int    `json:"needed"`
	Lines     []int  `json:"lines,omitempty"` // up to 5 lines of the published file
	Sensitive string `json:"sensitive,omitempty"`
	Message   string `json:"message"`
}

// firstLines names the first lines of n that are like that.
func firstLines(n int, is func(i int) bool, line func(i int) int) []int {
	var lines []int
	for i := 0; i < n && len(lines) < maxLines; i++ {
		if is(i) {
			lines = append(lines, line(i))
		}
	}
	return lines
}
