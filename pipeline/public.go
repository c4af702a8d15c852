package pipeline

import (
	"context"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/attack"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
)

// The values below are all that a public report is made of: the published file as it was read back,
// the hierarchy, and the parameters. None of them holds the original, so that nothing of it can get
// into a report: whoever adds a field here answers for that. See docs/report.md and decision 8.

// public is what is public about every run.
type public struct {
	recipe   string
	inputs   []report.File // see report.PublicInputs
	written  report.File
	test     bool // with the adversarial test
	workers  int
	memory   int64 // bound in bytes; 0: none
	seeded   bool  // the seed of what is left to chance was given
	shuffled bool  // the lines are in a random order
	ascend   bool  // the lines ascend
	columns  columns
	listener func(anonymize.Progress)
}

func (p *public) report(g report.Guarantee, algorithm, recoding string) *report.Report {
	warnings := []string{}
	if p.shuffled && p.seeded {
		warnings = append(warnings, "The order of the lines comes from a fixed seed: "+
			"whoever knows it can put them back. "+
			"Not for publication, unless it is the secret seed of an audit file.")
	}
	return &report.Report{
		Schema: report.Schema, Program: Program, Command: p.recipe,
		Inputs: p.inputs, Outputs: []report.File{p.written},
		Guarantee: g, Algorithm: algorithm,
		Verification: &report.Verification{
			Holds: true, Compared: true, Promise: g.Statement, Inequality: g.Inequality,
			Recoding: recoding,
		},
		Losses: []report.Loss{}, Recoding: []report.Rule{}, Warnings: warnings,
		Shuffled: p.shuffled, Ascending: p.ascend,
		OfOriginal: report.OfOriginal(p.inputs),
	}
}

// beside tells of the columns of the published file that were asked for. A guarantee on what is in
// the records says nothing about them.
func (p *public) beside(published []dataset.Column, k int) []report.Beside {
	return report.BesideEach(p.columns.asked(published), k)
}

// attacker is who attacks a published file: somebody who knows some labels of a line.
type attacker struct {
	test
	lines  *dataset.Dataset // the published labels
	hidden *dataset.Dataset // the sensitive items of the same lines; nil: none
	valued []anonymize.Column
	known  bool // sensitive items are among what is known
}

// attacked lets the attacker do so, and puts into the report what that gained.
func (p *public) attacked(ctx context.Context, rep *report.Report, t attacker) error {
	if t.lines.Len() == 0 || !p.test {
		return nil
	}
	if need := 2 * testedMemory * int64(t.lines.Occurrences()); p.memory > 0 && need > p.memory {
		rep.Warnings = append(rep.Warnings,
			"the adversarial test was left out: it needs more memory than the run was given")
		return nil
	}
	c, err := attack.Suppressed(t.lines, t.lines)
	if err == nil && t.hidden != nil {
		err = c.Sensitive(t.hidden, t.hidden)
	}
	if err == nil && t.known {
		c, err = t.knowing(c)
	}
	if err == nil {
		err = attackColumns(c, t.valued, t.valued)
	}
	if err != nil {
		return refused("attack the published file", ctx, err)
	}
	t.workers, t.persons, t.records = p.workers, t.lines.Len(), t.lines.Len()
	s := &session{listener: p.listener}
	r, err := s.attacked(ctx, c, t.test)
	if r != nil {
		rep.Attack = report.NewPublicAttack(r, t.promised, t.sensitive)
	}
	return err
}

// knowing is the case of an attacker who may know sensitive items, too, of one who may not.
func (t attacker) knowing(inferred *attack.Case) (*attack.Case, error) {
	all, err := dataset.Join(t.lines, t.hidden)
	if err != nil {
		return nil, err
	}
	c, err := attack.Suppressed(all, all)
	if err == nil {
		c.WithKnown(inferred)
	}
	return c, err
}

// publicKM is what is public about a release over a hierarchy.
type publicKM struct {
	public
	promise     privacy.KM
	algorithm   string
	maySuppress bool
	mayWithhold bool // whole transactions may be left out
	// secret refusals were drawn from a seed that was given, and the promise needs them
	fixed     bool
	tree      *hierarchy.Tree // without the sensitive items
	whole     *hierarchy.Tree // with them
	sensitive []string        // the list of them; nil: none
	// allowUnknown: the list may have items that neither the data nor the hierarchy has
	allowUnknown bool
	free         []string // values of sensitive columns that may be learned

	published *dataset.Dataset // node ids
	hidden    *dataset.Dataset // the sensitive items of the same lines; nil: none
}

