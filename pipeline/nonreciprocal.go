package pipeline

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/nonreciprocal"
	"mingle/dataset"
	"mingle/internal/order"
	"mingle/internal/publish"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// NonreciprocalJob is a release to be made from a file by nonreciprocal recoding. It runs as a [Job] does.
type NonreciprocalJob struct {
	Input        string // required; "-" is In
	InputOptions dataset.Options
	Label        string // the column of the sensitive labels; required for l-diversity

	Promise    privacy.Nonreciprocal
	Algorithm  string // "nr" or "cahd"; "": nr
	Graph      string // "nearest" or "ring"; "": nearest
	Items      string // order of the items: "dictionary", "frequent" or "rare"; "": the best
	SegmentMin int    // 0: 300
	SegmentMax int    // 0: 350
	Seed       *[32]byte

	Output string // required; "-" is Out
	Report string // "": none
	Audit  string // "": none; secret
	Force  bool   // replace existing files

	Workers  int   // at most this many goroutines; 0: one a processor
	Room     int64 // what may be held, in bytes: what needs more is refused before the work; 0: no matter
	Progress func(anonymize.Progress)
	In       io.Reader
	Out      io.Writer

	Key     *report.Key // of the keyed hashes that tie the report to the audit file; nil: drawn at random
	Command []string    // as it was given, for the audit file
	Recipe  string      // the same without what must not be published, for the report
}

