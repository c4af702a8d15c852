package verify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/privacy"
)

// CoherenceInput is what is judged by [Coherence].
type CoherenceInput struct {
	Published *dataset.Dataset
	Original  *dataset.Dataset // nil: the published file is judged alone
	Private   []string         // labels of the private items; all others are public
	Promise   privacy.Coherence

	Workers  int                                   // at most this many goroutines; 0: one a processor
	Progress func(stage string, done, total int64) // called from one goroutine at a time; nil: nobody listens
}

// The kinds of breaches of coherence, beside those of the lines.
const (
	KindIdentity  = "identity"  // a combination of public items occurs, in fewer than k transactions
	KindAttribute = "attribute" // a combination of public items implies a private item with a probability above h
)

// Coherence judges (h,k,p)-coherence from the definition: every set of at most p public items that occurs, the empty one
// included, is in at least k transactions, and no private item is in more than a share h of them. That is the definition's
// largest share over all subsets of a set too, since the subsets are judged themselves.
//
// With the original it is also checked that line i of the published file is line i of the original without some public
// items, that each of these is missing from all lines, and that the private items are all there.
//
// The sets are gone through by their items in ascending order, each by reading the transactions that contain the set it
// extends. What extends a breach is not looked at: it is a breach already.
func Coherence(ctx context.Context, in CoherenceInput) (*Finding, error) {
	if in.Published == nil {
		return nil, errors.New("verify: no published data is given")
	}
	if err := in.Promise.Validate(); err != nil {
		return nil, err
	}
	c := newCoherence(in)
	if in.Original != nil {
		if err := c.lines(ctx); err != nil {
			return nil, err
		}
	} else {
		c.f.Notes = append(c.f.Notes, "verified without the original: what the published file shows was checked, not that it is the original with items suppressed")
	}
	if err := c.itemsets(ctx); err != nil {
		return nil, err
	}
	c.f.Holds = c.f.BreachCount == 0
	return c.f, nil
}

// coherence is a check under way.
type coherence struct {
	in      CoherenceInput
	f       *Finding
	private []bool  // by item of the published file
	most    []int32 // number of transactions -> how many of them may have one private item
	crew    *crew
}

func newCoherence(in CoherenceInput) *coherence {
	c := &coherence{in: in, f: &Finding{
		Promise: in.Promise.String(), Inequality: in.Promise.Inequality(), Transactions: in.Published.Len(), Recoding: "suppression",
	}}
	c.crew = &crew{workers: in.Workers, progress: in.Progress}
	if c.crew.workers <= 0 {
		c.crew.workers = runtime.GOMAXPROCS(0)
	}
	c.private = marked(in.Published.Dict(), in.Private)
	h := in.Promise.Share()
	for n := range in.Published.Len() + 1 {
		x := new(big.Int).Mul(big.NewInt(int64(n)), h.Num())
		c.most = append(c.most, int32(x.Div(x, h.Denom()).Int64()))
	}
	if longest := in.Published.MaxLen(); in.Promise.P > longest {
		c.f.Notes = append(c.f.Notes, fmt.Sprintf("p (%d) is more than the longest published line (%d): combinations of all sizes were checked", in.Promise.P, longest))
	}
	if n := in.Published.Empty(); n > 0 {
		c.f.Notes = append(c.f.Notes, fmt.Sprintf("%d published lines are empty: they contain nothing an adversary can know", n))
	}
	return c
}

// marked tells which items of a dictionary are listed.
func marked(dict *dataset.Dictionary, labels []string) []bool {
	out := make([]bool, dict.Len())
	for _, l := range labels {
		if it, ok := dict.ID(l); ok {
			out[it] = true
		}
	}
	return out
}

func (c *coherence) breach(b Breach) {
	c.f.BreachCount++
	if len(c.f.Breaches) < maxBreaches {
		c.f.Breaches = append(c.f.Breaches, b)
	}
}

