package verify

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// Of five statements there are 5 and 10 combinations of one and two; each is looked at in the words
// of the lines, of the original, and of the lines with each sensitive item.
func TestStepsOfKnowledge(t *testing.T) {
	const statements, words = 1 << 14, bitsetLimit >> 14
	for _, c := range []struct {
		a    adversary
		want float64
	}{
		{adversary{
			promise: privacy.KM{M: 2}, statements: make([]statement, 5), words: 3,
			all: make([]uint64, 4), sensitive: make([][]uint64, 2),
		}, 15 * (3 + 4 + 2*3)},
		{adversary{promise: privacy.KM{M: 3}, statements: make([]statement, 2), words: 1}, 3},
		{adversary{
			promise: privacy.KM{M: 1}, statements: make([]statement, statements), words: words,
		}, bitsetLimit},
		{adversary{ // a bit set more than there is room for
			promise: privacy.KM{M: 1}, statements: make([]statement, statements), words: words + 1,
		}, math.Inf(1)},
		{adversary{
			promise: privacy.KM{M: 5000}, statements: make([]statement, 5000), words: 1,
		}, math.Inf(1)},
	} {
		if got := c.a.steps(); got != c.want {
			t.Errorf("%d statements, m=%d: %v steps, want %v", len(c.a.statements), c.a.promise.M,
				got, c.want)
		}
	}
}

// What no line matches is a breach, unless items may be missing.
func TestKnowledgeThatNoLineMatches(t *testing.T) {
	tree := figure1(t)
	in := KMInput{
		Tree: tree, Promise: privacy.KM{K: 2, M: 1}, MaySuppress: true,
		Original:  encode(t, tree, lines("a1 b1", "a1 b1", "a1 b2", "a1 b2")),
		Published: publish(t, tree, lines("a1", "a1", "A", "A")),
	}
	if f := check(t, in); !f.Holds {
		t.Errorf("%+v", f.Breaches)
	}
	in.MaySuppress = false
	f := check(t, in)
	for _, item := range []string{"b1", "b2"} {
		if !slices.ContainsFunc(f.Breaches, func(b Breach) bool {
			return b.Kind == KindKnowledge && b.Support == 0 &&
				slices.Equal(b.Itemset, []string{item})
		}) {
			t.Errorf("%s: %+v", item, f.Breaches)
		}
	}
}

// Of the lines that whoever has a1 may be in, those with A and those with *, a third have s: more
// than in either by themselves.
func TestKnowledgeOfAUnion(t *testing.T) {
	tree := leafTree(t, []string{"a1", "A", "*"}, []string{"a2", "A", "*"}, []string{"b", "B", "*"})
	in := sharesOf(t, tree, lines("A", "A", "A *", "A *", "*", "*"),
		lines("s", "", "", "", "s", ""), 4)
	in.Original = encode(t, tree, lines("a1", "a2", "a1 b", "a2 b", "b", "b"))
	f := check(t, in)
	if !slices.ContainsFunc(f.Breaches, func(b Breach) bool {
		return b.Kind == KindKnowledge && slices.Equal(b.Itemset, []string{"a1"}) &&
			b.Sensitive == "s" && b.Support == 6 && b.Needed == 8
	}) {
		t.Errorf("%+v", f.Breaches)
	}
}

// The lines that one person may have among what matches known items are bounded by looking at it,
// or not at all, where one person has many of those with some labels on top.
func TestShareOfOnePersonNeedsLooking(t *testing.T) {
	tree := figure1(t)
	for name, c := range map[string]struct {
		original, published [][]string
		persons             []int32
		share               int
		refused             bool
	}{
		"a person has all lines with A on top": {
			lines("a1", "a1", "a1 b1", "a1 b1", "a1 b1", "a1 b1"),
			lines("A", "A", "A ALL", "A ALL", "A ALL", "A ALL"),
			[]int32{0, 0, 1, 1, 2, 3},
			2, true,
		},
		"the same, no share": {
			lines("a1", "a1", "a1 b1", "a1 b1", "a1 b1", "a1 b1"),
			lines("A", "A", "A ALL", "A ALL", "A ALL", "A ALL"),
			[]int32{0, 0, 1, 1, 2, 3},
			0, false,
		},
		"no person has many lines": {
			lines("a1 a2", "a1 a2", "a1 a2", "a1 a2"), lines("A a1", "A a1", "A a1", "A a1"),
			[]int32{0, 1, 2, 3},
			2, false,
		},
		"no label of a line above another": {
			lines("a1 a2", "a1 a2", "a1 a2", "a1 a2"), lines("a1 a2", "a1 a2", "A", "A"),
			[]int32{0, 1, 2, 3},
			2, false,
		},
	} {
		in := KMInput{
			Tree: tree, Published: publish(t, tree, c.published),
			Original: encode(t, tree, c.original),
			Promise:  privacy.KM{K: 2, M: 1, Persons: true, PersonShare: c.share},
			Persons:  c.persons,
		}
		if f, err := judge(t.Context(), in, knowledgeLimit); err != nil || !f.Holds {
			t.Errorf("%s: %v, %+v", name, err, f)
		}
		_, err := judge(t.Context(), in, 0)
		if refused := err != nil && strings.Contains(err.Error(), "steps would be needed"); refused !=
			c.refused || err != nil && !refused {
			t.Errorf("%s, without looking: %v", name, err)
		}
	}
}

