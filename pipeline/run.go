package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/auto"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/memory"
	"mingle/internal/publish"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// Version is the version of the program.
const Version = "0.2.0"

// Program is what reports say about the program.
var Program = report.Program{Name: "mingle", Version: Version}

// Job is a release to be made from files by generalization over a hierarchy.
type Job struct {
	Input            string // required; "-" is In
	InputOptions     dataset.Options
	Hierarchy        string // required
	HierarchyOptions hierarchy.ReadOptions
	Sensitive        string // a list of items, one a line; required for l-diversity

	Promise   privacy.KM
	Algorithm anonymize.Algorithm
	// MaySuppress says that the algorithm may leave out items or transactions. Drop leaves out the lines of transactions
	// that are not published; else they are empty.
	MaySuppress, Drop bool
	// Seed is the secret of what the algorithm leaves to chance (see anonymize.Input.Seed); nil: drawn anew from the operating
	// system where something is. Whoever knows it can run the algorithm in mind. It is in the audit file alone.
	Seed *[32]byte

	Output       string         // required; "-" is Out
	OutputFormat dataset.Format // "": by the extension, else that of the input
	Report       string         // "": none
	Audit        string         // "": none; secret
	Force        bool           // replace existing files

	Gap      bool            // find a proven lower bound on the loss too, for algorithms that bring none
	GapLimit time.Duration   // how long that may take; 0: until it is proven
	Enough   context.Context // when it ends, the algorithm ends with the best it has, or fails; nil: it has the time it needs

	Workers  int   // at most this many goroutines; 0: one a processor
	Memory   int64 // bound in bytes; 0: none. AA, DA and what auto makes of it keep to it, as far as packed data and its index allow
	Progress func(anonymize.Progress)
	// Room is what may be held where Memory is 0, in bytes: what would need more is refused, or done in a way that
	// needs less. 0: no matter.
	Room int64
	In   io.Reader
	Out  io.Writer

	Key     *report.Key // of the keyed hashes that tie the report to the audit file; nil: drawn at random
	Command []string    // as it was given, for the audit file
	Recipe  string      // the same without what must not be published, for the report
	Bare    bool        // leave times and memory out of the audit file
}

