package auto

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// Nothing that is tried by itself loses less, and what is said of each trial is so.
func TestConformance(t *testing.T) {
	single := map[string]anonymize.Algorithm{
		"aa": global.AA{}, "local": local.Algorithm{}, "exact": exact.Algorithm{},
		"vpa": global.VPA{}, "lra": partition.LRA{Flexibility: -1},
		"partition": partition.Algorithm{},
	}
	conformance.Suite{
		MemoryMatters: true, New: func() anonymize.Algorithm { return Algorithm{} },
		Instances: 400,
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			mine := g.Penalty()
			for _, trial := range g.Tried {
				alone, err := single[trial.Name].Anonymize(t.Context(), in)
				if trial.Done != (err == nil) && !strings.HasPrefix(trial.Note, "not tried") {
					t.Fatalf("%+v, but by itself: %v\n%s", trial, err, conformance.Describe(in))
				}
				if err == nil && alone.Penalty() < mine {
					t.Fatalf(
						"auto loses %d, %s %d\n%s", mine, trial.Name, alone.Penalty(),
						conformance.Describe(in),
					)
				}
			}
		},
	}.Run(t)
}

// vpa and lra are tried with the parameters that are given, or with the defaults that they have
// alone.
func TestParametersReachTheTrials(t *testing.T) {
	in := conformance.Medium(3)
	for _, c := range []struct {
		a    Algorithm
		want []anonymize.Algorithm
	}{
		{Algorithm{}, []anonymize.Algorithm{global.VPA{}, partition.LRA{Flexibility: -1}}},
		{
			Algorithm{VPA: &global.VPA{Parts: 5, PartitionLevel: 1}, LRA: &partition.LRA{Parts: 7}},
			[]anonymize.Algorithm{global.VPA{Parts: 5, PartitionLevel: 1}, partition.LRA{Parts: 7}},
		},
	} {
		for _, want := range c.want {
			isWanted := func(t trial) bool { return t.Algorithm == want }
			if !slices.ContainsFunc(c.a.trials(in), isWanted) {
				t.Errorf("%+v is not tried: %+v", want, c.a.trials(in))
			}
		}
	}
}

// With a budget, suppression is among what is tried: the rest of the suite is that of
// TestConformance and, for suppression alone, that of package suppress.
func TestBudget(t *testing.T) {
	budget := Algorithm{Items: 0.2, Transactions: 0.1}
	conformance.Suite{
		New:       func() anonymize.Algorithm { return budget },
		Instances: 200, Suppresses: true,
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			if !slices.ContainsFunc(g.Tried, func(t release.Trial) bool { return strings.Contains(t.Name, "suppressed") }) {
				t.Fatalf("suppression is not tried: %+v", g.Tried)
			}
		},
	}.Enumerated(t)
	in := conformance.Medium(7)
	var first *release.Generalized
	for _, in.Workers = range []int{1, 3} {
		g, err := budget.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if holds(t, in, g); first == nil {
			first = g
		} else if !slices.Equal(g.Nodes, first.Nodes) || g.Penalty() != first.Penalty() {
			t.Error("3 workers publish something else than 1")
		}
	}
}

// atOnce has no time for more than the first trials.
var atOnce = Algorithm{Budget: anonymize.Budget{TimeLimit: time.Nanosecond}}

// A limit that ends at once still gives a release, that of the first algorithm that has one
// whenever it ends, and says what was left out.
func TestTimeLimit(t *testing.T) {
	in := conformance.Medium(3)
	g, err := atOnce.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, in, g)
	if !slices.ContainsFunc(g.Warnings, func(w string) bool { return strings.Contains(w, "time limit of 1ns") && strings.Contains(w, "local") }) {
		t.Errorf("warnings %q", g.Warnings)
	}
	for _, trial := range g.Tried {
		if trial.Done != (trial.Name == "local") || trial.Note == "" {
			t.Errorf("%+v", trial)
		}
	}
}

// Where local cannot help, exact is the one that has a release whenever it ends.
func TestTimeLimitNegativeKnowledge(t *testing.T) {
	in := conformance.Medium(3)
	in.Promise.NegativeKnowledge = true
	g, err := atOnce.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, in, g)
}

