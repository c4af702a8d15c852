package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mingle/attack"
	"mingle/internal/nearest"
)

// Figure is a number that a run can be held to. Its name is that of the figure in the report or in
// the audit file, in small letters. Of an adversarial test the name ends with how many items are
// known: singled_out_m3.
type Figure struct {
	Name     string
	What     string
	Families []string // that have it
	// Public says that it is a function of what is published. A threshold on another figure tells
	// something of the original to whoever knows the threshold and sees the release.
	Public bool
	// Known says that the name is followed by _m and the number of known items.
	Known bool
	// Tested says that it is of what is measured and tested for the audit file.
	Tested bool

	value func(o *Outcome, known int) (attack.Estimate, bool)
}

// The families by what they have in common.
var (
	km            = []string{"km"}
	continuous    = []string{"continuous"}
	nonreciprocal = []string{"nonreciprocal"}
	coherence     = []string{"coherence"}
	allFamilies   = slices.Concat(km, continuous, nonreciprocal, coherence)
	withLabels    = slices.Concat(km, continuous, coherence) // the published file is attacked, too
)

// figures lists all figures.
var figures = slices.Concat([]Figure{
	lossFigure("ncp", "NCP", "NCP of the release against the original", slices.Concat(km, continuous)),
	lossFigure("ncp_least", "NCP, least", "the proven bound on NCP (--gap, or algorithm exact)", km),
	lossFigure("gap", "gap", "how far NCP is above that bound (--gap, or algorithm exact)", km),
	tested(lossFigure("ml2", "ML2", "share of the frequent itemsets that are lost", km)),
	tested(lossFigure("query_error", "query error", "mean relative error of counts", km)),
	lossFigure("generalized", "generalized", "share of the occurrences published as a range", continuous),
	lossFigure("nuggets_kept", "nuggets kept", "share of the nuggets that are kept", coherence),
	lossFigure("items_lost", "items lost", "share of the public items that are suppressed", coherence),
	lossFigure("occurrences_lost", "occurrences", "share of the occurrences that are suppressed", coherence),
	lossFigure("error_rate", "error rate", "error rate of the base sets", nonreciprocal),
	lossFigure("query_error_present", "QE (present)", "error of counts of items present", nonreciprocal),
	lossFigure("query_error_absent", "QE (absent)", "error of counts that ask for absent items too", nonreciprocal),
	lossFigure("uncertain", "uncertain", "uncertain items a record, mean", nonreciprocal),
	lossFigure("mean_threshold", "threshold", "threshold of a record, mean", nonreciprocal),

	publicLoss("public_ncp", "NCP", "NCP by the published file alone", continuous),
	publicLoss("public_ncp_labels", "NCP, labels", "NCP if one item stands behind every label", km),
	publicLoss("public_ncp_lowest", "NCP, lowest", "the least NCP that the published file allows", km),
	publicLoss("public_ncp_highest", "NCP, highest", "the greatest NCP that the published file allows", km),

	published("transactions", "published transactions or records", func(p Published) int { return p.Transactions }),
	published("empty", "published transactions without an item", func(p Published) int { return p.Empty }),
	published("occurrences", "published occurrences", func(p Published) int { return p.Occurrences }),
	published("items", "distinct published labels or values", func(p Published) int { return p.Items }),
	published("longest", "labels of the longest published transaction", func(p Published) int { return p.Longest }),

	custodians("suppressed_items", "items that are published nowhere", slices.Concat(km, coherence),
		func(c *Custodian) (int, bool) { return len(c.Suppressed), true }),
	custodians("suppressed_sensitive", "sensitive occurrences that were left out", km,
		func(c *Custodian) (int, bool) { return suppressedOccurrences(c), true }),
	custodians("withheld", "transactions that are not published", km,
		func(c *Custodian) (int, bool) { return c.Withheld, true }),
	custodians("persons", "persons whose the transactions are (person column)", km, personsOf),
	{
		Name: "cautions", What: "why a verdict that holds is not green, of the report and the audit file",
		Families: allFamilies, value: func(o *Outcome, _ int) (attack.Estimate, bool) {
			return whole(len(o.Report.Cautions) + len(o.Custodian.Cautions)), true
		},
	},
	{
		Name: "warnings", What: "warnings of the report and of the audit file", Families: allFamilies,
		value: func(o *Outcome, _ int) (attack.Estimate, bool) {
			return whole(len(o.Report.Warnings) + len(o.Custodian.Warnings)), true
		},
	},
	{
		Name: "beside_unique", Public: true, Families: withLabels,
		What: "greatest share of lines that the kept columns tell from all others",
		value: func(o *Outcome, _ int) (attack.Estimate, bool) {
			most := 0.0
			for _, b := range o.Report.Beside {
				most = max(most, b.Unique)
			}
			return attack.Estimate{Value: most, Low: most, High: most}, true
		},
	},
}, attackFigures())

func suppressedOccurrences(c *Custodian) int {
	n := 0
	for _, s := range c.SuppressedSensitive {
		n += s.Occurrences
	}
	return n
}

func personsOf(c *Custodian) (int, bool) {
	if c.Persons == nil {
		return 0, false
	}
	return c.Persons.Persons, true
}

func whole(n int) attack.Estimate {
	return attack.Estimate{Value: float64(n), Low: float64(n), High: float64(n)}
}

