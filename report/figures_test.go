package report

import (
	"strings"
	"testing"

	"mingle/attack"
)

func TestThresholds(t *testing.T) {
	o := &Outcome{
		Report: &Report{
			Published: Published{Transactions: 10}, Beside: []Beside{{Unique: 11. / 1000}},
		},
		Custodian: &Custodian{
			Losses: []Loss{{Name: "NCP", Value: 0.05}},
			Attack: &Attack{Attempts: []Attempt{
				{Figure: figureUnique, Known: 3, After: attack.Estimate{
					Value: 0.009, Low: 0.005, High: 0.014,
				}},
				{Figure: figureUnique, Known: 4, After: attack.Estimate{
					Value: 1e-6, Low: 1e-6, High: 1e-6,
				}},
				{Figure: figureSuccess, Known: 4, After: attack.Estimate{
					Value: 0.29999999999999993, Low: 0.29999999999999993, High: 0.29999999999999993,
				}},
				{Figure: figureSuccess, Known: 5, After: attack.Estimate{
					Value: 0.30000000000000004, Low: 0.30000000000000004, High: 0.30000000000000004,
				}},
				{Figure: FigureOfColumn("ward"), Known: 1, After: attack.Estimate{
					Value: 0.3, Low: 0.3, High: 0.3,
				}},
			}},
		},
	}
	for _, c := range []struct{ figure, text, want string }{
		{"ncp", ">0.05", ""},
		{"ncp", ">=0.05", "ncp is 0.05, which is >=0.05"},
		{"ncp", " > 4.9 %", "ncp is 5%, which is >4.9%"},
		{"ncp", "<0.05", ""},
		{"transactions", "<11", "transactions is 10, which is <11"},
		// the interval of the error counts
		{"singled_out_m3", ">1%", "singled_out_m3 is 0.9% (between 0.5% and 1.4%), which is >1%"},
		{"singled_out_m3", ">2%", ""},
		{"sensitive_inferred_m1", ">0.25", "sensitive_inferred_m1 is 0.3, which is >0.25"},
		// percentages are the decimals that were written
		{"beside_unique", ">=1.1%", "beside_unique is 1.1%, which is >=1.1%"},
		{"beside_unique", ">=0.011", "beside_unique is 0.011, which is >=0.011"},
		{"beside_unique", ">1.1%", ""},
		// one person of a million is more than nobody
		{"singled_out_m4", ">0%", "singled_out_m4 is 0.0001%, which is >0%"},
		// the last digits of a sum do not pass
		{"picked_m4", ">=30%", "picked_m4 is 30%, which is >=30%"},
		{"picked_m5", "<=0.3", "picked_m5 is 0.3, which is <=0.3"},
		{"picked_m4", ">30%", ""},
		// what was not measured passes nothing
		{"singled_out_m2", ">1%", "singled_out_m2 was not measured, so that it cannot be held to >1%"},
		{"public_singled_out_m3", ">1%", "public_singled_out_m3 was not measured, so that it cannot be held to >1%"},
		{"gap", ">1", "gap was not measured, so that it cannot be held to >1"},
	} {
		th, err := ParseThreshold("km", c.figure, c.text)
		if err != nil {
			t.Errorf("%s %s: %v", c.figure, c.text, err)
			continue
		}
		if got := th.Failed(o); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.figure, c.text, got, c.want)
		}
	}
}

func TestUnknownFigures(t *testing.T) {
	for _, c := range []struct{ family, figure, text, want string }{
		{"km", "npc", ">1", "did you mean ncp?"},
		{"km", "singled_ot_m3", ">1", "did you mean singled_out_m3?"},
		{"km", "singled_out", ">1", "must say how many items are known"},
		{"km", "singled_out_m0", ">1", "not known"},
		{"km", "ncp_m3", ">1", "not known"},
		{"coherence", "ncp", ">1", "not known: releases of coherence have"},
		{"nonreciprocal", "public_singled_out_m1", ">1", "not known"},
		{"km", "ncp", "1", "is no condition"},
		{"km", "ncp", "=1", "= is no comparison"},
		{"km", "ncp", " !=1%", "= is no comparison"},
		{"km", "ncp", ">", "is no condition"},
		{"km", "ncp", "> -1", "is no condition"},
		{"km", "ncp", ">1e5", "is no condition"},
	} {
		_, err := ParseThreshold(c.family, c.figure, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.figure, c.text, err, c.want)
		}
	}
}

// Every loss that a family's report or audit file names has a figure; the pipeline's test runs all.
func TestFiguresHaveOneName(t *testing.T) {
	for _, family := range allFamilies {
		known := map[string]bool{}
		for _, f := range Figures(family) {
			if known[f.Name] {
				t.Errorf("%s: two figures are called %s", family, f.Name)
			}
			known[f.Name] = true
		}
	}
}
