package verify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/internal/par"
	"mingle/privacy"
)

// CoherenceInput is what is judged by [Coherence].
type CoherenceInput struct {
	Published *dataset.Dataset
	Original  *dataset.Dataset // nil: the published file is judged alone
	Private   []string         // labels of the private items; all others are public
	Promise   privacy.Coherence

	Workers int // at most this many goroutines; 0: one a processor
	// Progress is called from one goroutine at a time; nil: nobody listens.
	Progress func(stage string, done, total int64)
}

// The kinds of breaches of coherence, beside those of the lines.
const (
	// a combination of public items occurs, in fewer than k transactions
	KindIdentity = "identity"
	// a combination of public items implies a private item with a probability above h
	KindAttribute = "attribute"
)

// Coherence judges (h,k,p)-coherence from the definition: every set of at most p public items that
// occurs, the empty one included, is in at least k transactions, and no private item is in more
// than a share h of them. That is the definition's largest share over all subsets of a set too,
// since the subsets are judged themselves.
//
// No line of the published file may have an item twice.
//
// With the original it is also checked that line i of the published file is line i of the original
// without some public items, that each of these is missing from all lines, and that the private
// items are all there.
func Coherence(ctx context.Context, in CoherenceInput) (*Finding, error) {
	if in.Published == nil {
		return nil, errors.New("verify: no published data is given")
	}
	err := errors.Join(in.Promise.Validate(), par.CheckWorkers(in.Workers))
	if err != nil {
		return nil, err
	}
	c := newCoherence(in)
	c.f.repeats(in.Published)
	c.f.surplus(in.Published.Surplus)
	if in.Original != nil {
		if err := c.lines(ctx); err != nil {
			return nil, err
		}
	} else {
		c.f.note("verified without the original: what the published file shows was checked, " +
			"not that it is the original with items suppressed")
	}
	if err := c.itemsets(ctx); err != nil {
		return nil, err
	}
	return c.f.verdict(), nil
}

// coherence is a check under way.
type coherence struct {
	in      CoherenceInput
	f       *Finding
	private []bool  // by item of the published file
	most    []int32 // number of transactions -> how many of them may have one private item
}

