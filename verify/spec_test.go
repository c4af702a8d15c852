package verify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// figure1 is the hierarchy of terrovitis-2008, figure 1: A={a1,a2}, B={b1,b2}, ALL={A,B}.
func figure1(t testing.TB) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, path := range [][]string{
		{"a1", "A", "ALL"},
		{"a2", "A", "ALL"},
		{"b1", "B", "ALL"},
		{"b2", "B", "ALL"},
	} {
		if err := b.Path(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// figure2 is the data of terrovitis-2008, figure 2(a).
var figure2 = [][]string{{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}}

func encode(t testing.TB, tree *hierarchy.Tree, txs [][]string) *dataset.Dataset {
	t.Helper()
	d, err := tree.Encode(dataset.FromLabels(txs))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func publish(t testing.TB, tree *hierarchy.Tree, txs [][]string) *dataset.Dataset {
	t.Helper()
	d, err := tree.EncodePublished(dataset.FromLabels(txs))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// cutOf publishes data through the cut of the named nodes.
func cutOf(t testing.TB, tree *hierarchy.Tree, data *dataset.Dataset,
	nodes string,
) *dataset.Dataset {
	t.Helper()
	var ids []int32
	for _, l := range strings.Fields(nodes) {
		u, _ := tree.Node(l)
		ids = append(ids, u)
	}
	cut, err := hierarchy.NewCut(tree, ids)
	if err != nil {
		t.Fatal(err)
	}
	return data.Recode(tree.Dict(), cut.Map())
}

// The five cuts of terrovitis-2008, figure 3, for the data of figure 2(a), k=2, m=2: which itemsets
// are rare.
func TestWorkedExample(t *testing.T) {
	tree := figure1(t)
	data := encode(t, tree, figure2)
	for _, c := range []struct {
		cut  string
		rare []string
	}{
		{"a1 a2 b1 b2", []string{"a1 a2", "a1 b1"}},
		{"A b1 b2", nil},
		{"a1 a2 B", []string{"a1 a2"}},
		{"A B", nil},
		{"ALL", nil},
	} {
		for _, original := range []*dataset.Dataset{data, nil} {
			in := KMInput{
				Tree: tree, Published: cutOf(t, tree, data, c.cut), Original: original,
				Promise: privacy.KM{K: 2, M: 2},
			}
			f := check(t, in)
			var rare []string
			for _, b := range f.Breaches {
				if b.Kind != KindSupport || b.Support != 1 || b.Needed != 2 || len(b.Lines) != 1 {
					t.Errorf("cut %s: %+v", c.cut, b)
				}
				rare = append(rare, strings.Join(b.Itemset, " "))
			}
			if !cmp.Equal(rare, c.rare) || f.Holds != (c.rare == nil) || f.Recoding != "global" {
				t.Errorf("cut %s: holds %v (%s), rare %q, want %q", c.cut, f.Holds, f.Recoding,
					rare, c.rare)
			}
		}
	}
}

// The witness of a breach can be looked up: terrovitis-2008, figure 2(a), {a1,b1} is t1 alone and
// {a1,a2} is t4.
func TestWitnessNamesLines(t *testing.T) {
	tree := figure1(t)
	data := encode(t, tree, figure2)
	f := check(t, KMInput{
		Tree: tree, Published: cutOf(t, tree, data, "a1 a2 b1 b2"),
		Promise: privacy.KM{K: 2, M: 2},
	})
	if got := [][]int{f.Breaches[0].Lines, f.Breaches[1].Lines}; !cmp.Equal(got,
		[][]int{{4}, {1}}) {
		t.Errorf("lines %v", got)
	}
}

// A published file with one raised support, one changed item or one dropped transaction is refused.
func TestChangedFileIsRefused(t *testing.T) {
	tree := figure1(t)
	original := encode(t, tree, figure2)
	for name, c := range map[string]struct {
		published [][]string
		kind      string
		line      int
	}{
		"as it should be": {[][]string{
			{"A", "b1", "b2"},
			{"A", "b1"},
			{"A", "b1", "b2"},
			{"A", "b2"},
		}, "", 0},
		"raised support": {[][]string{
			{"A", "b1", "b2"},
			{"A", "b1", "b2"},
			{"A", "b1", "b2"},
			{"A", "b2"},
		}, KindRecoding, 2},
		"changed item": {[][]string{
			{"A", "b1", "b2"},
			{"A", "b1"},
			{"A", "b1", "b2"},
			{"A", "b1"},
		}, KindRecoding, 4},
		"lost item": {[][]string{
			{"A", "b1", "b2"},
			{"A"},
			{"A", "b1", "b2"},
			{"A", "b2"},
		}, KindRecoding, 2},
		"dropped transaction": {
			[][]string{{"A", "b1", "b2"}, {"A", "b1", "b2"}, {"A", "b2"}},
			KindCount, 2,
		},
		"dropped at the end": {
			[][]string{{"A", "b1", "b2"}, {"A", "b1"}, {"A", "b1", "b2"}},
			KindCount, 0,
		},
		"added transaction": {[][]string{
			{"A", "b1", "b2"},
			{"A", "b1"},
			{"A", "b1", "b2"},
			{"A", "b2"},
			{"A"},
		}, KindCount, 5},
		"empty ancestor": {[][]string{
			{"A", "B", "b1", "b2"},
			{"A", "b1"},
			{"A", "B", "b1", "b2"},
			{"A", "b2"},
		}, KindRecoding, 1},
		"order changed": {[][]string{
			{"A", "b1"},
			{"A", "b1", "b2"},
			{"A", "b1", "b2"},
			{"A", "b2"},
		}, KindRecoding, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := check(t, KMInput{
				Tree: tree, Published: publish(t, tree, c.published),
				Original: original, Promise: privacy.KM{K: 2, M: 2},
			})
			if c.kind == "" {
				if !f.Holds {
					t.Fatalf("%+v", f)
				}
				return
			}
			if f.Holds || f.Breaches[0].Kind != c.kind || c.line > 0 &&
				!slices.Contains(f.Breaches[0].Lines, c.line) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// Local recoding: (b) without (a) is not enough. {a1,b1} in detail is covered by a decoy published
// more generally, and an adversary who thinks sees which is meant.
func TestDecoysAreNotEnough(t *testing.T) {
	tree := figure1(t)
	original := encode(t, tree, [][]string{{"a1", "b1"}, {"a2", "b2"}, {"a2", "b2"}})
	f := check(t, KMInput{
		Tree: tree, Published: publish(t, tree,
			[][]string{{"a1", "b1"}, {"A", "B"}, {"A", "B"}}), Original: original,
		Promise: privacy.KM{K: 2, M: 2},
	})
	if f.Holds || f.Recoding != "local" || f.Breaches[0].Kind != KindSupport {
		t.Errorf("%+v", f)
	}
	for _, b := range f.Breaches {
		if b.Kind == KindKnowledge {
			t.Errorf("(b) holds here, but %+v", b)
		}
	}
}

// Where diversity holds for each combination of published nodes, but not for what matches an
// original item.
func TestDiversityOfNestedNodes(t *testing.T) {
	tree := figure1(t)
	txs, sens := [][]string{}, [][]string{}
	line := func(tx string, s ...string) {
		txs, sens = append(txs, strings.Fields(tx)),
			append(sens, s)
	}
	line("A a1", "s") // has both: the overlap
	line("A")
	line("a1")
	line("A a1")
	published := publish(t, tree, txs)
	in := KMInput{
		Tree: tree, Published: published, PublishedSensitive: dataset.FromLabels(sens),
		Promise: privacy.KM{K: 2, M: 1, L: 3},
	}
	if got, want := check(t, in).Holds, (twin{in}).holds(); got != want {
		t.Errorf("holds %v, want %v", got, want)
	}
}

// The sensitive item in too many transactions breaches with the empty combination, and no cut
// helps.
func TestEmptyCombination(t *testing.T) {
	tree := figure1(t)
	data := encode(t, tree, figure2)
	sens := dataset.FromLabels([][]string{{"hiv"}, {"hiv"}, {"hiv"}, {}})
	f := check(t, KMInput{
		Tree: tree, Published: cutOf(t, tree, data, "ALL"), Original: data,
		OriginalSensitive: sens, Promise: privacy.KM{K: 2, M: 2, L: 2},
	})
	b := f.Breaches[0]
	if f.Holds || b.Kind != KindDiversity || len(b.Itemset) != 0 || b.Sensitive != "hiv" ||
		b.Support != 4 || b.Needed != 6 {
		t.Errorf("%+v", f)
	}
}

func TestSensitiveItemsMustStay(t *testing.T) {
	tree := figure1(t)
	data := encode(t, tree, figure2)
	in := KMInput{
		Tree: tree, Published: cutOf(t, tree, data, "ALL"), Original: data,
		OriginalSensitive:  dataset.FromLabels([][]string{{"s"}, {"t"}, {}, {"u"}}),
		PublishedSensitive: dataset.FromLabels([][]string{{"s"}, {}, {"t"}, {"u"}}),
		Promise:            privacy.KM{K: 2, M: 2, L: 2},
	}
	f := check(t, in)
	if f.Holds || f.BreachCount != 2 || f.Breaches[0].Kind != KindSensitive ||
		!cmp.Equal(f.Breaches[0].Lines, []int{2}) {
		t.Errorf("%+v", f)
	}
}

// Suppression: whole transactions may be missing, and the others are matched in order.
func TestSuppressedTransactions(t *testing.T) {
	tree := figure1(t)
	original := encode(t, tree, [][]string{{"a1"}, {"b1"}, {"a1"}, {"b2"}, {"a2"}, {"b2"}})
	in := KMInput{
		Tree: tree, Original: original,
		Published: publish(t, tree, [][]string{{"a1"}, {"a1"}, {"b2"}, {"b2"}}),
		Promise:   privacy.KM{K: 2, M: 2}, MaySuppress: true,
	}
	if f := check(t, in); !f.Holds || f.Recoding != "global" {
		t.Errorf("%+v", f)
	}
	in.Published = publish(t, tree, [][]string{{"b2"}, {"b2"}, {"a1"}, {"a1"}})
	if f := check(t, in); f.Holds || f.Breaches[0].Kind != KindRecoding ||
		!cmp.Equal(f.Breaches[0].Lines, []int{3}) {
		t.Errorf("%+v", f)
	}
	in.MaySuppress = false
	if f := check(t, in); f.Holds || f.Breaches[0].Kind != KindCount ||
		f.Breaches[0].Support != 4 || f.Breaches[0].Needed != 6 {
		t.Errorf("%+v", f)
	}
}

// Where lines are missing and no match in order exists, the lines that were matched before say
// nothing of the others' sensitive items.
func TestSensitiveItemsWithoutAMatch(t *testing.T) {
	tree := figure1(t)
	in := KMInput{
		Tree: tree, Original: encode(t, tree, [][]string{{"a1"}, {"a1"}, {"b1"}}),
		OriginalSensitive:  dataset.FromLabels([][]string{{"s"}, {}, {}}),
		Published:          publish(t, tree, [][]string{{"a1"}, {"a2"}}),
		PublishedSensitive: dataset.FromLabels([][]string{{"s"}, {}}),
		Promise:            privacy.KM{K: 2, M: 2}, MaySuppress: true,
	}
	f := check(t, in)
	if f.Holds || f.Breaches[0].Kind != KindRecoding || !cmp.Equal(f.Breaches[0].Lines, []int{2}) {
		t.Errorf("%+v", f)
	}
}

// terrovitis-2011, section 5.1: {a, b, not c} can single out what {a, b} does not.
func TestNegativeKnowledge(t *testing.T) {
	b := hierarchy.NewBuilder()
	for _, x := range []string{"a", "b", "c", "d"} {
		if err := b.Edge(x, "*", 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	txs := [][]string{{"a", "b", "c"}, {"a", "b", "c"}, {"a", "b"}, {"d"}, {"d"}}
	in := KMInput{
		Tree: tree, Original: encode(t, tree, txs), Published: publish(t, tree, txs),
		Promise: privacy.KM{K: 2, M: 3},
	}
	if f := check(t, in); !f.Holds {
		t.Errorf("%+v", f)
	}
	in.Promise.NegativeKnowledge = true
	f := check(t, in)
	if f.Holds || !cmp.Equal(f.Breaches[0].Itemset, []string{"a", "not c"}) ||
		f.Breaches[0].Support != 1 || !cmp.Equal(f.Breaches[0].Lines, []int{3}) {
		t.Errorf("%+v", f)
	}
	if _, err := judge(context.Background(), in, 10); err == nil ||
		!strings.Contains(err.Error(), "steps would be needed") {
		t.Errorf("a domain beyond the limit is not refused: %v", err)
	}
}

// Where original items are too many to be checked one by one, the verdict follows from the rest of
// the checks and is the same; or the check says that it cannot be made.
func TestSoakImpliedVerdict(t *testing.T) {
	r := soak.Rand(7, 8)
	made, unmade := 0, 0
	rounds := 0
	for range soak.Rounds(t, soak.Share(short(1500, 300), 20_000)) {
		rounds++
		in := randomInput(r)
		in.Promise.NegativeKnowledge = false
		if r.IntN(2) == 0 {
			in = mutate(r, in)
		}
		f, err := judge(context.Background(), in, 0)
		if err != nil {
			unmade++
			continue
		}
		made++
		if want := (twin{in}).holds(); f.Holds != want {
			t.Fatalf("holds %v, want %v\n%v %v\n%v\n%v\n%v", f.Holds, want, in.Promise,
				in.MaySuppress, spellAll(in.Original), spellAll(in.Published),
				spellAll(in.PublishedSensitive))
		}
	}
	t.Logf("%d verdicts, %d refused", made, unmade)
	if made < rounds*3/4 {
		t.Error("too few verdicts")
	}
}

func TestBadInput(t *testing.T) {
	tree := figure1(t)
	data := encode(t, tree, figure2)
	for want, in := range map[string]KMInput{
		"no hierarchy": {Published: data, Promise: privacy.KM{K: 2, M: 2}},
		"no published": {Tree: tree, Promise: privacy.KM{K: 2, M: 2}},
		"not bound":    {Tree: tree, Published: data, Promise: privacy.KM{K: 2, M: 2}},
		"k (1) must be": {
			Tree: tree, Published: cutOf(t, tree, data, "ALL"),
			Promise: privacy.KM{K: 1, M: 2},
		},
		"sensitive items": {
			Tree: tree, Published: cutOf(t, tree, data, "ALL"),
			Promise: privacy.KM{K: 2, M: 2, L: 2},
		},
		"leaves of the hi": {
			Tree: tree, Published: cutOf(t, tree, data, "ALL"),
			Original: cutOf(t, tree, data, "ALL"), Promise: privacy.KM{K: 2, M: 2},
		},
	} {
		if _, err := KM(context.Background(), in); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func TestEmptyData(t *testing.T) {
	tree := figure1(t)
	for _, txs := range [][][]string{{}, {{}, {}}, {{}, {}, {}}} {
		in := KMInput{
			Tree: tree, Published: publish(t, tree, txs), Original: encode(t, tree, txs),
			Promise: privacy.KM{K: 2, M: 3},
		}
		if f := check(t, in); !f.Holds {
			t.Errorf("%+v", f)
		}
	}
}

// Who only knows that a person is in the data has as many candidates as there are lines.
func TestFewerLinesThanK(t *testing.T) {
	tree := figure1(t)
	for _, original := range []bool{true, false} {
		in := KMInput{
			Tree: tree, Published: publish(t, tree, [][]string{{}, {}}),
			Promise: privacy.KM{K: 3, M: 1},
		}
		if original {
			in.Original = encode(t, tree, [][]string{{}, {}})
		}
		f := check(t, in)
		if f.Holds || f.BreachCount != 1 {
			t.Fatalf("%+v", f)
		}
		b := f.Breaches[0]
		if b.Kind != KindSupport || len(b.Itemset) != 0 || b.Support != 2 || b.Needed != 3 ||
			!cmp.Equal(b.Lines, []int{1, 2}) {
			t.Errorf("%+v", b)
		}
	}
}

func TestCancelled(t *testing.T) {
	tree := figure1(t)
	data := encode(t, tree, figure2)
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("stop")
	cancel(reason)
	in := KMInput{
		Tree: tree, Published: cutOf(t, tree, data, "A B"), Original: data,
		Promise: privacy.KM{K: 2, M: 2},
	}
	if _, err := KM(ctx, in); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}

// rootOver is a hierarchy of the given groups under one root, each spelled "group leaf leaf ..."; a
// leaf that is no group is spelled alone.
func rootOver(t testing.TB, groups ...string) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, g := range groups {
		names := strings.Fields(g)
		if len(names) == 1 {
			names = append(names, "")
		}
		for _, leaf := range names[1:] {
			path := []string{leaf, names[0], "*"}
			if leaf == "" {
				path = path[1:]
			}
			if err := b.Path(path, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func lines(text ...string) [][]string {
	out := make([][]string, len(text))
	for i, l := range text {
		out[i] = strings.Fields(l)
	}
	return out
}

// Lines come from their originals: {a1, a2} published as {A, *} would need b for the
// root.
func TestLineNotFromItsOriginal(t *testing.T) {
	tree := rootOver(t, "A a1 a2", "B b")
	in := KMInput{Tree: tree, Promise: privacy.KM{K: 2, M: 2}}
	for _, c := range []struct {
		original, published string
		missing             bool // items may be
		holds               bool
	}{
		{"a1 a2", "A *", false, false},
		{"a1 a2", "A *", true, false},
		{"a1 a2", "A a1", false, true},
		{"a1", "A a1", false, false},
		{"a1 b", "A *", false, true},
		{"a1 b", "a1 A *", true, false},
		{"a1 a2 b", "A", false, false},
		{"a1 a2 b", "A", true, true},
		{"b", "B b", false, false},
		{"a1 a2 b", "A B *", true, false},
	} {
		in.Original = encode(t, tree, lines(c.original, c.original, c.original))
		in.Published, in.MaySuppress = publish(t, tree,
			lines(c.published, c.published, c.published)), c.missing
		if f := check(t, in); f.Holds != c.holds || !c.holds && f.Breaches[0].Kind != KindRecoding {
			t.Errorf("{%s} as {%s}, missing %v: %+v", c.original, c.published, c.missing, f)
		}
	}
}

// Without the original: nothing is left for the root beside A and B, or for B beside its only leaf.
func TestLineFromNoOriginal(t *testing.T) {
	tree := rootOver(t, "A a1 a2", "B b")
	for line, holds := range map[string]bool{
		"* A B": false, "B b": false, "* A": true, "A a1 b": true,
		"A a1 a2": false, "* a1 a2 b": false, "* a1 b": true, "": true,
	} {
		for _, missing := range []bool{false, true} {
			in := KMInput{
				Tree: tree, Published: publish(t, tree, lines(line, line)),
				Promise: privacy.KM{K: 2, M: 3}, MaySuppress: missing,
			}
			f := check(t, in)
			// a2 alone can be *, which nobody takes it for who reads child by child
			if line == "* a1 b" && missing {
				if f.Holds || f.Breaches[0].Kind != KindCompatible {
					t.Errorf("{%s}, missing: %+v", line, f)
				}
				continue
			}
			if f.Holds != holds || !holds &&
				!strings.Contains(f.Breaches[0].Message, "no original could be published as") {
				t.Errorf("{%s}: %+v", line, f)
			}
		}
	}
}
