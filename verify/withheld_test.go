package verify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

// Every verdict is the definition's where lines of the original are missing from the release or
// publish nothing, beside sensitive items and sensitive columns.
func TestSoakLinesLeftOutAgainstDefinition(t *testing.T) {
	r := soak.Rand(18, 91)
	held, broken, apart := 0, 0, 0
	rounds := 0
	for range soak.Rounds(t, soak.Share(short(1500, 300), 20_000)) {
		rounds++
		in := withAllOriginals(r)
		if in.Published.Len() == 0 {
			continue
		}
		in = leftOut(r, in)
		if r.IntN(3) == 0 {
			withhold(r, &in)
		}
		if in.Published.Len() > 0 && r.IntN(3) == 0 {
			tamper(r, &in)
		}
		f := check(t, in)
		if want := kept(in); f.Holds != want {
			t.Fatalf("holds %v, want %v\npromise %+v\noriginal %v\nwith %v\npublished %v\nwith %v\n"+
				"columns %v not %v\n%+v", f.Holds, want, in.Promise, spellAll(in.Original),
				spellAll(in.OriginalSensitive), spellAll(in.Published),
				spellAll(in.PublishedSensitive), in.Columns, in.NotSensitive, f)
		}
		if f.Holds {
			held++
		} else {
			broken++
		}
		apart += matchedByItems(t, in)
	}
	t.Logf("%d kept, %d broken; %d matched otherwise by items alone", held, broken, apart)
	if held < rounds/10 || broken < rounds/10 || apart < rounds/50 {
		t.Error("the random instances are one-sided")
	}
}

