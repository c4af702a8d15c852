package pipeline

import (
	"errors"
	"os"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/local"
	"mingle/anonymize/suppress"
	"mingle/attack"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// A job without what it needs is refused before any work, and leaves nothing.
func TestJobsLackNothing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Job)
		want   string
	}{
		"nothing":    {func(j *Job) { *j = Job{} }, "Family is required"},
		"no input":   {func(j *Job) { j.Input = "" }, "no input is given"},
		"no output":  {func(j *Job) { j.Output = "" }, "no output is given"},
		"no In":      {func(j *Job) { j.Input = Stdin }, "In is not given"},
		"no Out":     {func(j *Job) { j.Output, j.OutputFormat = Stdin, "basket" }, "Out is not given"},
		"audit, Out": {func(j *Job) { j.Audit = Stdin }, "Out is not given"},
		"no In for the hierarchy": {
			func(j *Job) { changeKM(j, func(f *KM) { f.Hierarchy = Stdin }) }, "In is not given",
		},
		"workers": {
			func(j *Job) { j.Workers = -3 }, "the number of workers (-3) must not be negative",
		},
		"no inner algorithm": {
			func(j *Job) {
				changeKM(j, func(f *KM) { f.MaySuppress, f.Algorithm = true, suppress.Items{} })
			}, "Inner is required",
		},
		"no inner algorithm, of persons": {
			func(j *Job) {
				changeKM(j, func(f *KM) {
					f.MaySuppress, f.Algorithm = true, suppress.Transactions{}
					f.Promise.Persons, f.PersonColumn = true, "who"
				})
			}, "counts transactions, not persons",
		},
	} {
		job, dir := exampleJob(t)
		c.change(&job)
		_, err := job.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, internal := errors.AsType[*InternalError](err); internal {
			t.Errorf("%s is called a fault of the program: %v", name, err)
		}
		onlyInputs(t, dir)
	}
	if _, err := (Trial{}).Run(t.Context()); err == nil {
		t.Error("a trial of nothing was made")
	}
}

// Where a promise is none at all, or suppression breaks it, no other algorithm is named.
func TestNoAlgorithmIsNamedInVain(t *testing.T) {
	for name, change := range map[string]func(*KM){
		"persons and negative knowledge": func(f *KM) {
			f.Promise.Persons, f.PersonColumn, f.Promise.NegativeKnowledge = true, "who", true
			f.Algorithm = local.Algorithm{}
		},
		"items and negative knowledge": func(f *KM) {
			f.Promise.NegativeKnowledge, f.MaySuppress = true, true
			f.Algorithm = suppress.Items{Inner: local.Algorithm{}}
		},
	} {
		job, _ := exampleJob(t)
		changeKM(&job, change)
		_, err := job.Run(t.Context())
		if _, is := errors.AsType[*anonymize.NotKept](err); !is ||
			strings.Contains(err.Error(), "choose") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Without an algorithm the default one is taken, as in the command.
func TestNoAlgorithmIsTheDefault(t *testing.T) {
	job, _ := exampleJob(t)
	changeKM(&job, func(f *KM) { f.Algorithm = nil })
	out, err := job.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Report.Algorithm; got != "auto" {
		t.Errorf("algorithm %q", got)
	}
}

// Whoever calls the library can ask why a file could not be read.
func TestMissingFilesCanBeTold(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"original":  func(j *Job) { j.Input += "x.dat" },
		"hierarchy": func(j *Job) { changeKM(j, func(f *KM) { f.Hierarchy += "x.csv" }) },
	} {
		job, _ := exampleJob(t)
		change(&job)
		_, err := job.Run(t.Context())
		if !errors.Is(err, os.ErrNotExist) || !strings.HasSuffix(err.Error(), "there is no such file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No algorithm panics where it is given nothing, and none takes a negative number of workers.
func TestAlgorithmsRefuseNothing(t *testing.T) {
	tree, err := hierarchy.Read(strings.NewReader(exampleTree),
		hierarchy.ReadOptions{Format: hierarchy.ARX})
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(exampleData) {
		lines = append(lines, strings.Fields(line))
	}
	data, err := tree.Encode(dataset.FromLabels(lines))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range algorithms {
		for _, s := range []*Suppression{
			nil, {Share: 0.1}, {Share: 0.1, Transactions: true},
		} {
			a := e.Make(Settings{Suppression: s, Flexibility: -1})
			for name, in := range map[string]anonymize.Input{
				"nothing": {}, "no tree": {Data: data}, "no data": {Tree: tree},
				"workers": {Data: data, Tree: tree, Workers: -1},
			} {
				for _, p := range []privacy.KM{
					{K: 2, M: 2},
					{K: 2, M: 2, Persons: true},
					{K: 2, M: 2, NegativeKnowledge: true},
					{K: 2, M: 2, Knows: privacy.OfAlgorithm},
				} {
					in.Promise = p
					if _, err := a.Anonymize(t.Context(), in); err == nil {
						t.Errorf("%s made a release of %s", e.Name, name)
					}
				}
			}
		}
	}
}

// What looks at a job, or at files, without what it needs refuses it, too.
func TestJobsAndPairsOfNothing(t *testing.T) {
	ctx := t.Context()
	if _, err := (Job{}).Dry(ctx); !errors.Is(err, errNoFamily) {
		t.Errorf("Dry: %v", err)
	}
	if err := (Job{}).CheckParameters(); !errors.Is(err, errNoFamily) {
		t.Errorf("CheckParameters: %v", err)
	}
	family := KM{Promise: privacy.KM{K: 2, M: 1}}
	for want, p := range map[string]Pair{
		"Family is required":         {Original: "x", Published: "y", Files: &Files{}},
		"no published file is given": {Original: "x", Family: family, Files: &Files{}},
		"Files is required":          {Original: "x", Published: "y", Family: family},
	} {
		_, verify := p.Verify(ctx)
		_, bounds := p.VerifyWithBounds(ctx, Bounds{})
		_, losses := p.Losses(ctx, Measurement{})
		_, bags := p.LossOfBags(ctx)
		_, bases := p.LossesOfBases(ctx)
		_, sides := p.Sides(ctx)
		_, attacked := p.Attack(ctx, attack.Options{M: 1, K: 2})
		for i, err := range []error{verify, bounds, losses, bags, bases, sides, attacked} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d: %v, want %s", i, err, want)
			}
		}
	}
}
