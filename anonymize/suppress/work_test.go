package suppress

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
)

// A search that may take no more than some work keeps the promise and loses no more than without
// suppression, whatever the workers. With enough work it is the search without a bound.
func TestWork(t *testing.T) {
	ended := 0
	for seed := range uint64(8) {
		in := conformance.Medium(seed)
		in.Promise.M = 2
		alone, err := global.AA{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		most := newAttempt(alone).loss
		for _, a := range []func(work int64) anonymize.Algorithm{
			func(work int64) anonymize.Algorithm {
				return Items{Inner: global.AA{}, Max: 0.2, Work: work}
			},
			func(work int64) anonymize.Algorithm {
				return Transactions{Inner: global.AA{}, Max: 0.2, Work: work}
			},
		} {
			in.Workers = 1
			whole, err := a(0).Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			for _, work := range []int64{1, 300, 1_000_000} {
				in.Workers = 1
				g, err := a(work).Anonymize(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				holds(t, in, g)
				if loss := newAttempt(g).loss; loss > most {
					t.Errorf("seed %d, work %d: it loses %d, without suppression %d", seed, work,
						loss, most)
				}
				in.Workers = 3
				again, err := a(work).Anonymize(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(g.Published().Items(), again.Published().Items()) {
					t.Errorf("seed %d, work %d: other workers, another release", seed, work)
				}
				early := strings.Contains(strings.Join(g.Warnings, " "), "as much work")
				if items, is := a(work).(Items); is {
					items.Whole = true
					_, err := items.Anonymize(t.Context(), in)
					if is := errors.Is(err, ErrWork); is != early || !is && err != nil {
						t.Errorf("seed %d, work %d, early %v: %v", seed, work, early, err)
					}
				}
				if early {
					ended++
				} else if !slices.Equal(g.Published().Items(), whole.Published().Items()) {
					t.Errorf("seed %d, work %d: it ended by itself elsewhere", seed, work)
				}
			}
		}
	}
	if ended == 0 {
		t.Error("no search ended early")
	}
}
