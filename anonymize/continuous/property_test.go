package continuous_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mingle/anonymize/conformance"
	"mingle/anonymize/continuous"
	"mingle/dataset/bag"
	"mingle/generate"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/measure"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// supports counts every bag of at most m terms of published records, by listing them all: the
// definition.
func supports(records [][]string, m int) map[string]int {
	out := map[string]int{}
	for _, r := range records {
		r = slices.Sorted(slices.Values(r))
		bags := map[string]bool{}
		for mask := 1; mask < 1<<len(r); mask++ {
			var b []string
			for i := range r {
				if mask>>i&1 == 1 {
					b = append(b, r[i])
				}
			}
			if len(b) <= m {
				bags[strings.Join(b, " ")] = true
			}
		}
		for b := range bags {
			out[b]++
		}
	}
	return out
}

func texts(b *bag.Bags) [][]string {
	var out [][]string
	for i := range b.Len() {
		out = append(out, b.Texts(i))
	}
	return out
}

// small makes bags of up to 9 values below 40, of two kinds: scattered and heaped.
func small(rng *rand.Rand) *bag.Bags {
	records := make([][]int64, 2+rng.IntN(14))
	for i := range records {
		for range rng.IntN(1 + rng.IntN(9)) {
			v := rng.Int64N(40)
			if rng.IntN(2) == 0 {
				v = v / 10 * 10
			}
			records[i] = append(records[i], v-10)
		}
	}
	return bag.FromInts(records)
}

func anonymize(
	t testing.TB, algorithm string, in continuous.Input,
) (*release.Ranges, error) {
	t.Helper()
	in.Algorithm, in.Tree = algorithm, rangesOf(in.Data)
	ctx, cancel := context.WithTimeoutCause(
		context.Background(), time.Minute, errors.New("it does not end"),
	)
	defer cancel()
	return continuous.Anonymize(ctx, in)
}

// feasible tells whether publishing everything as one range keeps the promise.
func feasible(in continuous.Input) bool {
	var all [][]string
	for i := range in.Data.Len() {
		all = append(all, slices.Repeat([]string{"*"}, len(in.Data.Record(i))))
	}
	for _, n := range supports(all, in.Promise.M) {
		if n < in.Promise.K {
			return false
		}
	}
	return in.Data.Len() >= in.Promise.K
}

func check(t testing.TB, name string, in continuous.Input, r *release.Ranges) {
	t.Helper()
	p := r.Published()
	for b, n := range supports(texts(p), in.Promise.M) {
		if n < in.Promise.K {
			t.Fatalf("%s: {%s} is in %d records\n%v", name, b, n, texts(p))
		}
	}
	for pos, v := range in.Data.Items() {
		if !r.Terms[r.Term(pos)].Contains(in.Data.Terms()[v].Lo) {
			t.Fatalf("%s: %s published as %s", name, in.Data.Terms()[v], r.Terms[r.Term(pos)])
		}
	}
	f, err := verify.Continuous(
		context.Background(),
		verify.ContinuousInput{Published: p, Original: in.Data, Promise: in.Promise},
	)
	if err != nil || !f.Holds {
		t.Fatalf("%s: verifier: %v %+v", name, err, f)
	}
	if r.Map != nil && f.Recoding != "global" {
		t.Fatalf("%s: ranges overlap: %v", name, p.Terms())
	}
}

// After the passes beyond the paper no range can be split in two without making something rare.
func TestNoRangeCanBeSplit(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(4, seed))
		in := continuous.Input{
			Data: small(rng), Promise: privacy.Continuous{K: 2, M: 1 + rng.IntN(3)},
			Threshold: 0.001,
		}
		r, err := anonymize(t, continuous.ACD, in)
		if err != nil {
			continue
		}
		for at := range int32(len(r.Map) - 1) {
			if r.Map[at] == r.Map[at+1] && splits(in, r, at) {
				t.Fatalf(
					"seed %d: %s can be split behind %s", seed, r.Terms[r.Map[at]],
					in.Data.Terms()[at],
				)
			}
		}
	}
}

// splits tells whether the release stays valid with the range of value at split behind that value.
func splits(in continuous.Input, r *release.Ranges, at int32) bool {
	var records [][]string
	for i := range in.Data.Len() {
		var out []string
		for _, v := range in.Data.Record(i) {
			text := r.Terms[r.Map[v]].String()
			if r.Map[v] == r.Map[at] && v > at {
				text += "'"
			}
			out = append(out, text)
		}
		records = append(records, out)
	}
	for _, n := range supports(records, in.Promise.M) {
		if n < in.Promise.K {
			return false
		}
	}
	return true
}

