package coherence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// figure1 is the running example of the paper and of the specification.
func figure1() Input {
	data := dataset.FromLabels([][]string{
		{"a", "b", "e", "f", "s1"},
		{"c", "e", "f", "g", "s2"},
		{"a", "b", "g", "s3"},
		{"a", "b", "f", "g", "s2"},
		{"a", "b", "d", "g", "s2"},
		{"e", "f", "g", "s1"},
		{"b", "e", "f", "g", "s3"},
	})
	in := Input{
		Data: data, Private: make([]bool, data.Dict().Len()),
		Promise: privacy.Coherence{H: 0.5, K: 3, P: 3}, NuggetSupport: 4,
	}
	for it := range in.Private {
		in.Private[it] = strings.HasPrefix(data.Dict().Label(int32(it)), "s")
	}
	return in
}

// countings are all ways to count moles.
var countings = []Counting{Auto, Projection, Diagram}

// spelt names the items of sets: "ab".
func spelt(d *dataset.Dataset, sets ...[]int32) []string {
	var out []string
	for _, s := range sets {
		word := ""
		for _, it := range s {
			word += d.Dict().Label(it)
		}
		out = append(out, word)
	}
	slices.Sort(out)
	return out
}

// The table of the specification's page 05, row by row.
func TestFigure1RoundByRound(t *testing.T) {
	rounds := []struct {
		minimal, maximal []string
		moles, nuggets   int
		perItem          map[string][2]int
		suppressed       string
	}{
		{
			[]string{"ae", "af", "ag", "be", "bfg"},
			[]string{"abef", "abfg", "befg"},
			12, 9,
			map[string][2]int{"a": {8, 2}, "b": {7, 3}, "e": {6, 2}, "f": {6, 3}, "g": {5, 3}},
			"a",
		},
		{
			[]string{"be", "bfg"},
			[]string{"befg"},
			4, 7,
			map[string][2]int{"b": {4, 2}, "e": {3, 2}, "f": {2, 3}, "g": {2, 3}},
			"b",
		},
	}
	for _, moles := range countings {
		in := figure1()
		in.Moles = moles
		d := in.Data
		s, err := begin(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		g := s.greedy(in.Scoring)
		if got := spelt(d, g.out.Dropped); got[0] != "cd" {
			t.Errorf("dropped first: %v", got)
		}
		for n, want := range rounds {
			minimal, maximal := border(t, in, g.public)
			if !slices.Equal(minimal, want.minimal) || !slices.Equal(maximal, want.maximal) {
				t.Errorf("round %d: border %v, %v", n+1, minimal, maximal)
			}
			for label, counts := range want.perItem {
				it, _ := d.Dict().ID(label)
				got := [2]int{int(g.moles.of(it).Int64()), int(g.nuggets.of(it).Int64())}
				if got != counts {
					t.Errorf("%v, round %d: %s is in %v moles and %v nuggets, want %v",
						moles, n+1, label, g.moles.of(it), g.nuggets.of(it), counts)
				}
			}
			if err := g.round(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := g.out.Rounds[n]
			label, left := d.Dict().Label(r.Item), [2]int{want.moles, want.nuggets}
			got := [2]int{int(r.Moles.Int64()), int(r.Nuggets.Int64())}
			if label != want.suppressed || got != left {
				t.Errorf("%v, round %d: %s of %v moles and %v nuggets",
					moles, n+1, d.Dict().Label(r.Item), r.Moles, r.Nuggets)
			}
		}
		if g.moles.total().Sign() != 0 {
			t.Errorf("%v moles are left", g.moles.total())
		}
		r := g.result()
		if got := spelt(d, r.Release.Items); got[0] != "cdab" || g.nuggets.total().Int64() != 5 {
			t.Errorf("%v suppressed, %v nuggets left", got, g.nuggets.total())
		}
	}
}

// border is the border of the moles as the paper draws it: the minimal moles, and the maximal
// transactions that contain one.
func border(t *testing.T, in Input, public []bool) (minimal, maximal []string) {
	t.Helper()
	moles, err := (&problem{Input: in, most: in.most()}).minimalMoles(t.Context(), public, 1)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]int32
	for _, row := range maximalRows(in.Data, public) {
		if slices.ContainsFunc(moles, func(m []int32) bool { return subset(m, row) }) {
			rows = append(rows, row)
		}
	}
	return spelt(in.Data, moles...), spelt(in.Data, rows...)
}

// The greedy is that of the definitions, step by step, however moles are counted.
func TestAgainstFullEnumerationSoak(t *testing.T) {
	rng := soak.Rand(5, 2)
	rounds, infeasible, trials := 0, 0, 0
	most := soak.Share(1000, 4000)
	if testing.Short() {
		most = 200
	}
	for range soak.Rounds(t, most) {
		trials++
		in := randomInput(rng)
		w := twin{in: in}
		w.run()
		for _, in.Moles = range countings {
			r, err := Anonymize(t.Context(), in)
			var out *privacy.Infeasible
			if w.infeasible != errors.As(err, &out) || err != nil && out == nil {
				t.Fatalf("infeasible %v: %v\n%s", w.infeasible, err, describe(in))
			}
			if err == nil {
				compare(t, in, r, w)
				checkLoops(t, in)
			}
		}
		rounds += len(w.rounds)
		if w.infeasible {
			infeasible++
		}
	}
	if 2*rounds < trials || 2*infeasible > trials {
		t.Errorf("%d rounds, %d infeasible: the test tests little", rounds, infeasible)
	}
}

// checkLoops compares loops that begin with what was counted once with loops that begin anew.
func checkLoops(t *testing.T, in Input) {
	t.Helper()
	s, err := begin(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, in.Scoring = range []Scoring{ByOccurrences, ByNuggets, ByOccurrences} {
		got, err := s.suppress(t.Context(), in.Scoring)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Rounds, want.Rounds) {
			t.Fatalf("by %v, after another loop: %+v, want %+v\n%s",
				in.Scoring, got.Rounds, want.Rounds, describe(in))
		}
	}
}

// compare checks a result against the twin's, and the release against the definition.
func compare(t *testing.T, in Input, r *Result, w twin) {
	t.Helper()
	if !slices.Equal(r.Dropped, w.dropped) || len(r.Rounds) != len(w.rounds) {
		t.Fatalf("dropped %v, want %v; %d rounds, want %d\n%s",
			r.Dropped, w.dropped, len(r.Rounds), len(w.rounds), describe(in))
	}
	items := slices.Clone(w.dropped)
	for i, a := range r.Rounds {
		got := twinRound{
			a.Item, int(a.Moles.Int64()), int(a.Nuggets.Int64()),
			int(a.ItemMoles.Int64()), int(a.ItemNuggets.Int64()),
		}
		if got != w.rounds[i] {
			t.Fatalf("round %d: %+v, want %+v\n%s", i+1, got, w.rounds[i], describe(in))
		}
		items = append(items, a.Item)
	}
	if !slices.Equal(r.Release.Items, items) {
		t.Fatalf("suppressed %v, want %v", r.Release.Items, items)
	}
	left := twin{in: in, gone: w.gone}
	left.in.Data = r.Release.Published()
	moles, kept := left.families()
	if len(moles) > 0 {
		t.Fatalf("published: %d moles\n%s", len(moles), describe(in))
	}
	all := twin{in: in, gone: make([]bool, len(in.Private))}
	_, before := all.families()
	checkNuggets(t, in, in.Data, len(before))
	if r.All != nil && r.All.Int64() != int64(len(before)) {
		t.Fatalf("%v nuggets of the data, want %d\n%s", r.All, len(before), describe(in))
	}
	checkNuggets(t, in, left.in.Data, len(kept))
}

// checkNuggets compares the nuggets of a data set as they are measured with a number.
func checkNuggets(t *testing.T, in Input, d *dataset.Dataset, want int) {
	t.Helper()
	o := NuggetOptions{Support: in.NuggetSupport, Length: in.NuggetLen, Workers: 1}
	got, err := Nuggets(t.Context(), d, o)
	if err != nil || got.Int64() != int64(want) {
		t.Fatalf("%v nuggets measured, want %d (%v)\n%s", got, want, err, describe(in))
	}
	all := slices.Repeat([]bool{true}, d.Dict().Len())
	c, err := newNuggetDiagram(t.Context(), d, o, all)
	if err != nil || c.total().Int64() != int64(want) {
		t.Fatalf("%v nuggets on a diagram, want %d (%v)\n%s", c.total(), want, err, describe(in))
	}
}

func TestInfeasibleNamesTheItem(t *testing.T) {
	in := figure1()
	in.Promise.H = 0.4
	_, err := Anonymize(t.Context(), in)
	var out *privacy.Infeasible
	share := `private item "s2" is in 3 of 7 transactions, 42.86 %`
	for _, want := range []string{share, "at least 0.4286"} {
		if !errors.As(err, &out) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	in.Promise.H = 0.4286
	if _, err := Anonymize(t.Context(), in); err != nil {
		t.Errorf("the proposed h is refused: %v", err)
	}
	in.Promise.K = 8
	_, err = Anonymize(t.Context(), in)
	if !errors.As(err, &out) || !strings.Contains(err.Error(), "k (8)") {
		t.Errorf("%v", err)
	}
}

func TestInputFaults(t *testing.T) {
	in := figure1()
	in.Promise = privacy.Coherence{}
	in.NuggetSupport, in.NuggetLen, in.Private = 0, -1, nil
	_, err := Anonymize(t.Context(), in)
	faults := []string{"h (0)", "k (0)", "p (0)", "k' (0)", "p' (-1)", "0 items are marked"}
	for _, want := range faults {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// suite says what is expected of the family: the verifier finds no breach, and the release does not
// depend on workers or the order of the transactions, and ends with its context.
func suite(counting Counting) conformance.Family[Input, *Result] {
	return conformance.Family[Input, *Result]{
		Anonymize: func(ctx context.Context, in Input, workers int) (*Result, error) {
			in.Workers, in.Moles = workers, counting
			return Anonymize(ctx, in)
		},
		Small: randomInput, Instances: 300,
		Large: func(seed uint64) Input { return largeInput(rand.New(rand.NewPCG(5, seed))) },
		Verify: func(t *testing.T, in Input, r *Result) {
			t.Helper()
			checkVerdict(t, in, r.Release, true)
		},
		Published: func(r *Result) (lines []string) {
			p := r.Release.Published()
			for i := range p.Len() {
				lines = append(lines, strings.Join(p.Labels(i), " "))
			}
			return lines
		},
		Permute: func(in Input, perm []int32) Input {
			in.Data = in.Data.Select(perm)
			return in
		},
		Records:  func(in Input) int { return in.Data.Len() },
		Describe: describe,
	}
}

func TestConformance(t *testing.T) {
	for _, counting := range []Counting{Projection, Diagram} {
		t.Run(counting.String(), suite(counting).Run)
	}
}

// checkVerdict asks the independent verifier.
func checkVerdict(t *testing.T, in Input, r *release.Suppression, want bool) {
	t.Helper()
	check := verify.CoherenceInput{Original: in.Data, Published: r.Published(), Promise: in.Promise}
	for it, private := range in.Private {
		if private {
			check.Private = append(check.Private, in.Data.Dict().Label(int32(it)))
		}
	}
	f, err := verify.Coherence(t.Context(), check)
	if err != nil || f.Holds != want {
		t.Fatalf("want %t: %+v, %v", want, f, err)
	}
}

// largeInput has items enough for several workers, and moles of all sizes up to 4.
func largeInput(rng *rand.Rand) Input {
	const items = 60
	in := Input{
		Private: make([]bool, items), Promise: privacy.Coherence{H: 0.5, K: 5, P: 4},
		NuggetSupport: 20,
	}
	labels := make([]string, items)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
		in.Private[i] = i%10 == 9
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for range 600 {
		var tx []int32
		for range 3 + rng.IntN(6) {
			tx = append(tx, rng.Int32N(rng.Int32N(items)+1))
		}
		b.Add(tx)
	}
	in.Data = b.Build()
	return in
}

// More than 2^64 nuggets: transactions of 90 items that all are the same, and one that is not.
func TestCountsBeyond64Bits(t *testing.T) {
	labels := make([]string, 90)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for range 5 {
		var tx []int32
		for i := range int32(89) {
			tx = append(tx, i)
		}
		b.Add(tx)
	}
	b.Add([]int32{1, 89})
	b.Add([]int32{89})
	in := Input{
		Data: b.Build(), Private: make([]bool, 90),
		Promise: privacy.Coherence{H: 1, K: 2, P: 2}, NuggetSupport: 2,
	}
	r, err := Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	// 2^89-1 sets of the first 89 items, and item 89. {1,89} is the only mole; 89 is in fewer
	// nuggets.
	const nuggets = "618970019642690137449562112"
	if len(r.Rounds) != 1 || r.Rounds[0].Item != 89 || r.Rounds[0].Nuggets.String() != nuggets {
		t.Fatalf("%d rounds: %+v", len(r.Rounds), r.Rounds)
	}
	got, err := Nuggets(t.Context(), in.Data, NuggetOptions{Support: 2})
	if err != nil || got.String() != nuggets {
		t.Errorf("measured: %v nuggets (%v)", got, err)
	}
}

// The better of both scorings keeps as many nuggets as the better of them, counted in the release.
func TestBetterKeepsAsManyAsEither(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	gained := 0
	for range 400 {
		in := randomInput(rng)
		kept := map[Scoring]int64{}
		for _, s := range []Scoring{ByNuggets, ByOccurrences, Better} {
			in.Scoring = s
			r, err := Anonymize(t.Context(), in)
			if err != nil {
				break // no scoring has a release
			}
			left, err := Nuggets(t.Context(), r.Release.Published(), NuggetOptions{
				Support: in.NuggetSupport, Length: in.NuggetLen, Workers: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			if kept[s] = left.Int64(); left.Cmp(r.Nuggets) != 0 {
				t.Fatalf("%v nuggets are left, %v are told", left, r.Nuggets)
			}
		}
		if kept[Better] != max(kept[ByNuggets], kept[ByOccurrences]) {
			t.Fatalf("%v", kept)
		}
		if kept[ByOccurrences] > kept[ByNuggets] {
			gained++
		}
	}
	if gained == 0 {
		t.Error("the paper's scoring was never the worse one: nothing was tested")
	}
}
