package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/internal/par"
	"mingle/internal/publish"
	"mingle/report"
	"mingle/verify"
)

// Version is the version of the program.
const Version = "0.2.0"

// Program is what reports say about the program.
var Program = report.Program{Name: "mingle", Version: Version}

// Job is a release to be made from files.
type Job struct {
	Family Family // required: the guarantee, and how it is kept
	Input  string // required; "-" is In

	Output       string         // required; "-" is Out
	OutputFormat dataset.Format // "": by the extension, else that of the input
	Delimiter    rune           // between the output's fields; 0: by the extension, as the input
	Report       string         // "": none
	// RenderReport writes the report, such as a page; nil: JSON
	RenderReport func(io.Writer, *report.Report) error
	// Page is another file of the report, such as the page to sign beside the report in JSON; "":
	// none. RenderPage writes it.
	Page       string
	RenderPage func(io.Writer, *report.Report) error
	Audit      string // "": none; secret
	Force      bool   // replace existing files

	// Seed is the secret of what is left to chance; nil: drawn anew from the operating system where
	// something is. Whoever knows it can run the algorithm in mind. It is in the audit file alone.
	Seed *[32]byte
	// Shuffle publishes the transactions in an order that is drawn from Seed. The audit file has
	// it: without that file nobody can tell which line is of which transaction.
	Shuffle bool
	// KeepColumns are the columns that are published beside the sets, as they stand: no other is.
	// One that is or nearly is an identifier needs KeepIdentifiers too.
	KeepColumns     []string
	KeepIdentifiers bool
	// Stop, when it ends, ends an algorithm that keeps the best it has found so far with that, and
	// others without a release; nil: they have the time they need.
	Stop context.Context

	// FailIf are conditions under which nothing is published: the error is a *ThresholdError.
	FailIf []report.Threshold
	// Definition is the file that says this release, with its SHA-256; nil: there is none. It goes
	// to the audit file and, as a keyed hash, to the report that is tied to it: the file may hold
	// the seed, and a condition on what only the custodian sees.
	Definition *report.File
	// Keep are files that no output may replace, beside the inputs, such as that which says the
	// release.
	Keep []string

	Workers int // at most this many goroutines; 0: one a processor
	// Memory is a bound in bytes that was asked for; 0: none. What keeps to a bound by itself does
	// so, as far as packed data and its index allow.
	Memory int64
	// Room is what may be held where Memory is 0, in bytes: what would need more is refused, or
	// done in a way that needs less. 0: no matter.
	Room     int64
	Progress func(anonymize.Progress)
	In       io.Reader
	Out      io.Writer
	// Databases opens databases, where the input or the output is one; nil: there are none.
	Databases rows.Opener

	// of the keyed hashes that tie the report to the audit file; nil: drawn at random
	Key         *report.Key
	Command     []string // as it was given, for the audit file
	Recipe      string   // the same without what must not be published, for the report
	OmitTimings bool     // leave times and memory out of the audit file

	process *publish.Process // nil: this one; simulations have several
}

