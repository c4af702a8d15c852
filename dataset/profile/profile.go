// Package profile looks at a dataset before anything is done to it: its size, the lengths of its
// transactions, the supports of its items, and how many transactions a few known items single out.
package profile

import (
	"context"
	"slices"

	"mingle/dataset"
	"mingle/internal/par"
)

// Profile is what can be seen in a dataset.
type Profile struct {
	Transactions int     `json:"transactions"`
	Empty        int     `json:"empty"`
	Items        int     `json:"items"` // distinct ones that occur
	Occurrences  int     `json:"occurrences"`
	MeanLength   float64 `json:"mean_length"`
	Lengths      Spread  `json:"lengths"`
	Supports     Spread  `json:"supports"`   // of the items that occur
	Once         int     `json:"items_once"` // items in one transaction only
	Top          []Item  `json:"top"`        // the most frequent items, at most 10

	// Unique[i-1] is the number of transactions that up to i of their items single out: no other
	// transaction contains these. An adversary who knows the right items finds the person. It ends
	// with the longest transaction.
	Unique []int `json:"unique"`
	// UniqueWhole is the number of transactions that no other contains.
	UniqueWhole int `json:"unique_whole"`

	// Sets[i-1] is how many occurrences of sets of i items there are to count, and Seconds[i-1] how
	// long one processor of this machine takes for that.
	Sets    []float64 `json:"sets,omitempty"`
	Seconds []float64 `json:"sets_seconds,omitempty"`

	// Notes are what the reader saw and the user should know.
	Notes []string `json:"notes,omitempty"`
	// Persons are columns that look like those of persons with several transactions.
	Persons []PersonColumn `json:"persons,omitempty"`
}

// Item is an item with the number of transactions that contain it.
type Item struct {
	Label   string `json:"label"`
	Support int    `json:"support"`
}

// Spread describes numbers by their quantiles.
type Spread struct {
	Min    int `json:"min"`
	Q1     int `json:"q1"` // a quarter is at most this
	Median int `json:"median"`
	Q3     int `json:"q3"`
	P99    int `json:"p99"`
	Max    int `json:"max"`
}

// Options are how Of works, and who watches it.
type Options struct {
	Workers int // at most so many goroutines; 0: one a processor; the result is the same
	// Seen is handed what is known before it is looked at what items single out, and after each
	// number of these; nil: nobody asks.
	Seen func(Profile)
	// Progress is called from one goroutine at a time; nil: nobody listens.
	Progress func(stage string, done, total int64)

	room room // for tests; none: usualRoom
}

// Of looks at d, and at what up to m known items single out. Nobody has more items than the longest
// transaction, so that a larger m means as many.
func Of(ctx context.Context, d *dataset.Dataset, m int, o Options) (*Profile, error) {
	o.Workers = par.Workers(o.Workers)
	if o.room == (room{}) {
		o.room = usualRoom
	}
	seen := func(p *Profile) {
		if o.Seen != nil {
			o.Seen(*p)
		}
	}
	p := &Profile{Transactions: d.Len(), Empty: d.Empty(), Occurrences: d.Occurrences()}
	if d.Len() > 0 {
		p.MeanLength = float64(d.Occurrences()) / float64(d.Len())
	}
	lengths := make([]int, d.Len())
	for i := range lengths {
		lengths[i] = len(d.Tx(i))
	}
	p.Lengths = spread(lengths)
	p.supports(d)
	seen(p)
	u := newUniqueness(d, o)
	for i := 1; i <= min(m, max(1, p.Lengths.Max)); i++ {
		if err := u.level(ctx, i); err != nil {
			return nil, err
		}
		p.Unique = append(slices.Clip(p.Unique), int(u.count.Load()))
		seen(p)
	}
	var err error
	p.UniqueWhole, err = u.whole(ctx)
	return p, err
}

func (p *Profile) supports(d *dataset.Dataset) {
	const top = 10
	var occurring []int
	items := []Item{}
	for it, n := range d.Supports() {
		if n > 0 {
			occurring = append(occurring, n)
			items = append(items, Item{d.Dict().Label(int32(it)), n})
		}
		if n == 1 {
			p.Once++
		}
	}
	p.Items = len(items)
	p.Supports = spread(occurring)
	slices.SortFunc(items, func(a, b Item) int {
		if a.Support != b.Support {
			return b.Support - a.Support
		}
		return dataset.CompareLabels(a.Label, b.Label)
	})
	p.Top = items[:min(top, len(items))]
}

// spread sorts its argument.
func spread(numbers []int) Spread {
	n := len(numbers)
	if n == 0 {
		return Spread{}
	}
	slices.Sort(numbers)
	at := func(percent int) int { return numbers[(percent*(n-1)+50)/100] }
	return Spread{numbers[0], at(25), at(50), at(75), at(99), numbers[n-1]}
}
