package pipeline

import (
	"context"
	"fmt"
	"io"
	"math/big"
	"slices"

	"mingle/anonymize/coherence"
	"mingle/attack"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/report"
	"mingle/verify"
)

// Coherence is (h,k,p)-coherence by suppressing public items.
type Coherence struct {
	Layout  dataset.Options // of the original
	Private string          // a list of the private items, one a line; "": all items are public
	// AllowUnknownPrivate lets the list have items that the data does not have.
	AllowUnknownPrivate bool
	Promise             privacy.Coherence

	NuggetSupport Support // k'; required for a release
	NuggetLen     int     // p'; 0: any
	Scoring       coherence.Scoring
	Moles         coherence.Counting
}

// Name implements Family.
func (Coherence) Name() string { return "coherence" }

// Validate implements Family.
func (f Coherence) Validate() error { return f.Promise.Validate() }

func (f Coherence) begin(e *env) task {
	return &coherenceTask{Coherence: f, sets: sets{env: e, layout: f.Layout}}
}

// coherenceTask is the work on data from which items are suppressed.
type coherenceTask struct {
	Coherence
	sets
	private   []string
	listed    string // what is to be said of the list of private items
	result    *coherence.Result
	published *dataset.Dataset // as read back
	noNugget  bool             // no itemset of the original has the nugget support
}

func (t *coherenceTask) inputs() []string { return []string{t.Private} }

func (t *coherenceTask) refuse(*Job) error {
	if t.NuggetLen < 0 {
		return fmt.Errorf(
			"the longest nugget (%d) must not be negative; 0 means any length", t.NuggetLen,
		)
	}
	return nil
}

// bind reads the private items.
func (t *coherenceTask) bind(ctx context.Context) (err error) {
	if t.Private == "" {
		return nil
	}
	if t.private, err = t.files.Items(ctx, rolePrivate, t.Private); err != nil || t.raw == nil {
		return err
	}
	t.listed, err = t.isListed(t.raw.Dict())
	return err
}

func (t *coherenceTask) list() itemList { return itemList{t.Private, "private", t.private} }

// isListed holds the list of private items against the items of data. An item that the data does
// not have is an error that names it, unless such items are allowed: it may be a misspelled one,
// that would go unprotected.
func (t *coherenceTask) isListed(data *dataset.Dictionary) (note string, err error) {
	if note, err = t.list().of(data); err != nil || t.AllowUnknownPrivate {
		return note, err
	}
	faults := dataset.Faults{}
	for _, item := range t.private {
		if _, occurs := data.ID(item); !occurs {
			faults.Addf(0, "private item %q is not in the data: correct it, or allow unknown "+
				"private items", item)
		}
	}
	return note, faults.Err(name(t.Private))
}

func (t *coherenceTask) anonymize(ctx context.Context) (err error) {
	t.result, err = coherence.Anonymize(ctx, t.input())
	return err
}

func (t *coherenceTask) input() coherence.Input {
	in := coherence.Input{
		Data: t.raw, Private: make([]bool, t.raw.Dict().Len()), Promise: t.Promise,
		NuggetSupport: t.NuggetSupport.Of(t.raw.Len()), NuggetLen: t.NuggetLen,
		Scoring: t.Scoring, Moles: t.Moles, Workers: t.workers,
		Progress: t.listener,
	}
	for _, label := range t.private {
		if it, ok := t.raw.Dict().ID(label); ok {
			in.Private[it] = true
		}
	}
	return in
}

func (t *coherenceTask) write(w io.Writer) error {
	return t.put(w, t.result.Release.Published())
}

func (t *coherenceTask) parse(ctx context.Context, in io.Reader, own bool) (err error) {
	if t.published, err = t.parsed(ctx, in, own); err != nil || len(t.private) == 0 {
		return err
	}
	if t.raw == nil { // private items stay: the published file has all that the original has
		t.listed, err = t.isListed(t.published.Dict())
		return err
	}
	_, err = t.list().of(t.published.Dict())
	return err
}

func (t *coherenceTask) verify(ctx context.Context) (*verify.Finding, error) {
	return noted(t.listed)(verify.Coherence(ctx, verify.CoherenceInput{
		Published: t.published, Original: t.raw, Private: t.private, Promise: t.Promise,
		Workers: t.workers, Progress: t.progress,
	}))
}

