package report

import (
	"fmt"
	"slices"
	"strings"

	"mingle/dataset"
)

// Caution is a reason why a verdict that holds is not green: the promise is kept, and yet whoever
// signs should look twice. A report's own cautions are public, a function of the release like all
// else in it; those of the [Custodian] may tell of the original.
type Caution struct {
	// About is what it is about, such as [AboutLoss]. One of the custodian's takes the place of the
	// public one about the same.
	About string `json:"about"`
	// Says is what is the matter: a clause that goes on after "but", without a full stop.
	Says string `json:"says"`
	// Try is what may help, one sentence each.
	Try []string `json:"try,omitempty"`
}

// What cautions are about.
const (
	AboutLoss    = "loss"    // little of the data is left
	AboutColumns = "columns" // other columns are published beside the items
	// AboutSensitive: few of the sensitive occurrences are left, where these may be known
	AboutSensitive = "sensitive"
	// AboutIdentifier: a sensitive column, or a label, tells lines apart
	AboutIdentifier = "identifier"
)

// Cautions are all that are known; none: the verdict is green where the promise holds.
func (o *Outcome) Cautions() []Caution {
	var own []Caution
	if o.Custodian != nil {
		own = o.Custodian.Cautions
	}
	var out []Caution
	for _, c := range o.Report.Cautions {
		if !slices.ContainsFunc(own, func(mine Caution) bool { return mine.About == c.About }) {
			out = append(out, c)
		}
	}
	return append(out, own...)
}

// HeavyLoss is the share of what there was above which a loss is worth a caution.
const HeavyLoss = 0.5

// heavyLosses are the measures whose value is the share that is lost, in words.
var heavyLosses = map[string]string{
	"NCP": "NCP", "NCP, labels": "NCP of the published labels", "NCP, lowest": "the least NCP",
	"occurrences": "the share of occurrences left out", "error rate": "the error rate",
}

// LossCautions says where losses and counts show that little of the data is left. All of it is
// about what it is given: of public figures it is public.
func LossCautions(
	losses []Loss, published Published, breakdowns []Breakdown, try ...string,
) []Caution {
	lead, says := "little is left of the data: ", []string(nil)
	for _, l := range losses {
		if name := heavyLosses[l.Name]; name != "" && l.Value > HeavyLoss {
			says = append(says, fmt.Sprintf("%s is %s", name, Percent(l.Value)))
			break // the others say the same in other words
		}
	}
	if name, share := commonestGroup(published, breakdowns); share > HeavyLoss {
		says = append(says, fmt.Sprintf("the one label %q is %s of all that is published", name,
			Percent(share)))
	}
	if n := published.Transactions; 2*published.Empty > n {
		if len(says) == 0 { // nothing shows that these lines were not empty before
			lead = "little is in what is published: "
		}
		says = append(says, fmt.Sprintf("%s of %s published lines are empty",
			Number(published.Empty), Number(n)))
	}
	if len(says) == 0 {
		return nil
	}
	return []Caution{{
		About: AboutLoss, Says: lead + strings.Join(says, ", "), Try: try,
	}}
}

// SensitiveCautions says where most of the occurrences of the original's sensitive items were left
// out. No loss counts these: a release of little else may still be without any. It tells of the
// original, and so it is for the custodian alone.
func SensitiveCautions(left []SuppressedItem, items *dataset.Dataset) []Caution {
	gone := 0
	for _, s := range left {
		gone += s.Occurrences
	}
	if gone == 0 || float64(gone) <= HeavyLoss*float64(items.Occurrences()) {
		return nil
	}
	return []Caution{{
		About: AboutSensitive,
		Says: fmt.Sprintf("most of the sensitive items are gone: %s of their %s occurrences were "+
			"left out", Number(gone), Number(items.Occurrences())),
	}}
}

// TryLoss is what may help where little is left, of a family of releases.
func TryLoss(family string) []string {
	switch family {
	case "km":
		return []string{
			"A smaller m or k, a hierarchy with more levels, or suppression (--suppress) may " +
				"leave more. The custodian's screen and audit file say what each would lose.",
		}
	case "coherence":
		return []string{"A larger h, a smaller k or p, or fewer private items may leave more."}
	case "continuous":
		return []string{"A smaller m or k may leave more."}
	}
	return []string{"A smaller k may leave more."}
}

// commonestGroup is the label above items with the most occurrences, and its share of all.
func commonestGroup(published Published, breakdowns []Breakdown) (name string, share float64) {
	for _, b := range breakdowns {
		for _, p := range b.Rows {
			if b.By == ByLabel && p.Labels == 1 && p.Loss > 0 && published.Occurrences > 0 {
				return p.Name, float64(p.Count) / float64(published.Occurrences)
			}
		}
	}
	return "", 0
}

// Verdict is the first sentence of all that is said.
func (o *Outcome) Verdict() string {
	what := o.Report.Guarantee.Statement
	cautions := o.Cautions()
	switch {
	case !o.Report.Verification.Holds:
		return "BROKEN: the published data does not keep " + what + "."
	case len(cautions) == 0:
		return "VERIFIED: the published data keeps " + what + "."
	}
	says := make([]string, len(cautions))
	for i, c := range cautions {
		says[i] = c.Says
	}
	return "VERIFIED, WITH CAUTION: the published data keeps " + what + ", but " +
		strings.Join(says, "; ") + "."
}

// Verdict is that of the report alone.
func (r *Report) Verdict() string { return (&Outcome{Report: r}).Verdict() }

// tries is what may help, of all cautions.
func tries(cautions []Caution) []string {
	var out []string
	for _, c := range cautions {
		out = append(out, c.Try...)
	}
	return out
}
