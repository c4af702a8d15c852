package pipeline

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/auto"
	"mingle/anonymize/global/exact"
	"mingle/attack"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/memory"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
)

// KM is k^m-anonymity, with or without l-diversity, by generalization over a hierarchy.
type KM struct {
	Layout           dataset.Options // of the original
	Hierarchy        string          // "": a root above the items, to measure and to attack only
	HierarchyOptions hierarchy.ReadOptions
	Sensitive        string // a list of items, one a line; required for l-diversity
	// AllowUnknownSensitive lets the list have items that neither the data nor the hierarchy has.
	AllowUnknownSensitive bool
	// NotSensitive is a list of values of the promise's sensitive columns that may be learned, one
	// a line; "": there are none.
	NotSensitive string
	// PersonColumn says whose each transaction is: the unit of the promise is a person then, who
	// may have several. "": the unit is a transaction.
	PersonColumn string
	Promise      privacy.KM

	// Algorithm finds the release; nil: auto, as in the command.
	Algorithm anonymize.Algorithm
	// MaySuppress says that items or transactions may be left out. Drop leaves out the lines of
	// transactions that are not published; else they are empty.
	MaySuppress, Drop bool

	// find a proven lower bound on the loss too, for algorithms that bring none
	Gap      bool
	GapLimit time.Duration // how long that may take; 0: until it is proven
	// Proof is the name, without extension, of two more files: .opb, the program whose optimum no
	// global recoding is under, and .pbp, a proof of the bound that VeriPB checks; "": none. They are
	// secret. It needs Gap or an algorithm that proves a bound: exact.
	Proof string
}

// chosen is a family with an algorithm to make a release by: the default one, where none is given.
// Whoever judges a release needs none.
func chosen(f Family) Family {
	if km, is := f.(KM); is && km.Algorithm == nil {
		km.Algorithm = auto.Algorithm{}
		return km
	}
	return f
}

// Name implements Family.
func (KM) Name() string { return "km" }

// Validate implements Family.
func (f KM) Validate() error {
	faults := []error{f.promised().Validate()}
	if f.Promise.Diverse() && f.Sensitive == "" && len(f.Promise.Columns) == 0 {
		faults = append(
			faults,
			errors.New("l-diversity needs the list of sensitive items: give it with --sensitive"),
		)
	}
	return errors.Join(append(faults, f.validateSensitive())...)
}

func (f KM) begin(e *env) task {
	f.Promise = f.promised()
	if f.PersonColumn != "" {
		// persons are counted on plain data: a bound that was asked for says what may be held, as
		// the default does, and nothing is packed for its sake
		e.memory, e.room = 0, cmp.Or(e.memory, e.room)
	}
	t := &kmTask{KM: f, sets: sets{env: e, layout: f.Layout}}
	e.columns.own, e.columns.persons = f.Promise.Columns, f.Promise.Persons
	t.layout.ValueColumns = slices.Concat(t.layout.ValueColumns, f.Promise.Columns)
	t.layout.Packed = e.memory > 0 && f.mayBePacked()
	return t
}

// mayBePacked tells whether the algorithm works on packed data, or has a form that does.
func (f KM) mayBePacked() bool {
	can := f.can()
	return can.Packed || can.MayBeLean != nil && can.MayBeLean(f.Promise)
}

// can is what the algorithm can do; nothing where there is none: to verify takes none.
func (f KM) can() anonymize.Traits {
	if f.Algorithm == nil {
		return anonymize.Traits{}
	}
	return f.Algorithm.Traits()
}

// kmTask is the work on generalized data.
type kmTask struct {
	KM
	sets
	tree      *hierarchy.Tree // without the sensitive items
	whole     *hierarchy.Tree // with them
	sensitive []string        // their labels; nil: none
	listed    string          // what is to be said of the list of them
	free      []string        // values of sensitive columns that may be learned

	// of the original: sensitive items, before any were suppressed; nil: none; sensitive columns
	items  *dataset.Dataset
	valued []anonymize.Column

	whose     *persons // of the transactions; nil: the unit is a transaction
	alike     []string // notes on persons that may be one
	input     anonymize.Input
	notes     []string
	release   *release.Generalized
	published *dataset.Dataset // as read back: node ids
	hidden    *dataset.Dataset // its sensitive items; nil: none
	untested  []string         // why there is no test, where one was asked for
	loss      measure.Loss     // of what was read back
	proven    *report.Proof    // nil: none was written
}

