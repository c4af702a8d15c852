package coherence

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/internal/testdata"
	"mingle/privacy"
)

// realInput reads a data set and makes every tenth of the items that few have private.
func realInput(t testing.TB, name string) Input {
	t.Helper()
	d, err := dataset.Open(t.Context(), testdata.Path(t, name), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Data: d, Private: make([]bool, d.Dict().Len())}
	rng := rand.New(rand.NewPCG(5, 6))
	supports := d.Supports()
	for it := range in.Private {
		in.Private[it] = rng.IntN(10) == 0 && 5*supports[it] < 2*d.Len()
	}
	return in
}

// On real data: the independent verifier finds no breach, and one with the last item of the greedy
// put back; all ways of counting give the same release.
func TestRealDataIsVerifiedSoak(t *testing.T) {
	some, all := []Counting{Auto}, []Counting{Auto, Projection, Diagram}
	for _, c := range []struct {
		file    string
		h       float64
		k, p    int
		nuggets int
		moles   []Counting
		slow    bool // seconds, and minutes under the race detector
	}{
		{"groceries/groceries.dat.gz", 0.5, 5, 2, 200, all, false},
		{"groceries/groceries.dat.gz", 0.5, 10, 4, 100, some, false},
		{"mimic3-demo/mimic3-demo-patients.dat.gz", 0.5, 5, 3, 5, all, false},
		{"mushroom/mushroom.dat.gz", 0.8, 10, 3, 2600, all, true},
		{"bms-webview-1/bms-webview-1.dat.gz", 0.6, 5, 3, 600, some, true},
		{"chess/chess.dat.gz", 0.8, 10, 4, 1279, some, true},
		{"bms-webview-2/bms-webview-2.dat.gz", 0.8, 10, 3, 388, some, true},
		{"retail/retail.dat.gz", 0.8, 5, 3, 882, some, true},
	}[:soak.Share(5, 8)] {

		if testing.Short() && c.slow {
			continue
		}
		in := realInput(t, c.file)
		in.Promise, in.NuggetSupport = privacy.Coherence{H: c.h, K: c.k, P: c.p}, c.nuggets
		var first []int32
		for _, in.Moles = range c.moles {
			r, err := Anonymize(t.Context(), in)
			if err != nil {
				t.Fatalf("%s: %v", c.file, err)
			}
			if first == nil {
				first = r.Release.Items
				checkBoth(t, in, r)
			} else if !slices.Equal(r.Release.Items, first) {
				t.Errorf("%s: by %v %v, by %v %v",
					c.file, in.Moles, r.Release.Items, c.moles[0], first)
			}
		}
	}
}

func checkBoth(t *testing.T, in Input, r *Result) {
	t.Helper()
	checkVerdict(t, in, r.Release, true)
	if len(r.Rounds) > 0 {
		less := *r.Release
		less.Items = less.Items[:len(less.Items)-1]
		checkVerdict(t, in, &less, false)
	}
}

// The floor of a projection is one pass over the transactions that contain each item: x/floor says
// how often that is done.
func BenchmarkQuestP3(b *testing.B) {
	in := realInput(b, "t40i10d10k/t40i10d10k.dat.gz")
	in.Promise, in.NuggetSupport, in.Workers = privacy.Coherence{H: 0.4, K: 30, P: 3}, 100, 1
	start := time.Now()
	for b.Loop() {
		if _, err := Anonymize(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
	each := time.Since(start) / time.Duration(b.N)
	start = time.Now()
	sum := int32(0)
	for i := range in.Data.Len() {
		for range in.Data.Tx(i) {
			for _, it := range in.Data.Tx(i) {
				sum += it
			}
		}
	}
	b.ReportMetric(float64(each)/float64(time.Since(start)+time.Duration(sum&1)), "x/floor")
}
