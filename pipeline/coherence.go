package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"mingle/anonymize"
	"mingle/anonymize/coherence"
	"mingle/dataset"
	"mingle/internal/publish"
	"mingle/privacy"
	"mingle/report"
	"mingle/verify"
)

// CoherenceJob is a release to be made from a file by suppressing public items. It runs as a [Job] does.
type CoherenceJob struct {
	Input        string // required; "-" is In
	InputOptions dataset.Options
	Private      string // a list of the private items, one a line; "": all items are public

	Promise        privacy.Coherence
	NuggetSupport  Support // k'; required
	NuggetLen      int     // p'; 0: any
	Scoring        coherence.Scoring
	Moles, Nuggets coherence.Counting

	Output       string         // required; "-" is Out
	OutputFormat dataset.Format // "": by the extension, else that of the input
	Report       string         // "": none
	Audit        string         // "": none; secret
	Force        bool           // replace existing files

	Workers  int // at most this many goroutines; 0: one a processor
	Progress func(anonymize.Progress)
	In       io.Reader
	Out      io.Writer

	Key     *report.Key // of the keyed hashes that tie the report to the audit file; nil: drawn at random
	Command []string    // as it was given, for the audit file
	Recipe  string      // the same without what must not be published, for the report
	Bare    bool        // leave times and memory out of the audit file
}

// Support is a number of transactions, or a share of them.
type Support struct {
	Count int
	Share float64 // in percent; used where Count is 0
}

// ParseSupport reads "100" or "0.5%".
func ParseSupport(text string) (Support, error) {
	var s Support
	var err error
	if share, percent := strings.CutSuffix(text, "%"); percent {
		s.Share, err = strconv.ParseFloat(share, 64)
		if err == nil && !(s.Share > 0 && s.Share <= 100) {
			err = errors.New("out of range")
		}
	} else if s.Count, err = strconv.Atoi(text); err == nil && s.Count < 1 {
		err = errors.New("out of range")
	}
	if err != nil {
		return s, fmt.Errorf("%q is no support: give a number of transactions of at least 1, or a share such as 0.5%%", text)
	}
	return s, nil
}

// Of is the least number of n transactions that is not below the support, and at least 1.
func (s Support) Of(n int) int {
	if s.Count > 0 {
		return s.Count
	}
	share, ok := new(big.Rat).SetString(strconv.FormatFloat(s.Share, 'g', -1, 64))
	if !ok {
		return 1
	}
	share.Mul(share, big.NewRat(int64(n), 100))
	up := new(big.Int).Add(share.Num(), new(big.Int).Sub(share.Denom(), big.NewInt(1)))
	return max(1, int(up.Quo(up, share.Denom()).Int64()))
}