func (t *kmTask) inputs() []string { return []string{t.Hierarchy, t.Sensitive, t.NotSensitive} }

func (t *kmTask) refuse(j *Job) error {
	var faults []error
	if t.Sensitive != "" && t.Promise.L == 0 {
		faults = append(
			faults, errors.New("a list of sensitive items is given, but l is not: give it with -l"),
		)
	}
	if t.Hierarchy == "" {
		faults = append(
			faults, errors.New("a hierarchy of the items is needed: give it with --hierarchy"),
		)
	}
	faults = append(faults, t.refusePromise(), t.refuseSuppression(), t.refuseProof())
	if t.Promise.Persons {
		faults = append(faults, t.refusePersons(j))
	}
	if t.Drop && (!t.MaySuppress || !t.can().LeavesLinesOut) {
		faults = append(faults, errors.New("the lines of suppressed transactions are to be left "+
			"out, and no transactions are suppressed"))
	}
	if t.Drop && t.Promise.NegativeKnowledge {
		faults = append(faults, errors.New("with negative knowledge the empty lines of suppressed transactions are part of what others hide among: leave out --drop"))
	}
	return errors.Join(faults...)
}

// refusePromise refuses a promise that the algorithm does not keep, and names those that do, unless
// there is more that is refused with any.
func (t *kmTask) refusePromise() error {
	if t.MaySuppress && t.Promise.AgainstAlgorithm() {
		return errors.New("suppression does not keep a promise against the adversary \"algorithm\": " +
			"what is left out tells of the original, and may be any line's: leave out --suppress")
	}
	err := anonymize.Keeps(t.Algorithm, t.Promise)
	if err == nil || t.Promise.Validate() != nil || t.refuseSuppression() != nil {
		return err
	}
	return fmt.Errorf("%w: choose %s", err,
		choices(t.Promise, func(anonymize.Traits) bool { return true }))
}

// bind reads hierarchy and sensitive items, and binds the original to them.
func (t *kmTask) bind(ctx context.Context) (err error) {
	switch {
	case t.Hierarchy != "":
		t.tree, err = t.files.Hierarchy(ctx, t.Hierarchy, t.HierarchyOptions)
	case t.raw != nil:
		t.tree, err = flat(t.raw.Dict())
	default:
		err = errors.New("a published file alone is read by its hierarchy: give it with --hierarchy")
	}
	if err != nil {
		return err
	}
	if t.whole = t.tree; t.Sensitive != "" {
		if t.sensitive, err = t.files.Items(ctx, roleSensitive, t.Sensitive); err != nil {
			return err
		}
		if t.tree, err = t.tree.Without(t.sensitive); err != nil {
			return inPath(t.Sensitive, err)
		}
	}
	if t.NotSensitive != "" {
		if t.free, err = t.files.Items(ctx, roleNotSensitive, t.NotSensitive); err != nil {
			return err
		}
	}
	if t.raw == nil {
		return nil
	}
	return t.encode()
}

// encode binds the original to the hierarchy.
func (t *kmTask) encode() (err error) {
	t.raw = t.blanked(t.raw)
	plain := t.raw
	t.input = anonymize.Input{
		Promise: t.Promise, Tree: t.tree, Workers: t.workers, Memory: t.memory,
		Progress: t.listener,
	}
	if t.sensitive != nil {
		if t.listed, err = t.isListed(t.raw.Dict()); err != nil {
			return err
		}
		if plain, t.items, err = dataset.Split(t.raw, t.sensitive); err != nil {
			return err
		}
		t.input.Sensitive = t.items
	}
	if err = t.encodeColumns(t.raw); err != nil {
		return err
	}
	if t.input.Data, err = t.tree.Encode(plain); err != nil {
		return t.swapped(inFile(t.originalPath, err))
	}
	if t.whose != nil {
		t.input.Persons = t.whose.of
	}
	t.notes = slices.Concat(t.raw.Notes, t.list().almost(t.raw.Dict()), t.alike)
	t.raw = nil // the items are in input now
	return nil
}

