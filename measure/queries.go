package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/par"
)

// Query error: how well a count over the published data answers one over the original ("in how many
// transactions are all of these items?"). A published transaction surely has an item it publishes
// as itself; it may have one it publishes an ancestor of. So the true answer of a release without
// suppression lies between
//
//	lower = transactions that surely have all items, and
//	upper = transactions that may have all of them,
//
// and the estimate gives each of the n leaves that a node of the line likely stands for
// ([hierarchy.Tree.Likely]) the probability 1/n. The error of an answer is
// |answer - true| / max(true, floor).

// QueryOptions say what is asked.
type QueryOptions struct {
	Queries int     // number of queries; 0: 1,000
	Size    int     // items a query; 0: 2
	Floor   float64 // smallest denominator of an error, as a share of the transactions; 0: 0.1 %
	Workers int     // at most this many goroutines; 0: one a processor; the result is the same
	// Progress is called from one goroutine at a time; nil: nobody listens.
	Progress func(done, total int64)
}

// QueryLoss is the average over queries. Mean supports are in transactions. Errors are relative: of
// an answer it is |answer - true| / max(true, floor), where floor is QueryOptions.Floor of the
// transactions.
type QueryLoss struct {
	Queries    int     `json:"queries"`
	Size       int     `json:"size"`
	Error      float64 `json:"error"`       // mean error of the estimate
	ErrorLower float64 `json:"error_lower"` // of how many transactions surely have all items
	ErrorUpper float64 `json:"error_upper"` // and of how many may
	MeanTrue   float64 `json:"mean_true"`
	MeanLower  float64 `json:"mean_lower"`
	MeanUpper  float64 `json:"mean_upper"`
	// queries whose true answer is not between the bounds: suppression only
	OutsideBounds int `json:"outside_bounds"`
}

// answer is what is known about one count.
type answer struct {
	True, Lower, Upper int
	Estimate           float64
}

// mostQueries bounds what is held: all queries are made before the first is asked.
const mostQueries = 10_000_000

// ErrNothingToQuery is the error of [QueryError] where there are no items.
var ErrNothingToQuery = errors.New("no transaction of the original has an item: there is nothing " +
	"to query")

// QueryError asks random queries: Size different items of a random transaction that has as many,
// each as likely as another; the size of the longest transaction where none has as many. Line i of
// the published data need not be line i of the original.
func QueryError(ctx context.Context, r *rand.Rand, t *hierarchy.Tree,
	original, published *dataset.Dataset, opts QueryOptions,
) (QueryLoss, error) {
	if err := cmp.Or(bound(t, original, published), par.CheckWorkers(opts.Workers)); err != nil {
		return QueryLoss{}, err
	}
	opts.Queries, opts.Size = cmp.Or(opts.Queries, 1000), cmp.Or(opts.Size, 2)
	opts.Floor = cmp.Or(opts.Floor, 0.001)
	if opts.Queries < 0 || opts.Size < 0 || opts.Floor < 0 {
		return QueryLoss{}, errors.New("the number of queries, their size and the smallest " +
			"denominator must not be negative")
	}
	if opts.Queries > mostQueries {
		return QueryLoss{}, fmt.Errorf("the number of queries (%d) must be at most %d",
			opts.Queries, mostQueries)
	}
	opts.Size = min(opts.Size, max(1, original.MaxLen()))
	var long []int
	for i := range original.Len() {
		if len(original.Tx(i)) >= opts.Size {
			long = append(long, i)
		}
	}
	if len(long) == 0 {
		return QueryLoss{}, ErrNothingToQuery
	}
	queries := make([][]int32, opts.Queries)
	for i := range queries {
		tx := original.Tx(long[r.IntN(len(long))])
		for _, at := range r.Perm(len(tx))[:opts.Size] {
			queries[i] = append(queries[i], tx[at])
		}
	}
	answers, err := newIndex(t, original, published).ask(ctx, queries, opts)
	if err != nil {
		return QueryLoss{}, err
	}
	floor := max(1, opts.Floor*float64(original.Len()))
	loss := QueryLoss{Queries: opts.Queries, Size: opts.Size}
	for _, a := range answers {
		below := max(float64(a.True), floor)
		loss.Error += math.Abs(a.Estimate-float64(a.True)) / below
		loss.ErrorLower += math.Abs(float64(a.Lower-a.True)) / below
		loss.ErrorUpper += math.Abs(float64(a.Upper-a.True)) / below
		loss.MeanTrue += float64(a.True)
		loss.MeanLower += float64(a.Lower)
		loss.MeanUpper += float64(a.Upper)
		if a.True < a.Lower || a.True > a.Upper {
			loss.OutsideBounds++
		}
	}
	for _, sum := range []*float64{
		&loss.Error, &loss.ErrorLower, &loss.ErrorUpper, &loss.MeanTrue,
		&loss.MeanLower, &loss.MeanUpper,
	} {
		*sum /= float64(opts.Queries)
	}
	return loss, nil
}