// notAll tells whether a finding says that not everything was looked at.
func notAll(f *Finding) bool {
	return slices.ContainsFunc(f.Notes, func(note string) bool {
		return strings.HasPrefix(note, "there may be more breaches: ")
	})
}

// With less and less room to look at knowledge a judge says at some point that it does not do; up
// to there nothing that it finds is another.
func TestNegativeKnowledgeIsLookedAtWholeOrNot(t *testing.T) {
	tree := leafTree(t, []string{"a1", "A1", "A", "*"}, []string{"a2", "A1", "A", "*"},
		[]string{"b", "B", "*"})
	in := KMInput{
		Tree: tree, Promise: privacy.KM{K: 2, M: 2, L: 2, NegativeKnowledge: true},
		Published: publish(t, tree, lines("A A1 *", "A A1 *", "A *", "A *", "A1 B", "A1 B")),
	}
	sensitive := lines("s", "", "", "", "s", "")
	in.PublishedSensitive = dataset.FromLabels(sensitive)
	whole, err := judge(t.Context(), in, knowledgeLimit)
	if err != nil {
		t.Fatal(err)
	}
	refused, looked := 0, 0
	for limit := 1.0; limit < 10_000; limit++ {
		f, err := judge(t.Context(), in, limit)
		if err != nil {
			t.Fatal(err) // what is broken is found before
		}
		switch cut := notAll(f); {
		case cut && f.Holds:
			t.Fatalf("with %v steps: it holds, and not all was looked at", limit)
		case cut && looked > 0:
			t.Fatalf("%v steps are too many, less were not", limit)
		case cut:
			refused++
		case !slices.Equal(spelled(f, nil), spelled(whole, nil)):
			t.Fatalf("with %v steps %v, with any %v", limit, spelled(f, nil), spelled(whole, nil))
		default:
			looked++
		}
		if looked == 100 {
			break
		}
	}
	if refused < 10 || looked < 100 {
		t.Errorf("%d times refused, %d looked at", refused, looked)
	}
}

// Of items that may be published as several nodes the item is what is known, of others the node;
// what is never published is passed over, not what comes after it.
func TestWhatIsKnownBesideWhatIsLacked(t *testing.T) {
	tree := leafTree(t, []string{"x", "X", "*"}, []string{"a1", "A", "*"},
		[]string{"a2", "A", "*"}, []string{"b1", "B", "*"}, []string{"b2", "B", "*"})
	j := &judgement{in: KMInput{
		Tree: tree, Published: publish(t, tree, lines("A a1", "A", "b1", "b2")),
	}}
	var got []string
	for _, s := range j.itemsAndNodes() {
		what := map[int]string{hasItem: "item ", hasNode: "node "}[s.claim.what()]
		got = append(got, what+tree.Label(s.claim.node()))
	}
	slices.Sort(got)
	if want := []string{"item a1", "node A", "node b1", "node b2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A line with a node all of whose own leaves are lacked matches nothing, whichever of its nodes
// that is.
func TestLinesThatMatchWhatIsLacked(t *testing.T) {
	tree := leafTree(t, []string{"a1", "A", "*"}, []string{"a2", "A", "*"}, []string{"a3", "A", "*"},
		[]string{"b", "B", "*"})
	node := func(label string) int32 {
		for u := range int32(tree.Nodes()) {
			if tree.Label(u) == label {
				return u
			}
		}
		t.Fatalf("no %s", label)
		return -1
	}
	for _, c := range []struct {
		line, knowledge string
		matches         bool
	}{
		{"A b", "-b", false},
		{"A b", "-a1 -a2", true},
		{"A b", "-a1 -a2 -a3", false},
		{"A a1 b", "-a2 -a3", false},
		{"A a1 b", "-a2", true},
		{"A b", "a1 -a2", true},
		{"A", "b", false},
	} {
		n := newNesting(tree)
		n.arrange(publish(t, tree, lines(c.line)).Tx(0))
		var knowledge []int32
		for _, k := range strings.Fields(c.knowledge) {
			if label, lacked := strings.CutPrefix(k, "-"); lacked {
				knowledge = append(knowledge, claimOf(node(label), lacksItem))
			} else {
				knowledge = append(knowledge, claimOf(node(k), hasItem))
			}
		}
		if got := n.matches(knowledge); got != c.matches {
			t.Errorf("%s, %s: %v", c.line, c.knowledge, got)
		}
	}
}
