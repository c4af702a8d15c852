package privacy

import (
	"errors"
	"fmt"
	"math/big"
)

// Coherence is (h,k,p)-coherence (xu-2008, definition 1). Items are public or private. For every
// set c of at most p public items that occurs, the empty set included: at least k transactions
// contain c, and no private item is in more than a share h of the transactions that contain c or
// any subset of c.
type Coherence struct {
	H float64 `json:"h"` // above 0, at most 1; 1 means that no share is too large
	K int     `json:"k"` // at least 2
	P int     `json:"p"` // at least 1; more than the longest transaction means all of it
}

// Validate returns every fault of the parameters at once.
func (c Coherence) Validate() error {
	var share error
	if !(c.H > 0 && c.H <= 1) {
		share = fmt.Errorf("h (%v) must be above 0 and at most 1", c.H)
	}
	return errors.Join(share, atLeast("k", c.K, 2), atLeast("p", c.P, 1), countable("k", c.K),
		countable("p", c.P))
}

// Parameters are h, k and p.
func (c Coherence) Parameters() []Parameter {
	return []Parameter{{"h", c.H}, {"k", c.K}, {"p", c.P}}
}

// Share is h as the exact decimal fraction that was written: 0.29 is 29/100, not the nearest binary
// number below it.
func (c Coherence) Share() *big.Rat { return decimal(c.H) }

func (c Coherence) String() string {
	return fmt.Sprintf("(%v,%d,%d)-coherence", c.H, c.K, c.P)
}

// Inequality spells out the condition that is checked.
func (c Coherence) Inequality() string {
	return fmt.Sprintf("support(c) >= %d for every set c of at most %s that "+
		"occurs; support(c and s)/support(c) <= %v for every such c, the empty set included, "+
		"and every private item s",
		c.K, count(c.P, "public item"), c.H)
}

// Adversary is the knowledge against which the promise holds.
func (c Coherence) Adversary() string {
	return fmt.Sprintf("knows up to %s of a person's transaction, all of them "+
		"published, none of the private ones, and how the release was made", count(c.P, "public item"))
}

// NotCovered lists what the promise does not protect against.
func (c Coherence) NotCovered() []string {
	out := []string{
		fmt.Sprintf("An adversary who knows more than %s of a person may single "+
			"the person out.", count(c.P, "public item")),
		"Knowing that a person has a suppressed item is not taken into account: items are " +
			"suppressed for what they imply, so that whoever runs the algorithm in mind may " +
			"infer a private item with a probability above h.",
		"Knowledge of a private item is not taken into account: private items are published as " +
			"they are.",
		"Knowledge of items that a person does not have is not taken into account.",
		"That a person is in the data at all (membership) is not hidden.",
		"Several transactions of one person, or a second release of overlapping data, are not " +
			"taken into account.",
	}
	if c.H == 1 {
		return append(out, "h is 1: all matching transactions may share a private item, which "+
			"is then learned without singling anyone out.")
	}
	return append(out, fmt.Sprintf("A private item may still be inferred with a probability of "+
		"up to %v.", c.H))
}
