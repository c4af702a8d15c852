package attack

import (
	"context"
	"fmt"
)

// Inference is inference of one more item, or of a sensitive one, from so many known items.
type Inference struct {
	Known   int    `json:"known"`
	Of      string `json:"of"`               // "item" or "sensitive"
	Column  string `json:"column,omitempty"` // a sensitive column, whose value is inferred
	Persons int    `json:"persons"`
	Exact   bool   `json:"exact"`
	Draws   int    `json:"draws,omitempty"`
	// knows how frequent each item is, and nothing of the person
	Baseline Confidence `json:"baseline"`
	Before   Confidence `json:"before"`
	After    Confidence `json:"after"`
}

// what is inferred: "item", "sensitive", or the name of a column.
func (i *Inference) what() string {
	if i.Column != "" {
		return i.Column
	}
	return i.Of
}

// Confidence is the probability an adversary gives to an item that a random person in fact has.
type Confidence struct {
	Average Estimate `json:"average"`
	Largest float64  `json:"largest"` // of those looked at
	Certain Estimate `json:"certain"` // share with probability 1
	Risk    float64  `json:"risk"`    // (average - baseline)/(1 - baseline), at least 0
}

type confidenceTally struct {
	weight, sum, squares, certain, largest float64
}

func (t *confidenceTally) add(belief, weight float64) {
	t.weight += weight
	t.sum += float64(weight * belief) // converted: the same on any machine
	t.squares += float64(weight * belief * belief)
	t.largest = max(t.largest, belief)
	if certain(belief) {
		t.certain += weight
	}
}

func (t *confidenceTally) merge(o *confidenceTally) {
	t.weight += o.weight
	t.sum += o.sum
	t.squares += o.squares
	t.certain += o.certain
	t.largest = max(t.largest, o.largest)
}

func (t *confidenceTally) result(exact bool) Confidence {
	c := Confidence{Largest: t.largest}
	if exact {
		c.Average, c.Certain = exactly(t.sum/t.weight), exactly(t.certain/t.weight)
	} else {
		c.Average, c.Certain = mean(t.sum, t.squares, t.weight), share(t.certain, t.weight)
	}
	return c
}

// inferenceTally compares the three.
type inferenceTally struct{ baseline, before, after confidenceTally }

// inference is the attack on one kind of target, with so many known items.
type inference struct {
	c          *Case
	size       int
	supports   []int
	tallies    [blocks]inferenceTally
	population *population
}

// infer attacks with size known items; the further item is one of a person's others. It is nil when
// nobody has as many.
func (c *Case) infer(ctx context.Context, o Options, size int) (*Inference, error) {
	a := &inference{
		c: c, size: size, supports: c.data.Supports(),
		population: newPopulation(c.data, size+1),
	}
	p := a.population
	if len(p.persons) == 0 {
		return nil, nil
	}
	out := &Inference{
		Known: size, Of: "item", Persons: len(p.persons),
		Exact: p.pairs*float64(size+1) <= float64(o.Exact),
	}
	done := o.listen(fmt.Sprintf("inferring an item from %d known ones", size))
	var err error
	if out.Exact {
		err = p.enumerate(ctx, o, func(block int) func([]int32, []owner) {
			defer done()
			return a.everyTarget(block)
		})
	} else {
		out.Draws = o.Draws
		err = p.sample(ctx, o, uint64(100+size), func(block int) func(int32, []int32) {
			defer done()
			look := a.look(block)
			return func(_ int32, items []int32) { look(items[:size], items[size], 1, notCounted) }
		})
	}
	if err != nil {
		return nil, err
	}
	return a.result(out), nil
}

// everyTarget takes each item of a combination as the one that is inferred from the others.
func (a *inference) everyTarget(block int) func([]int32, []owner) {
	look := a.look(block)
	known := make([]int32, a.size)
	return func(items []int32, owners []owner) {
		w := a.population.weight(owners) / float64(len(items))
		both := len(owners)
		if a.c.before.copies != nil { // see singling
			both = notCounted
		}
		for at, y := range items {
			copy(known, items[:at])
			copy(known[at:], items[at+1:])
			look(known, y, w, both)
		}
	}
}

