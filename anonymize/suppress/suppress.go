// Package suppress leaves out, within a budget, what loses too much when it is generalized: whole
// items, or whole transactions. It is not in the papers.
//
// Both are wrappers: they choose what is left out, let another algorithm anonymize the rest, and
// never publish anything that loses more than that algorithm by itself. The budget is a share of
// all item occurrences; each that is not published counts 1 in the loss, as much as one published
// as the root. docs/algorithms/suppress.md tells how they choose; program.go has time and memory.
package suppress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/privacy"
	"mingle/release"
)

// Items suppresses whole items: no transaction publishes anything for them. Which ones is public,
// so that a group stands for its other items only; negative knowledge, which looks at how many
// these are, is refused.
type Items struct {
	Inner  anonymize.Algorithm // required: anonymizes what is left
	Max    float64             // required: the share of occurrences that may go, at most; 0 to 1
	Budget anonymize.Budget    // once Inner has made its release of everything
	Work   int64               // bounds the search around a global recoding; 0: see [DefaultWork]
	Whole  bool                // a search that would take more is an error, [ErrWork]
}

// DefaultWork, times the effort of the budget, bounds the search around a global recoding where
// nothing else does: about a minute. A unit of work is a clause that the solver gets, for each node
// of its search tree: about a microsecond. What is counted between two solutions is work, too.
const DefaultWork = 50_000_000

// Name is that of the inner algorithm with a mark.
func (a Items) Name() string { return name(a.Inner, "items suppressed") }

// Traits implements anonymize.Algorithm.
func (a Items) Traits() anonymize.Traits { return traits(a.Inner) }

// Anonymize implements anonymize.Algorithm.
func (a Items) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	if a.Inner == nil {
		return nil, errNoInner
	}
	if in.Promise.NegativeKnowledge {
		return nil, errors.New("suppressing items does not take negative knowledge into account: " +
			"suppress transactions, or nothing")
	}
	if err := in.CheckFor(a); err != nil {
		return nil, err
	}
	units := func(b base) kind { return items{b} }
	return within{a.Inner, a.Max, a.Budget, a.Work, a.Whole, units}.anonymize(ctx, in)
}

// Transactions suppresses whole transactions: they publish nothing, and stay as empty lines (see
// release.Generalized.Withheld). Neither their sensitive items nor their values in sensitive
// columns are published: their cells must be empty or, where an empty one is a value (NullIsValue),
// their lines left out.
type Transactions struct {
	Inner  anonymize.Algorithm // required: anonymizes what is left
	Max    float64             // required: the share of occurrences that may go, at most; 0 to 1
	Budget anonymize.Budget    // once Inner has made its release of everything
	Work   int64               // bounds the search around a global recoding; 0: see [DefaultWork]
}

// traits are those of the inner algorithm, as far as they stay. It needs 70 bytes an occurrence
// more for what chooses; 200 of one that is not known. What is left out tells of the original, and
// the work is on plain data, not on a form or parts of it. Without one there are none; Anonymize
// says what is wrong.
func traits(inner anonymize.Algorithm) anonymize.Traits {
	if inner == nil {
		return anonymize.Traits{}
	}
	t := inner.Traits()
	need := t.Need
	t.Need = func(in anonymize.Input) (all, alone anonymize.Need) {
		all = anonymize.Need{Each: 200}
		alone = all
		if need != nil {
			all, alone = need(in)
		}
		all.Each, alone.Each = all.Each+70, alone.Each+70
		return all, alone
	}
	t.Packed, t.Symmetric, t.InParts, t.MayBeLean, t.Lean = false, false, nil, nil, nil
	return t
}

// Name is that of the inner algorithm with a mark.
func (a Transactions) Name() string { return name(a.Inner, "transactions suppressed") }

// Traits implements anonymize.Algorithm.
func (a Transactions) Traits() anonymize.Traits {
	t := traits(a.Inner)
	t.LeavesLinesOut = true
	return t
}

// Anonymize implements anonymize.Algorithm.
func (a Transactions) Anonymize(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	if a.Inner == nil {
		return nil, errNoInner
	}
	marked := in
	if p := in.Promise; p.NegativeKnowledge && p.HasSensitiveItems() {
		return nil, errors.New("suppressing transactions does not keep a promise about sensitive " +
			"items against negative knowledge: who knows what a person lacks has suppressed lines " +
			"among the candidates, of which nothing sensitive is told; suppress nothing, or leave " +
			"out --negative-knowledge")
	}
	err := in.CheckFor(a)
	if err == nil && in.Promise.NegativeKnowledge {
		marked, err = in.Marked()
	}
	if err != nil {
		return nil, err
	}
	units := func(b base) kind { return transactions{b, marked} }
	return within{a.Inner, a.Max, a.Budget, a.Work, false, units}.anonymize(ctx, in)
}

func name(inner anonymize.Algorithm, mark string) string {
	if inner == nil {
		return mark
	}
	return inner.Name() + ", " + mark
}

var errNoInner = errors.New("it is not said how to anonymize what is left: Inner is required")

// within is suppression within a budget.
type within struct {
	inner  anonymize.Algorithm
	share  float64
	budget anonymize.Budget
	work   int64
	whole  bool
	kind   func(base) kind
}

