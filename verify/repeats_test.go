package verify

import (
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// A file that has a label twice in a line tells how many items the person had. Without the second
// one it keeps the promise.
func TestRepeatsAreBreaches(t *testing.T) {
	tree := leafTree(t, []string{"x1", "A"}, []string{"x2", "A"})
	for _, c := range []struct {
		text  string
		holds bool
		lines []int
	}{
		{"A\nA\nA\n", true, nil},
		{"A\nA A\nA\n", false, []int{2}},
		{"A\nA\nA A A\n", false, []int{3}},
	} {
		read, err := dataset.Read(t.Context(), strings.NewReader(c.text), dataset.Options{
			Format: dataset.Fimi,
		})
		if err != nil {
			t.Fatal(err)
		}
		published, err := tree.EncodePublished(read)
		if err != nil {
			t.Fatal(err)
		}
		f, err := KM(t.Context(), KMInput{
			Tree: tree, Published: published, Promise: privacy.KM{K: 2, M: 2},
		})
		repeatsAre(t, f, err, c.holds, c.lines)
		f, err = Coherence(t.Context(), CoherenceInput{
			Published: read, Promise: privacy.Coherence{H: 1, K: 2, P: 1},
		})
		repeatsAre(t, f, err, c.holds, c.lines)
	}
}

func repeatsAre(t *testing.T, f *Finding, err error, holds bool, lines []int) {
	t.Helper()
	if err != nil || f.Holds != holds {
		t.Fatalf("%+v, %v; holds should be %t", f, err, holds)
	}
	if !holds && f.BreachCount != int64(len(f.Breaches)) {
		t.Errorf("%d breaches are counted, and %d told", f.BreachCount, len(f.Breaches))
	}
	if !holds && (f.Breaches[0].Kind != KindRepeated ||
		!slices.Equal(f.Breaches[0].Lines, lines)) {
		t.Errorf("%+v", f.Breaches)
	}
}