// lines compares the files line by line.
func (c *coherence) lines(ctx context.Context) error {
	o, p := c.in.Original, c.in.Published
	if o.Len() != p.Len() {
		c.breach(Breach{Kind: KindCount, Itemset: []string{}, Support: p.Len(), Needed: o.Len(), Message: fmt.Sprintf(
			"the published file has %d transactions, the original %d", p.Len(), o.Len())})
		return nil
	}
	private := marked(o.Dict(), c.in.Private)
	kept := c.publishedSomewhere()
	gone := make([]bool, o.Dict().Len())
	for i := range p.Len() {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		lost, gained := difference(o, i, p, i)
		for _, label := range gained {
			c.lineBreach(i, KindRecoding, label, fmt.Sprintf("line %d of the published file has %q, line %d of the original has not", p.Line(i), label, o.Line(i)))
		}
		for _, label := range lost {
			it, _ := o.Dict().ID(label)
			switch {
			case private[it]:
				c.lineBreach(i, KindSensitive, label, fmt.Sprintf("line %d of the published file lacks the private item %q of line %d of the original", p.Line(i), label, o.Line(i)))
			case kept[label]:
				c.lineBreach(i, KindRecoding, label, fmt.Sprintf("line %d of the published file lacks %q of line %d of the original, though other lines have it: an item must be suppressed everywhere", p.Line(i), label, o.Line(i)))
			}
			gone[it] = true
		}
	}
	n := 0
	for _, is := range gone {
		if is {
			n++
		}
	}
	c.f.Notes = append(c.f.Notes, fmt.Sprintf("%d items of the original are suppressed", n))
	return nil
}

func (c *coherence) lineBreach(i int, kind, label, message string) {
	c.breach(Breach{Kind: kind, Itemset: []string{label}, Needed: 1, Lines: []int{c.in.Published.Line(i)}, Message: message})
}

// publishedSomewhere are the labels that occur in the published file.
func (c *coherence) publishedSomewhere() map[string]bool {
	out := map[string]bool{}
	for it, n := range c.in.Published.Supports() {
		if n > 0 {
			out[c.in.Published.Dict().Label(int32(it))] = true
		}
	}
	return out
}

// itemsets judges the sets of public items.
func (c *coherence) itemsets(ctx context.Context) error {
	n := c.in.Published.Len()
	if n == 0 {
		return nil
	}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	first := newCoherenceSearch(ctx, c)
	first.judge(all)
	singles := first.buckets(all, -1)
	searches := []*coherenceSearch{first}
	for range c.crew.workers {
		searches = append(searches, newCoherenceSearch(ctx, c))
	}
	err := c.crew.run(ctx, "itemsets", len(singles), func(worker, i int) {
		s := searches[worker+1]
		s.taskStart = s.shelf.count
		s.set = append(s.set[:0], singles[i].item)
		s.extend(singles[i].rows)
	})
	if err != nil {
		return err
	}
	found := &shelf{}
	for _, s := range searches {
		found.merge(&s.shelf)
		c.f.Itemsets += s.counted
	}
	for _, w := range found.kept {
		c.spell(w)
	}
	c.f.BreachCount += found.count - int64(len(found.kept))
	return nil
}

// coherenceSearch is one worker's state.
type coherenceSearch struct {
	shelf
	c         *coherence
	ctx       context.Context
	set       []int32
	counted   int64
	taskStart int64
	count     []int32 // by item; zero between uses
}

func newCoherenceSearch(ctx context.Context, c *coherence) *coherenceSearch {
	return &coherenceSearch{c: c, ctx: ctx, count: make([]int32, len(c.private))}
}

// bucket is the rows of a projection that contain an item.
type bucket struct {
	item int32
	rows []int32
}

// extend judges the current set, which is in the given rows, and all sets that go on from it with larger items.
func (s *coherenceSearch) extend(rows []int32) {
	if s.ctx.Err() != nil || s.shelf.count-s.taskStart >= maxPerTask {
		return
	}
	if !s.judge(rows) || len(s.set) == s.c.in.Promise.P {
		return
	}
	for _, b := range s.buckets(rows, s.set[len(s.set)-1]) {
		s.set = append(s.set, b.item)
		s.extend(b.rows)
		s.set = s.set[:len(s.set)-1]
	}
}

