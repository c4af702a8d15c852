package pipeline

import (
	"cmp"
	"context"
	"math/big"

	"mingle/dataset"
)

// Forecast is what can be told of a run before its work. It is the custodian's: it is counted in
// the original.
type Forecast struct {
	Transactions int `json:"transactions"`
	Items        int `json:"items"` // that occur; values, of bags
	Occurrences  int `json:"occurrences"`
	// Combinations is how many combinations of at most Known items the transactions have, each
	// counted wherever it occurs: what a verifier looks at. Nil: the promise is not of that kind.
	Combinations *big.Int `json:"combinations,omitempty"`
	Known        int      `json:"known,omitempty"`
	// Seconds is about what one processor takes to count the largest of them in the original as it
	// is, at the rate measured just now; 0: not known. It takes less once data are generalized.
	Seconds float64 `json:"seconds_to_count,omitempty"`
	// Memory is what the algorithm holds, in bytes, beside the data; 0: not known. Room is what it
	// may.
	Memory int64 `json:"memory_bytes,omitempty"`
	Room   int64 `json:"room_bytes,omitempty"`
}

// foresees is a task that can tell what its work takes; the error is why it cannot end well.
type foresees interface{ foresee(*Forecast) error }

// Dry does all of Run that comes before the work: it checks the parameters and the targets, reads
// all inputs, binds them to each other, and refuses what Run would refuse. It writes nothing.
func (j Job) Dry(ctx context.Context) (*Forecast, error) {
	r := newRun(j)
	defer r.close()
	for _, step := range []func(context.Context) error{r.check, r.task.read, r.bind} {
		if err := step(ctx); err != nil {
			return nil, stopped(ctx, err)
		}
	}
	out := &Forecast{Room: cmp.Or(j.Memory, j.Room)}
	if f, is := r.task.(foresees); is {
		if err := f.foresee(out); err != nil {
			return nil, err
		}
	}
	return out, ctx.Err()
}

func (t *kmTask) foresee(f *Forecast) error {
	d := t.input.Data
	f.Transactions, f.Occurrences = d.Len(), d.Occurrences()
	f.Items = occurringItems(d)
	f.Known, f.Combinations = t.Promise.M, combinationsOf(lengths(d), t.Promise.M)
	f.Memory = t.input.Foretold(t.Algorithm)
	if count := CountForecastOf(d, t.input.MostAtOnce()); count.Seconds != nil {
		f.Seconds = count.Seconds[len(count.Seconds)-1]
	}
	return t.fit()
}

func (t *coherenceTask) foresee(f *Forecast) error {
	f.Transactions, f.Occurrences = t.raw.Len(), t.raw.Occurrences()
	f.Items = occurringItems(t.raw)
	f.Known, f.Combinations = t.Promise.P, combinationsOf(lengths(t.raw), t.Promise.P)
	return nil
}

func (t *nonreciprocalTask) foresee(f *Forecast) error {
	f.Transactions, f.Occurrences = t.raw.Len(), t.raw.Occurrences()
	f.Items = occurringItems(t.raw)
	return nil
}

func (t *continuousTask) foresee(f *Forecast) error {
	f.Transactions, f.Occurrences = t.data.Len(), t.data.Occurrences()
	f.Items = len(t.data.Terms())
	f.Known = t.Promise.M
	of := map[int]int64{}
	for i := range t.data.Len() {
		of[len(t.data.Record(i))]++
	}
	f.Combinations = combinationsOf(of, t.Promise.M)
	return nil
}

// occurringItems is how many items occur.
func occurringItems(d *dataset.Dataset) int {
	n := 0
	for _, support := range d.Supports() {
		if support > 0 {
			n++
		}
	}
	return n
}

// lengths counts the transactions of each length.
func lengths(d *dataset.Dataset) map[int]int64 {
	of := map[int]int64{}
	for _, tx := range d.All() {
		of[len(tx)]++
	}
	return of
}

// mostKnown is up to how many known items combinations are counted: beyond, their number has
// hundreds of digits and says nothing.
const mostKnown = 8

// combinationsOf counts those of 1 to m items of each of some transactions; nil: more than are
// counted.
func combinationsOf(lengths map[int]int64, m int) *big.Int {
	if m > mostKnown {
		return nil
	}
	all := new(big.Int)
	for l, times := range lengths {
		for size := 1; size <= min(m, l); size++ {
			some := new(big.Int).Binomial(int64(l), int64(size))
			all.Add(all, some.Mul(some, big.NewInt(times)))
		}
	}
	return all
}
