package verify

import (
	"context"
	"errors"
	"fmt"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/par"
	"mingle/privacy"
)

// KMInput is a release to be judged, and the promise.
type KMInput struct {
	Tree *hierarchy.Tree

	// Published is what was released: items are node ids of Tree (see
	// hierarchy.Tree.EncodePublished), and line i is transaction i.
	Published          *dataset.Dataset
	PublishedSensitive *dataset.Dataset // sensitive items of the same lines; nil: not given

	// Original is what it was made from: items are leaf ids of Tree (see hierarchy.Tree.Encode).
	// nil: only what the published file shows is judged: that each line comes from some original,
	// not from its own.
	Original          *dataset.Dataset
	OriginalSensitive *dataset.Dataset

	// Columns are the values of the promise's sensitive columns, in its order. NotSensitive are
	// values that may be learned.
	Columns      []SensitiveColumn
	NotSensitive []string

	Promise privacy.KM

	// Persons has, of every original line, the person that it is of, numbered from 0; -1: of nobody
	// known. It is required where the unit of the promise is a person.
	Persons []int32

	// MaySuppress allows items and whole transactions of the original to be missing from the
	// release.
	MaySuppress bool

	Workers int // at most this many goroutines; 0: one a processor
	// Progress is called from one goroutine at a time; nil: nobody listens.
	Progress func(stage string, done, total int64)
}

// KM checks k^m-anonymity, and l^m-diversity where promised, of a release by generalization.
//
// What is checked: no line of the published file has an item twice; the published lines come from
// the original ones, in order (lines.go); every combination of at most m published nodes that
// occurs, the empty one included, has support at least k and implies nothing sensitive (classes.go,
// itemsets.go, diversity.go); what lines with a node and one below it leave to whoever reads them
// child by child (compatible.go); for local recoding also what an adversary with original items can
// do (knowledge.go), and, where promised, one who knows what a person does not have (negative.go)
// or how the release was made (certain.go); and, of some of the lines, what is promised of
// sensitive items that are known (known.go) and of sensitive columns (column.go).
func KM(ctx context.Context, in KMInput) (*Finding, error) {
	return judge(ctx, in, knowledgeLimit)
}

// judge is KM with a bound on the knowledge that is checked one combination after the other.
func judge(ctx context.Context, in KMInput, limit float64) (*Finding, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	return newJudgement(in, limit).takeSteps(ctx)
}

func newJudgement(in KMInput, limit float64) *judgement {
	// the condition that is named is the one that is checked
	in.Promise.OpenValues = in.Promise.OpenValues ||
		len(in.Promise.Columns) > 0 && len(in.NotSensitive) > 0
	j := &judgement{
		in: in, pool: newPool(in.Workers, in.Progress), limit: limit,
		f: newFinding(in.Promise, "", in.Published.Len()), promised: in.Promise.M,
	}
	j.in.Promise.M = min(in.Promise.M, in.facts())
	return j
}

// facts is how many there are to know of a person at most: nodes, and sensitive items.
func (in *KMInput) facts() int {
	n := in.Tree.Nodes()
	for _, d := range []*dataset.Dataset{in.PublishedSensitive, in.OriginalSensitive} {
		if d != nil {
			n += d.Dict().Len()
		}
	}
	return n
}

