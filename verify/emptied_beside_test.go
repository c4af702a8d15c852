package verify

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// emptiedInput has lines over a, b and c, of which a is suppressed, and what is beside them.
func emptiedInput(t *testing.T, lines, secret, published, shown string) KMInput {
	t.Helper()
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"}, []string{"c", "*"})
	in := KMInput{Tree: tree, MaySuppress: true, Promise: privacy.KM{K: 2, M: 1, L: 2}}
	all := publish(t, tree, itemsOfLetters(lines))
	in.Original = all.Recode(tree.LeafDict(), []int32{0, 1, 2, -1})
	in.Published = publish(t, tree, itemsOfLetters(published))
	in.OriginalSensitive = secrets(itemsOfLetters(secret))
	in.PublishedSensitive = secrets(itemsOfLetters(shown))
	return in
}

// notes tells whether a finding has a note with a text.
func notes(f *Finding, text string) bool {
	return strings.Contains(strings.Join(f.Notes, "\n"), text)
}

// A line that shows nothing hides nothing where it had a value, or where nobody knows whether it
// had one: it may be that of a suppressed transaction.
func TestEmptiedBesideSilentLinesWithValues(t *testing.T) {
	for _, c := range []struct {
		name        string
		value, told []string // of the column, before and after; nil before: not at hand
		holds       bool
	}{
		{"no values", make([]string, 6), make([]string, 6), true},
		{"a value is withheld", []string{"", "x", "", "", "", ""}, make([]string, 6), false},
		{"the values are not at hand", nil, make([]string, 6), false},
	} {
		in := emptiedInput(t, "aaabbb", "s-----", "---bbb", "s-----")
		in.Promise.Columns = []string{"c"}
		in.Columns = []SensitiveColumn{{Name: "c", Original: c.value, Published: c.told}}
		if f := check(t, in); f.Holds != c.holds || f.Holds != kept(in) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// Of persons at most 1/l may have what is sensitive, whatever the order of their lines; lines of
// nobody count as lines alone.
func TestEmptiedLinesOfPersons(t *testing.T) {
	for _, c := range []struct {
		name    string
		shown   string
		persons []int32
		holds   bool
	}{
		{"two of three persons", "ss---", []int32{0, 1, 2, 2, 2}, false},
		{"not one after the other", "--s-s", []int32{2, 2, 0, 2, 1}, false},
		{"turn by turn", "-s-s-", []int32{1, 0, 1, 0, 1}, true},
		{"two of four persons", "ss---", []int32{0, 1, 2, 3, 2}, true},
		{"the only person", "s----", []int32{0, nobody, nobody, nobody, nobody}, false},
		{"nobody", "s----", []int32{nobody, nobody, nobody, nobody, 0}, true},
	} {
		in := emptiedInput(t, "aaaaabb", c.shown+"--", "-----bb", c.shown+"--")
		in.Promise.Persons, in.Persons = true, append(c.persons, 5, 6)
		f := check(t, in)
		if f.Holds != c.holds || f.Holds != kept(in) {
			t.Errorf("%s: %+v", c.name, f)
		}
		ofPersons := !f.Holds && strings.Contains(f.Breaches[len(f.Breaches)-1].Message, "persons")
		if ofPersons != (!c.holds && c.name != "the only person") {
			t.Errorf("%s: %+v", c.name, f.Breaches)
		}
	}
}

// What is said of lines that publish nothing, and when nothing is.
func TestWhatIsSaidOfEmptiedLines(t *testing.T) {
	const looked, unknown = "some lines lost all their items", "as the original tells which had"
	f := check(t, emptiedInput(t, "aaabb", "ss---", "---bb", "ss---"))
	if f.BreachCount != 1 || f.Breaches[0].Message != `"s" is in 2 of the 3 lines that publish `+
		"nothing, more than 1/2 of them, and items of some were suppressed" ||
		len(f.Breaches[0].Lines) != 2 || !notes(f, looked) || !notes(f, "counted there: by the") {
		t.Errorf("%+v", f)
	}
	f = check(t, emptiedInput(t, "abb", "s--", "-bb", "s--"))
	if f.BreachCount != 1 || f.Breaches[0].Message != `"s" is in 1 of the 1 line that publishes `+
		"nothing, more than 1/2 of them, and items of some were suppressed" ||
		notes(f, "lines that show nothing") {
		t.Errorf("%+v", f)
	}
	if f = check(t, emptiedInput(t, "aab", "s--", "--", "s-")); !notes(f, "were not counted there") {
		t.Errorf("%+v", f)
	}
	for name, change := range map[string]func(*KMInput){
		"nothing may be suppressed": func(in *KMInput) { in.MaySuppress = false },
		"no diversity":              func(in *KMInput) { in.Promise.L = 0 },
	} {
		in := emptiedInput(t, "-bb", "s--", "-bb", "s--")
		if change(&in); notes(check(t, in), looked) || notes(check(t, in), unknown) {
			t.Errorf("%s: %q", name, check(t, in).Notes)
		}
	}
	alone := emptiedInput(t, "-bb", "s--", "-bb", "s--")
	alone.Original, alone.OriginalSensitive = nil, nil
	if !notes(check(t, alone), unknown) {
		t.Errorf("without the original: %q", check(t, alone).Notes)
	}
	alone = emptiedInput(t, "bb", "--", "bb", "--")
	alone.Original, alone.OriginalSensitive = nil, nil
	if notes(check(t, alone), unknown) {
		t.Errorf("no line publishes nothing: %q", check(t, alone).Notes)
	}
}

// Where a line is left out, one that publishes nothing is taken for an empty one that had the same
// beside it, in whatever order that is listed.
func TestEmptyLinesAreKnownByWhatIsBesideThem(t *testing.T) {
	in := emptiedInput(t, "-bba", "----", "-bb", "---")
	two := func(labels ...string) *dataset.Dataset {
		b := dataset.NewBuilder(dataset.MustDictionary(labels))
		b.Add([]int32{0, 1})
		for range 2 {
			b.Add(nil)
		}
		return b.Build()
	}
	in.PublishedSensitive = two("t", "s")
	original := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t"}))
	original.Add([]int32{0, 1})
	for range 3 {
		original.Add(nil)
	}
	in.OriginalSensitive = original.Build()
	if f := check(t, in); notes(f, "some lines lost all their items") {
		t.Errorf("%+v", f)
	}
}

// A line that publishes nothing was not an empty one of the original that had something else beside
// it.
func TestEmptyLinesWithOtherThingsBesideThem(t *testing.T) {
	in := emptiedInput(t, "a-bb", "s---", "-bb", "s--")
	if f := check(t, in); f.Holds || f.Holds != kept(in) {
		t.Errorf("%+v", f)
	}
}

// Where an item is left out in one line and published in another, other items were not left out
// alone, though they would be published as the same label.
func TestEmptiedWhereAnItemIsLeftOutNowAndThen(t *testing.T) {
	tree := leafTree(t, []string{"a", "A"}, []string{"b", "A"})
	a, _ := tree.Node("a")
	b, _ := tree.Node("b")
	group, _ := tree.Node("A")
	in := KMInput{Tree: tree, MaySuppress: true, Promise: privacy.KM{K: 2, M: 1, L: 2}}
	original, published := dataset.NewBuilder(tree.LeafDict()), dataset.NewBuilder(tree.Dict())
	for _, line := range [][2][]int32{{{a}}, {{a}}, {{b}, {group}}, {{a}, {group}}} {
		original.Add(line[0])
		published.Add(line[1])
	}
	in.Original, in.Published = original.Build(), published.Build()
	in.OriginalSensitive = secrets(itemsOfLetters("s---"))
	in.PublishedSensitive = secrets(itemsOfLetters("s---"))
	if f := check(t, in); f.Holds || f.Holds != kept(in) {
		t.Errorf("%+v", f)
	}
}

// A check of emptied lines ends with its context.
func TestEmptiedEndsWithItsContext(t *testing.T) {
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	j := newJudgement(emptiedInput(t, "aaabbb", "s-----", "---bbb", "s-----"), 1e9)
	j.sens = j.in.PublishedSensitive
	if err := j.emptied(ctx); !errors.Is(err, why) {
		t.Error(err)
	}
}

// Somebody may know more of a person than there are nodes: sensitive items, too.
func TestMoreKnownThanNodes(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"})
	secret := [][]int32{{0, 1, 2}, {0, 1}, {0, 2}, {1, 2}}
	for m, holds := range map[int]bool{2: true, 3: false, 9: false} {
		b := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t", "u"}))
		for _, of := range secret {
			b.Add(of)
		}
		in := KMInput{Tree: tree, Published: publish(t, tree, [][]string{{}, {}, {}, {}})}
		in.Promise = privacy.KM{K: 2, M: m, L: 4, SensitiveKnown: true}
		in.PublishedSensitive = b.Build()
		f := check(t, in)
		short := false
		for _, one := range f.Breaches {
			short = short || one.Kind == KindSupport && one.Support == 1
		}
		if short == holds {
			t.Errorf("m=%d: %+v", m, f)
		}
	}
}
