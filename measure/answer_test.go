package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
)

// Of items, the answers are those that the query error is measured of, but for groups of one item,
// which are certain; what a group says of its items, and the other way round.
func TestAnswers(t *testing.T) {
	tr := tree(t, "a1 A *", "a2 A *", "b B *", "c *")
	published := dataset.FromLabels([][]string{
		{"a1", "flu"}, {"A", "c"}, {"*"}, {"B", "A"}, {}, {"a1", "A"}, {"*", "b", "a1"},
	})
	a := NewAnswers(tr, published)
	for _, c := range []struct {
		labels   []string
		least    int
		most     int
		estimate float64
	}{
		{[]string{"a1"}, 3, 6, 1 + 1./2 + 1./4 + 1./2 + 1 + 1},
		{[]string{"a2"}, 0, 5, 1./2 + 1./4 + 1./2 + 1}, // A beside a1 is a2, * beside a1 and b is c
		{[]string{"A"}, 5, 6, 5 + 2./4},
		{[]string{"b"}, 2, 3, 2 + 1./4},
		{[]string{"B"}, 2, 3, 2 + 1./4},
		{[]string{"*"}, 6, 6, 6},
		{[]string{"flu"}, 1, 1, 1},
		{[]string{"flu", "a1"}, 1, 1, 1},
		{[]string{"a1", "c"}, 0, 3, 1./2 + 1./16 + 1},
		{nil, 7, 7, 7},
		// what is named twice counts once, and so does a group beside something below it
		{[]string{"a1", "a1"}, 3, 6, 1 + 1./2 + 1./4 + 1./2 + 1 + 1},
		{[]string{"A", "a1", "*"}, 3, 6, 1 + 1./2 + 1./4 + 1./2 + 1 + 1},
		{[]string{"B", "b", "B"}, 2, 3, 2 + 1./4},
		{[]string{"flu", "flu", "a1"}, 1, 1, 1},
	} {
		got, err := a.Ask(c.labels...)
		if err != nil {
			t.Fatal(err)
		}
		if got.AtLeast != c.least || got.AtMost != c.most ||
			math.Abs(got.Estimate-c.estimate) > 1e-12 {
			t.Errorf("%v: %+v, want %+v", c.labels, got, c)
		}
	}
	if _, err := a.Ask("cold"); err == nil {
		t.Error("a label that is nowhere is counted")
	}
}

// On random releases the answers bound the truth, and are those of the query error.
func TestAnswersBoundTheTruth(t *testing.T) {
	tr := tree(t, "a1 A *", "a2 A *", "b1 B *", "b2 B *", "b3 B *", "c *")
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var original, published [][]int32
		for range 1 + r.IntN(8) {
			var before, after []int32
			for x := range int32(tr.Leaves()) {
				if r.IntN(3) > 0 {
					continue
				}
				before = append(before, x)
				path := tr.Path(x)
				after = append(after, path[r.IntN(len(path))])
			}
			original, published = append(original, before), append(published, after)
		}
		made := func(dict *dataset.Dictionary, lines [][]int32) *dataset.Dataset {
			b := dataset.NewBuilder(dict)
			for _, line := range lines {
				b.Add(line)
			}
			return b.Build()
		}
		d, p := made(tr.LeafDict(), original), made(tr.Dict(), published)
		c, a := newIndex(tr, d, p).counter(), NewAnswers(tr, p)
		x, y := int32(r.IntN(tr.Leaves())), int32(r.IntN(tr.Leaves()))
		// the query error asks different items
		want := c.answer(slices.Compact([]int32{x, y}))
		for range r.IntN(3) { // from the second question on, lines are found by their labels
			if _, err := a.Ask(tr.Label(y)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := a.Ask(tr.Label(x), tr.Label(y))
		if err != nil {
			t.Fatal(err)
		}
		if got.AtLeast != want.Lower || got.AtMost != want.Upper ||
			math.Abs(got.Estimate-want.Estimate) > 1e-12 {
			t.Fatalf("%+v, the query error has %+v", got, want)
		}
		if want.True < got.AtLeast || want.True > got.AtMost {
			t.Fatalf("%d is not within %+v", want.True, got)
		}
	}
}
