package partition

// Local recoding: terrovitis-2011, section 4.5, Algorithms 5 and 6.
//
// Transactions in Gray order are cut into parts, and aa runs on each. Every part alone keeps the
// promise, so their union does: an itemset that occurs in some part occurs there at least k times,
// and a share of at most 1/l in every part is a share of at most 1/l in all.
//
// Deviations. Parts are balanced by the number of itemsets of at most m items, as the text of 4.5.1
// says, not by |D|/n as Algorithm 6 does. Identical transactions stay together, so the result does
// not depend on their order. A part that cannot keep the promise is joined to its neighbour, and so
// is one that loses less in company: a part of few very long transactions (the paper's trouble with
// BMS-WebView-1) has hardly anything in it k times.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/order"
	"mingle/dataset"
	"mingle/internal/par"
	"mingle/privacy"
	"mingle/release"
)

// LRA is local recoding on parts of alike transactions.
type LRA struct {
	Parts int // at least 1, more than the transactions mean as many as these; 0 means 3
	// Flexibility is by how many transactions a border may move to reach the widest gap: 0 or more;
	// -1 means 10.
	Flexibility int
	// KeepParts leaves the parts as the paper has them: only those that cannot keep the promise
	// alone are joined, not those that would lose less in company. It takes a third of the time,
	// and may lose several times as much.
	KeepParts bool
}

// Name is "lra".
func (LRA) Name() string { return "lra" }

// Traits implements anonymize.Algorithm.
func (LRA) Traits() anonymize.Traits {
	return anonymize.Traits{
		Persons: true, Need: func(in anonymize.Input) (all, alone anonymize.Need) {
			n := anonymize.Need{Each: 200, Walk: anonymize.WalkOf(in.Promise.M, in.Data)}
			return n, n
		},
	}
}

// Anonymize implements anonymize.Algorithm.
func (a LRA) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	return anonymize.Solve(ctx, in, a)
}

// Solve implements anonymize.Solver. The release has the part of every transaction in Parts.
func (a LRA) Solve(ctx context.Context, p *anonymize.Problem) (*release.Generalized, error) {
	if a.Parts == 0 {
		a.Parts = 3
	}
	if a.Flexibility == -1 {
		a.Flexibility = 10
	}
	if a.Parts < 1 || a.Flexibility < 0 {
		return nil, fmt.Errorf(
			"lra: parts (%d) must be at least 1, and flexibility (%d) at least 0", a.Parts,
			a.Flexibility,
		)
	}
	r := &localRecoding{in: p.Input, merged: p.Merged()}
	r.order = GrayOrder(r.merged.Dataset)
	if p.Promise.Persons && p.Promise.Diverse() {
		r.keepPersons()
	}
	a.Parts = min(a.Parts, max(1, p.Data.Len()))
	borders, err := r.borders(ctx, a.Parts, a.Flexibility)
	if err != nil {
		return nil, err
	}
	if err := r.solveAll(ctx, borders); err != nil {
		return nil, err
	}
	if !a.KeepParts {
		if err := r.join(ctx); err != nil {
			return nil, err
		}
	}
	return r.release(a.Parts), nil
}

// GrayOrder sorts transactions as Gray codes, the last item being the most significant bit, as in
// figure 7.
func GrayOrder(d *dataset.Dataset) []int32 {
	rank := make([]int32, d.Dict().Len())
	for i := range rank {
		rank[i] = int32(len(rank) - 1 - i)
	}
	return order.Gray(d, rank)
}

// localRecoding is one run: merged transactions in Gray order, and parts of that order.
type localRecoding struct {
	in     anonymize.Input
	merged *dataset.Merged
	order  []int32
	inside []bool // by place of the order: no border may be before it; nil: it may be anywhere
	parts  []*horizontal

	reporting sync.Mutex
	solved    int64
}

// horizontal is the part of merged transactions order[from:to] and what aa makes of it.
type horizontal struct {
	from, to int
	txs      []int32 // original transactions
	recoding *release.Generalized
	loss     int64
	failed   error // the part alone cannot keep the promise
}

// borders cuts the order into at most n parts of about equal numbers of itemsets.
func (r *localRecoding) borders(ctx context.Context, n, flexibility int) ([]int, error) {
	prefix := make([]float64, len(r.order)+1)
	for i, tx := range r.order {
		sets := itemsets(len(r.merged.Tx(int(tx))), r.in.Promise.M)
		prefix[i+1] = prefix[i] + float64(r.merged.Weight(int(tx)))*sets
	}
	out := []int{0}
	for p := 1; p < n; p++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		target := prefix[len(r.order)] * float64(p) / float64(n)
		at, _ := slices.BinarySearch(prefix, target)
		for at < len(r.order) && !r.mayCut(at) {
			at++
		}
		at = r.widestGap(at, flexibility)
		if at > out[len(out)-1] && at < len(r.order) {
			out = append(out, at)
		}
	}
	return append(out, len(r.order)), nil
}

// itemsets is the number of sets of 1 to m out of n items.
func itemsets(n, m int) float64 {
	total, term := 0.0, 1.0
	for i := 1; i <= min(n, m); i++ {
		term *= float64(n-i+1) / float64(i)
		total += term
	}
	return total
}