// index is an original and its release.
type index struct {
	tree                *hierarchy.Tree
	original, published *dataset.Dataset
	has, publishes      [][]int32 // by item, by node: transactions, ascending
	nested              []bool    // by published transaction: whether a label is above another
}

// newIndex indexes both. Memory: 4 bytes an occurrence.
func newIndex(t *hierarchy.Tree, original, published *dataset.Dataset) *index {
	return &index{
		tree: t, original: original, published: published,
		has: transactionsOf(original), publishes: transactionsOf(published),
		nested: nested(t, published, func(tx, out []int32) []int32 { return append(out, tx...) }),
	}
}

// ask answers queries, each by one worker.
func (x *index) ask(ctx context.Context, queries [][]int32, o QueryOptions) ([]answer, error) {
	answers := make([]answer, len(queries))
	var mu sync.Mutex
	done := int64(0)
	err := par.EachIn(ctx, par.Workers(o.Workers), len(queries),
		func(int) *counter { return x.counter() },
		func(_ context.Context, c *counter, i int) error {
			answers[i] = c.answer(queries[i])
			if o.Progress != nil {
				mu.Lock()
				defer mu.Unlock()
				done++
				o.Progress(done, int64(len(queries)))
			}
			return nil
		})
	return answers, err
}

// counter answers counts over an original and its release. Memory: 4 bytes a published transaction
// for each item of a query.
type counter struct {
	*index
	// by position in a query, by published transaction: the lowest node at or above the item; -1:
	// none. All -1 between queries.
	cover [][]int32
	guess guess
}

func (x *index) counter() *counter { return &counter{index: x, guess: guess{tree: x.tree}} }

func transactionsOf(d *dataset.Dataset) [][]int32 {
	out := make([][]int32, d.Dict().Len())
	for x, n := range d.Supports() {
		out[x] = make([]int32, 0, n)
	}
	for i := range d.Len() {
		for _, x := range d.Tx(i) {
			out[x] = append(out[x], int32(i))
		}
	}
	return out
}

// answer tells in how many transactions all of the items are.
func (c *counter) answer(items []int32) answer {
	var a answer
	for _, i := range c.has[rarest(items, func(x int32) int { return len(c.has[x]) })] {
		if containsAll(c.original.Tx(int(i)), items) {
			a.True++
		}
	}
	for at, x := range items {
		c.setCovers(at, x, true)
	}
	first := rarest(items, c.mayHave)
	mine := c.cover[slices.Index(items, first)]
	for u := first; u >= 0; u = c.tree.Parent(u) {
		for _, i := range c.publishes[u] {
			if mine[i] == u { // else counted at a lower node
				c.count(&a, items, i)
			}
		}
	}
	for at, x := range items {
		c.setCovers(at, x, false)
	}
	return a
}

// count counts a published transaction.
func (c *counter) count(a *answer, items []int32, i int32) {
	probability, surely := 1.0, true
	for at, x := range items {
		u := c.cover[at][i]
		if u < 0 {
			return
		}
		if u == x {
			continue
		}
		surely = false
		var line []int32
		if c.nested[i] {
			line = c.published.Tx(int(i))
		}
		probability *= c.guess.share(line, u, x)
	}
	a.Upper++
	a.Estimate += probability
	if surely {
		a.Lower++
	}
}

// setCovers notes where the item at a position of a query is published, or forgets it.
func (c *counter) setCovers(at int, x int32, known bool) {
	for len(c.cover) <= at {
		c.cover = append(c.cover, slices.Repeat([]int32{-1}, c.published.Len()))
	}
	cover := c.cover[at]
	for u := x; u >= 0; u = c.tree.Parent(u) {
		for _, i := range c.publishes[u] {
			switch {
			case !known:
				cover[i] = -1
			case cover[i] < 0: // else by a lower node
				cover[i] = u
			}
		}
	}
}

// mayHave is at least the number of published transactions that may have item x.
func (c *counter) mayHave(x int32) int {
	n := 0
	for u := x; u >= 0; u = c.tree.Parent(u) {
		n += len(c.publishes[u])
	}
	return n
}

func rarest(items []int32, count func(int32) int) int32 {
	return slices.MinFunc(items, func(a, b int32) int { return count(a) - count(b) })
}

func containsAll(tx, items []int32) bool {
	for _, x := range items {
		if _, found := slices.BinarySearch(tx, x); !found {
			return false
		}
	}
	return true
}
