package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/privacy"
)

// A child is torn by a line that publishes what is above it and something at or below it, unless
// that is the child itself with nothing below it; one such line is enough, whatever others show.
func TestTornChildren(t *testing.T) {
	tree := figure1(t)
	for _, c := range []struct{ published, want []string }{
		{[]string{"ALL a1"}, []string{"A"}},
		{[]string{"ALL A"}, nil},
		{[]string{"ALL a1", "ALL A"}, []string{"A"}},
		{[]string{"ALL A", "ALL a1"}, []string{"A"}},
		{[]string{"ALL A a1", "A b1"}, []string{"A"}},
		{[]string{"ALL A b1"}, []string{"B"}},
		{[]string{"A a1"}, nil},
	} {
		v := newReading(tree, publish(t, tree, lines(c.published...)))
		var got []string
		for _, u := range v.findTorn() {
			got = append(got, tree.Label(u))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v are torn, want %v", c.published, got, c.want)
		}
	}
}

// The lines of persons are read one by one, those of a person in a row, and each node has the lines
// that publish it.
func TestReadingOfPersons(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 4))
	for range 300 {
		tree := randomLevels(t, r)
		published := randomRelease(r, tree)
		person := make([]int32, published.Len())
		for i := range person {
			person[i] = r.Int32N(5) - 1
		}
		v := newReading(tree, published)
		v.byPersons(published, person)
		if len(v.sets) != published.Len() || !slices.IsSorted(v.person) {
			t.Fatalf("%d lines of persons %v", len(v.sets), v.person)
		}
		for u, with := range v.with {
			var want []int32
			for line, set := range v.sets {
				if slices.Contains(set, int32(u)) {
					want = append(want, int32(line))
				}
			}
			if !slices.Equal(with, want) {
				t.Fatalf("%s is in lines %v, want %v", tree.Label(int32(u)), with, want)
			}
		}
	}
}

// Lines may be missing, but each that is there comes from one whose items may be where they are
// published: a2 is below A, and so not at ALL beside a1; b1 alone is not published as ALL and a1.
func TestLinesThatAreLeftObey(t *testing.T) {
	tree := figure1(t)
	in := KMInput{
		Tree: tree, Promise: privacy.KM{K: 2, M: 2}, MaySuppress: true,
		Published: publish(t, tree, lines("ALL a1", "ALL a1")),
	}
	for _, c := range []struct {
		original []string
		holds    bool
	}{
		{[]string{"a1 a2", "a1 a2", "b1", "b1"}, false},
		{[]string{"a1 a2", "a1 b1", "a1 b1", "b1"}, true},
	} {
		in.Original = encode(t, tree, lines(c.original...))
		f := check(t, in)
		if f.Holds != c.holds || f.Holds != (twin{in}).holds() {
			t.Errorf("%v: %+v", c.original, f)
		}
		if !c.holds && f.Breaches[0].Kind != KindCompatible {
			t.Errorf("%v: %+v", c.original, f.Breaches)
		}
	}
}

// What no line may have breaks nothing. c and U are published together with nothing below c in one
// line only, the first; but nobody with an item below each is in that line alone. c2 and w2 are in
// no line: w1 takes w2 out of the first.
func TestWhatNoLineMayHaveIsNoBreach(t *testing.T) {
	tree := leafTree(t, []string{"c1", "c", "V", "*"}, []string{"c2", "c", "V", "*"},
		[]string{"f1", "f", "V", "*"}, []string{"w1", "d", "U", "*"}, []string{"w2", "d", "U", "*"},
		[]string{"e1", "e", "U", "*"}, []string{"e2", "e", "U", "*"})
	in := KMInput{
		Tree: tree, Promise: privacy.KM{K: 2, M: 2},
		Published: publish(t, tree, lines("V U w1", "V c1 U w1", "V c1 U w1", "V e", "V e",
			"U e1", "U e1", "V w1")),
	}
	if tw := (twin{in}); !tw.published() || !tw.compatible() {
		t.Fatal("the example is none")
	}
	v := newReading(tree, in.Published)
	found, err := v.check(t.Context(), newPool(1, nil), in.Promise.K, in.Promise.M)
	if err != nil || found.count > 0 {
		t.Errorf("%v, %+v", err, found.kept)
	}
}

// A line with a label that has another below it does not cover that node, as a line does with
// nothing at or below it; both have the node. Of each group two lines have the first item and what
// is above it beside the tops of all groups. So the second items of all groups may be together in
// one line, that with the tops alone; those of all groups but one may be in two lines more.
func TestLabelsWithOthersBelowCoverNothing(t *testing.T) {
	for groups := 2; groups <= 4; groups++ {
		var paths [][]string
		var tops string
		names := []string{"a", "b", "c", "d"}[:groups]
		for _, g := range names {
			paths = append(paths, []string{g + "1", g + "12", g + "all", g + "top", "*"},
				[]string{g + "2", g + "12", g + "all", g + "top", "*"},
				[]string{g + "3", g + "33", g + "all", g + "top", "*"})
			tops += " " + g + "top"
		}
		published := []string{tops}
		for _, g := range names {
			line := g + "1 " + g + "all" + tops
			published = append(published, line, line)
		}
		labels := lines(published...)
		tree := leafTree(t, paths...)
		for m := 1; m <= groups; m++ {
			in := KMInput{
				Tree: tree, Published: publish(t, tree, labels), Promise: privacy.KM{K: 2, M: m},
			}
			tw, holds := twin{in}, m < groups
			if !tw.published() || tw.compatible() != holds {
				t.Fatalf("%d groups, m=%d: the example is none", groups, m)
			}
			found, err := newReading(tree, in.Published).check(t.Context(), newPool(1, nil), 2, m)
			if err != nil || (found.count == 0) != holds {
				t.Errorf("%d groups, m=%d: %v, %+v", groups, m, err, found.kept)
			}
		}
	}
}