// widestGap is the border within f transactions of at whose two sides differ most; the nearest to
// at of several.
func (r *localRecoding) widestGap(at, f int) int {
	best, gap := at, -1
	for d := range min(f, len(r.order)) + 1 {
		for _, b := range []int{at - d, at + d} {
			if b < 1 || b >= len(r.order) || !r.mayCut(b) {
				continue
			}
			if g := hamming(r.merged.Tx(int(r.order[b-1])), r.merged.Tx(int(r.order[b]))); g > gap {
				best, gap = b, g
			}
		}
	}
	return best
}

// hamming is the number of items in one of two ascending sets and not in the other.
func hamming(a, b []int32) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			a, n = a[1:], n+1
		default:
			b, n = b[1:], n+1
		}
	}
	return n + len(a) + len(b)
}

// solveAll anonymizes the parts between the borders, and joins those that cannot stand alone to a
// neighbour.
func (r *localRecoding) solveAll(ctx context.Context, borders []int) error {
	members := r.members(borders)
	r.parts = make([]*horizontal, len(borders)-1)
	err := par.Each(ctx, r.in.WorkerCount(), len(r.parts), func(ctx context.Context, i int) error {
		var err error
		r.parts[i], err = r.solve(ctx, borders[i], borders[i+1], members[i])
		return err
	})
	if err != nil {
		return err
	}
	for i := 0; i < len(r.parts); {
		if r.parts[i].failed == nil {
			i++
			continue
		}
		if len(r.parts) == 1 {
			return r.parts[0].failed
		}
		i = min(i, len(r.parts)-2)
		if r.parts[i], err = r.union(ctx, i); err != nil {
			return err
		}
		r.parts = slices.Delete(r.parts, i+1, i+2)
	}
	return nil
}

// members lists the original transactions of each part, ascending.
func (r *localRecoding) members(borders []int) [][]int32 {
	part := make([]int32, r.merged.Len())
	for p := range len(borders) - 1 {
		for _, tx := range r.order[borders[p]:borders[p+1]] {
			part[tx] = int32(p)
		}
	}
	out := make([][]int32, len(borders)-1)
	for i := range r.in.Data.Len() {
		of := r.mergedOf(i)
		out[part[of]] = append(out[part[of]], int32(i))
	}
	return out
}

func (r *localRecoding) solve(ctx context.Context, from, to int, txs []int32) (*horizontal, error) {
	h := &horizontal{from: from, to: to, txs: txs}
	in := r.in
	in.Data = in.Data.Select(txs)
	if in.Sensitive != nil {
		in.Sensitive = in.Sensitive.Select(txs)
	}
	in.Persons = anonymize.PersonsOf(in.Persons, txs)
	in.Workers, in.Progress = 1, nil
	g, err := global.AA{}.Anonymize(ctx, in)
	var infeasible *privacy.Infeasible
	if errors.As(err, &infeasible) {
		h.failed = err
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	h.recoding = g
	r.reporting.Lock()
	defer r.reporting.Unlock()
	r.solved++
	r.in.Report("parts", r.solved, 0)
	for _, leaf := range in.Data.Items() {
		h.loss += in.Tree.Penalty(g.Map[leaf])
	}
	return h, nil
}

// union anonymizes part i and the one after it as one.
func (r *localRecoding) union(ctx context.Context, i int) (*horizontal, error) {
	a, b := r.parts[i], r.parts[i+1]
	txs := slices.Concat(a.txs, b.txs)
	slices.Sort(txs)
	return r.solve(ctx, a.from, b.to, txs)
}

// join unites neighbours as long as that lowers the loss, the best pair first.
func (r *localRecoding) join(ctx context.Context) error {
	unions := make([]*horizontal, max(0, len(r.parts)-1))
	for len(r.parts) > 1 {
		err := par.Each(ctx, r.in.WorkerCount(), len(unions),
			func(ctx context.Context, i int) (err error) {
				if unions[i] == nil {
					unions[i], err = r.union(ctx, i)
				}
				return err
			})
		if err != nil {
			return err
		}
		best, gain := -1, int64(0)
		for i, u := range unions {
			if g := r.parts[i].loss + r.parts[i+1].loss - u.loss; u.failed == nil && g > gain {
				best, gain = i, g
			}
		}
		if best < 0 {
			return nil
		}
		r.parts[best] = unions[best]
		r.parts = slices.Delete(r.parts, best+1, best+2)
		unions = slices.Delete(unions, best, best+1)
		for _, i := range []int{best - 1, best} {
			if 0 <= i && i < len(unions) {
				unions[i] = nil
			}
		}
	}
	return nil
}

func (r *localRecoding) release(asked int) *release.Generalized {
	nodes := make([]int32, r.in.Data.Occurrences())
	part := make([]int32, r.in.Data.Len())
	for p, h := range r.parts {
		for _, i := range h.txs {
			part[i] = int32(p)
			for pos := r.in.Data.Start(int(i)); pos < r.in.Data.Start(int(i)+1); pos++ {
				nodes[pos] = h.recoding.Map[r.in.Data.Items()[pos]]
			}
		}
	}
	g := release.Local(r.in.Tree, r.in.Data, nodes)
	g.Parts = part
	if n := len(r.parts); n < asked {
		g.Warnings = append(g.Warnings, fmt.Sprintf("lra: %d of %d parts were joined to a neighbour, where they lose less or where alone they could not keep the promise", asked-n, asked))
	}
	return g
}
