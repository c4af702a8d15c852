package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"mingle/anonymize/continuous"
	"mingle/attack"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// Continuous is k^m-anonymity of bags of numbers by ranges.
type Continuous struct {
	Layout  bag.Layout // of the original
	Promise privacy.Continuous

	Algorithm string  // "acd", "aa" or "local"; "": acd
	Threshold float64 // d of acd, 0 to 1; the paper's default is 0.001
	PaperOnly bool    // acd without the passes that go beyond the paper

	// Hierarchy is a file of ranges for aa; where there is none, Ranges says how to build one.
	Hierarchy        string
	HierarchyOptions hierarchy.ReadOptions
	Ranges           hierarchy.RangeOptions
}

// Name implements Family.
func (Continuous) Name() string { return "continuous" }

// Validate implements Family.
func (f Continuous) Validate() error { return f.Promise.Validate() }

func (f Continuous) begin(e *env) task {
	return &continuousTask{Continuous: f, env: e, layout: f.Layout}
}

// continuousTask is the work on bags of numbers.
type continuousTask struct {
	Continuous
	*env
	layout, output bag.Layout // of the original, of the published file
	data           *bag.Bags
	tree           *hierarchy.Tree
	release        *release.Ranges
	published      *bag.Bags // as read back
	rowAValue      bool      // the published file has no row for an empty record
}

func (t *continuousTask) inputs() []string { return []string{t.Hierarchy} }

func (t *continuousTask) refuse(*Job) error { return nil }

func (t *continuousTask) read(ctx context.Context) (err error) {
	t.layout.Keep = t.columns.keep
	t.data, err = t.files.Bags(ctx, t.originalPath, &t.layout)
	if err == nil {
		err = t.columns.refuse(t.layout.Format)
	}
	if err == nil {
		err = t.columns.check(t.originalPath, t.data.Columns)
	}
	if err == nil {
		t.data, err = t.bagsInOrder(t.data)
	}
	return err
}

// bind reads or builds the ranges of aa.
func (t *continuousTask) bind(ctx context.Context) (err error) {
	if t.Algorithm != continuous.AA || t.data == nil || len(t.data.Terms()) == 0 {
		return nil
	}
	if t.Hierarchy != "" {
		t.tree, err = t.files.Hierarchy(ctx, t.Hierarchy, t.HierarchyOptions)
		return err
	}
	ranges := t.Ranges
	ranges.Kind = t.layout.Kind
	ranges.Ended = func() error { return context.Cause(ctx) }
	t.tree, err = hierarchy.Ranges(t.data.Terms(), ranges)
	return err
}

func (t *continuousTask) anonymize(ctx context.Context) (err error) {
	t.release, err = continuous.Anonymize(ctx, continuous.Input{
		Data: t.data, Promise: t.Promise, Algorithm: t.Algorithm,
		Threshold: t.Threshold, PaperOnly: t.PaperOnly, Tree: t.tree,
		Kind: t.layout.Kind, Room: cmp.Or(t.memory, t.room), Workers: t.workers,
		Progress: t.listener,
	})
	return err
}

// layOut lays the published file out as the original where the two formats are the same.
func (t *continuousTask) layOut(asked dataset.Format) error {
	t.output = t.layout
	if asked == "" {
		asked = cmp.Or(t.byText(), t.byName())
	}
	switch {
	case asked == "" || asked == t.layout.Format:
	case t.layout.Format == "":
		t.output.Format = asked
	default:
		t.output = bag.Layout{Format: asked, Kind: t.layout.Kind}
	}
	t.output.Delimiter = t.between()
	t.output.SkipIncomplete, t.output.Encoding = false, ""
	t.output.Table, t.output.Query = "", ""
	t.output.Ranges, t.output.Name = true, name(t.publishedPath)
	t.output.Keep = t.columns.all()
	if err := t.columns.refuse(t.output.Format); err != nil {
		return err
	}
	return differ(t.publishedPath, append(t.columns.all(), t.output.ID, t.output.Set)...)
}

// byName is the format of the published file by its name; "": that of the original, or it is found
// by the text.
func (t *continuousTask) byName() dataset.Format {
	if f := columnsOf(t.publishedPath); f != "" {
		return f
	}
	by := dataset.ByExtension(dataset.Extension(t.publishedPath))
	switch {
	case t.layout.Format == "" || by == dataset.SPMF: // which is no format of numbers
		return ""
	case by == "" && t.layout.Format.IsColumns():
		return outputFormat(t.publishedPath, "", t.layout.Format)
	}
	return by
}

// byText is the format that the text of a published .csv file shows, beside its original; "": it
// shows none.
func (t *continuousTask) byText() dataset.Format {
	if !t.compared || t.layout.Format == "" || !dataset.NamedCSV(t.publishedPath) {
		return ""
	}
	layout := t.layout
	layout.Delimiter = t.between()
	return layout.Beside(t.publishedPath)
}