// flat is a root above items.
func flat(items *dataset.Dictionary) (*hierarchy.Tree, error) {
	root := "*"
	for _, taken := items.ID(root); taken; _, taken = items.ID(root) {
		root += "*"
	}
	b := hierarchy.NewBuilder()
	for _, item := range items.Labels() {
		if err := b.Edge(item, root, 0); err != nil {
			return nil, err
		}
	}
	return b.Build(hierarchy.BuildOptions{})
}

// enoughLines refuses to drop so many lines that those that are left, empty ones all, are too few
// to hide among.
func (t *kmTask) enoughLines() error {
	n := t.input.Data.Len() - len(t.release.Withheld)
	if k := t.Promise.K; t.Drop && 0 < n && n < k {
		return privacy.Infeasiblef("%d lines, all of them empty, would be left where suppressed transactions are dropped, fewer than k (%d): leave out --drop",
			n, k)
	}
	return nil
}

func (t *kmTask) anonymize(ctx context.Context) (err error) {
	if t.can().Randomized {
		if t.input.Seed, err = seedOr(t.seed); err != nil {
			return err
		}
	}
	if err := t.suppressKnown(ctx); err != nil {
		return err
	}
	if err := t.input.Check(); err != nil {
		return err
	}
	if err := t.fit(); err != nil {
		return err
	}
	t.foretell()
	if t.release, err = t.Algorithm.Anonymize(ctx, t.input); err != nil {
		return err
	}
	if err := t.suppressMore(ctx); err != nil {
		return err
	}
	if err := t.enoughLines(); err != nil || !t.Gap {
		return err
	}
	return t.prove(ctx)
}

// foretell tells who listens what the count of the largest sets would take, where it takes long.
func (t *kmTask) foretell() {
	if t.listener == nil || t.input.MostAtOnce() == 0 {
		return
	}
	longest := anonymize.Choose(t.input.Data.MaxLen(), t.input.MostAtOnce())
	if longest*float64(t.input.Data.Len()) < worthTelling { // it is less than that
		return
	}
	if stage := countStage(t.input.Data, t.input.MostAtOnce()); stage != "" {
		t.progress(stage, 0, 0)
	}
}

// prove finds a lower bound for a release that came without one. What holds against who runs the
// algorithm in mind holds against who knows the data, so that the least loss of that promise, which
// is proven, is a bound for both.
func (t *kmTask) prove(ctx context.Context) error {
	if t.release.Bound != nil {
		return nil
	}
	in := t.input
	in.Promise.Knows = privacy.OfData
	g, err := exact.Algorithm{
		Budget: anonymize.Budget{TimeLimit: t.GapLimit},
	}.Anonymize(ctx, in)
	if err != nil {
		return err
	}
	t.release.Bound = g.Bound
	t.release.Bound.Optimal = false // what is optimal is the release of exact, not this one
	return nil
}

// proveLeast is a bound on the NCP of any global recoding.
func (t *kmTask) proveLeast(ctx context.Context) (float64, error) {
	if err := t.prove(ctx); err != nil {
		return 0, err
	}
	return t.release.Bound.NCP, nil
}

// fit refuses what would need more memory than there is room for, before the work, and tells the
// algorithm of the bound where it can keep to it.
func (t *kmTask) fit() error {
	room := cmp.Or(t.memory, t.room)
	if _, several := t.Algorithm.(auto.Algorithm); several {
		t.input.Memory = room // it sees to what fits itself
		return nil
	}
	with, least := t.input.Within(t.Algorithm, room)
	if least > 0 {
		if lean := t.input.Lean(t.Algorithm, room); lean != nil {
			t.Algorithm, t.input.Memory = lean, room
			return nil
		}
		t.unpack()
		if divided := t.input.Divide(t.Algorithm, room); divided != nil {
			t.Algorithm, t.input.Workers = divided, 1
			return nil
		}
		what := fmt.Sprintf(
			"%s on %d item occurrences", t.Algorithm.Name(), t.input.Data.Occurrences(),
		)
		return &memory.Short{What: what, Least: least, Bound: room}
	}
	with.Memory = cmp.Or(t.memory, with.Memory)
	t.input = with
	t.unpack()
	return nil
}

// unpack makes the data plain if the algorithm needs that.
func (t *kmTask) unpack() {
	if !t.can().Packed {
		t.input.Data = t.input.Data.Flat()
	}
}