// Run makes the release: it reads, recodes, writes to a temporary file, lets the independent verifier judge what it
// reads back, and only then puts the files in place. No times are taken: how long a random walk took is
// nobody's business.
func (j NonreciprocalJob) Run(ctx context.Context) (*report.Outcome, error) {
	j.Promise.GroupsSeeLabels = j.Algorithm == nonreciprocal.CAHD && j.Promise.Diverse()
	r := &nonreciprocalRun{NonreciprocalJob: j, session: &session{set: &publish.Set{Force: j.Force, Out: j.Out}, listener: j.Progress, key: j.Key}}
	defer r.close()
	if err := r.work(ctx, r.steps()...); err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// steps is everything up to the files' appearing.
func (r *nonreciprocalRun) steps() []step {
	return []step{
		{"check", r.check},
		{"read", r.read},
		{"anonymize", r.anonymize},
		{"write", r.write},
		{"verify", r.verify},
		{"measure", r.measure},
		{"attack", r.attack},
		{"report", r.announce},
	}
}

type nonreciprocalRun struct {
	NonreciprocalJob
	*session
	files *Files

	data      *dataset.Dataset
	labels    []string
	warnings  []string
	result    *nonreciprocal.Result
	output    *publish.File
	written   *report.File
	published *release.Nonreciprocal // as read back
	finding   *verify.Finding
	losses    []report.Loss
	tested    *report.Attack
	announced *report.Report
}

func (r *nonreciprocalRun) input() nonreciprocal.Input {
	return nonreciprocal.Input{
		Data: r.data, Labels: r.labels, Promise: r.Promise, Algorithm: r.Algorithm, Graph: r.Graph, Items: r.Items,
		Segments: order.Bounds{Min: r.SegmentMin, Max: r.SegmentMax}, Seed: r.Seed, Workers: r.Workers, Room: r.Room, Progress: r.progress,
	}
}

func (r *nonreciprocalRun) check(context.Context) error {
	var faults []error
	if r.Promise.Diverse() && r.Label == "" {
		faults = append(faults, errors.New("l-diversity needs a label for every record: name its column with --label"))
	}
	if format := outputFormat(r.Output, "", dataset.JSONL); r.Output != Stdin && format != dataset.JSONL {
		faults = append(faults, fmt.Errorf("%s: base sets with uncertain items are written as jsonl only: name the output .jsonl", name(r.Output)))
	}
	in := r.input()
	in.Data, in.Labels = dataset.FromLabels(nil), []string{}
	faults = append(faults, in.Validate())
	faults = append(faults, r.session.check(r.In, []string{r.Input},
		target{what: "output", path: r.Output}, target{what: "report", path: r.Report}, target{what: "audit", path: r.Audit}))
	return errors.Join(faults...)
}

func (r *nonreciprocalRun) read(ctx context.Context) (err error) {
	r.files = &Files{In: r.In, Workers: r.Workers, Progress: r.progress}
	r.data, r.labels, r.warnings, err = r.files.labelled(ctx, roleTransactions, r.Input, r.Label, r.InputOptions)
	return err
}

// labelled reads transactions and the labels in one of their columns. The other columns are not kept.
func (f *Files) labelled(ctx context.Context, role, path, label string, opts dataset.Options) (*dataset.Dataset, []string, []string, error) {
	if label != "" {
		opts.LabelColumns = append(slices.Clone(opts.LabelColumns), label)
	}
	d, opts, err := f.Transactions(ctx, role, path, opts)
	if err != nil {
		return nil, nil, nil, err
	}
	var labels, warnings []string
	for _, c := range d.Columns {
		if c.Name == label && label != "" {
			labels = c.Values
		} else {
			warnings = append(warnings, fmt.Sprintf("column %q is not published: records are shuffled, and it would tell them apart", c.Name))
		}
	}
	if label != "" && labels == nil {
		return nil, nil, nil, fmt.Errorf("%s: has no column %q; files of the format %s have no labels, long, table and jsonl have", name(path), label, opts.Format)
	}
	return d, labels, warnings, nil
}

func (r *nonreciprocalRun) anonymize(ctx context.Context) (err error) {
	r.result, err = nonreciprocal.Anonymize(ctx, r.input())
	return err
}

// write writes the release to a temporary file.
func (r *nonreciprocalRun) write(ctx context.Context) (err error) {
	if r.output, err = r.set.Create(r.Output, publish.Public); err != nil {
		return err
	}
	sum := &summer{hash: newHash()}
	packed, err := dataset.Compress(io.MultiWriter(r.output, sum), r.Output)
	if err != nil {
		return err
	}
	if err := errors.Join(r.result.Release.WriteJSON(packed), packed.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", name(r.Output), publish.Reason(err))
	}
	file := sum.file(report.RolePublished, r.Output, string(dataset.JSONL))
	if r.Output == publish.Stdout {
		file.Name = "standard output"
	}
	r.written = &file
	return ctx.Err()
}

// verify reads the temporary file back and judges it against the original.
func (r *nonreciprocalRun) verify(ctx context.Context) (err error) {
	refused := func(step string, err error) error { return refused(step, ctx, err) }
	if _, err := r.output.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if r.published, err = release.ReadOwnNonreciprocal(r.output, r.data.Dict()); err != nil {
		return refused("read back what it wrote", err)
	}
	r.finding, err = verify.Nonreciprocal(ctx, verify.NonreciprocalInput{
		Original: r.data, Labels: r.labels, Published: r.published, Promise: r.Promise, Workers: r.Workers, Progress: r.progress,
	})
	if err != nil {
		return refused("verify the release", err)
	}
	if !r.finding.Holds {
		return &BreachError{r.finding}
	}
	return nil
}

// measure computes the losses, on the published file as it was read back.
func (r *nonreciprocalRun) measure(ctx context.Context) (err error) {
	if r.losses, err = nonreciprocalLosses(r.data, r.published, r.result.Audit.Row); err != nil {
		return refused("measure the release", ctx, err)
	}
	return nil
}

// announce makes the report: from what is public alone.
func (r *nonreciprocalRun) announce(context.Context) error {
	common, err := r.session.public(r.Recipe, r.files.Read, *r.written, r.Audit)
	if err != nil {
		return err
	}
	algorithm := nonreciprocal.CAHD
	if r.Algorithm != nonreciprocal.CAHD {
		algorithm = "nr, " + cmp.Or(r.Graph, nonreciprocal.NearestGraph) + " graph"
	}
	p := publicNonreciprocal{public: common, promise: r.Promise, algorithm: algorithm, fixed: r.Seed != nil, published: r.published}
	r.announced = p.report()
	return nil
}

func (r *nonreciprocalRun) finish(ctx context.Context) (*report.Outcome, error) {
	return r.session.leave(ctx, results{
		Outcome: &report.Outcome{Report: r.announced, Custodian: r.custodian()},
		read:    r.files.Read, written: *r.written, command: r.Command, report: r.Report, audit: r.Audit, fill: r.fillAudit,
	})
}

// custodian is what was found by looking at the original.
func (r *nonreciprocalRun) custodian() *report.Custodian {
	return &report.Custodian{
		Method: "items in the order " + r.result.Stats.ItemOrder, Verification: r.finding, Losses: r.losses, Attack: r.tested,
		Warnings: warnings(r.data.Notes, r.warnings, r.result.Release.Warnings),
	}
}

// fillAudit adds the seed and the true matches.
func (r *nonreciprocalRun) fillAudit(a *report.Audit) error {
	a.Items = []report.AuditItem{}
	secret := r.result.Audit
	a.Draw = &report.Draw{Seed: hex.EncodeToString(secret.Seed[:]), Fixed: secret.Fixed}
	for u, row := range secret.Match {
		a.Draw.Matches = append(a.Draw.Matches, report.Match{Line: r.data.Line(u), Match: row + 1, Own: secret.Row[u] + 1})
	}
	return nil
}

// nonreciprocal reads a published file of base sets and uncertain items over the items of the original.
func (f *Files) nonreciprocal(ctx context.Context, path string, dict *dataset.Dictionary) (published *release.Nonreciprocal, err error) {
	err = f.open(ctx, "published", path, string(dataset.JSONL), func(in io.Reader) (err error) {
		if published, err = release.ReadNonreciprocal(in, dict); err != nil {
			return fmt.Errorf("%s: %w", name(path), err)
		}
		return nil
	})
	return published, err
}

// NonreciprocalCheck is the question whether a published file keeps k-anonymity or l-diversity by nonreciprocal recoding.
type NonreciprocalCheck struct {
	Original  string // required
	Published string // required
	Options   dataset.Options
	Label     string // the column of the labels in the original; "": they are not compared
	Promise   privacy.Nonreciprocal
	Files     *Files
}

// Run reads the files and gives the verdict.
func (c NonreciprocalCheck) Run(ctx context.Context) (*verify.Finding, error) {
	if err := c.Promise.Validate(); err != nil {
		return nil, err
	}
	original, labels, _, err := c.Files.labelled(ctx, "original", c.Original, c.Label, c.Options)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	published, err := c.Files.nonreciprocal(ctx, c.Published, original.Dict())
	if err != nil {
		return nil, stopped(ctx, err)
	}
	finding, err := verify.Nonreciprocal(ctx, verify.NonreciprocalInput{
		Original: original, Labels: labels, Published: published, Promise: c.Promise, Workers: c.Files.Workers, Progress: c.Files.Progress,
	})
	return finding, stopped(ctx, err)
}
