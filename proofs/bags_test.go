package proofs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mingle/anonymize/continuous"
	"mingle/dataset/bag"
	"mingle/privacy"
	"mingle/verify"
)

// ends are those of a range of numbers; of one number they are the same.
type ends [2]int64

// bagWorld is a release of bags of numbers.
type bagWorld struct {
	original  [][]int64
	published [][]ends
	promise   privacy.Continuous
}

// randomBags is a small original, with a release by an algorithm or with random ranges.
func randomBags(t *testing.T, rng *rand.Rand) (world, bool) {
	t.Helper()
	w := bagWorld{promise: privacy.Continuous{K: 2 + rng.IntN(2), M: 1 + rng.IntN(3)}}
	for range 2 + rng.IntN(4) {
		record := []int64{}
		for range rng.IntN(4) {
			record = append(record, int64(rng.IntN(4)))
		}
		w.original = append(w.original, record)
	}
	if n := len(w.original); n < 5 && rng.IntN(2) == 0 { // more of the same are kept more often
		w.original = append(w.original, w.original[:n]...)
	}
	if rng.IntN(3) == 0 {
		for _, record := range w.original {
			line := []ends{}
			for _, x := range record {
				line = append(line, ends{x - int64(rng.IntN(2)), x + int64(rng.IntN(2))})
			}
			w.published = append(w.published, line)
		}
		return w, true
	}
	names := []string{continuous.ACD, continuous.Local}
	r, err := continuous.Anonymize(t.Context(), continuous.Input{
		Data: bag.FromInts(w.original), Promise: w.promise, Algorithm: names[rng.IntN(2)],
	})
	if err != nil {
		return nil, false
	}
	w.read(t, r.Published())
	return w, true
}

// read takes what an algorithm publishes.
func (w *bagWorld) read(t *testing.T, b *bag.Bags) {
	t.Helper()
	for i := range b.Len() {
		line := []ends{}
		for _, text := range b.Texts(i) {
			low, high, isRange := strings.Cut(strings.Trim(text, "[]"), "-")
			if !isRange {
				high = low
			}
			a, err := strconv.ParseInt(low, 10, 64)
			z, err2 := strconv.ParseInt(high, 10, 64)
			if err != nil || err2 != nil {
				t.Fatalf("%q is no range of numbers", text)
			}
			line = append(line, ends{a, z})
		}
		w.published = append(w.published, line)
	}
}

// terms are the different ranges, and each record's by their places.
func (w bagWorld) terms() (all []ends, of [][]int) {
	for _, line := range w.published {
		places := []int{}
		for _, e := range line {
			at := slices.Index(all, e)
			if at < 0 {
				at, all = len(all), append(all, e)
			}
			places = append(places, at)
		}
		of = append(of, places)
	}
	return all, of
}

func (w bagWorld) numbers(b *strings.Builder) {
	all, of := w.terms()
	fmt.Fprintf(b, "2 %d %d %d", w.promise.K, w.promise.M, len(all))
	for _, e := range all {
		fmt.Fprintf(b, " %d %d", e[0], e[1])
	}
	fmt.Fprintf(b, " %d", len(w.original))
	for i, record := range w.original {
		fmt.Fprintf(b, " %d", len(record))
		for _, x := range record {
			fmt.Fprintf(b, " %d", x)
		}
		spellSet(b, of[i])
	}
}

// edited has one range less, more, or another, or two records exchanged.
func (w bagWorld) edited(rng *rand.Rand) world {
	w.published = slices.Clone(w.published)
	i, j := rng.IntN(len(w.published)), rng.IntN(len(w.published))
	line := slices.Clone(w.published[i])
	low := int64(rng.IntN(4))
	other := ends{low, low + int64(rng.IntN(3))}
	switch {
	case rng.IntN(4) == 0:
		w.published[i], w.published[j] = w.published[j], w.published[i]
		return w
	case len(line) == 0 || rng.IntN(4) == 0:
		line = append(line, other)
	case rng.IntN(3) == 0:
		line = line[1:]
	default:
		line[rng.IntN(len(line))] = other
	}
	w.published[i] = line
	return w
}

func (w bagWorld) holds(ctx context.Context, t *testing.T) bool {
	t.Helper()
	var fields [][]string
	for _, line := range w.published {
		texts := []string{}
		for _, e := range line {
			text := fmt.Sprint(e[0])
			if e[0] != e[1] {
				text = fmt.Sprintf("[%d-%d]", e[0], e[1])
			}
			texts = append(texts, text)
		}
		fields = append(fields, texts)
	}
	published, err := bag.FromFields(bag.Numbers(), fields)
	if err != nil {
		t.Fatal(err)
	}
	f, err := verify.Continuous(ctx, verify.ContinuousInput{
		Published: published, Original: bag.FromInts(w.original), Promise: w.promise, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.Holds
}

func (w bagWorld) String() string {
	return fmt.Sprintf("%v\noriginal %v\npublished %v", w.promise, w.original, w.published)
}