// The passes beyond the paper never lose more than the paper's algorithm, and local never more
// than those.
func TestEachStepLosesLess(t *testing.T) {
	data := generate.Income{Records: 3000, Seed: 7}.Bags()
	for m := 1; m <= 3; m++ {
		in := continuous.Input{
			Data: data, Promise: privacy.Continuous{K: 5, M: m}, Threshold: 0.001, PaperOnly: true,
		}
		last := 2.0
		for _, step := range []struct {
			a     string
			paper bool
		}{{continuous.ACD, true}, {continuous.ACD, false}, {continuous.Local, false}} {
			in.PaperOnly = step.paper
			r, err := anonymize(t, step.a, in)
			if err != nil {
				t.Fatal(err)
			}
			f, err := verify.Continuous(
				context.Background(),
				verify.ContinuousInput{
					Published: r.Published(), Original: data, Promise: in.Promise,
				},
			)
			if err != nil || !f.Holds {
				t.Fatalf("m=%d %s: %v %+v", m, step.a, err, f)
			}
			if loss := measure.Bags(r).NCP; loss > last+1e-12 {
				t.Errorf(
					"m=%d: %s (paper only: %t) loses %g, the step before it %g", m, step.a,
					step.paper, loss, last,
				)
			} else {
				last = loss
			}
		}
	}
}