func tested(f Figure) Figure {
	f.Tested = true
	return f
}

// lossFigure is a loss against the original.
func lossFigure(name, loss, what string, families []string) Figure {
	return Figure{
		Name: name, What: what, Families: families,
		value: func(o *Outcome, _ int) (attack.Estimate, bool) {
			return lossOf(o.Custodian.Losses, loss)
		},
	}
}

// publicLoss is a loss that the published file tells.
func publicLoss(name, loss, what string, families []string) Figure {
	return Figure{
		Name: name, What: what, Families: families, Public: true,
		value: func(o *Outcome, _ int) (attack.Estimate, bool) {
			return lossOf(o.Report.Losses, loss)
		},
	}
}

func lossOf(losses []Loss, name string) (attack.Estimate, bool) {
	for _, l := range losses {
		if l.Name == name {
			return attack.Estimate{Value: l.Value, Low: l.Value, High: l.Value}, true
		}
	}
	return attack.Estimate{}, false
}

func published(name, what string, of func(Published) int) Figure {
	return Figure{
		Name: name, What: what, Families: allFamilies, Public: true,
		value: func(o *Outcome, _ int) (attack.Estimate, bool) {
			return whole(of(o.Report.Published)), true
		},
	}
}

func custodians(
	name, what string, families []string, of func(*Custodian) (int, bool),
) Figure {
	return Figure{
		Name: name, What: what, Families: families,
		value: func(o *Outcome, _ int) (attack.Estimate, bool) {
			n, has := of(o.Custodian)
			return whole(n), has
		},
	}
}

// attackFigures are those of the two adversarial tests: of the original and the release, and, with
// the prefix public_, of the published file alone.
func attackFigures() []Figure {
	var out []Figure
	for _, f := range []struct {
		name, figure, what string
		families           []string
	}{
		{"under_k", FigureUnderK, "share of persons whom fewer than k records match", allFamilies},
		{"singled_out", figureUnique, "share of persons whom one record matches", allFamilies},
		{"picked", figureSuccess, "share of persons whose record is picked", allFamilies},
		{"linked", FigureLinked, "share of items that are told to be of one person", allFamilies},
		{"item_inferred", FigureItem, "probability given to a further item", allFamilies},
		{
			"sensitive_inferred", FigureSensitive,
			"probability given to a sensitive item, or the value of a sensitive column",
			slices.Concat(km, coherence, nonreciprocal),
		},
	} {
		own := Figure{Name: f.name, What: f.what, Families: f.families, Known: true, Tested: true}
		own.value = func(o *Outcome, known int) (attack.Estimate, bool) {
			return attempted(o.Custodian.Attack, f.figure, known)
		}
		public := Figure{
			Name: "public_" + f.name, What: f.what + ", by the published file alone",
			Known: true, Public: true,
		}
		for _, family := range f.families {
			if slices.Contains(withLabels, family) {
				public.Families = append(public.Families, family)
			}
		}
		public.value = func(o *Outcome, known int) (attack.Estimate, bool) {
			return attempted(o.Report.Attack, f.figure, known)
		}
		out = append(out, own, public)
	}
	return out
}

// attempted is a figure of a test; of sensitive values that which is inferred best.
func attempted(a *Attack, figure string, known int) (worst attack.Estimate, has bool) {
	if a == nil {
		return worst, false
	}
	for _, t := range a.Attempts {
		column := figure == FigureSensitive && strings.HasPrefix(t.Figure, figureOfColumn)
		if t.Known != known || t.Figure != figure && !column {
			continue
		}
		if !has || t.After.High > worst.High {
			worst, has = t.After, true
		}
	}
	return worst, has
}

// Figures are those of a family, in the order in which they are explained.
func Figures(family string) []Figure {
	var out []Figure
	for _, f := range figures {
		if slices.Contains(f.Families, family) {
			out = append(out, f)
		}
	}
	return out
}

// FindFigure finds a figure of a family by its name, and how many items are known in it.
func FindFigure(family, name string) (f Figure, known int, err error) {
	base, number, _ := cutKnown(name)
	var names []string
	for _, f := range Figures(family) {
		switch {
		case f.Known && f.Name == base && number > 0:
			return f, number, nil
		case !f.Known && f.Name == name:
			return f, 0, nil
		case f.Known && (f.Name == name || f.Name == base):
			return f, 0, fmt.Errorf("figure %s must say how many items are known, such as %s_m2",
				f.Name, f.Name)
		case f.Known:
			names = append(names, f.Name+"_m"+strconv.Itoa(max(1, number)))
		default:
			names = append(names, f.Name)
		}
	}
	if meant := nearest.Name(name, names); meant != "" {
		return f, 0, fmt.Errorf("figure %q is not known: did you mean %s?", name, meant)
	}
	return f, 0, fmt.Errorf("figure %q is not known: releases of %s have %s", name, family,
		strings.Join(names, ", "))
}

// cutKnown takes a name like singled_out_m3 apart.
func cutKnown(name string) (base string, known int, is bool) {
	at := strings.LastIndex(name, "_m")
	if at < 0 {
		return name, 0, false
	}
	digits := name[at+2:]
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 1000 || strconv.Itoa(n) != digits {
		return name, 0, false
	}
	return name[:at], n, true
}
