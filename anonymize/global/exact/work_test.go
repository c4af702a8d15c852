package exact_test

import (
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/conformance"
	"mingle/anonymize/global/exact"
	"mingle/privacy"
)

// Where a proof may take no more than some work, what is published keeps the promise, loses no less
// than the optimum, and has a bound that is no higher; it is the same for any number of workers.
// Where there is enough, it is what is published without a bound.
func TestBoundedProof(t *testing.T) {
	ended := 0
	for seed := range uint64(12) {
		in := conformance.Medium(seed)
		in.Promise.M = 2
		whole, err := exact.Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		least := conformance.Verified(t, in, whole)
		for _, work := range []int64{1, 100, 1_000_000_000} {
			in.Workers = 1
			g, err := exact.Algorithm{Work: work}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			in.Workers = 3
			again, err := exact.Algorithm{Work: work}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(g.Published().Items(), again.Published().Items()) {
				t.Errorf("seed %d, work %d: other workers, another release", seed, work)
			}
			ncp := conformance.Verified(t, in, g)
			if ncp < least-1e-12 || g.Bound.NCP > least+1e-12 {
				t.Errorf("seed %d, work %d: NCP %v, bound %v, optimum %v", seed, work, ncp,
					g.Bound.NCP, least)
			}
			early := slices.ContainsFunc(g.Warnings, func(w string) bool {
				return strings.Contains(w, "more work than it may")
			})
			if early {
				ended++
			} else if !slices.Equal(g.Published().Items(), whole.Published().Items()) {
				t.Errorf("seed %d, work %d: it ended by itself with another release", seed, work)
			}
			if early && work > 1000 {
				t.Errorf("seed %d: it ended early with much work", seed)
			}
		}
	}
	if ended == 0 {
		t.Error("no search ended early")
	}
}

// Where a proof may take no more than some memory, it is left open in the same manner.
func TestBoundedRoom(t *testing.T) {
	in := conformance.Real(t, "online-retail-ii/online-retail-ii-customers", privacy.KM{K: 5, M: 2})
	whole, err := exact.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	least := conformance.Verified(t, in, whole)
	in.Workers = 2
	for _, room := range []int64{1 << 19, 0} {
		if room == 0 {
			in.Memory = 1 << 20 // of which it is a share
		}
		g, err := exact.Algorithm{Room: room}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		early := slices.ContainsFunc(g.Warnings, func(w string) bool {
			return strings.Contains(w, "more memory than it may")
		})
		ncp, bound := conformance.Verified(t, in, g), g.Bound
		if !early || ncp < least-1e-12 || bound.NCP > least+1e-12 || bound.Optimal && ncp > least {
			t.Errorf("room %d: ended early %v, NCP %v, bound %v, optimum %v", room, early, ncp,
				bound.NCP, least)
		}
	}
}
