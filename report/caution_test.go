package report

import (
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/release"
)

// A release that has lost most of what there was is not praised, whichever figure shows it; one
// that has not, is.
func TestLossCautions(t *testing.T) {
	group := func(name string, count int, loss float64) []Breakdown {
		return []Breakdown{{ByLabel, "transactions", []Part{{name, 1, count, loss}}}}
	}
	for name, c := range map[string]struct {
		losses     []Loss
		published  Published
		breakdowns []Breakdown
		want       string // "": no caution
	}{
		"little is lost":     {losses: []Loss{{Name: "NCP", Value: 0.5}}},
		"more than half":     {losses: []Loss{{Name: "NCP", Value: 0.51}}, want: "NCP is 51 %"},
		"of the labels":      {losses: []Loss{{Name: "NCP, labels", Value: 0.9}}, want: "90 %"},
		"the gap is no loss": {losses: []Loss{{Name: "gap", Value: 0.9}}},
		"kept is not lost":   {losses: []Loss{{Name: "nuggets kept", Value: 0.9}}},
		"one group":          {nil, Published{10, 0, 10, 2, 2}, group("drinks", 6, 0.1), `"drinks" is 60 %`},
		"half is not more":   {nil, Published{10, 0, 10, 2, 2}, group("drinks", 5, 0.1), ""},
		"an item as it is":   {nil, Published{10, 0, 10, 2, 2}, group("tea", 9, 0), ""},
		"all lines are empty": {
			nil,
			Published{10, 10, 0, 0, 0},
			nil,
			"little is in what is published: 10 of 10 published lines are empty",
		},
		"lines are empty, and more is lost": {
			[]Loss{{Name: "NCP", Value: 0.9}},
			Published{10, 6, 4, 1, 1},
			nil,
			"little is left of the data: NCP is 90 %, 6 of 10 published lines are empty",
		},
		"half of the lines are": {nil, Published{10, 5, 5, 1, 1}, nil, ""},
		"nothing at all":        {},
	} {
		got := LossCautions(c.losses, c.published, c.breakdowns)
		if len(got) == 0 && c.want == "" {
			continue
		}
		if len(got) != 1 || c.want == "" || !strings.Contains(got[0].Says, c.want) {
			t.Errorf("%s: %v, want %q", name, got, c.want)
		}
	}
}

// Sensitive occurrences that were left out are a loss that no other figure has.
func TestSensitiveCautions(t *testing.T) {
	items := dataset.FromLabels([][]string{{"a", "b"}, {"a"}, {"b"}})
	if got := SensitiveCautions([]SuppressedItem{{"a", 2, 2}}, items); got != nil {
		t.Errorf("half is not more than half: %v", got)
	}
	got := SensitiveCautions([]SuppressedItem{{"a", 2, 2}, {"b", 1, 2}}, items)
	if len(got) != 1 || got[0].About != AboutSensitive || !strings.Contains(got[0].Says, "3 of their 4") {
		t.Errorf("3 of 4: %v", got)
	}
	if got := SensitiveCautions(nil, nil); got != nil {
		t.Errorf("no sensitive items: %v", got)
	}
}

// What the published bases tell of the loss goes by the mean over records.
func TestCautionOfBases(t *testing.T) {
	bases := func(lines [][]string, thresholds ...int32) *release.Nonreciprocal {
		d := dataset.FromLabels(lines)
		return &release.Nonreciprocal{Base: d, Uncertain: d, Threshold: thresholds}
	}
	for name, c := range map[string]struct {
		r    *release.Nonreciprocal
		want bool
	}{
		"one sure, six places":   {bases([][]string{{"x"}, {"x"}}, 6, 6), true},
		"one sure, two places":   {bases([][]string{{"x"}, {"x"}}, 2, 2), false},
		"one far record":         {bases([][]string{{"x"}, {"x"}, {"x"}}, 0, 0, 100), false},
		"nothing is uncertain":   {bases([][]string{{"x"}, {}}, 0, 0), false},
		"there is no sure item":  {bases([][]string{{}, {}}, 1, 1), true},
		"there is not one line":  {bases(nil), false},
		"more sure than doubted": {bases([][]string{{"x", "y", "z"}}, 2), false},
	} {
		if got := CautionOfBases(c.r); (len(got) == 1) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The custodian's caution takes the place of the public one about the same, and no other.
func TestVerdictWithCautions(t *testing.T) {
	o := sampleOutcome()
	if got := o.Verdict(); !strings.HasPrefix(got, "VERIFIED: ") {
		t.Error(got)
	}
	o.Report.Cautions = []Caution{
		{AboutColumns, "a column is kept", nil}, {AboutLoss, "the public loss", []string{"guess"}},
	}
	o.Custodian.Cautions = []Caution{{AboutLoss, "the exact loss", []string{"measured"}}}
	want := ", but a column is kept; the exact loss."
	if got := o.Verdict(); !strings.HasPrefix(got, "VERIFIED, WITH CAUTION: ") ||
		!strings.HasSuffix(got, want) {
		t.Error(got)
	}
	if got := o.Report.Verdict(); !strings.HasSuffix(got, "a column is kept; the public loss.") {
		t.Error(got)
	}
	if got := tries(o.Cautions()); len(got) != 1 || got[0] != "measured" {
		t.Error(got)
	}
	o.Report.Verification.Holds = false
	if got := o.Verdict(); !strings.HasPrefix(got, "BROKEN: ") {
		t.Error(got)
	}
}
