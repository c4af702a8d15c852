package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/privacy"
	"mingle/release"
)

// surplusOf is what findings of a file of each family note beside what is judged, on which nothing
// hangs: all hold.
func surplusOf(t *testing.T, sets, bags, bases string) (out []string) {
	t.Helper()
	tree := leafTree(t, []string{"x1", "A", "*"}, []string{"x2", "B", "*"})
	read, err := dataset.Read(t.Context(), strings.NewReader(sets), dataset.Options{
		Format: dataset.Fimi,
	})
	if err != nil {
		t.Fatal(err)
	}
	published, err := tree.EncodePublished(read)
	if err != nil {
		t.Fatal(err)
	}
	layout := bag.Layout{Format: dataset.Fimi, Ranges: true}
	values, err := bag.Read(t.Context(), strings.NewReader(bags), &layout)
	if err != nil {
		t.Fatal(err)
	}
	base, err := release.ReadNonreciprocal(strings.NewReader(bases), nil)
	if err != nil {
		t.Fatal(err)
	}
	km, err := KM(t.Context(), KMInput{
		Tree: tree, Published: published, Promise: privacy.KM{K: 2, M: 2},
	})
	noted := func(f *Finding, err error) {
		if err != nil || !f.Holds {
			t.Fatalf("%+v, %v", f, err)
		}
		for _, note := range f.Notes {
			if strings.Contains(note, "not judged") {
				out = append(out, note)
			}
		}
	}
	noted(km, err)
	noted(Coherence(t.Context(), CoherenceInput{
		Published: read, Promise: privacy.Coherence{H: 1, K: 2, P: 1},
	}))
	noted(Continuous(t.Context(), ContinuousInput{
		Published: values, Promise: privacy.Continuous{K: 2, M: 1},
	}))
	noted(Nonreciprocal(t.Context(), NonreciprocalInput{
		Original:  base.Base,
		Published: base, Promise: privacy.Nonreciprocal{K: 2},
	}))
	return out
}

// Lines that are not sorted are noted, in every family, and are no breach. Sorted ones are not.
func TestUnsortedLinesAreNoted(t *testing.T) {
	line := `{"items":[%q,%q],"uncertain":[],"threshold":0}` + "\n"
	sorted := strings.Repeat(fmt.Sprintf(line, "a9", "a10"), 2)
	if got := surplusOf(t, "A B\nA B\n", "1 [2-3] [2-4]\n1 [2-3] [2-4]\n", sorted); got != nil {
		t.Errorf("%q", got)
	}
	fallen := sorted + fmt.Sprintf(line, "a10", "a9")
	got := surplusOf(t, "A B\nA B\nB A\n", "1 [2-4]\n1 [2-4]\n[2-4] 1\n", fallen)
	want := Surplus(dataset.Surplus{Unsorted: 3})
	if !slices.Equal(got, slices.Repeat(want, 4)) {
		t.Errorf("%q, want four times %q", got, want)
	}
}