// judge tells whether the current set, which is in the given rows, is no breach, and files it if it is.
func (s *coherenceSearch) judge(rows []int32) bool {
	s.counted++
	n := len(rows)
	if n < s.c.in.Promise.K {
		s.add(s.set, -1, n, s.c.in.Promise.K)
		return false
	}
	fine := true
	var seen []int32
	for _, r := range rows {
		for _, it := range s.c.in.Published.Tx(int(r)) {
			if s.c.private[it] {
				if s.count[it] == 0 {
					seen = append(seen, it)
				}
				s.count[it]++
			}
		}
	}
	for _, it := range seen {
		if s.count[it] > s.c.most[n] {
			s.add(s.set, it, n, int(s.count[it]))
			fine = false
		}
		s.count[it] = 0
	}
	return fine
}

// buckets sorts rows by each of their public items behind one, ascending.
func (s *coherenceSearch) buckets(rows []int32, after int32) []bucket {
	var seen []int32
	total := 0
	s.public(rows, after, func(_, it int32) {
		if s.count[it] == 0 {
			seen = append(seen, it)
		}
		s.count[it]++
		total++
	})
	slices.Sort(seen)
	out := make([]bucket, 0, len(seen))
	room := make([]int32, 0, total)
	for i, it := range seen {
		from := len(room)
		room = room[:from+int(s.count[it])]
		out = append(out, bucket{it, room[from:from]})
		s.count[it] = int32(i)
	}
	s.public(rows, after, func(r, it int32) {
		b := &out[s.count[it]]
		b.rows = append(b.rows, r)
	})
	for _, it := range seen {
		s.count[it] = 0
	}
	return out
}

// public calls f for every public item of the rows behind one.
func (s *coherenceSearch) public(rows []int32, after int32, f func(row, item int32)) {
	for _, r := range rows {
		tx := s.c.in.Published.Tx(int(r))
		for k := len(tx) - 1; k >= 0 && tx[k] > after; k-- {
			if !s.c.private[tx[k]] {
				f(r, tx[k])
			}
		}
	}
}

// spell turns a witness into a breach. For a private item, needed holds the number of transactions that have it.
func (c *coherence) spell(w witness) {
	dict := c.in.Published.Dict()
	b := Breach{Kind: KindIdentity, Support: w.support, Needed: w.needed, Itemset: []string{}}
	for _, it := range w.nodes {
		b.Itemset = append(b.Itemset, dict.Label(it))
	}
	what := "the public items {" + strings.Join(b.Itemset, ", ") + "}"
	if len(w.nodes) == 0 {
		what = "no public item at all"
	}
	with := w.nodes
	if w.sensitive >= 0 {
		with = append(slices.Clone(w.nodes), w.sensitive)
		slices.Sort(with)
		h := c.in.Promise.Share()
		x := new(big.Int).Mul(big.NewInt(int64(w.needed)), h.Denom())
		x.Add(x, new(big.Int).Sub(h.Num(), big.NewInt(1)))
		b.Kind, b.Sensitive, b.Needed = KindAttribute, dict.Label(w.sensitive), int(x.Div(x, h.Num()).Int64())
		b.Message = fmt.Sprintf("private item %q is in %d of the %d transactions with %s, more than a share of %v", b.Sensitive, w.needed, w.support, what, c.in.Promise.H)
	} else {
		b.Message = fmt.Sprintf("%d published transactions have %s, fewer than %d", w.support, what, w.needed)
	}
	for i := 0; i < c.in.Published.Len() && len(b.Lines) < maxLines; i++ {
		if contains(c.in.Published.Tx(i), with) {
			b.Lines = append(b.Lines, c.in.Published.Line(i))
		}
	}
	c.breach(b)
}