// writable looks at the items that occur, and at all that is above them.
func (t *kmTask) writable() error {
	may := map[int32]bool{}
	for leaf, n := range t.input.Data.Supports() {
		for node := int32(leaf); n > 0 && node >= 0 && !may[node]; node = t.tree.Parent(node) {
			may[node] = true
		}
	}
	var labels []string
	for _, node := range slices.Sorted(maps.Keys(may)) {
		labels = append(labels, t.tree.Label(node))
	}
	empty := t.input.Data.Empty()
	if t.items != nil { // the lines that have none of both are seen when they are written
		labels, empty = append(labels, occurring(t.items)...), 0
	}
	return t.holds(labels, empty)
}

func (t *kmTask) write(w io.Writer) (err error) {
	published := t.release.Published()
	if sensitive := t.publishedItems(); sensitive != nil {
		if published, err = dataset.Join(published, sensitive); err != nil {
			return err
		}
	}
	if published = t.withholding(published); t.Drop {
		published = withoutLines(published, t.release.Withheld)
	}
	return t.put(w, published)
}

// parse binds published data, and the sensitive items in it, to the hierarchy.
func (t *kmTask) parse(ctx context.Context, in io.Reader, own bool) error {
	back, err := t.parsed(ctx, in, own)
	if err != nil {
		return err
	}
	if t.sensitive != nil {
		if err := t.isListedAgain(back.Dict()); err != nil {
			return err
		}
		if back, t.hidden, err = dataset.Split(back, t.sensitive); err != nil {
			return err
		}
	}
	if err := hasColumns(t.publishedPath, back, t.Promise.Columns); err != nil {
		return err
	}
	if t.published, err = t.tree.EncodePublished(t.blanked(back)); err == nil {
		return nil
	}
	var missing *hierarchy.MissingItemsError
	if !errors.As(err, &missing) {
		return err
	}
	if t.Hierarchy == "" {
		return &reworded{fmt.Sprintf("%s: item %q (first on line %d) is not in the original: give "+
			"the hierarchy it was generalized with, by --hierarchy",
			name(t.publishedPath), missing.Items[0].Label, missing.Items[0].FirstLine), err}
	}
	finding, told := unknownItems(t.Promise, missing, back.Len()), inFile(t.publishedPath, err)
	hints := t.misread(missing.Items[0].Label)
	finding.Notes = append(finding.Notes, hints...)
	for _, hint := range hints {
		told = fmt.Errorf("%w\n%s: %s", told, name(t.publishedPath), hint)
	}
	return &notRelease{told, finding}
}

func (t *kmTask) verify(ctx context.Context) (*verify.Finding, error) {
	return noted(t.listed)(verify.KM(ctx, verify.KMInput{
		Tree: t.tree, Original: t.input.Data, OriginalSensitive: t.items,
		Published: t.published, PublishedSensitive: t.hidden,
		Columns: t.judgedColumns(), NotSensitive: t.free, Persons: t.input.Persons,
		Promise: t.Promise, MaySuppress: t.MaySuppress, Workers: t.workers, Progress: t.progress,
	}))
}

// The losses that reports name, with formula and source.
const (
	ncpFormula = "average over all item occurrences of leaves(u)/|I| for the node u that stands for it, 0 for the item itself"
	ncpSource  = "Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 3.3"
)

// losses are those of the file that was read back.
func (t *kmTask) losses(ctx context.Context) ([]report.Loss, error) {
	loss, err := measure.NCPOf(
		ctx, t.tree, t.input.Data, undropped(t.published, t.dropped()), t.input.WorkerCount(),
	)
	if err != nil {
		return nil, err
	}
	t.loss = loss
	out := []report.Loss{{Name: "NCP", Value: loss.NCP, Formula: ncpFormula, Source: ncpSource}}
	if t.sensitive != nil {
		out[0].Formula += "; sensitive items, published as they are, are not counted"
	}
	if b := t.release.Bound; b != nil {
		out = append(out, t.bounded(b, loss.NCP)...)
	}
	return out, nil
}

