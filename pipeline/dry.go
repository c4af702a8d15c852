package pipeline

import (
	"cmp"
	"context"
	"errors"
	"math"

	"mingle/anonymize"
)

// Forecast is what can be told of a run before its work. It is the custodian's: it is counted in
// the original.
type Forecast struct {
	Transactions int `json:"transactions"`
	Items        int `json:"items"` // that occur; values, of bags
	Occurrences  int `json:"occurrences"`
	// Combinations is how many combinations of at most Known items the transactions have, each
	// counted wherever it occurs: what a verifier looks at. 0: the promise is not of that kind.
	Combinations float64 `json:"combinations,omitempty"`
	Known        int     `json:"known,omitempty"`
	// Seconds is about what one processor takes to count them in the original as it is, at the rate
	// measured just now; 0: not known. It takes less once data are generalized.
	Seconds float64 `json:"seconds_to_count,omitempty"`
	// Memory is what the algorithm holds, in bytes, beside the data; 0: not known. Room is what it
	// may.
	Memory int64 `json:"memory_bytes,omitempty"`
	Room   int64 `json:"room_bytes,omitempty"`
}

// Dry does all of Run that comes before the work: it checks the parameters and the targets, reads
// all inputs, binds them to each other, and refuses what Run would refuse. It writes nothing.
func (j Job) Dry(ctx context.Context) (*Forecast, error) {
	if j.Family == nil {
		return nil, errNoFamily
	}
	r := newRun(j)
	defer r.close()
	for _, step := range []func(context.Context) error{r.check, r.task.read, r.bind} {
		if err := step(ctx); err != nil {
			return nil, stopped(ctx, err)
		}
	}
	out := &Forecast{Room: cmp.Or(j.Memory, j.Room)}
	if err := r.task.foresee(out); err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

func (t *kmTask) foresee(f *Forecast) error {
	d := t.input.Data
	f.Transactions, f.Occurrences = d.Len(), d.Occurrences()
	f.Items = len(d.Occurring())
	f.Memory = t.input.Foretold(t.Algorithm)
	count := CountForecastOf(d, t.Promise.M)
	f.Known, f.Combinations, f.Seconds = t.Promise.M, sum(count.Sets), sum(count.Seconds)
	return t.fit()
}

func (t *coherenceTask) foresee(f *Forecast) error {
	f.Transactions, f.Occurrences = t.raw.Len(), t.raw.Occurrences()
	f.Items = len(t.raw.Occurring())
	f.Known, f.Combinations = t.Promise.P, sum(anonymize.Sets(t.raw, t.Promise.P))
	return nil
}

func (t *nonreciprocalTask) foresee(f *Forecast) error {
	f.Transactions, f.Occurrences = t.raw.Len(), t.raw.Occurrences()
	f.Items = len(t.raw.Occurring())
	return t.valid()
}

func (t *continuousTask) foresee(f *Forecast) error {
	f.Transactions, f.Occurrences = t.data.Len(), t.data.Occurrences()
	f.Items = len(t.data.Terms())
	var times []int // by the number of values
	for i := range t.data.Len() {
		n := len(t.data.Record(i))
		times = append(times, make([]int, max(0, n+1-len(times)))...)
		times[n]++
	}
	f.Known, f.Combinations = t.Promise.M, sum(anonymize.SetsOf(times, t.Promise.M))
	return nil
}

// sum is the largest number where it would be larger.
func sum(list []float64) (total float64) {
	for _, x := range list {
		total = min(math.MaxFloat64, total+x)
	}
	return total
}

// CheckParameters refuses what cannot go together: the part of Dry that looks at no file.
func (j Job) CheckParameters() error {
	if j.Family == nil {
		return errNoFamily
	}
	r := newRun(j)
	defer r.close()
	return errors.Join(r.Family.Validate(), r.task.refuse(&r.Job), r.checkThresholds())
}