// attack knows public items, as the adversary of the promise does, and infers private ones.
func (t *coherenceTask) attack() (*attack.Case, test, error) {
	plan := test{
		k: t.Promise.K, m: t.Promise.P + 1, promised: t.Promise.P, sensitive: len(t.private) > 0,
		draws: testedMost, workers: t.workers, persons: t.raw.Len(), records: t.published.Len(),
	}
	published, err := t.over(t.raw.Dict(), t.published)
	if err != nil {
		return nil, plan, err
	}
	items, private, err := dataset.Split(t.raw, t.private)
	if err != nil {
		return nil, plan, err
	}
	kept, keptPrivate, err := dataset.Split(published, t.private)
	if err != nil {
		return nil, plan, err
	}
	c, err := attack.Suppressed(items, kept)
	if err != nil || len(t.private) == 0 {
		return c, plan, err
	}
	if keptPrivate, err = t.over(private.Dict(), keptPrivate); err == nil {
		err = c.Sensitive(private, keptPrivate)
	}
	return c, plan, err
}

func (t *coherenceTask) public(ctx context.Context, common *public) (*report.Report, error) {
	p := publicCoherence{
		public: *common, promise: t.Promise, private: t.private, published: t.published,
		allowUnknown: t.AllowUnknownPrivate,
	}
	return p.report(ctx)
}

func (t *coherenceTask) custodian(out *report.Custodian) {
	out.Method = fmt.Sprintf(
		"moles counted by %v, nuggets by %v; moles of an item held against its %v",
		t.result.MoleCounting, t.result.NuggetCounting, t.result.Scoring,
	)
	out.Suppressed = t.suppressed()
	out.Warnings = warnings(t.raw.Notes, t.list().almost(t.raw.Dict()), t.result.Release.Warnings)
	if t.noNugget {
		out.Warnings = append(out.Warnings, fmt.Sprintf("no itemset of the original has the "+
			"nugget support of %d transactions: the share that is kept is not told",
			t.NuggetSupport.Of(t.raw.Len())))
	}
}

// suppressed names the suppressed items in the order of their labels: the order of suppression
// tells about supports.
func (t *coherenceTask) suppressed() []string {
	out := make([]string, 0, len(t.result.Release.Items))
	for _, it := range t.result.Release.Items {
		out = append(out, t.raw.Dict().Label(it))
	}
	slices.SortFunc(out, dataset.CompareLabels)
	return out
}

// nuggets is how many the original has, as the algorithm counted them where it did.
func (t *coherenceTask) nuggets(
	ctx context.Context, o coherence.NuggetOptions,
) (*big.Int, error) {
	if t.result != nil && t.result.All != nil {
		return t.result.All, nil
	}
	return coherence.Nuggets(ctx, t.raw, o)
}

// losses are those of the published file as it was read back.
func (t *coherenceTask) losses(ctx context.Context) ([]report.Loss, error) {
	o := coherence.NuggetOptions{
		Support: t.NuggetSupport.Of(t.raw.Len()), Length: t.NuggetLen, Workers: t.workers,
		Progress: t.listener,
	}
	before, err := t.nuggets(ctx, o)
	if err != nil {
		return nil, err
	}
	after, err := coherence.Nuggets(ctx, t.published, o)
	if err != nil {
		return nil, err
	}
	private := map[string]bool{}
	for _, label := range t.private {
		private[label] = true
	}
	public, lost := 0, 0
	for it, n := range t.raw.Supports() {
		label := t.raw.Dict().Label(int32(it))
		if n == 0 || private[label] {
			continue
		}
		public++
		if _, published := t.published.Dict().ID(label); !published {
			lost++
		}
	}
	gone := t.raw.Occurrences() - t.published.Occurrences()
	var out []report.Loss
	if t.noNugget = before.Sign() == 0; !t.noNugget { // else there is no share of them
		kept, _ := new(big.Rat).SetFrac(after, before).Float64()
		out = append(out, report.Loss{
			Name: "nuggets kept", Value: kept, Formula: "itemsets of the nugget support in the " +
				"published data, divided by those in the original",
			Source: "xu-2008, definition 3",
		})
	}
	return append(out, []report.Loss{
		{Name: "items lost", Value: share(lost, public), Formula: "public items suppressed, divided by the public items that occur", Source: "count"},
		{Name: "occurrences", Value: share(gone, t.raw.Occurrences()), Formula: "occurrences of items suppressed, divided by all", Source: "count"},
	}...), nil
}

func share(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }

// audit adds what the custodian keeps of a coherent release.
func (t *coherenceTask) audit(a *report.Audit) error {
	gone := make([]bool, t.raw.Dict().Len())
	for _, it := range t.result.Release.Items {
		gone[it] = true
	}
	for _, it := range t.raw.Occurring() {
		item := report.AuditItem{
			Item: t.raw.Dict().Label(it), Support: t.raw.Supports()[it], PublishedAs: []string{""},
		}
		if !gone[it] {
			item.PublishedAs[0] = item.Item
		}
		a.Items = append(a.Items, item)
	}
	return nil
}