// matchedByItems is 1 where the first match by items alone is one in which a line carries what its
// original has not, though some match carries all.
func matchedByItems(t *testing.T, in KMInput) int {
	t.Helper()
	j := newJudgement(in, knowledgeLimit)
	if err := j.recoding(t.Context()); err != nil {
		t.Fatal(err)
	}
	if j.of == nil || j.uncarried {
		return 0
	}
	j.uncarried = true
	l := newLiner(in.Tree, true)
	of, err := j.inOrder(t.Context(), func(original, published []int32) bool {
		return l.line(original, published) == nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(of, j.of) {
		return 0
	}
	return 1
}

// withAllOriginals is a random release beside an original with the same lines, in which items may
// be missing.
func withAllOriginals(r *rand.Rand) KMInput {
	for {
		in := coarsened(r, randomSensitiveInput(r))
		if in.Original == nil || in.Original.Len() != in.Published.Len() {
			continue
		}
		in.MaySuppress, in.OriginalSensitive = true, in.PublishedSensitive
		in.Promise.SensitiveKnown = false // not where lines may be missing
		for c := range in.Columns {
			in.Columns[c].Original = slices.Clone(in.Columns[c].Published)
		}
		return in
	}
}

// leftOut is a release without some of its lines.
func leftOut(r *rand.Rand, in KMInput) KMInput {
	var stay []int32
	for i := range int32(in.Published.Len()) {
		if r.IntN(4) > 0 {
			stay = append(stay, i)
		}
	}
	in.Published = in.Published.Select(stay)
	if in.PublishedSensitive != nil {
		in.PublishedSensitive = in.PublishedSensitive.Select(stay)
	}
	in.Columns = slices.Clone(in.Columns)
	for c, col := range in.Columns {
		in.Columns[c].Published = nil
		for _, i := range stay {
			in.Columns[c].Published = append(in.Columns[c].Published, col.Published[i])
		}
	}
	return in
}

// A suppressed transaction publishes nothing, and takes its value with it.
func TestAWithheldValueByExample(t *testing.T) {
	p := privacy.KM{K: 2, M: 1, L: 2, Columns: []string{"c"}, ColumnsOnly: true}
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"})
	for _, c := range []struct {
		name             string
		lines, cells     string
		published, shown string
		null, holds      bool
	}{
		{"nothing is withheld", "aaaab", "xyxyz", "aaaa-", "xyxyz", false, false}, // z in 1 of b
		{"withheld with its value", "aaaab", "xyxyx", "aaaa-", "xyxy-", false, true},
		{"its value stays and is in too many", "aaaab", "xyxyx", "aaaa-", "xyxyx", false, false},
		{"its value stays, few have it", "aaaab", "xyxyz", "aaaa-", "xyxyz", false, false},
		{"a value alone is withheld", "aaaab", "xyxyz", "aaaab", "xyxy-", false, false},
		{"the value of a line that is not empty", "aaaa", "xyxy", "aaaa", "xyx-", false, false},
		{"another value", "aaaab", "xyxyx", "aaaa-", "xyxyz", false, false},
		{"an empty cell is a value", "aaaab", "xyxyx", "aaaa-", "xyxy-", true, false},
		{"it was empty, and is a value", "aaaab", "xyxy-", "aaaa-", "xyxy-", true, false},
		{"left out", "baaaa", "xxyxy", "aaaa", "xyxy", false, true},
		{"left out where an empty cell is a value", "baaaa", "xxyxy", "aaaa", "xyxy", true, true},
		{"left out of many alike", "aaaaa", "xyyxy", "aaaa", "yyxy", false, false},
		{"left out of many alike, in order", "aaaaa", "zxyxy", "aaaa", "xyxy", false, true},
		{"left out, and one exchanged", "aaaaa", "zxyxy", "aaaa", "zyyx", false, false},
		{"the others are too many", "aaaab", "xyxxz", "aaaa-", "xyxx-", false, false},
	} {
		in := KMInput{Tree: tree, Promise: p, MaySuppress: true}
		in.Promise.NullIsValue = c.null
		all := publish(t, tree, itemsOfLetters(c.lines))
		in.Original = all.Recode(tree.LeafDict(), []int32{0, 1, -1})
		in.Published = publish(t, tree, itemsOfLetters(c.published))
		in.Columns = []SensitiveColumn{{
			Name: "c", Published: cellsOf(c.shown), Original: cellsOf(c.cells),
		}}
		if c.name == "nothing is withheld" {
			in.Published = publish(t, tree, itemsOfLetters("aaaab"))
		}
		if f := check(t, in); f.Holds != c.holds || f.Holds != kept(in) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// The owner of a suppressed transaction may have an item that nobody has whose value is published.
// Behind it stand lines with either of two labels, and none with what others have. In too many of
// these somebody has v, though not of those with the one label, nor of those with the other.
func TestAWithheldValueIsLookedForByItsOwnItems(t *testing.T) {
	tree := rootOver(t, "A a1 a2", "b")
	original, err := tree.Encode(dataset.FromLabels([][]string{
		{"a1", "b"}, {"a1"}, {"a1", "b"}, {"a1"}, {"a1"}, {"a2"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	in := KMInput{
		Tree: tree, MaySuppress: true, Original: original,
		Promise:   privacy.KM{K: 2, M: 1, L: 2, Columns: []string{"c"}, ColumnsOnly: true},
		Published: publish(t, tree, [][]string{{"A", "*"}, {"A"}, {"a1", "*"}, {"a1"}, {"a1"}, nil}),
		Columns: []SensitiveColumn{{
			Name: "c", Original: cellsOf("uvvwxy"), Published: cellsOf("uvvwx-"),
		}},
	}
	if f := check(t, in); f.Holds || kept(in) {
		t.Errorf("v is in two of three lines with A or *: %+v", f)
	}
	five := []int32{0, 1, 2, 3, 4}
	in.Original, in.Published = original.Select(five), in.Published.Select(five)
	in.Columns[0].Original, in.Columns[0].Published = cellsOf("uvvwx"), cellsOf("uvvwx")
	if f := check(t, in); !f.Holds || !kept(in) {
		t.Errorf("nobody has a2: %+v", f)
	}
}

// A suppressed transaction does not say that its person has no sensitive item: no share is taken of
// its line, whatever is known of the person.
func TestSilentLinesHideNoSensitiveItem(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"})
	for _, c := range []struct {
		name            string
		lines, secret   string
		published, told string
		negative, holds bool
	}{
		{"all are shown", "aabb", "s-s-", "aabb", "s-s-", false, true},
		{"nothing is known: s is in two of three", "aa---", "-ss--", "aa---", "-ss--", false, false},
		{"nothing is known: s is in one of two", "aa---", "-s---", "aa---", "-s---", false, true},
		{"with one withheld", "aab--", "-sss-", "aa---", "-s---", false, true},
		{"b is lacked: s is on the only line left", "a-abb", "-ss--", "---bb", "-s---", true, false},
		{"b is lacked: one of two is without s", "aaabb", "-ss--", "aa-bb", "-s---", true, true},
	} {
		in := KMInput{Tree: tree, MaySuppress: true}
		in.Promise = privacy.KM{K: 2, M: 1, L: 2, NegativeKnowledge: c.negative}
		all := publish(t, tree, itemsOfLetters(c.lines))
		in.Original = all.Recode(tree.LeafDict(), []int32{0, 1, -1})
		in.Published = publish(t, tree, itemsOfLetters(c.published))
		in.OriginalSensitive = dataset.FromLabels(itemsOfLetters(c.secret))
		in.PublishedSensitive = dataset.FromLabels(itemsOfLetters(c.told))
		if f := check(t, in); f.Holds != c.holds || f.Holds != kept(in) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// Where sensitive items are published elsewhere, those of the original are what is known of a line,
// and one of somebody who has some is not silent.
func TestALineOfWhichTheOriginalTellsIsNotSilent(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"})
	in := KMInput{Tree: tree, MaySuppress: true, Promise: privacy.KM{K: 2, M: 1, L: 2}}
	all := publish(t, tree, itemsOfLetters("aab"))
	in.Original = all.Recode(tree.LeafDict(), []int32{0, 1, -1})
	in.Published = publish(t, tree, itemsOfLetters("aa-"))
	in.OriginalSensitive = dataset.FromLabels(itemsOfLetters("s-s"))
	f := check(t, in)
	if f.Holds || f.Breaches[0].Support != 3 || len(f.Breaches[0].Itemset) > 0 {
		t.Errorf("s is in two of three lines: %+v", f)
	}
	in.OriginalSensitive = dataset.FromLabels(itemsOfLetters("s--"))
	if f := check(t, in); !f.Holds {
		t.Errorf("nobody knows of the line that shows nothing: %+v", f)
	}
}

// Where lines are left out, each that is published is matched with an original that has its
// sensitive items.
func TestLinesLeftOutMatchWhatTheyCarry(t *testing.T) {
	p := privacy.KM{K: 2, M: 2, L: 2}
	in, of := letters(t, p, "a", "a", "a"), letters(t, p, "a s1", "a", "a", "a")
	original, err := in.Tree.Encode(of.Published)
	if err != nil {
		t.Fatal(err)
	}
	in.Original, in.OriginalSensitive, in.MaySuppress = original, of.PublishedSensitive, true
	if f := check(t, in); !f.Holds || !kept(in) {
		t.Errorf("%+v", f)
	}
}

// Lines may be left out beside a column whose values in the original are not at hand.
func TestLinesLeftOutWithoutTheValuesThatWere(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"})
	all := publish(t, tree, itemsOfLetters("baaaa"))
	in := KMInput{
		Tree: tree, MaySuppress: true, Original: all.Recode(tree.LeafDict(), []int32{0, 1, -1}),
		Promise:   privacy.KM{K: 2, M: 1, L: 2, Columns: []string{"c"}, ColumnsOnly: true},
		Published: publish(t, tree, itemsOfLetters("aaaa")),
		Columns:   []SensitiveColumn{{Name: "c", Published: cellsOf("xyxy")}},
	}
	if f := check(t, in); !f.Holds || !kept(in) {
		t.Errorf("%+v", f)
	}
}

// itemsOfLetters is a line for each letter, - an empty one.
func itemsOfLetters(text string) (out [][]string) {
	for _, cell := range cellsOf(text) {
		out = append(out, strings.Fields(cell))
	}
	return out
}

func cellsOf(text string) (out []string) {
	for _, letter := range text {
		out = append(out, strings.Trim(string(letter), "-"))
	}
	return out
}