// After an interrupt the best release so far is kept where that was asked for; without a release,
// or without being asked, the interrupt is the error.
func TestKeepBest(t *testing.T) {
	enough := errors.New("enough")
	run := func(a Algorithm, at string) (*release.Generalized, error) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		in := conformance.Medium(3)
		in.Progress = func(p anonymize.Progress) {
			if strings.HasPrefix(p.Stage, at) {
				cancel(enough)
			}
		}
		g, err := a.Anonymize(ctx, in)
		if err == nil {
			holds(t, in, g)
		}
		return g, err
	}
	g, err := run(Algorithm{Budget: anonymize.Budget{KeepBest: true}}, "local: ")
	if err != nil {
		t.Fatal(err)
	}
	if last := g.Tried[len(g.Tried)-1]; last.Done || last.Note != "not tried: enough" {
		t.Errorf("%+v", last)
	}
	if !strings.Contains(strings.Join(g.Warnings, " "), "(enough)") {
		t.Errorf("warnings %q", g.Warnings)
	}
	if _, err := run(Algorithm{}, "local: "); err != enough {
		t.Errorf("not asked to keep the best: %v", err)
	}
	budget := anonymize.Budget{KeepBest: true, TimeLimit: -1}
	if _, err := run(Algorithm{Budget: budget}, "aa: "); err != enough {
		t.Errorf("interrupted before there was a release: %v", err)
	}
}

// Where only aa and exact fit, exact is the one that has a release whenever it ends; where nothing
// fits that keeps the promise, that is said. It was a release without anything.
func TestNothingInTime(t *testing.T) {
	in := conformance.Medium(3)
	in.Memory = 1
	g, err := atOnce.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if holds(t, in, g); !strings.HasPrefix(g.Tried[1].Note, "not tried: it would need") {
		t.Errorf("%+v", g.Tried)
	}
	in.Promise.Knows = privacy.OfAlgorithm
	_, err = atOnce.Anonymize(t.Context(), in)
	if !errors.Is(err, anonymize.ErrTooLate) || !strings.Contains(
		err.Error(), "core (not tried: it would need",
	) {
		t.Errorf("%v", err)
	}
}

func holds(t *testing.T, in anonymize.Input, g *release.Generalized) {
	t.Helper()
	f, err := verify.KM(t.Context(), verify.KMInput{
		Tree: in.Tree, Original: in.Data, Published: g.Published(), Promise: in.Promise,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !f.Holds {
		t.Fatalf("%+v", f.Breaches)
	}
}

// With little memory aa and exact alone are tried, on packed data, and what was left out is said;
// with enough, everything is.
func TestMemory(t *testing.T) {
	in := conformance.Medium(3)
	all, err := Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	optimum, err := exact.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.Data = in.Data.Pack()
	for _, c := range []struct {
		memory int64
		want   *release.Generalized
		left   int
	}{{1, optimum, 4}, {1 << 40, all, 0}} {
		in.Memory = c.memory
		g, err := Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, trial := range g.Tried {
			if strings.Contains(trial.Note, "more than --memory allows") {
				left++
			}
		}
		if left != c.left || !slices.Equal(
			g.Published().Flat().Items(), c.want.Published().Items(),
		) {
			t.Fatalf("%d bytes: %d trials left out, want %d", c.memory, left, c.left)
		}
	}
}

// All small originals against negative knowledge.
func TestNegativeKnowledgeSoak(
	t *testing.T,
) {
	conformance.Worlds(t, Algorithm{Budget: anonymize.Budget{TimeLimit: -1}}, true)
}

// Without a time limit the release does not depend on how fast it goes: with one worker or four, on
// a machine that is busy, and with a listener that takes its time.
func TestSameReleaseWithoutAClock(t *testing.T) {
	busy, stop := context.WithCancel(t.Context())
	defer stop()
	for seed := range uint64(3) {
		in := conformance.Medium(seed)
		in.Seed = &[32]byte{byte(seed)}
		var first *release.Generalized
		for round, workers := range []int{1, 4, 2} {
			in.Workers, in.Progress = workers, nil
			if round == 1 {
				go func() {
					for busy.Err() == nil { // another program
					}
				}()
			}
			calls := 0
			if round == 2 {
				in.Progress = func(anonymize.Progress) {
					if calls++; calls%64 == 0 {
						time.Sleep(5 * time.Millisecond)
					}
				}
			}
			g, err := Algorithm{}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = g
			}
			if !slices.Equal(g.Published().Items(), first.Published().Items()) ||
				len(g.Warnings) != len(first.Warnings) {
				t.Fatalf("round %d publishes something else", round)
			}
			for i, trial := range g.Tried {
				if was := first.Tried[i]; trial.NCP != was.NCP || trial.Note != was.Note {
					t.Errorf("round %d: %+v, before %+v", round, trial, was)
				}
			}
		}
	}
}

// On data that are not small local is tried alone, and without it what is sure to have a release.
func TestNotAllIsTriedWithoutATimeLimit(t *testing.T) {
	in := conformance.Medium(5)
	in.Promise.M = 3
	if sets(in) <= smallWork {
		t.Skip("the data is small")
	}
	for _, negative := range []bool{false, true} {
		in.Promise.NegativeKnowledge = negative
		g, err := Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		for _, trial := range g.Tried {
			if trial.Done {
				done++
			}
		}
		if done != 1 || g.Tried[0].Name != "local" || g.Tried[0].Done == negative {
			t.Errorf("negative knowledge %v: %+v", negative, g.Tried)
		}
	}
}
