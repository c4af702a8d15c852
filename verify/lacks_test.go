package verify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

// What is found by sums of lines is what is found by looking at all nodes and all items that are
// lacked, one set after the other: in each set of nodes, whether anything lacked beside breaks the
// promise.
func TestSoakLacksAsOneByOne(t *testing.T) {
	r := soak.Rand(61, 3)
	held, broken, shares := 0, 0, 0
	for range soak.Rounds(t, soak.Share(short(2000, 600), 100_000)) {
		in := randomInput(r)
		in.Promise.NegativeKnowledge = true
		in.Promise.M = 2 + r.IntN(3)
		copies := make([]int32, 0, 4*in.Published.Len()) // so that more hold
		for i := range in.Published.Len() {
			for range 1 + r.IntN(4) {
				copies = append(copies, int32(i))
			}
		}
		in.Original, in.MaySuppress = nil, false
		in.Published = in.Published.Select(copies)
		in.PublishedSensitive = in.PublishedSensitive.Select(copies)
		in.OriginalSensitive = nil

		j := newJudgement(in, knowledgeLimit)
		for _, step := range []func(context.Context) error{j.recoding, j.sensitive, j.itemsets} {
			if err := step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if j.f.BreachCount > 0 {
			continue // nothing is promised beyond
		}
		sets, err := j.ownSets(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := oneByOne(t, j, sets)
		if err := j.lacksNodes(t.Context(), sets); err != nil {
			t.Fatal(err)
		}
		if (j.f.BreachCount > 0) != (want.count > 0) {
			t.Fatalf("%v: %d breaches by sums, %d one by one\n%v\n%v", in.Promise, j.f.BreachCount,
				want.count, spellAll(in.Published), j.f.Breaches)
		}
		for _, b := range j.f.Breaches { // each is one
			if b.Sensitive == "" && (b.Support == 0 || b.Support >= in.Promise.K) {
				t.Fatalf("%+v", b)
			}
			if b.Sensitive != "" {
				shares++
			}
		}
		if want.count > 0 {
			broken++
		} else {
			held++
		}
	}
	t.Logf("%d held, %d broken, %d shares", held, broken, shares)
	if held == 0 || broken == 0 || shares == 0 {
		t.Error("the releases are one-sided")
	}
}

// oneByOne finds what nodes and items that are lacked beside break.
func oneByOne(t *testing.T, j *judgement, sets []*ownLeaves) *witnesses {
	t.Helper()
	p := j.in.Promise
	if j.sens == nil {
		p.L = 0
	}
	a := j.newAdversary(p)
	a.about, a.mayBeNone = lacksItem, true
	for u, n := range j.in.Published.Supports() {
		if n > 0 {
			a.statements = append(a.statements,
				statement{claim: claim(claimOf(int32(u), hasNode))})
		}
	}
	a.statements = append(a.statements, j.lacked(sets)...)
	a.fill(j)
	found, err := j.search(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Many leaves, and groups of several of them, in lines that many have in common: sets of nodes in
// which next to all lines have an item are looked at, however many others there are.
func TestLacksOfManyItems(t *testing.T) {
	tree := rootOver(t, "A a1 a2", "b", "c", "d", "e", "f", "g h i")
	var published [][]string
	for range 40 {
		published = append(published, lines("A b c", "b c d", "A c d e", "b e f", "c f")...)
	}
	in := KMInput{Tree: tree, Published: publish(t, tree, published)}
	in.Promise.K, in.Promise.M, in.Promise.NegativeKnowledge = 40, 3, true
	if f := check(t, in); !f.Holds {
		t.Errorf("%+v", f.Breaches)
	}
	published = append(published, lines("b e", "b e")...) // like none that lacks f
	in.Published = publish(t, tree, published)
	f := check(t, in)
	if f.Holds || !slices.ContainsFunc(f.Breaches, func(b Breach) bool {
		return slices.Equal(b.Itemset, []string{"b", "e", "not f"}) && b.Support == 2
	}) {
		t.Errorf("%+v", f.Breaches)
	}
}

// With too little work allowed there is no verdict, with enough it is that without a bound, for any
// number of workers.
func TestVerdictOrTooMuch(t *testing.T) {
	tree := rootOver(t, "a", "b", "c", "d", "e")
	published := lines("a b c d e", "a b c d e", "a b c d e", "a b c d", "a b c", "a b", "a")
	in := KMInput{Tree: tree, Published: publish(t, tree, published)}
	in.Promise.K, in.Promise.M, in.Promise.NegativeKnowledge = 3, 4, true
	want := check(t, in)
	refused, judged := 0, 0
	for n := range 400 {
		limit := 10 * n
		in.Workers = 1 + n%4
		var much *TooMuch
		f, err := judge(t.Context(), in, float64(limit))
		switch {
		case errors.As(err, &much):
			if refused++; judged > 0 {
				t.Fatalf("limit %d: less was enough", limit)
			}
		case err != nil:
			t.Fatal(err)
		default:
			if judged++; !cmp.Equal(f, want) {
				t.Fatalf("limit %d: %s", limit, cmp.Diff(want, f))
			}
		}
	}
	if refused == 0 || judged == 0 {
		t.Errorf("%d limits refuse, %d do not", refused, judged)
	}
}

// Who asks for too much is told so, and not that the promise is broken or that the program failed.
func TestTooMuchToJudge(t *testing.T) {
	tree := rootOver(t, "a", "b", "c")
	in := KMInput{Tree: tree, Published: dataset.FromLabels(nil)}
	in.Published = publish(t, tree, lines("a b", "a b", "c", "c"))
	in.Promise.K, in.Promise.M, in.Promise.NegativeKnowledge = 2, 2, true
	var much *TooMuch
	if _, err := judge(t.Context(), in, 1); !errors.As(err, &much) {
		t.Errorf("%v", err)
	}

	tree = rootOver(t, "A a1 a2", "B b1 b2 b3")
	published := lines("A a1", "A a1", "A", "A", "B", "B", "B", "B", "B", "B")
	in = KMInput{Tree: tree, Published: publish(t, tree, published)}
	in.Promise = privacy.KM{K: 2, M: 2, L: 2, NegativeKnowledge: true}
	in.PublishedSensitive = dataset.FromLabels(lines("", "", "", "", "", "", "", "", "", "s"))
	told := ""
	for limit := range 100 {
		if _, err := judge(t.Context(), in, float64(limit)); errors.As(err, &much) {
			told = much.Reason
		}
	}
	if !strings.Contains(told, "items at several levels: ") {
		t.Errorf("the last limit that is too little: %q", told)
	}
}
