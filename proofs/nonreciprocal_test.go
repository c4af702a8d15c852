package proofs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/nonreciprocal"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// shown is a published record.
type shown struct {
	base, uncertain []int32
	threshold       int
	label           int
}

// nonreciprocalWorld is a release by nonreciprocal recoding, over the items a, b and c.
type nonreciprocalWorld struct {
	original  [][]int32
	labels    []int
	published []shown
	promise   privacy.Nonreciprocal
}

var abc = []string{"a", "b", "c"}

// randomNonreciprocal is a small original, with a release by an algorithm or with random doubts.
func randomNonreciprocal(t *testing.T, rng *rand.Rand) (world, bool) {
	t.Helper()
	w := nonreciprocalWorld{promise: privacy.Nonreciprocal{K: 2 + rng.IntN(2)}}
	if rng.IntN(2) == 0 {
		w.promise = privacy.Nonreciprocal{L: 2}
	}
	for range 2 + rng.IntN(4) {
		w.original = append(w.original, someOf(rng))
		w.labels = append(w.labels, rng.IntN(3))
	}
	if rng.IntN(3) == 0 {
		for i, record := range w.original {
			w.published = append(w.published, shown{
				record, someOf(rng), rng.IntN(4), w.labels[i],
			})
		}
		return w, true
	}
	names := []string{nonreciprocal.NR, nonreciprocal.CAHD}
	r, err := nonreciprocal.Anonymize(t.Context(), nonreciprocal.Input{
		Data: dataOf(abc, w.original), Labels: w.names(w.labels), Promise: w.promise,
		Algorithm: names[rng.IntN(2)], Seed: &[32]byte{byte(rng.IntN(256))}, Workers: 1,
	})
	if err != nil {
		return nil, false
	}
	for j := range r.Release.Len() {
		w.published = append(w.published, shown{
			slices.Clone(r.Release.Base.Tx(j)), slices.Clone(r.Release.Uncertain.Tx(j)),
			int(r.Release.Threshold[j]), int(r.Release.Labels[j][0] - 'x'),
		})
	}
	return w, true
}

// someOf are some of the three items.
func someOf(rng *rand.Rand) []int32 {
	set := []int32{}
	for x := range int32(len(abc)) {
		if rng.IntN(2) == 0 {
			set = append(set, x)
		}
	}
	return set
}

// names are labels as text.
func (w nonreciprocalWorld) names(labels []int) []string {
	var out []string
	for _, l := range labels {
		out = append(out, string(rune('x'+l)))
	}
	return out
}

func (w nonreciprocalWorld) numbers(b *strings.Builder) {
	diverse := 0
	if w.promise.Diverse() {
		diverse = 1
	}
	fmt.Fprintf(b, "3 %d %d 1 %d", w.promise.Matches(), diverse, len(w.original))
	for i, record := range w.original {
		spellSet(b, record)
		fmt.Fprintf(b, " %d", w.labels[i])
	}
	fmt.Fprintf(b, " %d", len(w.published))
	for _, s := range w.published {
		spellSet(b, s.base)
		spellSet(b, s.uncertain)
		fmt.Fprintf(b, " %d %d", s.threshold, s.label)
	}
}

// edited has other items, uncertain items, another threshold or label in one record.
func (w nonreciprocalWorld) edited(rng *rand.Rand) world {
	w.published = slices.Clone(w.published)
	s := &w.published[rng.IntN(len(w.published))]
	switch rng.IntN(4) {
	case 0:
		s.base = someOf(rng)
	case 1:
		s.uncertain = someOf(rng)
	case 2:
		s.threshold = rng.IntN(4)
	default:
		s.label = rng.IntN(3)
	}
	return w
}

func (w nonreciprocalWorld) holds(ctx context.Context, t *testing.T) bool {
	t.Helper()
	var base, uncertain [][]int32
	r := &release.Nonreciprocal{}
	for _, s := range w.published {
		base, uncertain = append(base, s.base), append(uncertain, s.uncertain)
		r.Threshold = append(r.Threshold, int32(s.threshold))
		r.Labels = append(r.Labels, w.names([]int{s.label})...)
	}
	d := dataOf(abc, w.original)
	r.Base, r.Uncertain = dataOf(abc, base), dataOf(abc, uncertain)
	f, err := verify.Nonreciprocal(ctx, verify.NonreciprocalInput{
		Original: d, Labels: w.names(w.labels), Published: r, Promise: w.promise, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.Holds
}

func (w nonreciprocalWorld) String() string {
	return fmt.Sprintf("%v\noriginal %v %v\npublished %+v", w.promise, w.original, w.labels,
		w.published)
}
