package pipeline

import (
	"bytes"
	"context"
	"fmt"

	"mingle/anonymize"
	"mingle/attack"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// Source is data at hand: sets, those of [KM] over the leaves of a hierarchy, or bags of numbers.
type Source struct {
	Sets      *dataset.Dataset
	Tree      *hierarchy.Tree
	Sensitive *dataset.Dataset // of the same transactions; nil: none
	Labels    []string         // of the records; nil: none
	Persons   []string         // by transaction, where the family has a column of persons
	Bags      *bag.Bags
}

// Trial is a release of data at hand, made in memory as a [Job] makes one of files: written, read
// back, verified and measured. Experiments are made of trials.
type Trial struct {
	Family  Family
	Source  Source
	Seed    *[32]byte
	Workers int
}

// Tried is what came of a trial. What is published was read back.
type Tried struct {
	// what the algorithm took, and what was held meanwhile, the data included
	Anonymize report.Phase
	CPU       float64 // seconds of the whole process meanwhile; no number where it is not told
	Height    int     // of the hierarchy; 0: there is none
	Finding   *verify.Finding
	Losses    []report.Loss
	Published *dataset.Dataset       // of sets; nodes of the hierarchy under [KM]
	Bases     *release.Nonreciprocal // of [Nonreciprocal]
	Own       []int32                // of [Nonreciprocal]: the published row made for each record

	task task
}

// Run makes the trial. The errors are those of [Job].Run.
func (t Trial) Run(ctx context.Context) (*Tried, error) {
	if t.Family == nil {
		return nil, errNoFamily
	}
	m := startMeter()
	defer m.end()
	task := chosen(t.Family).begin(
		&env{files: &Files{Workers: t.Workers}, workers: t.Workers, seed: t.Seed},
	)
	if err := use(ctx, task, t.Source); err != nil {
		return nil, err
	}
	out := &Tried{task: task}
	anonymize := func() error { return task.anonymize(ctx) }
	if err := m.alone("anonymize", anonymize); err != nil {
		return nil, stopped(ctx, err)
	}
	out.Anonymize, out.CPU = m.phases[0], m.cpu
	if err := out.readBack(ctx); err != nil {
		return nil, stopped(ctx, err)
	}
	out.published()
	return out, nil
}

// use gives data at hand to a task, in place of reading and binding.
func use(ctx context.Context, t task, s Source) error {
	sets := dataset.Options{Format: dataset.JSONL, SetColumn: "items"}
	missing := func(what string) error { return fmt.Errorf("the data at hand are no %s", what) }
	switch t := t.(type) {
	case *kmTask:
		if s.Sets == nil {
			return missing("sets")
		}
		t.layout, t.tree = sets, s.Tree
		t.input = anonymize.Input{
			Data: s.Sets, Sensitive: s.Sensitive, Tree: s.Tree, Promise: t.Promise,
			Workers: t.workers,
		}
		if s.Persons != nil {
			t.whose = personsOf(s.Persons)
			t.input.Persons = t.whose.of
		}
		if s.Sensitive != nil {
			t.sensitive, t.items = s.Sensitive.Dict().Labels(), s.Sensitive
		}
	case *nonreciprocalTask:
		if s.Sets == nil {
			return missing("sets")
		}
		t.layout, t.raw, t.labels = sets, s.Sets, s.Labels
	case *coherenceTask:
		if s.Sets == nil {
			return missing("sets")
		}
		t.layout, t.raw = sets, s.Sets
	case *continuousTask:
		if s.Bags == nil {
			return missing("bags of numbers")
		}
		t.layout, t.data = bag.Layout{Format: dataset.Basket}, s.Bags
		return t.bind(ctx)
	}
	return nil
}

// readBack writes the release to memory, reads that, and lets the verifier and the measures look at
// it. A broken promise is in the finding, and no error.
func (o *Tried) readBack(ctx context.Context) (err error) {
	var file bytes.Buffer
	if err := o.task.layOut(""); err != nil {
		return err
	}
	if err := o.task.write(&file); err != nil {
		return fmt.Errorf("writing the release: %w", err)
	}
	if err := o.task.parse(ctx, &file, true); err != nil {
		return fmt.Errorf("reading back what was written: %w", err)
	}
	if o.Finding, err = o.task.verify(ctx); err != nil {
		return fmt.Errorf("verifying: %w", err)
	}
	if o.Losses, err = o.task.losses(ctx); err != nil {
		return fmt.Errorf("measuring: %w", err)
	}
	return nil
}

func (o *Tried) published() {
	switch t := o.task.(type) {
	case *kmTask:
		o.Published, o.Height = t.published, t.tree.Height(t.tree.Root())
	case *continuousTask:
		if t.tree != nil {
			o.Height = t.tree.Height(t.tree.Root())
		}
	case *coherenceTask:
		o.Published = t.published
	case *nonreciprocalTask:
		o.Bases, o.Own = t.published, t.result.Audit.Row
	}
}

// Loss is the loss of a name, as the report has it.
func (o *Tried) Loss(name string) (value float64, there bool) {
	for _, l := range o.Losses {
		if l.Name == name {
			return l.Value, true
		}
	}
	return 0, false
}

// Prove finds how much any global recoding must lose, if the algorithm has not: of [KM] alone.
func (o *Tried) Prove(ctx context.Context) (least float64, err error) {
	t, is := o.task.(*kmTask)
	if !is {
		return 0, fmt.Errorf("there is no global recoding in this family")
	}
	if least, err = t.proveLeast(ctx); err != nil {
		return 0, stopped(ctx, err)
	}
	return least, nil
}

// Attack is the case of original and published file, for an adversary of any kind.
func (o *Tried) Attack() (*attack.Case, error) {
	c, _, err := o.task.attack()
	return c, err
}