func newCoherence(in CoherenceInput) *coherence {
	c := &coherence{in: in, f: newFinding(in.Promise, "suppression", in.Published.Len())}
	c.private = marked(in.Published.Dict(), in.Private)
	h := in.Promise.Share()
	for n := range in.Published.Len() + 1 {
		x := new(big.Int).Mul(big.NewInt(int64(n)), h.Num())
		c.most = append(c.most, int32(x.Div(x, h.Denom()).Int64()))
	}
	if longest := in.Published.MaxLen(); in.Promise.P > longest {
		c.f.note("p (%d) is more than the longest published line (%d): combinations of all "+
			"sizes were checked",
			in.Promise.P, longest)
	}
	if n := in.Published.Empty(); n > 0 {
		c.f.note("%s %s nothing an adversary can know", plural(n, "published line"),
			number(n, "is empty: it contains", "are empty: they contain"))
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

// lines compares the files line by line.
func (c *coherence) lines(ctx context.Context) error {
	o, p := c.in.Original, c.in.Published
	if o.Len() != p.Len() {
		c.f.breach(1, Breach{
			Kind: KindCount, Itemset: []string{}, Support: p.Len(),
			Needed: o.Len(), Message: fmt.Sprintf(
				"the published file has %d transactions, the original %d", p.Len(), o.Len()),
		})
		return nil
	}
	private := marked(o.Dict(), c.in.Private)
	kept := c.publishedSomewhere()
	gone := make([]bool, o.Dict().Len())
	for i := range p.Len() {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		removed, added := difference(o, i, p, i)
		for _, label := range added {
			c.lineBreach(i, KindRecoding, label, fmt.Sprintf("line %d of the published file "+
				"has %q, line %d of the original has not", p.Line(i), label, o.Line(i)))
		}
		for _, label := range removed {
			it, _ := o.Dict().ID(label)
			switch {
			case private[it]:
				c.lineBreach(i, KindSensitive, label, fmt.Sprintf("line %d of the published "+
					"file lacks the private item %q of line %d of the original", p.Line(i), label,
					o.Line(i)))
			case kept[label]:
				c.lineBreach(i, KindRecoding, label, fmt.Sprintf("line %d of the published "+
					"file lacks %q of line %d of the original, though other lines have it: an "+
					"item must be suppressed everywhere", p.Line(i), label, o.Line(i)))
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
	c.f.note("%s of the original %s suppressed", plural(n, "item"), number(n, "is", "are"))
	return nil
}

func (c *coherence) lineBreach(i int, kind, label, message string) {
	c.f.breach(1, Breach{
		Kind: kind, Itemset: []string{label}, Needed: 1,
		Lines: []int{c.in.Published.Line(i)}, Message: message,
	})
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
	d := c.in.Published
	if d.Len() == 0 {
		return nil
	}
	public, private := c.part(false), c.part(true)
	w := &walk{
		ids: d.Dict().Len(), records: d.Len(), record: public.Tx,
		k: c.in.Promise.K, most: c.in.Promise.P, look: func() look { return c.look(private) },
	}
	found, counted, err := w.run(ctx, newPool(c.in.Workers, c.in.Progress), "itemsets")
	if err != nil {
		return err
	}
	c.f.Itemsets = counted + 1 // the empty set
	var spelled []Breach
	for _, w := range found.kept {
		spelled = append(spelled, c.spell(w))
	}
	c.f.breach(found.count, spelled...)
	return nil
}

// part is the published data with the private items alone, or the public ones.
func (c *coherence) part(private bool) *dataset.Dataset {
	to := make([]int32, len(c.private))
	for it, is := range c.private {
		to[it] = int32(it)
		if is != private {
			to[it] = -1
		}
	}
	return c.in.Published.Recode(c.in.Published.Dict(), to)
}

// look files each private item that is in too many of the records with a set, and tells whether
// there is none.
func (c *coherence) look(private *dataset.Dataset) look {
	count := make([]int32, len(c.private)) // zero between uses
	var seen []int32
	return func(found *witnesses, set []int32, in []holder) bool {
		seen = seen[:0]
		for _, h := range in {
			for _, it := range private.Tx(int(h.record)) {
				if count[it] == 0 {
					seen = append(seen, it)
				}
				count[it]++
			}
		}
		fine := true
		for _, it := range seen {
			if count[it] > c.most[len(in)] {
				found.add(set, it, len(in), int(count[it]))
				fine = false
			}
			count[it] = 0
		}
		return fine
	}
}

// spell turns a witness into a breach. For a private item, needed holds the number of transactions
// that have it.
func (c *coherence) spell(w witness) Breach {
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
	if w.beside >= 0 {
		with = append(slices.Clone(w.nodes), w.beside)
		slices.Sort(with)
		h := c.in.Promise.Share()
		x := new(big.Int).Mul(big.NewInt(int64(w.needed)), h.Denom())
		x.Add(x, new(big.Int).Sub(h.Num(), big.NewInt(1)))
		b.Kind, b.Sensitive, b.Needed = KindAttribute, dict.Label(w.beside),
			int(x.Div(x, h.Num()).Int64())
		b.Message = fmt.Sprintf("private item %q is in %d of the %s with %s, more "+
			"than a share of %v",
			b.Sensitive, w.needed, plural(w.support, "transaction"), what, c.in.Promise.H)
	} else {
		have := "have"
		if w.support == 1 {
			have = "has"
		}
		b.Message = fmt.Sprintf("%s %s %s, fewer than %d",
			plural(w.support, "published transaction"), have, what, w.needed)
	}
	b.Lines = firstLines(c.in.Published.Len(),
		func(i int) bool { return contains(c.in.Published.Tx(i), with) }, c.in.Published.Line)
	return b
}