// between is the delimiter of the published file's fields; 0: it is not known yet.
func (t *continuousTask) between() rune {
	to := dataset.Extension(t.publishedPath) == dataset.TSV
	was := dataset.Extension(t.originalPath) == dataset.TSV
	switch {
	case t.delimiter != 0:
		return t.delimiter
	case to && !was:
		return '\t'
	case was && !to:
		return 0
	}
	return t.output.Delimiter
}

func (t *continuousTask) writable() error { return bag.CheckTerms(t.data.Terms(), &t.output) }

func (t *continuousTask) format() dataset.Format { return t.output.Format }

func (t *continuousTask) write(w io.Writer) error {
	return bag.Write(w, t.release.Published().WithColumns(t.columns.all()), &t.output)
}

func (t *continuousTask) parse(ctx context.Context, in io.Reader, own bool) (err error) {
	layout := t.output
	layout.Own = own
	t.published, err = bag.Read(ctx, in, &layout)
	t.output.Format, t.rowAValue = layout.Format, layout.RowAValue()
	if err == nil && own {
		err = t.columns.alone(t.published.Columns)
	}
	if err == nil && !own {
		t.columns.see(t.published.Columns, t.published.Surplus.Unread)
		t.beside = verify.Surplus(t.published.Surplus)
	}
	return err
}

// original is the data that the published file is of: a file with a row a value has none for an
// empty record, so empty records are not looked for in it.
func (t *continuousTask) original() *bag.Bags {
	if t.data != nil && t.rowAValue {
		return t.data.WithoutEmpty()
	}
	return t.data
}

func (t *continuousTask) verify(ctx context.Context) (*verify.Finding, error) {
	return verify.Continuous(ctx, verify.ContinuousInput{
		Published: t.published, Original: t.original(), Promise: t.Promise, Workers: t.workers,
		Progress: t.progress,
	})
}

func (t *continuousTask) losses(context.Context) ([]report.Loss, error) {
	loss, err := t.measured()
	if err != nil {
		return nil, err
	}
	return []report.Loss{
		{Name: "NCP", Value: loss.NCP, Formula: "sum over occurrences of (b-a)/(max-min) for a range [a-b], 0 for a value, divided by the occurrences", Source: "gkountouna-2014, 3.3"},
		{Name: "generalized", Value: share(loss.Generalized, loss.Occurrences), Formula: "occurrences published as a range, divided by all", Source: "count"},
	}, nil
}

func (t *continuousTask) measured() (measure.BagsNCP, error) {
	return measure.PublishedBags(t.original(), t.published)
}

func (t *continuousTask) attack() (*attack.Case, test, error) {
	plan := test{
		k: t.Promise.K, m: t.Promise.M + 1, promised: t.Promise.M, draws: testedSome,
		workers: t.workers,
		persons: t.data.Len(), records: t.published.Len(),
	}
	c, err := attack.Ranges(t.data, t.published)
	return c, plan, err
}

func (t *continuousTask) public(ctx context.Context, common *public) (*report.Report, error) {
	p := publicContinuous{
		public: *common, promise: t.Promise,
		algorithm: cmp.Or(t.Algorithm, continuous.ACD), published: t.published,
	}
	return p.report(ctx)
}

func (t *continuousTask) custodian(out *report.Custodian) {
	out.Warnings = warnings(t.data.Notes, t.release.Warnings)
}

// audit adds, for each value of the original, in how many records it is and what it is published
// as.
func (t *continuousTask) audit(a *report.Audit) error {
	a.Items = []report.AuditItem{}
	support := make([]int, len(t.data.Terms()))
	terms := make([][]int32, len(support)) // of each value, distinct, ascending
	for i := range t.data.Len() {
		record := t.data.Record(i)
		for n, v := range record {
			if n == 0 || record[n-1] != v {
				support[v]++
			}
			term := t.release.Term(t.data.Start(i) + n)
			if at, known := slices.BinarySearch(terms[v], term); !known {
				terms[v] = slices.Insert(terms[v], at, term)
			}
		}
	}
	for v, value := range t.data.Terms() {
		item := report.AuditItem{Item: value.String(), Support: support[v]}
		for _, term := range terms[v] {
			item.PublishedAs = append(item.PublishedAs, t.release.Terms[term].String())
		}
		a.Items = append(a.Items, item)
	}
	return nil
}

// LossOfBags measures what a published file of [Continuous] lost. It needs the original.
func (p Pair) LossOfBags(ctx context.Context) (*measure.BagsNCP, error) {
	opened, err := p.both(ctx)
	if err != nil {
		return nil, err
	}
	t, is := opened.(*continuousTask)
	if !is {
		return nil, fmt.Errorf("a release of kind %s has no ranges to be measured", p.Family.Name())
	}
	if says := p.misfit(t); says != "" {
		return nil, errors.New(says)
	}
	loss, err := t.measured()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name(p.Published), err)
	}
	return &loss, nil
}
