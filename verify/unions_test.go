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
func TestSoakUnions(t *testing.T) {
	rng, other := soak.Rand(97, 98), soak.Rand(99, 98)
	decided := map[manner]int{}
	rounds := 0
	for range soak.Rounds(t, soak.Share(short(10_000, 2_000), 200_000)) {
		rounds++
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
		asked := randomOriginal(other, in.Tree)
		for way := range 3 {
			how := childByChild
			if way > 0 {
				how = plainly
			}
			if way == 2 { // of sets that a line has, and these may match nothing
				j.in.Original, tw.Original, tw.MaySuppress = asked, asked, true
			}
			want := tw.shares()
			if how == plainly {
				want = tw.original()
			}
			before := j.f.BreachCount
			j.f.Breaches = nil
			if err := j.checkUnions(t.Context(), how); err != nil {
				t.Fatal(err)
			}
			for _, b := range j.f.Breaches {
				tw.checkWay(t, b, how)
			}
			if got := j.f.BreachCount == before; got != want {
				t.Fatalf("plainly %v: by definition %v\n%v\npublished %v\nsensitive %v\n%+v",
					how == plainly, want, in.Promise, spellAll(in.Published),
					spellAll(in.PublishedSensitive), j.f)
			}
			if !want {
				decided[how]++
			}
		}
	}
	t.Logf("broken in the union alone: %v", decided)
	if decided[plainly] < rounds/4000 || decided[childByChild] < rounds/400 {
		t.Errorf("the random instances are one-sided: %v", decided)
	}
}

