package auto

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/exact"
	"mingle/anonymize/km"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/release"
)

// Nothing that is tried by itself loses less, and what is said of each trial is so.
func TestConformance(t *testing.T) {
	single := map[string]anonymize.Algorithm{
		"aa": km.AA{}, "local": local.Algorithm{}, "exact": exact.Algorithm{}, "vpa": km.VPA{}, "lra": km.LRA{}, "partition": partition.Algorithm{},
	}
	conformance.Suite{
		New:       func() anonymize.Algorithm { return Algorithm{} },
		Instances: 400,
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			mine := lossOf(g)
			for _, trial := range g.Tried {
				alone, err := single[trial.Name].Anonymize(t.Context(), in)
				if trial.Done != (err == nil) && !strings.HasPrefix(trial.Note, "not tried") {
					t.Fatalf("%+v, but by itself: %v\n%s", trial, err, conformance.Describe(in))
				}
				if err == nil && lossOf(alone) < mine {
					t.Fatalf("auto loses %d, %s %d\n%s", mine, trial.Name, lossOf(alone), conformance.Describe(in))
				}
			}
		},
	}.Run(t)
}

// With a budget, suppression is among what is tried.
func TestBudget(t *testing.T) {
	conformance.Suite{
		New:       func() anonymize.Algorithm { return Algorithm{Items: 0.2, Transactions: 0.1} },
		Instances: 200,
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			if !slices.ContainsFunc(g.Tried, func(t release.Trial) bool { return strings.Contains(t.Name, "suppressed") }) {
				t.Fatalf("suppression is not tried: %+v", g.Tried)
			}
		},
	}.Run(t)
}

// A limit that ends at once still gives a release, that of the first algorithm, and says what was left out.
func TestTimeLimit(t *testing.T) {
	in := conformance.Medium(3)
	g, err := Algorithm{TimeLimit: time.Nanosecond}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	first, err := km.AA{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Map, first.Map) {
		t.Error("the release is not that of the first algorithm")
	}
	if len(g.Warnings) != 1 || !strings.Contains(g.Warnings[0], "1ns") {
		t.Errorf("warnings %q", g.Warnings)
	}
	for _, trial := range g.Tried[1:] {
		if trial.Done || trial.Note == "" {
			t.Errorf("%+v", trial)
		}
	}
}
