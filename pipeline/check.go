package pipeline

import (
	"context"
	"errors"
	"slices"

	"mingle/attack"
	"mingle/dataset"
	"mingle/report"
	"mingle/verify"
)

// Pair is a published file and, where it is at hand, its original: what there is to verify, to
// measure and to attack.
type Pair struct {
	Family Family // required
	// "": not given, then only what the published file shows is judged
	Original           string
	Published          string         // required
	PublishedFormat    dataset.Format // "": by the extension, else that of the original
	PublishedDelimiter rune           // of its fields; 0: by the extension and the header
	// Audit is the audit file of the release, where its lines are in another order than the
	// original; "": they are not
	Audit string
	Files *Files // required
}

// open reads the files and binds them to what belongs to them.
func (p Pair) open(ctx context.Context) (task, error) { return p.openIn(ctx, false) }

// given refuses a pair without what is required.
func (p Pair) given() error {
	var faults []error
	if p.Family == nil {
		faults = append(faults, errNoFamily)
	}
	if p.Published == "" {
		faults = append(faults, errors.New("no published file is given"))
	}
	if p.Files == nil {
		faults = append(faults, errors.New("how files are read is not said: Files is required"))
	}
	return errors.Join(faults...)
}

// openIn is open, in little memory for what goes through the transactions in their order.
func (p Pair) openIn(ctx context.Context, little bool) (task, error) {
	if err := p.given(); err != nil {
		return nil, err
	}
	e := &env{
		files: p.Files, originalPath: p.Original, publishedPath: p.Published,
		workers:  p.Files.Workers,
		listener: p.Files.listener(),
		compared: p.Published != Stdin, delimiter: p.PublishedDelimiter,
	}
	t := p.Family.begin(e)
	if t, is := t.(*kmTask); is {
		t.pack(little)
	}
	var audit *report.Audit
	if p.Audit != "" {
		var err error
		if audit, err = p.Files.audit(ctx, p.Audit); err == nil {
			e.order.from, err = orderIn(audit, p.Audit)
		}
		if err != nil {
			return t, stopped(ctx, err)
		}
	}
	if countsPersons(t) && p.Original == "" {
		return t, errNoPersons
	}
	if p.Original != "" {
		if err := t.read(ctx); err != nil {
			return t, stopped(ctx, err)
		}
	}
	err := t.bind(ctx)
	if err == nil {
		err = t.layOut(p.PublishedFormat)
	}
	if err == nil {
		err = p.Files.published(ctx, p.Published, t)
	}
	if err == nil && audit != nil {
		err = p.Files.belong(audit, p.Audit)
	}
	return t, stopped(ctx, err)
}

// both is open, where there is nothing to do without the original.
func (p Pair) both(ctx context.Context) (task, error) {
	if p.Original == "" {
		return nil, errors.New("the published file is compared with its original: give that file too")
	}
	return p.open(ctx)
}

// Verify judges whether the published file keeps the promise of the family.
func (p Pair) Verify(ctx context.Context) (*verify.Finding, error) {
	_, finding, err := p.verify(ctx)
	return finding, err
}

// verify is Verify, with what was read.
func (p Pair) verify(ctx context.Context) (task, *verify.Finding, error) {
	if err := p.given(); err != nil {
		return nil, nil, err
	}
	if err := p.Family.Validate(); err != nil {
		return nil, nil, err
	}
	t, err := p.openIn(ctx, true)
	var none *notRelease
	if errors.As(err, &none) {
		return t, none.finding, nil
	}
	if err != nil {
		return t, nil, err
	}
	finding, err := t.verify(ctx)
	if err == nil {
		finding.Notes = append(finding.Notes, t.layoutNotes()...)
	}
	if err == nil && countsPersons(t) && p.Audit == "" {
		if finding.Holds && t.(*kmTask).placesMatter(finding) {
			return t, nil, errPlacesMatter
		}
		finding.Notes = append(finding.Notes, "each published line was taken for that of the same "+
			"line of the original: a release of persons is in a random order, which its audit "+
			"file tells; give it with --audit")
	} else if err == nil && p.misplaced(finding) {
		finding.Notes = append(finding.Notes, "a release made with --shuffle is compared with its "+
			"original by its audit file: give it with --audit")
	}
	if err == nil && finding.Lacking {
		finding.Notes = append(finding.Notes, "the published file lacks items or lines of the "+
			"original: is it a release made with --suppress? Then say --suppressed")
	}
	return t, finding, stopped(ctx, err)
}

// errPlacesMatter is why a release of persons is not said to keep its promise without the order of
// its lines. In a global recoding without suppression it can be said. Proof. By places, the lines
// that publish a set T of labels are those whose originals have an item of each. Whatever the true
// order is, lines that publish T come from such originals (labels from the lowest up: an item whose
// label the line has is published as that). They are as many, so they are the same originals, and
// of the same persons; with a sensitive item, too, as long as none is missing: else nobody knows
// whose occurrence is.
var errPlacesMatter = errors.New("whose each line is depends on the order of the lines, and a " +
	"release of persons is in a random order, which its audit file tells: give it with --audit. " +
	"Nothing was found against it in the order of the original, and that says nothing")

// misplaced tells whether lines do not come from their originals, which may stand elsewhere.
func (p Pair) misplaced(f *verify.Finding) bool {
	return p.Original != "" && p.Audit == "" &&
		slices.ContainsFunc(f.Breaches, func(b verify.Breach) bool {
			return b.Kind == verify.KindRecoding
		})
}

// Attack tells what an adversary gains from the published file.
func (p Pair) Attack(ctx context.Context, adversary attack.Options) (*attack.Result, error) {
	if err := adversary.Validate(); err != nil {
		return nil, err
	}
	t, err := p.both(ctx)
	if err != nil {
		return nil, err
	}
	c, _, err := t.attack()
	if err != nil {
		return nil, err
	}
	if says := p.misfit(t); says != "" {
		return nil, errors.New(says)
	}
	result, err := c.Run(ctx, adversary)
	if err == nil {
		result.Notes = append(result.Notes, t.besideSets()...)
	}
	return result, stopped(ctx, err)
}
