package suppress

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/local"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
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
		if got := hidesEmptied(in, g, publishNone(in, g)); got != c.hides {
			t.Errorf("%+v: hides %v", c, got)
		}
	}
}

// The verifier, which looks at emptied lines by itself, accepts every release of random lines of
// one or two items, some of which are emptied.
func TestEmptiedLinesAreAccepted(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	emptied, infeasible := 0, 0
	for range 1_500 {
		in := shortLines(rng)
		var a anonymize.Algorithm = global.AA{}
		if rng.IntN(3) == 0 {
			a = local.Algorithm{}
		}
		g, err := Items{Inner: a, Max: 0.4}.Anonymize(t.Context(), in)
		if err != nil {
			infeasible++
			continue
		}
		published := g.Published()
		f, err := verify.KM(t.Context(), verify.KMInput{
			Tree: in.Tree, Published: published, PublishedSensitive: in.Sensitive,
			Original: in.Data, OriginalSensitive: in.Sensitive, Persons: in.Persons,
			Promise: in.Promise, MaySuppress: true, Workers: 1,
		})
		if err != nil || !f.Holds {
			t.Fatalf("%v %+v\n%s\npublished %s", err, f, conformance.Describe(in),
				conformance.Spell(published))
		}
		for i, tx := range published.All() {
			if len(tx) == 0 && len(in.Data.Tx(i)) > 0 && len(in.Sensitive.Tx(i)) > 0 {
				emptied++
				break
			}
		}
	}
	t.Logf("%d with emptied lines, %d infeasible", emptied, infeasible)
	if emptied < 30 || infeasible > 1_000 {
		t.Errorf("%d with emptied lines, %d infeasible", emptied, infeasible)
	}
}

// shortLines are random lines of one or two items, some of them rare, with sensitive items; of
// persons now and then.
func shortLines(rng *rand.Rand) anonymize.Input {
	labels := []string{"a", "b", "c", "d", "e", "f"}
	tree, err := hierarchy.Fanout(labels, 3)
	if err != nil {
		panic(err)
	}
	items, secret := dataset.NewBuilder(tree.LeafDict()), [][]string(nil)
	in := anonymize.Input{Tree: tree, Workers: 1}
	in.Promise = privacy.KM{K: 2 + rng.IntN(2), M: 1 + rng.IntN(2), L: 2 + rng.IntN(2)}
	in.Promise.Persons = rng.IntN(3) == 0
	for range 12 + rng.IntN(20) {
		var tx []int32
		for range rng.IntN(3) {
			tx = append(tx, int32(rng.Float64()*rng.Float64()*float64(len(labels))))
		}
		slices.Sort(tx)
		items.Add(slices.Compact(tx))
		secret = append(secret, [][]string{nil, nil, nil, {"s"}, {"t"}}[rng.IntN(5)])
		if in.Promise.Persons {
			in.Persons = append(in.Persons, int32(rng.IntN(10)))
		}
	}
	in.Data, in.Sensitive = items.Build(), dataset.FromLabels(secret)
	return in
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