// mostWork is the bound on the counted work.
func (a within) mostWork() int64 {
	return cmp.Or(a.work, DefaultWork*int64(a.budget.Times()))
}

func (a within) anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	if !(0 <= a.share && a.share <= 1) {
		return nil, fmt.Errorf("the share of occurrences that may be suppressed (%v) "+
			"must be between 0 and 1", a.share)
	}
	if err := MayHide(in); err != nil {
		return nil, err
	}
	within, cancel := a.budget.Within(ctx)
	defer cancel()
	g, err := a.inner.Anonymize(ctx, in)
	if err != nil {
		return nil, err
	}
	limit := int64(privacy.MostOf(a.share, in.Data.Occurrences()))
	best := newAttempt(g)
	if limit == 0 || best.loss == 0 {
		return g, nil
	}
	best, ended := a.search(within, in, best, limit)
	if err := a.budget.Fault(ctx, ended); err != nil && (a.whole || !errors.Is(err, ErrWork)) {
		return nil, err
	}
	if ended != nil {
		best.g.Warnings = append(best.g.Warnings, fmt.Sprintf(
			"The search for what to leave out was ended early: %v.", ended))
	}
	return best.g, nil
}

// search is the best release with at most limit occurrences suppressed, given that without
// suppression. When ctx ends, it is the best by then, beside ctx's cause.
func (a within) search(ctx context.Context, in anonymize.Input, alone *attempt,
	limit int64,
) (*attempt, error) {
	if ctx.Err() != nil {
		return alone, context.Cause(ctx)
	}
	b := newBase(in)
	r := &run{search: newSearch(b, a.kind(b), limit, a.mostWork()), inner: a.inner, best: alone}
	try := r.local
	if alone.g.IsGlobal() {
		try = r.global
	}
	err := try(ctx)
	return r.best, err
}

// run tries what to leave out and keeps the best release.
type run struct {
	*search
	inner anonymize.Algorithm
	best  *attempt
	tried [][]bool
}

// attempt is a release and what it loses: NCP times |I| times all occurrences.
type attempt struct {
	g    *release.Generalized
	loss int64
}

// newAttempt measures a release.
func newAttempt(g *release.Generalized) *attempt {
	return &attempt{g: g, loss: g.Penalty()}
}

// keep keeps a release if it is better than the best so far, and readable, and hides what is
// sensitive.
func (r *run) keep(g *release.Generalized) {
	if a := newAttempt(g); a.loss < r.best.loss && readable(g) && hides(r.in, g) {
		r.best = a
	}
}

// global publishes the best choice's own cut, or what the inner algorithm makes of the data without
// what that leaves out.
func (r *run) global(ctx context.Context) error {
	choices, ended := r.choices(ctx, r.best.loss)
	var gone []bool
	for _, c := range choices {
		before := r.best
		r.keep(r.restore(&release.Generalized{Tree: r.tree, Data: r.left(c.gone).Data, Map: c.cut},
			c.gone))
		if r.best != before {
			gone = c.gone
		}
	}
	if ended != nil && !errors.Is(ended, ErrWork) {
		return ended
	}
	return cmp.Or(r.consider(ctx, gone), ended)
}

// consider lets the inner algorithm anonymize what is left.
func (r *run) consider(ctx context.Context, gone []bool) error {
	tried := func(t []bool) bool { return slices.Equal(t, gone) }
	if !slices.Contains(gone, true) || slices.ContainsFunc(r.tried, tried) {
		return nil
	}
	r.tried = append(r.tried, gone)
	g, err := r.inner.Anonymize(ctx, r.left(gone))
	var infeasible *privacy.Infeasible
	if errors.As(err, &infeasible) {
		return nil
	}
	if err != nil {
		return err
	}
	r.keep(r.restore(g, gone))
	return context.Cause(ctx) // the inner algorithm may have ended with the best it had
}

// thresholds are shares of the whole loss that an occurrence must lose, in percent, before its unit
// is a candidate of local.
var thresholds = []int64{75, 50, 25, 10}

// local tries the units whose average occurrence loses most as the inner algorithm publishes them
// by itself. Units that lose little would lose more than their going can save: a local recoding
// hides a unit's outliers without them.
func (r *run) local(ctx context.Context) error {
	loss := r.losses(r.best.g)
	order := r.byMeanLoss(loss)
	for _, percent := range thresholds {
		n := 0
		whole := percent * int64(r.tree.Leaves())
		for n < len(order) && loss[order[n]]*100 >= whole*r.size[order[n]] {
			n++
		}
		if err := r.consider(ctx, r.fill(order[:n], r.budget)); err != nil {
			return err
		}
	}
	return nil
}

// byMeanLoss are the units that lose anything, those first whose occurrences lose most on average.
func (r *run) byMeanLoss(loss []int64) []int32 {
	var order []int32
	for unit, n := range loss {
		if n > 0 {
			order = append(order, int32(unit))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(loss[b]*r.size[a], loss[a]*r.size[b])
	})
	return order
}

// fill takes units in order as long as they fit.
func (r *run) fill(order []int32, limit int64) []bool {
	gone := make([]bool, len(r.size))
	for _, unit := range order {
		if n := r.size[unit]; n <= limit {
			gone[unit] = true
			limit -= n
		}
	}
	return gone
}
