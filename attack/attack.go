package attack

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"mingle/internal/par"
)

// Options say how much an adversary knows and how closely to look.
type Options struct {
	M int // required, at least 1: up to so many known items
	K int // required, at least 2: "under k" means matched by fewer records

	// NegativeKnowledge adds singling out by items a person has or has not; of releases over a
	// hierarchy only.
	NegativeKnowledge bool

	// combinations of a person and items up to which all are looked at; 0: 10 million; below 0:
	// none
	Exact int64
	Draws int    // else so many are drawn; 0: 100,000
	Seed  uint64 // of the draws

	// at most this many goroutines; 0: one a processor
	Workers int
	// called from one goroutine at a time; nil: nobody listens
	Progress func(stage string, done, total int64)
}

// Validate returns every fault at once.
func (o Options) Validate() error {
	var faults []error
	if o.M < 1 {
		faults = append(faults, fmt.Errorf("m (%d) must be at least 1", o.M))
	}
	if o.K < 2 {
		faults = append(faults, fmt.Errorf("k (%d) must be at least 2", o.K))
	}
	if o.Draws < 0 {
		faults = append(faults, fmt.Errorf("the number of draws (%d) must not be negative",
			o.Draws))
	}
	return errors.Join(append(faults, par.CheckWorkers(o.Workers))...)
}

func (o Options) withDefaults() Options {
	if o.Exact == 0 {
		o.Exact = 10_000_000
	}
	if o.Draws == 0 {
		o.Draws = 100_000
	}
	o.Workers = par.Workers(o.Workers)
	return o
}

// listen starts a stage of so many blocks; what it returns is called once a block that begins.
func (o Options) listen(stage string) func() {
	if o.Progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	begun := int64(0)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		o.Progress(stage, begun, blocks)
		begun++
	}
}

// Result is what an adversary gains. It holds no item of the data.
type Result struct {
	Kind        string      `json:"kind"` // of the release
	K           int         `json:"k"`
	M           int         `json:"m"`
	Persons     int         `json:"persons"` // transactions of the original
	Records     int         `json:"records"` // of the release
	Seed        uint64      `json:"seed"`
	SinglingOut []Singling  `json:"singling_out"`
	Lacking     []Lacking   `json:"lacking,omitempty"` // with Options.NegativeKnowledge
	Decided     *Decided    `json:"decided,omitempty"` // of releases over a hierarchy
	Linking     []Linking   `json:"linking"`
	Inference   []Inference `json:"inference"`
	// occurrences that the release does not cover; see MissingNote
	Missing int      `json:"missing,omitempty"`
	Notes   []string `json:"notes"`
}

// MissingNote is what missing occurrences mean for the figures.
const MissingNote = "Some occurrences are missing from the release, so the right record is not " +
	"always among the candidates: the adversary's success is at most what is told."

// Run attacks with 1 to o.M known items. The same case, options and seed give the same result for
// any number of workers. It stops within a second of ctx's end, with ctx's cause as its error.
func (c *Case) Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if c.data.Len() == 0 || c.after.records == 0 {
		return nil, errors.New("attack: there are no transactions to attack")
	}
	o = o.withDefaults()
	r := &Result{
		Kind: c.kind, K: o.K, M: o.M, Persons: c.data.Len(), Records: c.after.records,
		Seed: o.Seed, Missing: c.missing, Notes: c.said(),
		SinglingOut: []Singling{}, Linking: []Linking{}, Inference: []Inference{},
	}
	for size := 1; size <= o.M; size++ {
		s, err := c.singling(ctx, o, size)
		if err != nil {
			return nil, err
		}
		if s == nil {
			r.Notes = append(r.Notes, NobodyHas(size))
			break
		}
		r.SinglingOut = append(r.SinglingOut, *s)
	}
	if c.tree != nil {
		var err error
		if r.Decided, err = DecidedLabels(c.tree, c.published); err != nil {
			return nil, err
		}
	}
	if err := c.lackAll(ctx, o, r); err != nil {
		return nil, err
	}
	if err := c.linkAll(ctx, o, r); err != nil {
		return nil, err
	}
	if err := c.inferAll(ctx, o, r); err != nil {
		return nil, err
	}
	return r, nil
}

// facts are the numbers of facts that may be known of a person: from 1 to m, or to so many as there
// are of anybody.
func facts(m, there int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for size := 1; size <= min(m, there) && yield(size); size++ {
		}
	}
}

// lackAll attacks with what persons lack, where that is asked for.
func (c *Case) lackAll(ctx context.Context, o Options, r *Result) error {
	switch {
	case !o.NegativeKnowledge:
		return nil
	case c.known:
		return errors.New("attack: known sensitive items and negative knowledge are not taken " +
			"into account together")
	}
	if err := c.prepareLacking(o); err != nil {
		return err
	}
	for size := range facts(o.M, c.data.Dict().Len()) {
		l, err := c.lacking(ctx, o, size)
		if err != nil {
			return err
		}
		if l != nil {
			r.Lacking = append(r.Lacking, *l)
		}
	}
	return nil
}

func (c *Case) inferAll(ctx context.Context, o Options, r *Result) error {
	attacks := []func(context.Context, Options, int) (*Inference, error){c.infer}
	if c.sensitive != nil {
		attacks = append(attacks, c.inferSensitive)
	}
	for _, attack := range attacks {
		for size := range facts(o.M, c.data.MaxLen()) {
			i, err := attack(ctx, o, size)
			if err != nil {
				return err
			}
			if i != nil {
				r.Inference = append(r.Inference, *i)
			}
		}
	}
	return c.inferColumns(ctx, o, r)
}

// SingleOut attacks with exactly o.M known items and infers nothing. It is nil when nobody has as
// many.
func (c *Case) SingleOut(ctx context.Context, o Options) (*Singling, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return c.singling(ctx, o.withDefaults(), o.M)
}