// checkWay looks a breach up: its items are different, a line of the original has them where that
// is asked, and as many lines as it says may have them, and have the sensitive item with them.
func (t twin) checkWay(tt *testing.T, b Breach, how manner) {
	tt.Helper()
	var items []int32
	for _, label := range b.Itemset {
		x, _ := t.Tree.Node(label)
		items = append(items, x)
	}
	n, with := 0, 0
	for i := range t.Published.Len() {
		tx := t.Published.Tx(i)
		if how == plainly && t.match(tx, items) ||
			how == childByChild && !slices.ContainsFunc(items,
				func(x int32) bool { return !t.mayBe(x, tx) }) {
			n++
			if slices.Contains(t.PublishedSensitive.Labels(i), b.Sensitive) {
				with++
			}
		}
	}
	asked := how == plainly && t.Original != nil
	someone := !asked
	for i := 0; asked && i < t.Original.Len(); i++ {
		someone = someone || subset(items, t.Original.Tx(i))
	}
	if n != b.Support || with*t.Promise.L != b.Needed || with*t.Promise.L <= n || !someone ||
		len(items) > t.Promise.M || len(slices.Compact(slices.Sorted(slices.Values(items)))) !=
		len(items) {
		tt.Fatalf("plainly %v: %d of %d lines by definition\npublished %v\noriginal %v\n"+
			"sensitive %v\n%+v", how == plainly, with, n, spellAll(t.Published), spellAll(t.Original),
			spellAll(t.PublishedSensitive), b)
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

// The lines of the example have an item q, and others have one of the two alone. No label is above
// both, so that what fails is found by two elements alone; r stands before the second of these.
func TestUnionsOfTwoElements(t *testing.T) {
	tree := leafTree(
		t, []string{"a1", "A", "P", "*"}, []string{"a2", "A", "P", "*"}, []string{"b", "P", "*"},
		[]string{"q", "*"}, []string{"r", "*"},
	)
	lines := strings.Split("A q r|A q r|A P q r|A P q r|P q|P q|P|P|q|q", "|")
	with := []int{0, 4} // of q and A or P two of six, of each of the three two of eight
	labels, sensitive := make([][]string, len(lines)), make([][]string, len(lines))
	for i, line := range lines {
		labels[i] = strings.Fields(line)
		if slices.Contains(with, i) {
			sensitive[i] = []string{"s"}
		}
	}
	for m, holds := range map[int]bool{1: true, 2: false} {
		in := sharesOf(t, tree, labels, sensitive, 4)
		in.Promise.M = m
		f, err := KM(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if f.Holds != holds {
			t.Errorf("m=%d: %+v", m, f)
		}
		for _, b := range f.Breaches {
			if !slices.Contains(b.Itemset, "q") || len(b.Itemset) != 2 {
				t.Errorf("m=%d: %+v", m, b)
			}
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
	for how, want := range map[manner]string{
		plainly:      "shares among lines that match items",
		childByChild: "shares among lines read child by child",
	} {
		var said []string
		j := &judgement{
			in: in, limit: knowledgeLimit, f: newFinding(in.Promise, "", 2),
			sens: in.PublishedSensitive,
			pool: newPool(1, func(stage string, _, _ int64) { said = append(said, stage) }),
		}
		if err := j.checkUnions(t.Context(), how); err != nil {
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
		for how, want := range map[manner]int64{plainly: c.plainly, childByChild: c.childwise} {
			j := &judgement{
				in: in, limit: knowledgeLimit, f: newFinding(in.Promise, "", 6),
				sens: in.PublishedSensitive, pool: newPool(1, nil),
			}
			if err := j.checkUnions(t.Context(), how); err != nil || j.f.BreachCount != want {
				t.Errorf("%v, plainly %v: %v, %+v", spellAll(c.original), how == plainly, err, j.f.Breaches)
			}
		}
	}
}

// What is in as many lines as it may be is no breach, beside what is in more: of the six lines that
// a1 may be in four have s, and three t.
func TestWaysOfTwoSensitiveItems(t *testing.T) {
	in := sharesOf(t, figure1(t), lines("A", "A", "A ALL", "A ALL", "ALL", "ALL"),
		lines("s t", "s", "t", "", "s t", "s"), 2)
	for _, how := range []manner{plainly, childByChild} {
		for m := 1; m <= 2; m++ { // a set of one item is found once, whatever leads to it
			in.Promise.M = m
			j := &judgement{
				in: in, limit: knowledgeLimit, f: newFinding(in.Promise, "", 6),
				sens: in.PublishedSensitive, pool: newPool(1, nil),
			}
			if err := j.checkUnions(t.Context(), how); err != nil || j.f.BreachCount != 1 ||
				j.f.Breaches[0].Sensitive != "s" {
				t.Errorf("m=%d, plainly %v: %v, %+v", m, how == plainly, err, j.f.Breaches)
			}
		}
	}
}

// The items that are told are those of one line of the original: a1 and b1, not the a2 of another.
func TestWaysTellItemsOfALine(t *testing.T) {
	tree := leafTree(t, []string{"a1", "A", "X", "*"}, []string{"a2", "A", "X", "*"},
		[]string{"b1", "B", "Y", "*"}, []string{"b2", "B", "Y", "*"})
	labels := lines("A", "A", "A", "A", "B", "B", "B", "B", "A B", "A B", "A B X", "A B X",
		"B X", "B X")
	sensitive := make([][]string, len(labels))
	sensitive[8], sensitive[12] = []string{"s"}, []string{"s"}
	in := sharesOf(t, tree, labels, sensitive, 4)
	in.Promise.M = 2
	in.Original = encode(t, tree, lines("a2", "b1", "a1 b1"))
	j := &judgement{
		in: in, limit: knowledgeLimit, f: newFinding(in.Promise, "", len(labels)),
		sens: in.PublishedSensitive, pool: newPool(1, nil),
	}
	if err := j.checkUnions(t.Context(), plainly); err != nil || j.f.BreachCount != 1 ||
		!slices.Equal(j.f.Breaches[0].Itemset, []string{"a1", "b1"}) {
		t.Errorf("%v, %+v", err, j.f.Breaches)
	}
	j.f = newFinding(in.Promise, "", len(labels))
	j.in.Original = encode(t, tree, lines("b1", "a2")) // no line has two items
	if err := j.checkUnions(t.Context(), plainly); err != nil || j.f.BreachCount != 0 {
		t.Errorf("of items that no line has: %v, %+v", err, j.f.Breaches)
	}
}

// Items decide together where fewer of them do not, in *(X(A(a1,a2,a3)), Y(B(b1,b2))).
func TestWaysOfSeveralItems(t *testing.T) {
	tree := leafTree(t, []string{"a1", "A", "X", "*"}, []string{"a2", "A", "X", "*"},
		[]string{"a3", "A", "X", "*"}, []string{"b1", "B", "Y", "*"}, []string{"b2", "B", "Y", "*"})
	for name, c := range map[string]struct {
		lines  string // each twice; + has s in one of the two
		enough int    // so many items: then more than a quarter of the lines have s
	}{
		// whoever has a1 and b1 is in one of A B, A B X and B X: of the six two have s; of those
		// with A and B, and of those with X and B, a quarter; of the lines of a1 a fifth, and of b1
		"a1 and b1": {"A|A|B|B|A B+|A B X|B X+", 2},
		// X B and B Y are not below each other: a quarter of the lines that are at or above either
		"no label is the lowest": {"A|A|B|B|X B+|A Y+|A B X Y", 2},
		// of A, A X and X; two of a1, a2 and a3 are in four lines more
		"three items below one node": {
			"a1 a2|a1 a2|a1 a3|a1 a3|a2 a3|a2 a3|A+|A X|X+", 3,
		},
	} {
		var labels, sensitive [][]string
		for line := range strings.SplitSeq(c.lines, "|") {
			line, with := strings.CutSuffix(line, "+")
			labels = append(labels, strings.Fields(line), strings.Fields(line))
			sensitive = append(sensitive, nil, nil)
			if with {
				sensitive[len(sensitive)-1] = []string{"s"}
			}
		}
		for m := 1; m <= 3; m++ {
			in := sharesOf(t, tree, labels, sensitive, 4)
			in.Promise.M = m
			holds := m < c.enough
			tw := twin{in}
			if tw.Promise.K = 1; !tw.published() || tw.shares() != holds || tw.original() != holds {
				t.Fatalf("%s, m=%d: the example is none", name, m)
			}
			for _, how := range []manner{plainly, childByChild} {
				j := &judgement{
					in: in, limit: knowledgeLimit, f: newFinding(in.Promise, "", len(labels)),
					sens: in.PublishedSensitive, pool: newPool(1, nil),
				}
				err := j.checkUnions(t.Context(), how)
				if err != nil || (j.f.BreachCount == 0) != holds {
					t.Errorf("%s, m=%d, plainly %v: %v, %+v", name, m, how == plainly, err, j.f.Breaches)
				}
			}
		}
	}
}