// Run makes the release: it reads, anonymizes, writes to temporary files, lets the independent verifier read back and
// judge what was written, measures and attacks it, and only then puts the files in place, all or none. The error is a *BreachError when
// the verifier refuses, a *privacy.Infeasible when no release keeps the promise, ctx's cause when ctx ends.
func (j Job) Run(ctx context.Context) (*report.Outcome, error) {
	r := &run{Job: j, session: &session{meter: startMeter(), set: &publish.Set{Force: j.Force, Out: j.Out}, listener: j.Progress, key: j.Key}}
	defer r.close()
	if err := r.work(ctx, r.steps()...); err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// steps is everything up to the files' appearing.
func (r *run) steps() []step {
	return []step{
		{"check", r.check},
		{"read", r.read},
		{"encode", r.encode},
		{"anonymize", r.anonymize},
		{"bound", r.prove},
		{"write", r.write},
		{"verify", r.verify},
		{"measure", r.measure},
		{"attack", r.attack},
		{"report", r.announce},
	}
}

// run is a job under way.
type run struct {
	Job
	*session
	files *Files

	raw       *dataset.Dataset
	tree      *hierarchy.Tree
	sensitive []string

	input   anonymize.Input
	release *release.Generalized
	output  *publish.File
	written *report.File

	published       *dataset.Dataset // as read back: node ids
	publishedHidden *dataset.Dataset // its sensitive items; nil: none
	finding         *verify.Finding
	losses          []report.Loss
	tested          *report.Attack
	untested        []string // why there is no test, where one was asked for
	announced       *report.Report
}

// check refuses, before any work, what cannot end well.
func (r *run) check(context.Context) error {
	faults := []error{r.Promise.Validate()}
	if r.Promise.Diverse() && r.Sensitive == "" {
		faults = append(faults, errors.New("l-diversity needs the list of sensitive items: give it with --sensitive"))
	}
	if r.Sensitive != "" && !r.Promise.Diverse() {
		faults = append(faults, errors.New("a list of sensitive items is given, but l is not: give it with -l"))
	}
	faults = append(faults, r.symmetric())
	if r.Drop && r.Promise.NegativeKnowledge {
		faults = append(faults, errors.New("with negative knowledge the empty lines of suppressed transactions are part of what others hide among: leave out --drop"))
	}
	faults = append(faults, r.session.check(r.In, []string{r.Input, r.Hierarchy, r.Sensitive},
		target{what: "output", path: r.Output}, target{what: "report", path: r.Report}, target{what: "audit", path: r.Audit}))
	return errors.Join(faults...)
}

// symmetric refuses what does not keep a promise against the adversary "algorithm".
func (r *run) symmetric() error {
	a, ok := r.Algorithm.(anonymize.Symmetric)
	switch {
	case !r.Promise.AgainstAlgorithm() || ok && a.AgainstAlgorithm():
		return nil
	case r.MaySuppress:
		return errors.New("suppression does not keep a promise against the adversary \"algorithm\": " +
			"what is left out tells of the original, and may be any line's: leave out --suppress")
	}
	return anonymize.NotSymmetric(r.Algorithm.Name())
}

func (r *run) read(ctx context.Context) (err error) {
	r.files = &Files{In: r.In, Workers: r.Workers, Progress: r.progress}
	if capable, ok := r.Algorithm.(anonymize.PackedCapable); ok && r.Memory > 0 && capable.WorksOnPacked() {
		r.InputOptions.Packed = true
	}
	if r.raw, r.InputOptions, err = r.files.Transactions(ctx, roleTransactions, r.Input, r.InputOptions); err != nil {
		return err
	}
	if r.tree, err = r.files.Hierarchy(ctx, r.Hierarchy, r.HierarchyOptions); err != nil || r.Sensitive == "" {
		return err
	}
	r.sensitive, err = r.files.Items(ctx, roleSensitive, r.Sensitive)
	return err
}

// encode binds the transactions to the hierarchy and refuses data for which no release can keep the promise.
func (r *run) encode(context.Context) (err error) {
	plain := r.raw
	r.input = anonymize.Input{Promise: r.Promise, Workers: r.Workers, Memory: r.Memory, Progress: r.Progress}
	if r.sensitive != nil {
		if r.tree, err = withoutSensitive(r.tree, r.sensitive); err != nil {
			return err
		}
		if plain, r.input.Sensitive, err = Split(r.raw, r.sensitive); err != nil {
			return err
		}
	}
	r.input.Tree = r.tree
	if anonymize.IsRandomized(r.Algorithm) {
		if r.input.Seed, err = seedOr(r.Seed); err != nil {
			return err
		}
	}
	if r.input.Data, err = r.tree.Encode(plain); err != nil {
		return inFile(r.Input, err)
	}
	r.raw = &dataset.Dataset{Columns: r.raw.Columns, Notes: r.raw.Notes} // the items are in r.input now
	if err := r.input.CheckSymmetric(); err != nil {
		return err
	}
	return r.fit()
}

// fit refuses what would need more memory than there is room for, before the work, and tells the
// algorithm of the bound where it can keep to it.
func (r *run) fit() error {
	room := cmp.Or(r.Memory, r.Room)
	if _, several := r.Algorithm.(auto.Algorithm); several {
		r.input.Memory = room // it sees to what fits itself
		return nil
	}
	with, least := r.input.Within(r.Algorithm, room)
	if least > 0 {
		what := fmt.Sprintf("%s on %d item occurrences", r.Algorithm.Name(), r.input.Data.Occurrences())
		return &memory.Short{What: what, Least: least, Bound: room}
	}
	with.Memory = cmp.Or(r.Memory, with.Memory)
	r.input = with
	return nil
}

func (r *run) anonymize(ctx context.Context) (err error) {
	r.letGo()
	if r.Enough != nil {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer context.AfterFunc(r.Enough, func() { cancel(context.Cause(r.Enough)) })()
		defer cancel(nil)
	}
	r.release, err = r.Algorithm.Anonymize(ctx, r.input)
	return err
}

// write writes the release to a temporary file.
func (r *run) write(ctx context.Context) (err error) {
	r.letGo()
	published := r.release.Published()
	if sensitive := r.publishedSensitive(); sensitive != nil {
		if published, err = Join(published, sensitive); err != nil {
			return err
		}
	}
	if r.Drop {
		published = dropped(published, r.release.Withheld)
	}
	if r.output, err = r.set.Create(r.Output, publish.Public); err != nil {
		return err
	}
	if r.written, err = writeDataset(r.output, published, r.Output, r.outputOptions()); err != nil {
		return fmt.Errorf("cannot write %s: %w", name(r.Output), publish.Reason(err))
	}
	return ctx.Err()
}

// verify reads the temporary file back and judges it against the original.
func (r *run) verify(ctx context.Context) error {
	r.letGo()
	if _, err := r.output.Seek(0, io.SeekStart); err != nil {
		return err
	}
	back, err := dataset.Read(ctx, r.output, own(r.outputOptions()))
	if err != nil {
		return refused("read back what it wrote", ctx, err)
	}
	in := verify.KMInput{
		Tree: r.tree, Original: r.input.Data, OriginalSensitive: r.input.Sensitive,
		Promise: r.Promise, MaySuppress: r.MaySuppress, Workers: r.Workers, Progress: r.progress,
	}
	if err := BindPublished(&in, back, r.sensitive); err != nil {
		return refused("read back what it wrote", ctx, err)
	}
	if r.finding, err = verify.KM(ctx, in); err != nil {
		return refused("verify the release", ctx, err)
	}
	r.published, r.publishedHidden = in.Published, in.PublishedSensitive
	if !r.finding.Holds {
		return &BreachError{r.finding}
	}
	return nil
}

// letGo gives memory back that the steps before no longer need, where memory is bounded: it must not count beside what the
// next step takes.
func (r *run) letGo() {
	if r.Memory > 0 {
		debug.FreeOSMemory()
	}
}
