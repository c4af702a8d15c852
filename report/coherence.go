package report

import (
	"fmt"

	"mingle/privacy"
)

// Coherence spells out (h,k,p)-coherence.
func Coherence(p privacy.Coherence) Guarantee {
	who := fmt.Sprintf("somebody who knows at most %s of a person's transaction, "+
		"all of them published", plural(p.P, "public item"))
	g := guarantee("coherence", p)
	g.Words = fmt.Sprintf("Every combination of up to %s that occurs at "+
		"all is in at least "+
		"%d transactions, of which at most a share of %v has any one of the private items.",
		plural(p.P, "published public item"), p.K, p.H)
	g.Answers = answers(
		fmt.Sprintf("Not by %s: at least %d published transactions match. Beyond that, and for "+
			"somebody "+
			"who knows a private item, it is not bounded.", who, p.K),
		linked(who, p.K, "transactions", ""),
		fmt.Sprintf("For the private items only: %s learns any of them with a probability of "+
			"at most %v. "+
			"For public items it is not bounded.", who, p.H))
	return g
}
