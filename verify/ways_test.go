package verify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// leveledShares is a random release with labels on all levels, most lines without a sensitive item.
func leveledShares(t *testing.T, rng *rand.Rand) KMInput {
	tree := randomLevels(t, rng)
	in := KMInput{
		Tree: tree, Published: randomRelease(rng, tree),
		Promise: privacy.KM{K: 2, M: 1 + rng.IntN(3), L: 2 + rng.IntN(2)},
	}
	in.Published = in.Published.Select(twice(in.Published.Len()))
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t"}))
	often := 2 + rng.IntN(5)
	for range in.Published.Len() {
		var tx []int32
		for x := range int32(2) {
			if rng.IntN(often) == 0 {
				tx = append(tx, x)
			}
		}
		b.Add(tx)
	}
	in.PublishedSensitive = b.Build()
	if rng.IntN(2) == 0 { // else every set of items is looked at
		in.MaySuppress = true // a set of items may match nothing
		in.Original = randomOriginal(rng, tree)
	}
	return in
}

// twice are the numbers below n, each two times.
func twice(n int) (out []int32) {
	for i := range int32(n) {
		out = append(out, i, i)
	}
	return out
}

// In both ways of reading lines the verdict on shares is that of the definition, word by word: of
// sets of items that a line of the original has, where it is given, and lines are not read child by
// child.
func TestSoakWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 98))
	decided := map[bool]int{}
	rounds := soak.Share(short(20_000, 2_000), 1_000_000)
	for range rounds {
		in := leveledShares(t, rng)
		j := &judgement{
			in: in, pool: newPool(1+rng.IntN(3), nil), limit: knowledgeLimit,
			f: newFinding(in.Promise, "", in.Published.Len()), sens: in.PublishedSensitive,
		}
		tw := twin{in}
		tw.Promise.K = 1
		if !tw.published() {
			continue // what the proof rests on
		}
		for _, plainly := range []bool{true, false} {
			want := tw.shares()
			if plainly {
				want = tw.original()
			}
			before := j.f.BreachCount
			if err := j.checkWays(t.Context(), plainly); err != nil {
				t.Fatal(err)
			}
			if got := j.f.BreachCount == before; got != want {
				t.Fatalf("plainly %v: by definition %v\n%v\npublished %v\nsensitive %v\n%+v",
					plainly, want, in.Promise, spellAll(in.Published),
					spellAll(in.PublishedSensitive), j.f)
			}
			if !want {
				decided[plainly]++
			}
		}
	}
	t.Logf("broken in the union alone: %v", decided)
	if decided[true] < rounds/4000 || decided[false] < rounds/400 {
		t.Errorf("the random instances are one-sided: %v", decided)
	}
}

// In *(A(a1,a2),B(b1,b2)) lines that have both A and * overlap. Of the four lines with A one has s,
// and of the four with * one. Of the six with either two have s, a third of them. Child by child,
// a1 is in the four lines with A and in the lines with * alone.
func TestWaysExample(t *testing.T) {
	paths := [][]string{
		{"a1", "A", "*"}, {"a2", "A", "*"}, {"b1", "B", "*"}, {"b2", "B", "*"},
	}
	lines := strings.Split("A|A|A *|A *|*|*", "|")
	for _, c := range []struct {
		sensitive string // of the lines; -: none
		l         int
		holds     bool
	}{
		{"s---s-", 4, false},
		{"s---s-", 3, true},
		{"--s---", 4, true},
	} {
		tree := leafTree(t, paths...)
		var labels, sensitive [][]string
		for i, line := range lines {
			labels = append(labels, strings.Fields(line))
			sensitive = append(sensitive, slices.DeleteFunc([]string{c.sensitive[i : i+1]},
				func(s string) bool { return s == "-" }))
		}
		f, err := KM(t.Context(), sharesOf(t, tree, labels, sensitive, c.l))
		if err != nil {
			t.Fatal(err)
		}
		if f.Holds != c.holds {
			t.Errorf("%s, l=%d: %+v", c.sensitive, c.l, f)
		}
		if !c.holds && !strings.Contains(f.Breaches[len(f.Breaches)-1].Message, "can be in") {
			t.Errorf("%+v", f.Breaches)
		}
	}
}

func sharesOf(
	t *testing.T, tree *hierarchy.Tree, labels, sensitive [][]string, l int,
) KMInput {
	t.Helper()
	published, err := tree.EncodePublished(dataset.FromLabels(labels))
	if err != nil {
		t.Fatal(err)
	}
	return KMInput{
		Tree: tree, Published: published, PublishedSensitive: dataset.FromLabels(sensitive),
		Promise: privacy.KM{K: 2, M: 1, L: l},
	}
}

// Whoever listens hears which of the two ways lines are read in.
func TestWaysSayWhatTheyLookAt(t *testing.T) {
	tree := figure1(t)
	in := sharesOf(t, tree, lines("A a1", "A a1"), lines("s", ""), 2)
	for plainly, want := range map[bool]string{
		true: "shares among lines that match items", false: "shares among lines read child by child",
	} {
		var said []string
		j := &judgement{
			in: in, limit: knowledgeLimit, f: newFinding(in.Promise, "", 2),
			sens: in.PublishedSensitive,
			pool: newPool(1, func(stage string, _, _ int64) { said = append(said, stage) }),
		}
		if err := j.checkWays(t.Context(), plainly); err != nil {
			t.Fatal(err)
		}
		if said = slices.Compact(said); !slices.Equal(said, []string{want}) {
			t.Errorf("%q, want %q", said, want)
		}
	}
}

// Who reads lines plainly knows items of a line of the original, where it is given. Who reads them
// child by child may know any: a1 is in six lines, two of them with s, though nobody has it.
func TestWaysAskTheOriginalPlainlyOnly(t *testing.T) {
	tree := figure1(t)
	in := sharesOf(t, tree, lines("A", "A", "A ALL", "A ALL", "ALL", "ALL"),
		lines("s", "", "", "", "s", ""), 4)
	for _, c := range []struct {
		original           *dataset.Dataset
		plainly, childwise int64
	}{
		{nil, 1, 1},
		{encode(t, tree, lines("b1", "b1", "b1", "b1", "b1", "b1")), 0, 1},
		{encode(t, tree, lines("b1", "a1", "b1", "b1", "b1", "b1")), 1, 1},
	} {
		in.Original = c.original
		for plainly, want := range map[bool]int64{true: c.plainly, false: c.childwise} {
			j := &judgement{
				in: in, limit: knowledgeLimit, f: newFinding(in.Promise, "", 6),
				sens: in.PublishedSensitive, pool: newPool(1, nil),
			}
			if err := j.checkWays(t.Context(), plainly); err != nil || j.f.BreachCount != want {
				t.Errorf("%v, plainly %v: %v, %+v", spellAll(c.original), plainly, err, j.f.Breaches)
			}
		}
	}
}