func (p *publicKM) report(ctx context.Context) (*report.Report, error) {
	// where sensitive items are known, some of their occurrences may be left out
	leavesOut := p.maySuppress || p.promise.SensitiveKnown
	rep := p.public.report(
		report.KM(p.promise, leavesOut), p.algorithm, report.RecodingKind(p.tree, p.published),
	)
	rep.LeavesOut = leavesOut
	rep.Published = report.Count(p.published, p.hidden)
	loss, err := measure.PublishedNCP(p.tree, p.published)
	if err != nil {
		return nil, err
	}
	rep.Losses = publicLosses(loss, p.maySuppress)
	if p.hidden != nil {
		rep.Losses[0].Formula += "; sensitive items, published as they are, are not counted"
	}
	rep.Recoding = report.Recoding(p.tree, p.published)
	rep.Breakdowns = append(report.Breakdowns(p.tree, p.published),
		report.BreakdownByRarity(p.tree, p.published, p.hidden, p.promise.K)...)
	if rep.Decided, err = attack.DecidedLabels(p.tree, p.published); err != nil {
		return nil, err
	}
	named, others := p.named()
	rep.Guarantee.Sensitive, rep.Guarantee.Columns = named, p.sensitiveColumns()
	rep.Warnings = append(rep.Warnings, p.unknownWarning(others)...)
	rep.Warnings = append(rep.Warnings, p.columns.both()...)
	rep.Warnings = append(rep.Warnings, valueWarnings(p.valuedColumns())...)
	if p.mayWithhold && len(p.promise.Columns) > 0 {
		rep.Warnings = append(rep.Warnings, "Transactions may have been left out, each with its "+
			"values in the sensitive columns: such a line is missing, or empty with empty values. "+
			"Shares are of the values that are published.")
	}
	rep.Cautions = report.IdentifierCautions(p.sensitiveBeside())
	rep.Beside = p.beside(p.published.Columns, p.promise.K)
	if p.fixed {
		rep.Warnings = append(rep.Warnings, "The random numbers come from a fixed seed: "+
			"whoever knows it can run the algorithm in mind. "+
			"Not for publication, unless it is the secret seed of an audit file.")
	}
	if p.maySuppress {
		rep.NotPublished = report.NotPublished(p.tree, p.published)
	}
	m := p.promise.M
	t := test{
		k: p.promise.K, m: m + 1, promised: m, sensitive: p.promise.Diverse(), draws: testedMost,
	}
	err = p.attacked(ctx, rep, attacker{
		t, p.published, p.hidden, p.valuedColumns(), p.promise.SensitiveKnown,
	})
	if rep.Attack != nil && p.promise.Persons {
		rep.Attack.Notes = append(rep.Attack.Notes, "The test counts lines: whose they are cannot "+
			"be seen in the published file. What is promised is of persons, who are fewer than "+
			"the lines where one has several.")
	}
	return rep, err
}

// publicLosses are the losses that the published file alone tells.
func publicLosses(l measure.PublishedLoss, maySuppress bool) []report.Loss {
	out := []report.Loss{
		{
			Name: "NCP, labels", Value: l.Labels, Source: ncpSource,
			Formula: "mean over the published labels of leaves(u)/|I|, 0 for an item as it is: " +
				"NCP if one item stands behind every label",
		},
		{
			Name: "NCP, lowest", Value: l.Least, Source: "this program",
			Formula: "of all originals that the published file can be made from",
		},
	}
	if maySuppress {
		return out
	}
	return append(out, report.Loss{
		Name: "NCP, highest", Value: l.Most, Source: "this program",
		Formula: "of all originals that the published file can be made from",
	})
}

// publicContinuous is what is public about a release of bags of numbers.
type publicContinuous struct {
	public
	promise   privacy.Continuous
	algorithm string
	published *bag.Bags
}

func (p *publicContinuous) report(ctx context.Context) (*report.Report, error) {
	kind := report.RecodingKindOfRanges(p.published)
	rep := p.public.report(report.Continuous(p.promise), p.algorithm, kind)
	loss, err := measure.PublishedBags(p.published, p.published)
	if err != nil {
		return nil, refused("measure the release", ctx, err)
	}
	rep.Published = report.CountBags(p.published)
	rep.Losses = []report.Loss{
		{
			Name: "NCP", Value: loss.NCP, Source: "gkountouna-2014, 3.3",
			Formula: "sum over occurrences of (b-a)/(max-min) for a range [a-b], 0 for a value, divided by " +
				"the occurrences; max and min of what is published",
		},
		{
			Name: "generalized", Value: share(loss.Generalized, loss.Occurrences), Source: "count",
			Formula: "occurrences published as a range, divided by all",
		},
	}
	rep.Recoding = report.RecodingOfRanges(p.published)
	rep.Breakdowns = report.BreakdownOfRanges(p.published)
	rep.Beside = p.beside(p.published.Columns, p.promise.K)
	if !p.test {
		return rep, nil
	}
	lines, err := termLines(p.published)
	if err != nil {
		return nil, refused("attack the published file", ctx, err)
	}
	m := p.promise.M
	t := test{k: p.promise.K, m: m + 1, promised: m, draws: testedMost}
	err = p.attacked(ctx, rep, attacker{test: t, lines: lines})
	if rep.Attack != nil && lines.Occurrences() < p.published.Occurrences() {
		rep.Attack.Notes = append(rep.Attack.Notes, "The test uses which values and ranges a record has, not how often: "+
			"whoever also knows repeats, which count as further values known, finds fewer records where more is known than is promised.")
	}
	return rep, err
}

