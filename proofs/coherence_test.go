package proofs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/coherence"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/verify"
)

// coherenceWorld is a release by suppression: publics public items, then private ones.
type coherenceWorld struct {
	publics             int
	items               []string
	original, published [][]int32
	promise             privacy.Coherence
	half                bool // h is 1/2, else 1
}

// randomCoherence is a small original, with a release by the algorithm or with items suppressed at
// random.
func randomCoherence(t *testing.T, rng *rand.Rand) (world, bool) {
	t.Helper()
	w := coherenceWorld{
		publics: 1 + rng.IntN(4), half: rng.IntN(2) == 0,
		promise: privacy.Coherence{H: 1, K: 2 + rng.IntN(2), P: 1 + rng.IntN(3)},
	}
	if w.half {
		w.promise.H = 0.5
	}
	n := w.publics + rng.IntN(3)
	w.items = strings.Split("abcdefg", "")[:n]
	for range 2 + rng.IntN(7) {
		var line []int32
		for x := range int32(n) {
			if rng.IntN(2) == 0 {
				line = append(line, x)
			}
		}
		w.original = append(w.original, line)
	}
	if rng.IntN(2) == 0 {
		w.suppress(func(int32) bool { return rng.IntN(3) == 0 })
		return w, true
	}
	private := make([]bool, n)
	for x := w.publics; x < n; x++ {
		private[x] = true
	}
	r, err := coherence.Anonymize(t.Context(), coherence.Input{
		Data: dataOf(w.items, w.original), Private: private, Promise: w.promise,
		NuggetSupport: 1, Workers: 1,
	})
	if err != nil {
		return nil, false
	}
	w.suppress(func(x int32) bool { return slices.Contains(r.Release.Items, x) })
	return w, true
}

// suppress publishes the original without the public items that go.
func (w *coherenceWorld) suppress(goes func(x int32) bool) {
	gone := make([]bool, len(w.items))
	for x := range w.publics {
		gone[x] = goes(int32(x))
	}
	for _, line := range w.original {
		w.published = append(w.published,
			slices.DeleteFunc(slices.Clone(line), func(x int32) bool { return gone[x] }))
	}
}

func dataOf(items []string, lines [][]int32) *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary(items))
	for _, line := range lines {
		b.Add(slices.Clone(line))
	}
	return b.Build()
}

func (w coherenceWorld) numbers(b *strings.Builder) {
	whole := 1
	if w.half {
		whole = 2
	}
	fmt.Fprintf(b, "1 %d %d 1 %d %d %d %d", w.promise.K, w.promise.P, whole, w.publics,
		len(w.items)-w.publics, len(w.original))
	for i, line := range w.original {
		spellSet(b, line)
		spellSet(b, w.published[i])
	}
}

// edited has one item more or less in a line, or two lines exchanged.
func (w coherenceWorld) edited(rng *rand.Rand) world {
	w.published = slices.Clone(w.published)
	i, j := rng.IntN(len(w.published)), rng.IntN(len(w.published))
	if rng.IntN(4) == 0 {
		w.published[i], w.published[j] = w.published[j], w.published[i]
		return w
	}
	x, line := int32(rng.IntN(len(w.items))), slices.Clone(w.published[i])
	if at := slices.Index(line, x); at >= 0 {
		line = slices.Delete(line, at, at+1)
	} else {
		line = append(line, x)
		slices.Sort(line)
	}
	w.published[i] = line
	return w
}

func (w coherenceWorld) holds(ctx context.Context, t *testing.T) bool {
	t.Helper()
	f, err := verify.Coherence(ctx, verify.CoherenceInput{
		Published: dataOf(w.items, w.published), Original: dataOf(w.items, w.original),
		Private: w.items[w.publics:], Promise: w.promise, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.Holds
}

func (w coherenceWorld) String() string {
	return fmt.Sprintf("%v, %d public items\noriginal %v\npublished %v", w.promise, w.publics,
		w.original, w.published)
}
