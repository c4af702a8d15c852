package pipeline

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"mingle/anonymize/nonreciprocal"
	"mingle/anonymize/order"
	"mingle/attack"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// Nonreciprocal is k-anonymity or l-diversity by nonreciprocal recoding.
type Nonreciprocal struct {
	Layout  dataset.Options // of the original
	Label   string          // the column of the sensitive labels; required for l-diversity
	Promise privacy.Nonreciprocal

	Algorithm  string // "nr" or "cahd"; "": nr
	Graph      string // "nearest" or "ring"; "": nearest
	Items      string // order of the items: "dictionary", "frequent" or "rare"; "": the best
	SegmentMin int    // 0: 300
	SegmentMax int    // 0: 350
	GrayOnly   bool   // records in the Gray order, not improved by a tour

	// to measure: the audit file of the release; without it ("") the error rate is not known
	Audit string
}

// Name implements Family.
func (Nonreciprocal) Name() string { return "nonreciprocal" }

// Validate implements Family.
func (f Nonreciprocal) Validate() error { return f.Promise.Validate() }

func (f Nonreciprocal) begin(e *env) task {
	f.Promise.GroupsSeeLabels = f.Algorithm == nonreciprocal.CAHD && f.Promise.Diverse()
	return &nonreciprocalTask{Nonreciprocal: f, sets: sets{env: e, layout: f.Layout}}
}

// nonreciprocalTask is the work on base sets with uncertain items.
type nonreciprocalTask struct {
	Nonreciprocal
	sets
	labels    []string
	warned    []string
	result    *nonreciprocal.Result
	published *release.Nonreciprocal // as read back
}

func (t *nonreciprocalTask) inputs() []string { return nil }

func (t *nonreciprocalTask) refuse(j *Job) error {
	var faults []error
	if t.Promise.Diverse() && t.Label == "" {
		faults = append(
			faults,
			errors.New("l-diversity needs a label for every record: name its column with --label"),
		)
	}
	if format := outputFormat(
		j.Output, j.OutputFormat, dataset.JSONL,
	); j.Output != Stdin && format != dataset.JSONL {
		faults = append(faults, fmt.Errorf("%s: base sets with uncertain items are written as jsonl only: name the output .jsonl", name(j.Output)))
	}
	if j.Shuffle {
		faults = append(faults, errors.New("base sets are always published in a random order: leave out the shuffling"))
	}
	if len(j.KeepColumns) > 0 {
		faults = append(faults, errors.New("base sets are published without columns, but for the label: leave out the columns to keep"))
	}
	in := t.input()
	in.Data, in.Labels = dataset.FromLabels(nil), []string{}
	in.Promise = privacy.Nonreciprocal{K: 2} // the family validates its own
	return errors.Join(append(faults, in.Validate())...)
}

func (t *nonreciprocalTask) input() nonreciprocal.Input {
	return nonreciprocal.Input{
		Data: t.raw, Labels: t.labels, Promise: t.Promise, Algorithm: t.Algorithm, Graph: t.Graph,
		Items: t.Items, GrayOnly: t.GrayOnly,
		Segments: order.Bounds{Min: t.SegmentMin, Max: t.SegmentMax}, Seed: t.seed,
		Workers: t.workers, Room: t.room, Progress: t.listener,
	}
}

// read reads transactions and the labels in one of their columns. The other columns are not kept.
func (t *nonreciprocalTask) read(ctx context.Context) error {
	if t.Label != "" {
		t.layout.LabelColumns = append(slices.Clone(t.layout.LabelColumns), t.Label)
	}
	if err := t.sets.read(ctx); err != nil {
		return err
	}
	for _, c := range t.raw.Columns {
		if c.Name == t.Label && t.Label != "" {
			t.labels = c.Values
		} else {
			t.warned = append(t.warned, fmt.Sprintf("column %q is not published: records are shuffled, and it would tell them apart", c.Name))
		}
	}
	if t.Label != "" && t.labels == nil {
		return fmt.Errorf("%s: has no column %q; files of the format %s have no labels, %s have", name(t.originalPath), t.Label, t.layout.Format, dataset.WithColumns())
	}
	return nil
}