// termLines are published bags as sets of their values and ranges: repeats are left out.
func termLines(b *bag.Bags) (*dataset.Dataset, error) {
	labels := make([]string, len(b.Terms()))
	for i, t := range b.Terms() {
		labels[i] = t.String()
	}
	dict, err := dataset.NewDictionary(labels)
	if err != nil {
		return nil, err
	}
	id := make([]int32, len(labels))
	for i, l := range labels {
		id[i], _ = dict.ID(l)
	}
	out := dataset.NewBuilder(dict)
	var tx []int32
	for i := range b.Len() {
		tx = tx[:0]
		for _, t := range b.Record(i) {
			tx = append(tx, id[t])
		}
		slices.Sort(tx)
		out.Add(slices.Compact(tx))
	}
	return out.Finish()
}

// publicNonreciprocal is what is public about a nonreciprocal release. There is no adversarial test
// of the published file alone: what matches a person is about the person's own items.
type publicNonreciprocal struct {
	public
	promise   privacy.Nonreciprocal
	algorithm string
	fixed     bool   // the seed was given
	label     string // the column of the labels; "": none
	published *release.Nonreciprocal
}

func (p *publicNonreciprocal) report() *report.Report {
	rep := p.public.report(report.Nonreciprocal(p.promise), p.algorithm, "nonreciprocal")
	rep.Published = report.CountNonreciprocal(p.published)
	rep.Losses = uncertainLosses(p.published)
	rep.Breakdowns = report.BreakdownOfNonreciprocal(p.published)
	if 2*rep.Published.Empty <= rep.Published.Transactions { // which says it already
		rep.Cautions = report.CautionOfBases(p.published)
	}
	if p.published.Labels != nil {
		rep.Cautions = append(rep.Cautions, report.IdentifierCautions(
			[]dataset.Column{{Name: p.label, Values: p.published.Labels}},
		)...)
		rep.Warnings = append(rep.Warnings, valueWarnings(
			[]anonymize.Column{{Name: p.label, Values: p.published.Labels, Null: true}},
		)...)
	}
	if p.fixed {
		rep.Warnings = append(rep.Warnings, "The random numbers come from a fixed seed: "+
			"whoever knows it can find every true match. Not for publication.")
	}
	return rep
}

// publicCoherence is what is public about a coherent release.
type publicCoherence struct {
	public
	promise   privacy.Coherence
	private   []string
	published *dataset.Dataset
	// allowUnknown: the list may have items that the data does not have
	allowUnknown bool
}

// unknownWarning says that a list has items that are not published. Private items stay, so these
// are not in the original either.
func (p *publicCoherence) unknownWarning() []string {
	others := 0
	for _, item := range p.private {
		if _, occurs := p.published.Dict().ID(item); !occurs {
			others++
		}
	}
	if !p.allowUnknown || others == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of the %d items of the list of private items are not in the "+
		"published file. The list was allowed to have such items (--allow-unknown-private): an "+
		"item that the data spells in another way is not protected.", others, len(p.private))}
}

// noPrivate says what a release without a list of private items does not promise.
const noPrivate = "no private items were named: all items count as public, and h promises nothing about any of them"

func (p *publicCoherence) report(ctx context.Context) (*report.Report, error) {
	rep := p.public.report(report.Coherence(p.promise), "coherence", "suppression")
	if len(p.private) == 0 {
		rep.Warnings = append(rep.Warnings, noPrivate)
	}
	rep.Warnings = append(rep.Warnings, p.unknownWarning()...)
	rep.Published = report.Count(p.published, nil)
	rep.Breakdowns = append(report.BreakdownOfItems(p.published),
		report.BreakdownByRarity(nil, p.published, nil, p.promise.K)...)
	rep.Beside = p.beside(p.published.Columns, p.promise.K)
	if !p.test {
		return rep, nil
	}
	lines, hidden, err := dataset.Split(p.published, p.private)
	if err != nil {
		return nil, refused("attack the published file", ctx, err)
	}
	if len(p.private) == 0 {
		hidden = nil
	}
	m := p.promise.P
	t := test{k: p.promise.K, m: m + 1, promised: m, sensitive: hidden != nil, draws: testedMost}
	return rep, p.attacked(ctx, rep, attacker{test: t, lines: lines, hidden: hidden})
}