// bounded is how far a loss is above what is proven to be the least. A local recoding may lose less
// than any global one: then only the bound is named.
func (t *kmTask) bounded(b *release.Bound, ncp float64) []report.Loss {
	out := []report.Loss{{
		Name: "NCP, least", Value: b.NCP, Source: "this program",
		Formula: "proven: no global recoding that keeps the promise loses less",
	}}
	if t.Promise.AgainstAlgorithm() {
		out[0].Formula = "proven: no global recoding that keeps the promise against who knows the " +
			"data only loses less, and so none that keeps this promise"
	}
	if gap, ok := measure.Gap(ncp, b.NCP); ok && (t.release.IsGlobal() || gap >= 0) {
		formula := "(NCP - least)/least"
		if ncp > report.HeavyLoss { // a gap of 0 is no praise of what is left
			formula += ": how much of the loss these parameters do not force; the rest, which they " +
				"do, is most of the data"
		}
		out = append(out, report.Loss{Name: "gap", Value: gap, Formula: formula, Source: "this program"})
	}
	return out
}

// attack tests one step further than the promise goes: with m+1 known items. It is left out where
// it would need more memory than the run may.
func (t *kmTask) attack() (*attack.Case, test, error) {
	plan := test{
		k: t.Promise.K, m: t.Promise.M + 1, promised: t.Promise.M, sensitive: t.Promise.Diverse(),
		draws: testedMost, workers: t.workers, persons: t.input.Data.Len(),
		records: t.published.Len(),
	}
	need := testedMemory * int64(t.input.Data.Occurrences()+t.published.Occurrences())
	if t.memory > 0 && need > t.memory {
		t.untested = []string{fmt.Sprintf("the adversarial test was left out: it needs about %d MB, more than --memory allows; mingle attack makes it", need>>20)}
		return nil, plan, nil
	}
	c, err := attack.Generalized(t.tree, t.input.Data, t.published)
	if err == nil && t.whose != nil {
		err = c.ByPersons(t.input.Persons)
	}
	if err == nil && !t.Promise.SensitiveKnown {
		err = attackColumns(c, t.valued, t.publishedValues())
	}
	if err == nil && t.items != nil {
		err = t.attackSensitive(c)
	}
	if err == nil && t.Promise.SensitiveKnown {
		if c, err = c.Knowing(); err == nil {
			err = attackColumns(c, t.valued, t.publishedValues())
		}
	}
	return c, plan, err
}

// attackSensitive adds the sensitive items of the original and of the published file.
func (t *kmTask) attackSensitive(c *attack.Case) error {
	hidden, err := t.over(t.items.Dict(), t.hidden)
	if err != nil {
		return err
	}
	return c.Sensitive(t.items, hidden)
}

func (t *kmTask) public(ctx context.Context, common *public) (*report.Report, error) {
	p := publicKM{
		public: *common, promise: t.Promise, algorithm: t.Algorithm.Name(),
		maySuppress: t.MaySuppress, mayWithhold: t.MaySuppress && t.can().LeavesLinesOut,
		tree: t.tree, published: t.published, hidden: t.hidden,
		whole: t.whole, sensitive: t.sensitive, allowUnknown: t.AllowUnknownSensitive,
		free: t.free,
		// a promise against the adversary "algorithm" holds with the draws known, too
		fixed: common.seeded && t.input.Seed != nil && !t.Promise.AgainstAlgorithm(),
	}
	return p.report(ctx)
}

func (t *kmTask) custodian(out *report.Custodian) {
	out.Suppressed, out.Withheld = suppressedItems(t.release), len(t.release.Withheld)
	out.Tried, out.Breakdowns = trials(t.release), report.BreakdownOfLoss(t.tree, t.loss)
	out.SuppressedSensitive, out.Persons = t.suppressedSensitive(), t.whose.count()
	if t.whose != nil {
		out.Beside = report.BesideEachOfPersons(
			t.columns.asked(t.published.Columns), t.whose.of, t.Promise.K,
		)
		out.Cautions = append(out.Cautions, out.BesideCautions()...)
	}
	out.Warnings = warnings(t.notes, t.release.Warnings, t.untested)
	out.Proof = t.proven
}

func (t *kmTask) audit(a *report.Audit) (err error) {
	a.Parts, a.Items = t.release.Parts, report.AuditItems(t.release)
	if t.input.Seed != nil {
		a.Seed = hex.EncodeToString(t.input.Seed[:])
	}
	if t.items != nil {
		a.Sensitive = report.SensitiveItems(t.items)
	}
	a.Certificate, err = t.certificate()
	return err
}