// takeSteps makes a check. Where a step would be too much, what was found before is enough to say
// that a promise is broken, and not to say that it holds.
func (j *judgement) takeSteps(ctx context.Context) (*Finding, error) {
	for _, step := range []func(context.Context) error{
		j.repeats, j.recoding, j.persons, j.sensitive, j.itemsets, j.original, j.compatible,
		j.childShares, j.negative, j.certain, j.columns, j.emptied, j.known,
	} {
		err := step(ctx)
		var much *TooMuch
		if errors.As(err, &much) && j.f.BreachCount > 0 {
			j.f.note("there may be more breaches: %s", much.Reason)
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return j.f.verdict(), nil
}

func (in *KMInput) check() error {
	var faults []error
	fault := func(broken bool, text string) {
		if broken {
			faults = append(faults, errors.New(text))
		}
	}
	fault(in.Tree == nil, "verify: no hierarchy is given")
	fault(in.Published == nil, "verify: no published data is given")
	faults = append(faults, in.Promise.Validate(), par.CheckWorkers(in.Workers))
	if in.Tree != nil && in.Published != nil {
		faults = append(faults, in.checkBound())
	}
	lines := func(a, b *dataset.Dataset) bool { return a == nil || b != nil && a.Len() == b.Len() }
	fault(in.Published != nil && !lines(in.PublishedSensitive, in.Published),
		"verify: the published sensitive items are not of the same lines as the published data")
	fault(!lines(in.OriginalSensitive, in.Original),
		"verify: the original sensitive items are not of the same lines as the original data")
	fault(in.Promise.HasSensitiveItems() && in.PublishedSensitive == nil &&
		in.OriginalSensitive == nil,
		"verify: l-diversity cannot be checked without the sensitive items")
	faults = append(faults, in.checkColumns())
	fault(in.MaySuppress && in.Promise.SensitiveKnown,
		"verify: known sensitive items cannot be checked where items or lines may be missing: who "+
			"knows both looks for the person among the lines that lost their items")
	fault(in.MaySuppress && in.Promise.AgainstAlgorithm(),
		"verify: a promise against the adversary \"algorithm\" cannot be checked where items "+
			"may be missing: "+
			"any line could have any item")
	return errors.Join(append(faults, in.checkPersons())...)
}

// checkBound refuses data whose ids name other items than those of the hierarchy: what is judged
// would be other data than is published.
func (in *KMInput) checkBound() error {
	var faults []error
	if err := in.Tree.CheckBoundPublished(in.Published); err != nil {
		faults = append(faults, fmt.Errorf("verify: %w", err))
	}
	if in.Original != nil {
		if err := in.Tree.CheckBound(in.Original); err != nil {
			faults = append(faults, fmt.Errorf("verify: the original: %w", err))
		}
	}
	return errors.Join(faults...)
}

// judgement is a check under way.
type judgement struct {
	in    KMInput
	pool  *pool
	limit float64 // see knowledgeLimit
	// closer is the same where not all sets are checked, but those alone that may break shares; 0:
	// limit
	closer   float64
	f        *Finding
	promised int // m as it is promised, where in has no more than there is to know

	of        []int32 // published line -> original line; nil: the same
	uncarried bool    // of is by items alone, as lines do not carry what they should

	person []int32          // of each published line; nil: no persons, or the lines are not known
	sens   *dataset.Dataset // sensitive items of the published lines; nil: none, or not to be had
	nested bool             // some published line has a node and an ancestor of it

	nothing []bool // of each published line: there is nothing on it; nil until it is looked at

	within *within         // of which lines this is; nil: of all
	valued []*valuedColumn // the sensitive columns; nil until they are looked at
}

// repeats judges what the reader dropped, or notes it.
func (j *judgement) repeats(context.Context) error {
	j.f.repeats(j.in.Published)
	j.f.surplus(j.in.Published.Surplus)
	return nil
}

// itemsets checks the published view.
func (j *judgement) itemsets(ctx context.Context) error {
	p := j.in.Promise
	if longest := j.in.Published.MaxLen(); j.promised > longest {
		j.f.note("m (%d) is more than the longest published line (%d): combinations of all "+
			"sizes were checked",
			j.promised, longest)
	}
	if n := j.emptyLines(); n > 0 {
		j.f.note("%s %s nothing an adversary can know", plural(n, "published line"),
			number(n, "is empty: it contains", "are empty: they contain"))
	}
	silent := j.silent()
	quiet := countTrue(silent)
	if quiet > 0 {
		j.f.note("%s nothing, and may be %s: no share of a sensitive item was taken of %s",
			plural(quiet, "published line")+number(quiet, " shows", " show"),
			number(quiet, "that of a suppressed transaction", "those of suppressed transactions"),
			number(quiet, "it", "them"))
	}
	if p.HasSensitiveItems() && j.sens == nil {
		j.f.note("diversity was not checked: the lines cannot be matched with the sensitive items")
	}
	if j.sens == nil {
		p.L = 0
	}
	if p.HasSensitiveItems() && !p.SensitiveKnown {
		j.f.note("only items that are not sensitive were taken as known: " +
			"a sensitive item that is known may leave one candidate")
	}
	if len(p.Columns) > 0 {
		j.f.note("no value of a sensitive column was taken as known: " +
			"a value that is known may leave one candidate")
	}
	if p.Persons {
		return j.byPersons(ctx, p, silent)
	}
	empty := checkEmpty(j.in.Published, j.sens, quiet, p)
	j.f.breach(empty.count, j.spell(empty, KindSupport)...)
	if p.M == 0 { // only sensitive items are known
		return nil
	}
	found, counted, err := checkItemsets(ctx, j.pool, j.in.Published, j.sens, p)
	if err != nil {
		return err
	}
	j.f.Itemsets = counted
	j.f.breach(found.count, j.spell(found, KindSupport)...)
	return nil
}
