package suppress

import (
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

// b is left out. Who knows that a person has it looks for the person among the empty lines: of
// these at most one in two may have a sensitive item, if b has emptied any.
func TestEmptiedLinesHide(t *testing.T) {
	tree, err := hierarchy.Fanout([]string{"a", "b"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lines, secret, persons string
		withheld               []int32
		hides                  bool
	}{
		{lines: "a ab a", secret: "- s -", hides: true},    // nobody is emptied
		{lines: "a a b", secret: "- - s"},                  // one, with s
		{lines: "a a b", secret: "s - -", hides: true},     // one, without
		{lines: "a b b", secret: "- s -", hides: true},     // one of two
		{lines: "b b b", secret: "s s -"},                  // two of three
		{lines: "a b -", secret: "- s -", hides: true},     // beside one that had nothing
		{lines: "a b -", secret: "- - s", hides: true},     // the same, the other way round
		{lines: "a a -", secret: "- - s", hides: true},     // which is not a matter of b
		{lines: "a b - -", secret: "- - s s"},              // nor is this, but for b's owner
		{lines: "a b b", secret: "- s t", hides: true},     // each in one of two
		{lines: "b b b b", secret: "s s - -", hides: true}, // half of the lines
		{lines: "b b b b", secret: "s s - -", persons: "0123", hides: true},
		{lines: "b b b b", secret: "s s - -", persons: "0122"}, // two of three persons
		{lines: "a a b", secret: "- - s", withheld: []int32{2}, hides: true},
	} {
		in, err := input(tree, c.lines, c.secret, c.persons)
		if err != nil {
			t.Fatal(err)
		}
		nodes := []int32{0, release.Suppressed}
		g := &release.Generalized{
			Tree: tree, Data: in.Data, Map: append(nodes, tree.Root()), Withheld: c.withheld,
		}
		if got := hidesEmptied(in, g); got != c.hides {
			t.Errorf("%+v: hides %v", c, got)
		}
	}
}

// input is lines of letters, with sensitive letters; - is none.
func input(tree *hierarchy.Tree, lines, secret, persons string) (in anonymize.Input, err error) {
	in = anonymize.Input{Tree: tree, Sensitive: dataset.FromLabels(letters(secret))}
	in.Promise = privacy.KM{K: 1, M: 1, L: 2, Persons: persons != ""}
	for _, p := range persons {
		in.Persons = append(in.Persons, p-'0')
	}
	in.Data, err = tree.Encode(dataset.FromLabels(letters(lines)))
	return in, err
}

func letters(text string) (out [][]string) {
	for _, word := range strings.Fields(text) {
		out = append(out, strings.FieldsFunc(strings.Join(strings.Split(word, ""), " "),
			func(r rune) bool { return r == ' ' || r == '-' }))
	}
	return out
}