// Numbers that no machine number holds stay exact.
func TestManyDigits(t *testing.T) {
	big := "123456789012345678901234567890"
	data, err := bag.FromFields(
		bag.Numbers(),
		[][]string{
			{big + "1"}, {big + "2"}, {big + "3", "-0.001"}, {big + "4", "-0.002"}, {"-5"}, {"-5"},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	r, err := continuous.Anonymize(
		context.Background(),
		continuous.Input{Data: data, Promise: privacy.Continuous{K: 2, M: 1}},
	)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := "["+big+"1-"+big+"2]", "["+big+"3-"+big+"4]"
	want := []string{lo, lo, "[-0.002--0.001] " + hi, "[-0.002--0.001] " + hi, "-5", "-5"}
	if got := published(r); !slices.Equal(got, want) {
		t.Errorf("published %q, want %q", got, want)
	}
}

func TestRefuses(t *testing.T) {
	data := table1()
	for _, c := range []struct {
		k, m int
		d    float64
		want string
	}{
		{1, 0, 0, "k (1) must be at least 2\nm (0) must be at least 1"},
		{2, 2, 1.5, "d (1.5) must be between 0 and 1"},
		{6, 1, 0, "k (6) is more than the number of records (5)"},
		{2, 5, 0, "only 1 records have 5 or more values"},
	} {
		_, err := continuous.Anonymize(
			context.Background(),
			continuous.Input{
				Data: data, Promise: privacy.Continuous{K: c.k, M: c.m}, Threshold: c.d,
			},
		)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("k=%d m=%d d=%g: error %v, want %q", c.k, c.m, c.d, err, c.want)
		}
	}
}

// suite says what is expected of an algorithm: the promise by the definition on small bags, the
// same release for every run, and an end with its context.
func suite(algorithm string) conformance.Family[continuous.Input, *release.Ranges] {
	return conformance.Family[continuous.Input, *release.Ranges]{
		Anonymize: func(
			ctx context.Context, in continuous.Input, workers int,
		) (*release.Ranges, error) {
			in.Workers = workers
			return continuous.Anonymize(ctx, in)
		},
		Small: func(rng *rand.Rand) continuous.Input {
			in := randomInput(rng)
			in.Algorithm, in.Tree = algorithm, rangesOf(in.Data)
			return in
		},
		Instances: 1000,
		Large: func(seed uint64) continuous.Input {
			data := generate.Income{Records: 1200, Seed: seed}.Bags()
			return continuous.Input{
				Data: data, Promise: privacy.Continuous{K: 4, M: 2}, Threshold: 0.001,
				Algorithm: algorithm, Tree: rangesOf(data),
			}
		},
		Verify: func(t *testing.T, in continuous.Input, r *release.Ranges) {
			t.Helper()
			check(t, algorithm, in, r)
		},
		Refused: func(t *testing.T, in continuous.Input, err error) {
			t.Helper()
			if feasible(in) {
				t.Fatalf("%s, %s: refused: %v", algorithm, in.Promise, err)
			}
		},
		Published: func(r *release.Ranges) (lines []string) {
			for _, record := range texts(r.Published()) {
				lines = append(lines, strings.Join(record, " "))
			}
			return lines
		},
		Describe: func(in continuous.Input) string {
			return fmt.Sprintf("%s, d %v, paper only %t: %v",
				in.Promise, in.Threshold, in.PaperOnly, texts(in.Data))
		},
	}
}

func TestConformance(t *testing.T) {
	for _, algorithm := range continuous.Algorithms() {
		t.Run(algorithm, suite(algorithm).Run)
	}
}

// rangesOf is a narrow hierarchy over the values of bags.
func rangesOf(b *bag.Bags) *hierarchy.Tree {
	if len(b.Terms()) == 0 {
		return nil
	}
	tree, err := hierarchy.Ranges(b.Terms(), hierarchy.RangeOptions{Width: "3", Fanout: 2})
	if err != nil {
		panic(err)
	}
	return tree
}

// randomInput is a small instance.
func randomInput(rng *rand.Rand) continuous.Input {
	return continuous.Input{
		Data:      small(rng),
		Promise:   privacy.Continuous{K: 2 + rng.IntN(3), M: 1 + rng.IntN(4)},
		Threshold: []float64{0, 0.001, 0.05, 1}[rng.IntN(4)], PaperOnly: rng.IntN(3) == 0,
	}
}

// Whatever the bags, every algorithm ends, with a valid release or with a reason.
func FuzzEnds(f *testing.F) {
	f.Add([]byte{2, 2, 3, 11, 11, 20, 40, 40, 0, 11, 30, 40, 0, 11, 0, 20})
	f.Add([]byte{3, 4, 0, 1, 2, 3, 4, 5, 0, 5, 4, 3, 2, 1, 0, 9, 9, 9, 9, 0, 1, 1, 1, 1})
	soak.Fuzz(f, func(t *testing.T, raw []byte) {
		if len(raw) < 3 || len(raw) > 120 {
			return
		}
		in := continuous.Input{
			Promise:   privacy.Continuous{K: 2 + int(raw[0]%5), M: 1 + int(raw[1]%4)},
			Threshold: float64(raw[2]%4) / 3,
		}
		records := [][]int64{nil}
		for _, x := range raw[3:] {
			last := len(records) - 1
			if x == 0 || len(records[last]) == 9 {
				records = append(records, nil)
				continue
			}
			records[last] = append(records[last], int64(x))
		}
		in.Data = bag.FromInts(records)
		for _, a := range continuous.Algorithms() {
			r, err := anonymize(t, a, in)
			var infeasible *privacy.Infeasible
			if errors.As(err, &infeasible) && !feasible(in) {
				continue
			}
			if err != nil {
				t.Fatalf("%s, %s: %v", a, in.Promise, err)
			}
			check(t, a, in, r)
		}
	})
}

// Bags of more than a hundred values may be known: what stands beside a range is as large.
func TestLargeBags(t *testing.T) {
	var records [][]int64
	for i := range 12 {
		r := slices.Repeat([]int64{7}, 140)
		records = append(records, append(r, slices.Repeat([]int64{9, 50}, 1+i%3)...))
	}
	in := continuous.Input{
		Data: bag.FromInts(records), Promise: privacy.Continuous{K: 3, M: 138}, Threshold: 0.001,
	}
	for _, algorithm := range continuous.Algorithms() {
		r, err := anonymize(t, algorithm, in)
		if err != nil {
			t.Fatal(err)
		}
		f, err := verify.Continuous(t.Context(), verify.ContinuousInput{
			Published: r.Published(), Original: in.Data, Promise: in.Promise,
		})
		if err != nil || !f.Holds {
			t.Errorf("%s: %v %+v", algorithm, err, f)
		}
	}
}

// Records in another order are published as the same lines: what is published does not tell in what
// order they came.
func TestOrderOfRecordsChangesNothing(t *testing.T) {
	sorted := func(in continuous.Input, order []int32) []string {
		in.Data = in.Data.Select(order)
		r, err := continuous.Anonymize(t.Context(), in)
		if err != nil {
			return []string{err.Error()}
		}
		var lines []string
		for i, line := range texts(r.Published()) {
			lines = append(lines, strings.Join(in.Data.Texts(i), " ")+" as "+strings.Join(line, " "))
		}
		slices.Sort(lines)
		return lines
	}
	inputs := []continuous.Input{}
	for _, records := range [][][]int64{ // their ties were once broken by the order
		{{}, {0, 1, 10}, {0, 2, 11}, {2, 10, 11}},
		{{}, {0}, {0, 2}, {0, 0, 0}},
		{{}, {0, 0}, {0, 1}, {0, 2, 11}},
	} {
		for m := 1; m <= 2; m++ {
			inputs = append(inputs, continuous.Input{
				Data: bag.FromInts(records), Promise: privacy.Continuous{K: 2, M: m},
				Threshold: 0.001,
			})
		}
	}
	rng := rand.New(rand.NewPCG(8, 15))
	for range 400 {
		inputs = append(inputs, randomInput(rng))
	}
	for _, in := range inputs {
		order := make([]int32, in.Data.Len())
		for i := range order {
			order[i] = int32(i)
		}
		for _, in.Algorithm = range continuous.Algorithms() {
			in.Tree = rangesOf(in.Data)
			want := sorted(in, order)
			for range 3 {
				rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
				if got := sorted(in, order); !slices.Equal(got, want) {
					t.Fatalf("%s, %s: %q, in another order %q", in.Algorithm, in.Promise, want, got)
				}
			}
		}
	}
}