func (t *nonreciprocalTask) bind(context.Context) error { return nil }

// valid refuses what cannot be anonymized, by the lines of the file.
func (t *nonreciprocalTask) valid() error {
	err := t.input().Validate()
	var faults *dataset.Faults
	if errors.As(err, &faults) {
		faults.Name = name(t.originalPath)
	}
	return err
}

func (t *nonreciprocalTask) anonymize(ctx context.Context) (err error) {
	if err := t.valid(); err != nil {
		return err
	}
	t.result, err = nonreciprocal.Anonymize(ctx, t.input())
	return err
}

// layOut: there is one layout of base sets.
func (t *nonreciprocalTask) layOut(dataset.Format) error { return nil }

func (t *nonreciprocalTask) writable() error { return nil }

func (t *nonreciprocalTask) format() dataset.Format { return dataset.JSONL }

func (t *nonreciprocalTask) write(w io.Writer) error { return t.result.Release.WriteJSON(w) }

func (t *nonreciprocalTask) parse(_ context.Context, in io.Reader, own bool) (err error) {
	if t.raw == nil {
		return errors.New(
			"base sets are read with the items of their original: give the original file too",
		)
	}
	if own {
		t.published, err = release.ReadOwnNonreciprocal(in, t.raw.Dict())
		return err
	}
	if t.published, err = release.ReadNonreciprocal(in, t.raw.Dict()); err != nil {
		return fmt.Errorf("%s: %w", name(t.publishedPath), err)
	}
	return nil
}

func (t *nonreciprocalTask) verify(ctx context.Context) (*verify.Finding, error) {
	return verify.Nonreciprocal(ctx, verify.NonreciprocalInput{
		Original: t.raw, Labels: t.labels, Published: t.published, Promise: t.Promise,
		Workers: t.workers, Progress: t.progress,
	})
}

// losses are those of the published file as it was read back.
func (t *nonreciprocalTask) losses(context.Context) ([]report.Loss, error) {
	return nonreciprocalLosses(t.raw, t.published, t.result.Audit.Row)
}

func (t *nonreciprocalTask) attack() (*attack.Case, test, error) {
	plan := test{
		k: t.Promise.Matches(), m: knownOfWhole, promised: knownOfWhole, draws: testedSome,
		workers: t.workers,
		persons: t.raw.Len(), records: t.published.Len(),
	}
	c, err := attack.Nonreciprocal(t.raw, t.published)
	if err == nil && t.labels != nil {
		err = c.Labels(t.labels, t.published.Labels)
	}
	return c, plan, err
}

func (t *nonreciprocalTask) public(_ context.Context, common *public) (*report.Report, error) {
	algorithm := nonreciprocal.CAHD
	if t.Algorithm != nonreciprocal.CAHD {
		algorithm = "nr, " + cmp.Or(t.Graph, nonreciprocal.NearestGraph) + " graph"
	}
	p := publicNonreciprocal{
		public: *common, promise: t.Promise, algorithm: algorithm, fixed: common.seeded,
		label: t.Label, published: t.published,
	}
	return p.report(), nil
}

// custodian tells no times: how long a random walk took is nobody's business.
func (t *nonreciprocalTask) custodian(out *report.Custodian) {
	out.Method = "items in the order " + t.result.Stats.ItemOrder
	out.Warnings = warnings(t.raw.Notes, t.warned, t.result.Release.Warnings)
	out.Measured = nil
}

// audit adds the seed and the true matches.
func (t *nonreciprocalTask) audit(a *report.Audit) error {
	a.Items = []report.AuditItem{}
	secret := t.result.Audit
	a.Draw = &report.Draw{Seed: hex.EncodeToString(secret.Seed[:]), Fixed: secret.Fixed}
	for u, row := range secret.Match {
		a.Draw.Matches = append(
			a.Draw.Matches,
			report.Match{Line: t.raw.Line(u), Match: row + 1, Own: secret.Row[u] + 1},
		)
	}
	return nil
}