// Run makes the release: it reads, anonymizes, writes to temporary files, lets the independent
// verifier read back and judge what was written, measures and attacks it, and only then puts the
// files in place, all or none. The error is a *BreachError when the verifier refuses, a
// [privacy.ErrInfeasible] when no release keeps the promise, a *ThresholdError when the release
// does not pass FailIf, ctx's cause when ctx ends; package mingle lists all others.
func (j Job) Run(ctx context.Context) (*report.Outcome, error) {
	if j.Family == nil {
		return nil, errNoFamily
	}
	r := newRun(j)
	defer r.close()
	defer func() {
		if r.table != nil {
			r.table.Abort()
		}
	}()
	if err := r.make(ctx); err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

var errNoFamily = errors.New("it is not said what is to be promised: Family is required, such as KM")

// step is one of a run.
type step struct {
	name string
	do   func(context.Context) error
}

// make takes all steps up to the files' appearing.
func (r *run) make(ctx context.Context) error {
	steps := []step{
		{"check", r.check},
		{"read", r.task.read},
		{"bind", r.bind},
		{"anonymize", r.anonymize},
		{"write", r.write},
		{"verify", r.verify},
		{"measure", r.measure},
		{"attack", r.attack},
		{"report", r.announce},
		{"advise", r.advise},
	}
	if len(r.proofTargets()) > 0 {
		steps = append(steps, step{"proof", r.prove})
	}
	for _, step := range steps {
		if err := r.meter.phase(step.name, func() error { return step.do(ctx) }); err != nil {
			return stopped(ctx, err)
		}
	}
	return nil
}

// run is a job under way.
type run struct {
	Job
	*session
	env  *env
	task task

	output    *publish.File // nil: a table of a database that is there
	table     rows.Table    // nil: a file
	written   report.File
	finding   *verify.Finding
	losses    []report.Loss
	tested    *report.Attack
	announced *report.Report
	rendered  bytes.Buffer     // the file of it
	page      bytes.Buffer     // and its page
	cautions  []report.Caution // the custodian's
}

func newRun(j Job) *run {
	if f, is := j.Family.(shuffles); is && f.Shuffled() {
		j.Shuffle = true
	}
	r := &run{Job: j, session: newSession(j)}
	r.env = &env{
		files: &Files{
			In: j.In, Workers: j.Workers, Progress: r.session.progress, Databases: j.Databases,
		},
		originalPath: j.Input, publishedPath: j.Output, workers: j.Workers, memory: j.Memory,
		room: j.Room,
		seed: j.Seed, listener: j.Progress,
	}
	r.env.order.shuffle, r.env.delimiter = r.Shuffle, j.Delimiter
	r.env.columns = columns{keep: j.KeepColumns, identifiers: j.KeepIdentifiers}
	r.Family = chosen(j.Family)
	r.task = r.Family.begin(r.env)
	return r
}

// check refuses, before any work, what cannot end well.
func (r *run) check(ctx context.Context) (err error) {
	if r.Shuffle {
		if r.env.seed, err = seedOr(r.env.seed); err != nil {
			return err
		}
	}
	output, keep := r.Output, []string{r.Input}
	if is, newFile := r.toTable(); is {
		output, keep = newFile, append(keep, rows.File(r.Output))
	}
	if rows.Is(r.Input) {
		keep = append(keep, rows.File(r.Input))
	}
	return errors.Join(r.Family.Validate(), r.given(), r.task.refuse(&r.Job),
		checkOutput(r.Output, r.OutputFormat), checkReport(r.Report, r.RenderReport != nil),
		r.checkThresholds(), r.checkTable(ctx),
		r.session.check(r.In, slices.Concat(keep, r.task.inputs(), r.Keep),
			append(r.proofTargets(), target{what: "output", path: output},
				target{what: "report", path: r.Report}, target{what: "page", path: r.Page},
				target{what: "audit", path: r.Audit})...))
}

// given refuses a job without what is required, or with what cannot be meant.
func (r *run) given() error {
	faults := []error{par.CheckWorkers(r.Workers)}
	if r.Input == "" {
		faults = append(faults, errors.New("no input is given"))
	}
	if r.Input == Stdin && r.In == nil {
		faults = append(faults, errNoIn)
	}
	if r.Output == "" {
		faults = append(faults, errors.New("no output is given"))
	}
	return errors.Join(faults...)
}

// bind binds the original to what belongs to it, and refuses labels that the published file cannot
// hold: before the work, and whether the release would have them or not.
func (r *run) bind(ctx context.Context) error {
	err := r.task.bind(ctx)
	if err == nil {
		err = r.task.layOut(r.OutputFormat)
	}
	if err == nil {
		err = r.task.writable()
	}
	return err
}

func (r *run) anonymize(ctx context.Context) (err error) {
	r.releaseMemory()
	if r.Stop != nil {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer context.AfterFunc(r.Stop, func() { cancel(context.Cause(r.Stop)) })()
		defer cancel(nil)
	}
	return r.task.anonymize(ctx)
}

// write writes the release to a temporary file, compressed as the path's extension has it.
func (r *run) write(ctx context.Context) (err error) {
	r.releaseMemory()
	to, err := r.create(ctx)
	if err != nil {
		return err
	}
	sum := newSummer()
	packed, err := dataset.Compress(io.MultiWriter(to, sum), r.Output)
	if err == nil {
		err = errors.Join(r.task.write(packed), packed.Close())
	}
	if err == nil && r.table != nil {
		err = r.table.Finish()
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", nameWritten(r.Output), publish.Reason(err))
	}
	r.written = sum.file(report.RolePublished, r.Output, string(r.task.format()))
	r.written.Name = outputName(r.Output)
	return ctx.Err()
}

// verify reads the temporary file back and judges it against the original.
func (r *run) verify(ctx context.Context) error {
	r.releaseMemory()
	if err := r.readBack(ctx); err != nil {
		return refused("read back what it wrote", ctx, err)
	}
	var err error
	if r.finding, err = r.task.verify(ctx); err != nil {
		return refused("verify the release", ctx, err)
	}
	if !r.finding.Holds {
		return &BreachError{r.finding}
	}
	return nil
}

// measure takes the losses of the file that was read back.
func (r *run) measure(ctx context.Context) (err error) {
	if r.losses, err = r.task.losses(ctx); err != nil {
		return refused("measure the release", ctx, err)
	}
	return nil
}

// attack tests the release for the audit file.
func (r *run) attack(ctx context.Context) error {
	if r.Audit == "" && !slices.ContainsFunc(r.FailIf, report.Threshold.Tested) {
		return nil
	}
	c, t, err := r.task.attack()
	if err != nil {
		return refused("attack the release", ctx, err)
	}
	if r.tested, err = r.session.attackedBoth(ctx, c, t); err != nil {
		return err
	}
	if u, is := r.task.(*kmTask); is {
		r.losses = append(r.losses, u.utility(ctx)...)
	}
	return ctx.Err()
}

// announce makes the report: from what is public alone.
func (r *run) announce(ctx context.Context) error {
	common, err := r.session.public(r)
	if err == nil {
		r.announced, err = r.task.public(ctx, common)
	}
	if err == nil {
		addCautions(r.announced, r.Family.Name())
	}
	return err
}

// releaseMemory gives memory back that the steps before no longer need, where memory is bounded: it
// must not count beside what the next step takes.
func (r *run) releaseMemory() {
	if r.Memory > 0 {
		debug.FreeOSMemory()
	}
}

// custodian is what was found by looking at the original.
func (r *run) custodian() *report.Custodian {
	out := &report.Custodian{
		Verification: r.finding, Losses: r.losses, Attack: r.tested, Warnings: []string{},
		Cautions: r.cautions,
	}
	if !r.OmitTimings {
		out.Measured = r.meter.measured()
		out.Measured.Bound = uint64(r.Memory)
	}
	r.task.custodian(out)
	if r.Shuffle && r.Audit == "" {
		out.Warnings = append(out.Warnings, orderLost)
	}
	return out
}
