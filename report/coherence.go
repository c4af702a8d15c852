package report

import (
	"fmt"

	"mingle/privacy"
)

// Coherence spells out (h,k,p)-coherence.
func Coherence(p privacy.Coherence) Guarantee {
	who := fmt.Sprintf("somebody who knows at most %d public items of a person's transaction, all of them published", p.P)
	return Guarantee{
		Model: "coherence", Parameters: privacy.KM{K: p.K, M: p.P}, Coherence: &p,
		Words:     fmt.Sprintf("Every combination of up to %d published public items that occurs at all is in at least %d transactions, of which at most a share of %v has any one of the private items.", p.P, p.K, p.H),
		Statement: p.String(), Inequality: p.Inequality(), Adversary: p.Adversary(), NotCovered: p.NotCovered(),
		Answers: []Answer{
			{"Can somebody be singled out?", fmt.Sprintf("Not by %s: at least %d published transactions match. Beyond that, and for somebody who knows a private item, it is not bounded.", who, p.K)},
			{"Can records of one person be linked?", fmt.Sprintf("Not bounded beyond the above: %s finds at least %d candidates in this release; several "+
				"transactions of a person, or several releases, are not taken into account.", who, p.K)},
			{"Can something be inferred?", fmt.Sprintf("For the private items only: %s learns any of them with a probability of at most %v. For public items it is not bounded.", who, p.H)},
		},
	}
}