// notCounted stands for the number of transactions with known and inferred items where it is not at
// hand.
const notCounted = -1

func (a *inference) look(block int) func(known []int32, y int32, weight float64, both int) {
	before, after := newCounter(a.c.before), newCounter(a.c.after)
	t := &a.tallies[block]
	n := float64(a.c.data.Len())
	return func(known []int32, y int32, weight float64, both int) {
		if a.c.targets != nil && !a.c.targets[y] {
			return
		}
		t.baseline.add(float64(a.supports[y])/n, weight)
		if both == notCounted {
			t.before.add(before.belief(known, y), weight)
		} else {
			t.before.add(float64(both)/float64(before.matches(known, -1)), weight)
		}
		t.after.add(after.belief(known, y), weight)
	}
}

// inferSensitive attacks the sensitive items of persons that have some and at least size others.
func (c *Case) inferSensitive(ctx context.Context, o Options, size int) (*Inference, error) {
	a := &inference{
		c: c, size: size, supports: c.sensitive.Supports(),
		population: newPopulation(c.data, size),
	}
	p := a.population
	p.keep(func(person int32) bool { return len(c.sensitive.Tx(int(person))) > 0 })
	if len(p.persons) == 0 {
		return nil, nil
	}
	out := &Inference{
		Known: size, Of: "sensitive", Persons: len(p.persons),
		Exact: p.pairs <= float64(o.Exact),
	}
	done := o.listen(fmt.Sprintf("inferring a sensitive item from %d known ones", size))
	var err error
	if out.Exact {
		err = p.enumerate(ctx, o, func(block int) func([]int32, []owner) {
			defer done()
			look := a.lookSensitive(block)
			return func(items []int32, owners []owner) {
				for _, w := range owners {
					look(w.tx, items, p.inverses[len(c.data.Tx(int(w.tx)))])
				}
			}
		})
	} else {
		out.Draws = o.Draws
		err = p.sample(ctx, o, uint64(200+size), func(block int) func(int32, []int32) {
			defer done()
			look := a.lookSensitive(block)
			return func(person int32, items []int32) { look(person, items, 1) }
		})
	}
	if err != nil {
		return nil, err
	}
	return a.result(out), nil
}

// lookSensitive weighs a person's sensitive items alike.
func (a *inference) lookSensitive(block int) func(person int32, known []int32, weight float64) {
	before, after := newCounter(a.c.before), newCounter(a.c.after)
	t := &a.tallies[block]
	n := float64(a.c.data.Len())
	return func(person int32, known []int32, weight float64) {
		has := a.c.sensitive.Tx(int(person))
		for _, s := range has {
			w, frequency := weight/float64(len(has)), float64(a.supports[s])/n
			t.baseline.add(frequency, w)
			t.before.add(before.beliefSensitive(known, s, frequency), w)
			t.after.add(after.beliefSensitive(known, s, frequency), w)
		}
	}
}

// keep drops persons.
func (p *population) keep(ok func(person int32) bool) {
	kept, lines := p.persons[:0], p.data.Cursor()
	p.pairs = 0
	for _, i := range p.persons {
		if ok(i) {
			kept = append(kept, i)
			p.pairs += binomial(len(lines.Tx(int(i))), p.size)
		}
	}
	p.persons = kept
}

func (a *inference) result(out *Inference) *Inference {
	t := &a.tallies[0]
	for i := 1; i < blocks; i++ {
		o := &a.tallies[i]
		t.baseline.merge(&o.baseline)
		t.before.merge(&o.before)
		t.after.merge(&o.after)
	}
	if t.before.weight == 0 {
		return nil
	}
	out.Baseline = t.baseline.result(out.Exact)
	out.Before, out.After = t.before.result(out.Exact), t.after.result(out.Exact)
	out.Before.Risk = risk(out.Before.Average.Value, out.Baseline.Average.Value)
	out.After.Risk = risk(out.After.Average.Value, out.Baseline.Average.Value)
	return out
}