// Run makes the release: it reads, suppresses, writes to a temporary file, lets the independent verifier judge what it
// reads back, and only then puts the files in place.
func (j CoherenceJob) Run(ctx context.Context) (*report.Outcome, error) {
	r := &coherenceRun{CoherenceJob: j, session: &session{meter: startMeter(), set: &publish.Set{Force: j.Force, Out: j.Out}, listener: j.Progress, key: j.Key}}
	defer r.close()
	if err := r.work(ctx, r.steps()...); err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// steps is everything up to the files' appearing.
func (r *coherenceRun) steps() []step {
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

type coherenceRun struct {
	CoherenceJob
	*session
	files *Files

	data      *dataset.Dataset
	private   []string
	warnings  []string
	result    *coherence.Result
	output    *publish.File
	written   *report.File
	published *dataset.Dataset // as read back
	finding   *verify.Finding
	tested    *report.Attack
	announced *report.Report
}

func (r *coherenceRun) check(context.Context) error {
	faults := []error{r.Promise.Validate()}
	if r.NuggetLen < 0 {
		faults = append(faults, fmt.Errorf("the longest nugget (%d) must not be negative; 0 means any length", r.NuggetLen))
	}
	faults = append(faults, r.session.check(r.In, []string{r.Input, r.Private},
		target{what: "output", path: r.Output}, target{what: "report", path: r.Report}, target{what: "audit", path: r.Audit}))
	return errors.Join(faults...)
}

func (r *coherenceRun) read(ctx context.Context) (err error) {
	r.files = &Files{In: r.In, Workers: r.Workers, Progress: r.progress}
	if r.data, r.InputOptions, err = r.files.Transactions(ctx, roleTransactions, r.Input, r.InputOptions); err != nil || r.Private == "" {
		return err
	}
	if r.private, err = r.files.Items(ctx, rolePrivate, r.Private); err != nil {
		return err
	}
	missing := 0
	for _, label := range r.private {
		if _, ok := r.data.Dict().ID(label); !ok {
			missing++
		}
	}
	if missing == len(r.private) {
		return fmt.Errorf("%s: none of the %d private items is in the data: are these its labels?", name(r.Private), missing)
	}
	if missing > 0 {
		r.warnings = append(r.warnings, fmt.Sprintf("%d of the %d private items do not occur in the data", missing, len(r.private)))
	}
	return nil
}

func (r *coherenceRun) anonymize(ctx context.Context) (err error) {
	in := coherence.Input{
		Data: r.data, Private: make([]bool, r.data.Dict().Len()), Promise: r.Promise,
		NuggetSupport: r.NuggetSupport.Of(r.data.Len()), NuggetLen: r.NuggetLen,
		Scoring: r.Scoring, Moles: r.Moles, Nuggets: r.Nuggets, Workers: r.Workers, Progress: r.Progress,
	}
	for _, label := range r.private {
		if it, ok := r.data.Dict().ID(label); ok {
			in.Private[it] = true
		}
	}
	r.result, err = coherence.Anonymize(ctx, in)
	return err
}

func (r *coherenceRun) outputOptions() dataset.Options {
	opts := publishedOptions(r.Output, r.OutputFormat, r.InputOptions)
	opts.Name, opts.Progress = name(r.Output), nil
	return opts
}

// write writes the release to a temporary file.
func (r *coherenceRun) write(ctx context.Context) (err error) {
	if r.output, err = r.set.Create(r.Output, publish.Public); err != nil {
		return err
	}
	if r.written, err = writeDataset(r.output, r.result.Release.Published(), r.Output, r.outputOptions()); err != nil {
		return fmt.Errorf("cannot write %s: %w", name(r.Output), publish.Reason(err))
	}
	return ctx.Err()
}

// verify reads the temporary file back and judges it against the original.
func (r *coherenceRun) verify(ctx context.Context) (err error) {
	if _, err := r.output.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if r.published, err = dataset.Read(ctx, r.output, own(r.outputOptions())); err != nil {
		return refused("read back what it wrote", ctx, err)
	}
	r.finding, err = verify.Coherence(ctx, verify.CoherenceInput{
		Published: r.published, Original: r.data, Private: r.private, Promise: r.Promise, Workers: r.Workers, Progress: r.progress,
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
func (r *coherenceRun) announce(ctx context.Context) error {
	common, err := r.session.public(r.Recipe, r.files.Read, *r.written, r.Audit)
	if err != nil {
		return err
	}
	common.test, common.workers = r.Report != "", r.Workers
	p := publicCoherence{public: common, promise: r.Promise, private: r.private, published: r.published}
	r.announced, err = p.report(ctx)
	return err
}

func (r *coherenceRun) finish(ctx context.Context) (*report.Outcome, error) {
	return r.session.leave(ctx, results{
		Outcome: &report.Outcome{Report: r.announced, Custodian: r.custodian()},
		read:    r.files.Read, written: *r.written, command: r.Command, report: r.Report, audit: r.Audit, fill: r.fillAudit,
	})
}

// custodian is what was found by looking at the original.
func (r *coherenceRun) custodian() *report.Custodian {
	out := &report.Custodian{
		Method:       fmt.Sprintf("moles counted by %v, nuggets by %v", r.result.MoleCounting, r.result.NuggetCounting),
		Verification: r.finding, Losses: r.losses(), Suppressed: r.suppressed(), Attack: r.tested,
		Warnings: warnings(r.data.Notes, r.warnings, r.result.Release.Warnings),
	}
	if !r.Bare {
		out.Measured = r.meter.measured()
	}
	return out
}

// suppressed names the suppressed items in the order of their labels: the order of suppression tells about supports.
func (r *coherenceRun) suppressed() []string {
	out := make([]string, 0, len(r.result.Release.Items))
	for _, it := range r.result.Release.Items {
		out = append(out, r.data.Dict().Label(it))
	}
	slices.SortFunc(out, dataset.CompareLabels)
	return out
}

func (r *coherenceRun) losses() []report.Loss {
	public := 0
	private := r.result.Release.Private
	for it, n := range r.data.Supports() {
		if n > 0 && !private[it] {
			public++
		}
	}
	kept := 1.0
	if r.result.NuggetsBefore.Sign() > 0 {
		kept, _ = new(big.Rat).SetFrac(r.result.NuggetsAfter, r.result.NuggetsBefore).Float64()
	}
	return []report.Loss{
		{Name: "nuggets kept", Value: kept, Formula: "itemsets of the nugget support in the published data, divided by those in the original", Source: "xu-2008, definition 3"},
		{Name: "items lost", Value: share(len(r.result.Release.Items), public), Formula: "public items suppressed, divided by the public items that occur", Source: "count"},
		{Name: "occurrences", Value: share(r.result.Release.Occurrences(), r.data.Occurrences()), Formula: "occurrences of items suppressed, divided by all", Source: "count"},
	}
}

func share(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }

// fillAudit adds what the custodian keeps of a coherent release.
func (r *coherenceRun) fillAudit(a *report.Audit) error {
	gone := make([]bool, r.data.Dict().Len())
	for _, it := range r.result.Release.Items {
		gone[it] = true
	}
	for it, n := range r.data.Supports() {
		if n == 0 {
			continue
		}
		item := report.AuditItem{Item: r.data.Dict().Label(int32(it)), Support: n, PublishedAs: []string{""}}
		if !gone[it] {
			item.PublishedAs[0] = item.Item
		}
		a.Items = append(a.Items, item)
	}
	return nil
}

// CoherenceCheck is the question whether a published file keeps (h,k,p)-coherence.
type CoherenceCheck struct {
	Published       string          // required
	Original        string          // "": judged without
	Options         dataset.Options // of both files; a Format holds for both
	PublishedFormat dataset.Format  // "": as Options says, or else the extension
	Private         string          // "": all items are public
	Promise         privacy.Coherence
	Files           *Files
}

// Run reads the files and gives the verdict.
func (c CoherenceCheck) Run(ctx context.Context) (*verify.Finding, error) {
	if err := c.Promise.Validate(); err != nil {
		return nil, err
	}
	in := verify.CoherenceInput{Promise: c.Promise, Workers: c.Files.Workers, Progress: c.Files.Progress}
	var err error
	if c.Private != "" {
		if in.Private, err = c.Files.Items(ctx, rolePrivate, c.Private); err != nil {
			return nil, stopped(ctx, err)
		}
	}
	opts := publishedOptions(c.Published, c.PublishedFormat, knownFormat(c.Original, c.Options))
	if in.Published, _, err = c.Files.Transactions(ctx, "published", c.Published, opts); err != nil {
		return nil, stopped(ctx, err)
	}
	if c.Original != "" {
		if in.Original, _, err = c.Files.Transactions(ctx, "original", c.Original, c.Options); err != nil {
			return nil, stopped(ctx, err)
		}
	}
	finding, err := verify.Coherence(ctx, in)
	return finding, stopped(ctx, err)
}
