package coherence

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mingle/dataset"
	"mingle/internal/testdata"
	"mingle/privacy"
	"mingle/verify"
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
func TestRealDataIsVerified(t *testing.T) {
	for _, c := range []struct {
		file    string
		promise privacy.Coherence
		nuggets int
		moles   []Counting
		slow    bool // seconds, and minutes under the race detector
	}{
		{"groceries/groceries.dat.gz", privacy.Coherence{H: 0.5, K: 5, P: 2}, 200, []Counting{Auto, Edges, Projection, Diagram}, false},
		{"groceries/groceries.dat.gz", privacy.Coherence{H: 0.5, K: 10, P: 4}, 100, []Counting{Auto}, false},
		{"bms-webview-1/bms-webview-1.dat.gz", privacy.Coherence{H: 0.6, K: 5, P: 3}, 600, []Counting{Auto}, true},
		{"bms-webview-2/bms-webview-2.dat.gz", privacy.Coherence{H: 0.8, K: 10, P: 3}, 388, []Counting{Auto}, true},
		{"retail/retail.dat.gz", privacy.Coherence{H: 0.8, K: 5, P: 3}, 882, []Counting{Auto}, true},
		{"mushroom/mushroom.dat.gz", privacy.Coherence{H: 0.8, K: 10, P: 3}, 2600, []Counting{Auto, Edges, Projection, Diagram}, true},
		{"chess/chess.dat.gz", privacy.Coherence{H: 0.8, K: 10, P: 4}, 1279, []Counting{Auto}, true},
		{"mimic3-demo/mimic3-demo-patients.dat.gz", privacy.Coherence{H: 0.5, K: 5, P: 3}, 5, []Counting{Auto, Projection, Diagram}, false},
	} {
		if testing.Short() && c.slow {
			continue
		}
		in := realInput(t, c.file)
		in.Promise, in.NuggetSupport = c.promise, c.nuggets
		var first []int32
		for _, in.Moles = range c.moles {
			r, err := Anonymize(t.Context(), in)
			if err != nil {
				t.Fatalf("%s: %v", c.file, err)
			}
			if first == nil {
				first = r.Release.Items
				judge(t, c.file, in, r)
			} else if !slices.Equal(r.Release.Items, first) {
				t.Errorf("%s: by %v %v, by %v %v", c.file, in.Moles, r.Release.Items, c.moles[0], first)
			}
		}
	}
}

func judge(t *testing.T, file string, in Input, r *Result) {
	t.Helper()
	check := verify.CoherenceInput{Original: in.Data, Promise: in.Promise}
	for it, private := range in.Private {
		if private {
			check.Private = append(check.Private, in.Data.Dict().Label(int32(it)))
		}
	}
	check.Published = r.Release.Published()
	f, err := verify.Coherence(t.Context(), check)
	if err != nil || !f.Holds {
		t.Errorf("%s: %+v, %v", file, f, err)
	}
	if len(r.Rounds) == 0 {
		return
	}
	less := *r.Release
	less.Items = less.Items[:len(less.Items)-1]
	check.Published = less.Published()
	if f, err := verify.Coherence(t.Context(), check); err != nil || f.Holds {
		t.Errorf("%s without the last round: %+v, %v", file, f, err)
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
