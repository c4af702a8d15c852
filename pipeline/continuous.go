package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/continuous"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/internal/publish"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// ContinuousJob is a release of bags of numbers to be made from a file. It runs as a [Job] does.
type ContinuousJob struct {
	Input  string // required; "-" is In
	Layout bag.Layout

	Promise   privacy.Continuous
	Algorithm continuous.Algorithm
	Threshold float64 // d of acd, 0 to 1; the paper's default is 0.001
	PaperOnly bool    // acd without the passes that go beyond the paper

	// Hierarchy is a file of ranges for aa; where there is none, Ranges says how to build one.
	Hierarchy        string
	HierarchyOptions hierarchy.ReadOptions
	Ranges           hierarchy.RangeOptions

	Output       string         // required; "-" is Out
	OutputFormat dataset.Format // "": that of the input
	Report       string         // "": none
	Audit        string         // "": none; secret
	Force        bool           // replace existing files

	Progress func(anonymize.Progress)
	In       io.Reader
	Out      io.Writer
	Recipe   string      // the command without what must not be published, for the report
	Key      *report.Key // of the keyed hashes that tie the report to the audit file; nil: drawn at random
	Command  []string    // as it was given, for the audit file
	Bare     bool        // leave times and memory out of the audit file
}

// Run makes the release: it reads, anonymizes, writes to a temporary file, lets the independent verifier judge what it
// reads back, measures, and only then puts the files in place.
func (j ContinuousJob) Run(ctx context.Context) (*report.Outcome, error) {
	r := &continuousRun{ContinuousJob: j, session: &session{meter: startMeter(), set: &publish.Set{Force: j.Force, Out: j.Out}, listener: j.Progress, key: j.Key}}
	defer r.close()
	if err := r.work(ctx, r.steps()...); err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// steps is everything up to the files' appearing.
func (r *continuousRun) steps() []step {
	return []step{
		{"check", r.check},
		{"read", r.read},
		{"anonymize", r.anonymize},
		{"write", r.write},
		{"verify", r.verify},
		{"attack", r.attack},
		{"report", r.announce},
	}
}

type continuousRun struct {
	ContinuousJob
	*session
	files *Files

	data      *bag.Bags
	tree      *hierarchy.Tree
	release   *release.Ranges
	output    *publish.File
	written   *report.File
	published *bag.Bags // as read back
	finding   *verify.Finding
	tested    *report.Attack
	announced *report.Report
}

func (r *continuousRun) check(context.Context) error {
	return errors.Join(r.Promise.Validate(), r.session.check(r.In, []string{r.Input, r.Hierarchy},
		target{what: "output", path: r.Output}, target{what: "report", path: r.Report}, target{what: "audit", path: r.Audit}))
}

func (r *continuousRun) read(ctx context.Context) (err error) {
	r.files = &Files{In: r.In, Progress: r.progress}
	if r.data, err = r.files.Bags(ctx, roleRecords, r.Input, &r.Layout); err != nil {
		return err
	}
	if r.Algorithm.Name() != (continuous.AA{}).Name() || len(r.data.Terms()) == 0 {
		return nil
	}
	if r.Hierarchy != "" {
		r.tree, err = r.files.Hierarchy(ctx, r.Hierarchy, r.HierarchyOptions)
		return err
	}
	r.Ranges.Kind = r.Layout.Kind
	r.tree, err = hierarchy.Ranges(r.data.Terms(), r.Ranges)
	return err
}

// Bags reads a file of bags of numbers; what Read finds out about the layout is put into it.
func (f *Files) Bags(ctx context.Context, role, path string, l *bag.Layout) (*bag.Bags, error) {
	l.Name = name(path)
	var b *bag.Bags
	err := f.open(ctx, role, path, string(l.Format), func(r io.Reader) (err error) {
		b, err = bag.Read(r, l)
		return err
	})
	if err == nil {
		f.Read[len(f.Read)-1].Format = string(l.Format)
	}
	return b, err
}

func (r *continuousRun) anonymize(ctx context.Context) (err error) {
	r.release, err = r.Algorithm.Anonymize(ctx, continuous.Input{
		Data: r.data, Promise: r.Promise, Threshold: r.Threshold, PaperOnly: r.PaperOnly, Tree: r.tree, Kind: r.Layout.Kind, Progress: r.Progress,
	})
	return err
}

// outputLayout is how the published file is laid out: as the input where the two formats are the same.
func (r *continuousRun) outputLayout() *bag.Layout {
	l := r.Layout
	l.Ranges, l.Name = true, name(r.Output)
	if r.OutputFormat != "" && r.OutputFormat != l.Format {
		l = bag.Layout{Format: r.OutputFormat, Kind: l.Kind, Ranges: true, Name: l.Name}
	}
	return &l
}

// write writes the release to a temporary file.
func (r *continuousRun) write(ctx context.Context) (err error) {
	if r.output, err = r.set.Create(r.Output, publish.Public); err != nil {
		return err
	}
	sum := &summer{hash: newHash()}
	packed, err := dataset.Compress(io.MultiWriter(r.output, sum), r.Output)
	if err == nil {
		err = errors.Join(bag.Write(packed, r.release.Published(), r.outputLayout()), packed.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name(r.Output), publish.Reason(err))
	}
	file := sum.file(report.RolePublished, r.Output, string(r.outputLayout().Format))
	if r.Output == publish.Stdout {
		file.Name = "standard output"
	}
	r.written = &file
	return ctx.Err()
}

// verify reads the temporary file back and judges it against the original. A long file has no row for an empty record, so
// empty records of the original are not looked for in it.
func (r *continuousRun) verify(ctx context.Context) (err error) {
	if _, err := r.output.Seek(0, io.SeekStart); err != nil {
		return err
	}
	l := r.outputLayout()
	l.Own = true
	if r.published, err = bag.Read(r.output, l); err != nil {
		return refused("read back what it wrote", ctx, err)
	}
	original := r.data
	if l.Format == dataset.Long {
		original = original.WithoutEmpty()
	}
	r.finding, err = verify.Continuous(ctx, verify.ContinuousInput{
		Published: r.published, Original: original, Promise: r.Promise, Progress: r.progress,
	})
	if err != nil {
		return refused("verify the release", ctx, err)
	}
	if !r.finding.Holds {
		return &BreachError{r.finding}
	}
	return nil
}

// announce makes the report: from what is public alone.
func (r *continuousRun) announce(ctx context.Context) error {
	common, err := r.session.public(r.Recipe, r.files.Read, *r.written, r.Audit)
	if err != nil {
		return err
	}
	common.test = r.Report != ""
	p := publicContinuous{public: common, promise: r.Promise, algorithm: r.Algorithm.Name(), published: r.published}
	r.announced, err = p.report(ctx)
	return err
}

func (r *continuousRun) finish(ctx context.Context) (*report.Outcome, error) {
	return r.session.leave(ctx, results{
		Outcome: &report.Outcome{Report: r.announced, Custodian: r.custodian()},
		read:    r.files.Read, written: *r.written, command: r.Command, report: r.Report, audit: r.Audit, fill: r.fillAudit,
	})
}

// custodian is what was found by looking at the original.
func (r *continuousRun) custodian() *report.Custodian {
	loss := measure.Bags(r.release)
	out := &report.Custodian{
		Verification: r.finding, Attack: r.tested, Warnings: warnings(r.release.Warnings),
		Losses: []report.Loss{
			{Name: "NCP", Value: loss.NCP, Formula: "sum over occurrences of (b-a)/(max-min) for a range [a-b], 0 for a value, divided by the occurrences", Source: "gkountouna-2014, 3.3"},
			{Name: "generalized", Value: share(loss.Generalized, loss.Occurrences), Formula: "occurrences published as a range, divided by all", Source: "count"},
		},
	}
	if !r.Bare {
		out.Measured = r.meter.measured()
	}
	return out
}

// fillAudit adds, for each value of the original, in how many records it is and what it is published as.
func (r *continuousRun) fillAudit(a *report.Audit) error {
	a.Items = []report.AuditItem{}
	support := make([]int, len(r.data.Terms()))
	terms := make([][]int32, len(support)) // of each value, distinct, ascending
	for i := range r.data.Len() {
		record := r.data.Record(i)
		for n, v := range record {
			if n == 0 || record[n-1] != v {
				support[v]++
			}
			t := r.release.Term(r.data.Start(i) + n)
			if at, known := slices.BinarySearch(terms[v], t); !known {
				terms[v] = slices.Insert(terms[v], at, t)
			}
		}
	}
	for v, value := range r.data.Terms() {
		item := report.AuditItem{Item: value.String(), Support: support[v]}
		for _, t := range terms[v] {
			item.PublishedAs = append(item.PublishedAs, r.release.Terms[t].String())
		}
		a.Items = append(a.Items, item)
	}
	return nil
}

// ContinuousCheck judges a published file of bags of numbers.
type ContinuousCheck struct {
	Published string // required
	Original  string // "": judged without
	Layout    bag.Layout
	// PublishedFormat is that of the published file; "": that of the original, or found out.
	PublishedFormat dataset.Format
	Promise         privacy.Continuous
	Files           *Files
}

// Run reads the files and lets the verifier judge.
func (c ContinuousCheck) Run(ctx context.Context) (*verify.Finding, error) {
	if err := c.Promise.Validate(); err != nil {
		return nil, err
	}
	in := verify.ContinuousInput{Promise: c.Promise, Workers: c.Files.Workers, Progress: c.Files.Progress}
	var format dataset.Format
	var err error
	if in.Original, in.Published, format, err = c.Files.bothBags(ctx, c.Original, c.Published, c.Layout, c.PublishedFormat); err != nil {
		return nil, err
	}
	if in.Original != nil && format == dataset.Long {
		in.Original = in.Original.WithoutEmpty()
	}
	return verify.Continuous(ctx, in)
}

// bothBags reads the original, if one is named, and the published file, which is laid out as the original where no other
// format is given for it.
func (f *Files) bothBags(ctx context.Context, original, published string, l bag.Layout, format dataset.Format) (before, after *bag.Bags, as dataset.Format, err error) {
	kind := l.Kind
	if original != "" {
		if before, err = f.Bags(ctx, roleRecords, original, &l); err != nil {
			return nil, nil, "", err
		}
	}
	if format != "" && format != l.Format {
		l = bag.Layout{Format: format, Kind: kind}
	}
	l.Ranges = true
	after, err = f.Bags(ctx, "published", published, &l)
	return before, after, l.Format, err
}

// ContinuousMeasurement is the question what a published file of numbers lost.
type ContinuousMeasurement struct {
	Original, Published string
	Layout              bag.Layout
	PublishedFormat     dataset.Format // "": that of the original
	Files               *Files
}

// Run reads both files and measures.
func (m ContinuousMeasurement) Run(ctx context.Context) (*measure.BagsNCP, error) {
	before, after, format, err := m.Files.bothBags(ctx, m.Original, m.Published, m.Layout, m.PublishedFormat)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	if format == dataset.Long {
		before = before.WithoutEmpty()
	}
	loss, err := measure.PublishedBags(before, after)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name(m.Published), err)
	}
	return &loss, nil
}
