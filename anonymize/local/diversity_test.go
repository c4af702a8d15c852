package local

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// Who goes back where a sensitive item is in too many of those with a set does not depend on who
// has it: whichever two of nine persons it is, they go in one order, as many as have to. Were it
// the persons with the sensitive item who go, then the one who is left out would be known to have
// it by everybody who runs the algorithm in mind.
func TestWhoGoesBackDoesNotDependOnSensitiveItems(t *testing.T) {
	var stayed [][]int32
	for a := range 9 {
		for b := range a {
			stayed = append(stayed, afterOneStep(t, ninePersons(t, []int{a, b})))
		}
	}
	inOneOrder(t, stayed)
}

// Nor does it depend on who has a value in a column, and which.
func TestWhoGoesBackDoesNotDependOnValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 85))
	var stayed [][]int32
	for range 400 {
		in := ninePersons(t, nil)
		cells := make([]string, in.Data.Len())
		for i := range cells {
			cells[i] = fmt.Sprint("value ", i)
			if i < 9 {
				cells[i] = []string{"", "v", cells[i]}[rng.IntN(3)]
			}
		}
		var err error
		in.Promise.L, in.Promise.Columns = 2, []string{"c"}
		in.Sensitive, in.Values, err = anonymize.WithColumns(nil, len(cells),
			[]anonymize.Column{{Name: "c", Values: cells}})
		if err != nil {
			t.Fatal(err)
		}
		stayed = append(stayed, afterOneStep(t, in))
	}
	inOneOrder(t, stayed)
}

// inOneOrder fails where of two sets neither is within the other, or all are as large.
func inOneOrder(t *testing.T, stayed [][]int32) {
	t.Helper()
	slices.SortFunc(stayed, func(a, b []int32) int { return len(a) - len(b) })
	for n, some := range stayed[1:] {
		for _, i := range stayed[n] {
			if !slices.Contains(some, i) {
				t.Errorf("%v stay, and %v: not in one order", stayed[n], some)
			}
		}
	}
	if len(stayed[0]) == len(stayed[len(stayed)-1]) {
		t.Fatalf("%d stay each time: nothing was tested", len(stayed[0]))
	}
}

// afterOneStep are those of nine persons with an item who publish it after a step, with k=5, l=5
// (2 of values) and m=1. Each of the nine has a further item, which is published already, so that
// no two of them are alike.
func afterOneStep(t *testing.T, in anonymize.Input) (stay []int32) {
	leaf := func(name string) int32 {
		v, _ := in.Tree.Node(name)
		return v
	}
	s := newSearch(t.Context(), in, 1)
	st := s.atRoot()
	one := newStep(st)
	for i := range 9 {
		one.refine(t.Context(), target{in.Tree.Root(), leaf(fmt.Sprint("b", i))})
	}
	one.refine(t.Context(), target{in.Tree.Root(), leaf("a")})
	for _, i := range st.who[leaf("a")] {
		for _, x := range s.merged.Tx(int(i)) {
			if x != leaf("a") {
				stay = append(stay, x)
			}
		}
	}
	slices.Sort(stay)
	return stay
}

// ninePersons have an item a and one of their own, which five others have, too; fifty more keep the
// root in use.
func ninePersons(t *testing.T, with []int) anonymize.Input {
	b := hierarchy.NewBuilder()
	for _, x := range []string{"a", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "z"} {
		if err := b.Path([]string{x, "*"}, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var lines, secret [][]string
	for i := range 9 {
		lines = append(lines, []string{"a", fmt.Sprint("b", i)})
	}
	for i := range 9 * 5 {
		lines = append(lines, []string{fmt.Sprint("b", i/5)})
	}
	for range 50 {
		lines = append(lines, []string{"z"})
	}
	secret = make([][]string, len(lines))
	for _, i := range with {
		secret[i] = []string{"s"}
	}
	data, err := tree.Encode(dataset.FromLabels(lines))
	if err != nil {
		t.Fatal(err)
	}
	return anonymize.Input{
		Data: data, Tree: tree, Sensitive: dataset.FromLabels(secret), Workers: 1,
		Promise: privacy.KM{K: 5, M: 1, L: 5},
	}
}

// Where many lines have a sensitive item, each of them few, shares of most sets have to be counted,
// and sets of each size are looked at again only when as many lines have left as that foresaw.
func TestStepsKeepSharesOfLargerSets(t *testing.T) {
	for seed := range uint64(8) {
		in := conformance.Medium(seed)
		in.Promise.M, in.Promise.L = 2+int(seed%3), 2+int(seed%2)
		in.Sensitive = fewOfMany(in.Data.Len(), rand.New(rand.NewPCG(seed, 4)))
		s := newSearch(t.Context(), in, 1)
		for _, w := range []*order{s.byGain(each, 2), s.byGain(both, 0.5)} {
			st := newState(in, s.merged, s.div.clone(), s.index)
			st.begin(in.Tree.Root())
			one := newStep(st)
			for _, step := range w.steps(s.weights) {
				one.refine(t.Context(), step)
			}
			check(t, in, st)
		}
	}
}

// fewOfMany gives lines sensitive items: each of eight to one line of sixteen.
func fewOfMany(lines int, rng *rand.Rand) *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary(strings.Split("abcdefgh", "")))
	for range lines {
		var tx []int32
		for x := range int32(8) {
			if rng.IntN(16) == 0 {
				tx = append(tx, x)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}
