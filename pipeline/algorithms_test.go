package pipeline

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/auto"
	"mingle/anonymize/conformance"
	"mingle/anonymize/core"
	"mingle/anonymize/global"
	"mingle/anonymize/partition"
	"mingle/privacy"
	"mingle/release"
)

// auto tries lra and vpa with the settings that they would have alone.
func TestSettingsReachAuto(t *testing.T) {
	entry, err := FindAlgorithm("km", "auto")
	if err != nil {
		t.Fatal(err)
	}
	a := entry.Make(Settings{Parts: 5, Flexibility: 7, PartitionLevel: 1}).(auto.Algorithm)
	if *a.LRA != (partition.LRA{Parts: 5, Flexibility: 7}) || *a.VPA != (global.VPA{
		Parts: 5, PartitionLevel: 1,
	}) {
		t.Errorf("%+v, %+v", a.LRA, a.VPA)
	}
}

// root publishes the root for everything: an algorithm that stands here to show that nothing but
// itself, its test and its line in the table has to be written.
type root struct{}

func (root) Name() string { return "root" }

func (root) Traits() anonymize.Traits { return anonymize.Traits{} }

func (r root) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	if err := in.CheckFor(r); err != nil {
		return nil, err
	}
	all := slices.Repeat([]int32{in.Tree.Root()}, in.Data.Occurrences())
	return release.Local(in.Tree, in.Data, all), context.Cause(ctx)
}

func TestAnAlgorithmIsItselfAndALine(t *testing.T) {
	before := algorithms
	defer func() { algorithms = before }()
	algorithms = append(slices.Clone(algorithms), Entry{
		"km", "root", "one label for everything", func(Settings) anonymize.Algorithm { return root{} },
	})
	t.Run("conforms", conformance.Suite{
		New: func() anonymize.Algorithm { return root{} }, Instances: 1000,
	}.Run)
	entry, err := FindAlgorithm("km", "root")
	if err != nil {
		t.Fatal(err)
	}
	job, dir := exampleJob(t)
	changeKM(&job, func(f *KM) { f.Algorithm = entry.Make(Settings{}) })
	if _, err := job.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := get(t, dir+"/out.dat"), "ALL\nALL\nALL\nALL\n"; got != want {
		t.Errorf("published %q, want %q", got, want)
	}
}

// able is root with traits.
type able struct {
	root
	traits anonymize.Traits
}

func (a able) Traits() anonymize.Traits { return a.traits }

// What an algorithm says that it can do is enough: messages name it where it keeps a promise, and
// one that keeps its best is not ended without a release.
func TestTraitsAreEnough(t *testing.T) {
	before := algorithms
	defer func() { algorithms = before }()
	for _, can := range []anonymize.Traits{{}, {KeepsBest: true, Persons: true, Symmetric: true}} {
		entry := Entry{"km", "able", "", func(Settings) anonymize.Algorithm {
			return able{traits: can}
		}}
		algorithms = append(slices.Clone(before), entry)
		a := entry.Make(Settings{Budget: anonymize.Budget{TimeLimit: time.Hour}})
		if _, ends := a.(inTime); ends == can.KeepsBest {
			t.Errorf("%+v: made as %T", can, a)
		}
		late := choices(privacy.KM{}, func(t anonymize.Traits) bool { return t.KeepsBest })
		if strings.HasSuffix(late, " or able") != can.KeepsBest {
			t.Errorf("%+v: who keeps the best is %s", can, late)
		}
		for _, refused := range []privacy.KM{
			{K: 2, M: 1, Persons: true}, {K: 2, M: 1, Knows: privacy.OfAlgorithm},
		} {
			task := &kmTask{KM: KM{Promise: refused, Algorithm: core.Algorithm{}}}
			if refused.AgainstAlgorithm() {
				task.Algorithm = global.AA{}
			}
			err := task.refusePromise()
			var not *anonymize.NotKept
			if !errors.As(err, &not) || not.Name != task.Algorithm.Name() ||
				strings.HasSuffix(err.Error(), " or able") != can.Persons {
				t.Errorf("%+v: %v", can, err)
			}
		}
	}
}

// What a new algorithm lacks: its page.
func TestEveryAlgorithmHasAPage(t *testing.T) {
	for _, e := range Algorithms("km") {
		if _, err := os.Stat("../docs/algorithms/" + e.Name + ".md"); err != nil {
			t.Error(err)
		}
	}
}
