package verify

import (
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

// suppressedFrom tells whether line i of the release is line i of the original without public items
// that no line of the release has, word by word.
func suppressedFrom(original, published *dataset.Dataset, private []string) bool {
	if original.Len() != published.Len() {
		return false
	}
	var all []string
	for i := range published.Len() {
		all = append(all, published.Labels(i)...)
	}
	for i := range published.Len() {
		was, is := original.Labels(i), published.Labels(i)
		for _, l := range is {
			if !slices.Contains(was, l) {
				return false
			}
		}
		for _, l := range was {
			if !slices.Contains(is, l) && (slices.Contains(private, l) || slices.Contains(all, l)) {
				return false
			}
		}
	}
	return true
}

// Every single edit of releases by suppression gets the verdict of the definition: of all originals
// of three sets of two public and two private items, each set twice, with any items suppressed.
func TestEveryEditOfSuppressionSoak(t *testing.T) {
	labels := []string{"a", "b", "s", "t"}
	private := labels[2:]
	build := func(rows []row) *dataset.Dataset {
		b := dataset.NewBuilder(dataset.MustDictionary(labels))
		for _, r := range rows {
			b.Add(slices.Clone(r.nodes))
		}
		return b.Build()
	}
	all := worlds()
	kept, broken := 0, 0
	for n := 0; n < len(all)*8; n += soak.Share(short(101, 1009), 1) {
		lines := all[n/8]
		var rows []row
		for _, r := range lines {
			rows = append(rows, row{nodes: slices.DeleteFunc(slices.Clone(r.nodes),
				func(x int32) bool { return x < 2 && n>>x&1 == 1 })})
		}
		in := CoherenceInput{
			Private: private, Workers: 1,
			Promise: privacy.Coherence{H: []float64{0.5, 1}[n%2], K: 2, P: 2},
		}
		if n&4 == 0 {
			in.Original = build(lines)
		}
		one := func(what string, edited []row) {
			in := in
			in.Published = build(edited)
			f, err := Coherence(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			want := coherent(in) && (in.Original == nil ||
				suppressedFrom(in.Original, in.Published, private))
			if f.Holds != want {
				t.Fatalf("%s: holds %v, want %v\noriginal %v\npublished %v\n%+v", what, f.Holds,
					want, spellAll(in.Original), spellAll(in.Published), f)
			}
			if want {
				kept++
			} else {
				broken++
			}
		}
		one("as it was", rows)
		for i, r := range rows {
			eachChange(r.nodes, 4, func(what string, nodes []int32) {
				edited := slices.Clone(rows)
				edited[i] = row{nodes: nodes}
				one(what, edited)
			})
		}
		eachLineEdit(rows, one)
	}
	t.Logf("%d kept, %d broken", kept, broken)
	if !testing.Short() && kept < broken/50 || broken < kept/50 {
		t.Errorf("%d kept, %d broken: one-sided", kept, broken)
	}
}
