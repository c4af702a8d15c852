package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
)

// flatTree is a hierarchy of so many items.
func flatTree(t *testing.T, items int) *hierarchy.Tree {
	t.Helper()
	var text strings.Builder
	for i := range items {
		fmt.Fprintf(&text, "i%d;*\n", i)
	}
	tree, err := split.Layout{Format: dataset.Fimi, Hierarchy: []byte(text.String())}.Tree()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Lines that come by the names of their persons are handed on once each, all of a person at once,
// whatever is held at most; others than were sent, or in another order, are seen.
func TestLinesOfAPersonAreHandedOnAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 60))
	tree := flatTree(t, 6)
	parts := 0
	for range 200 {
		var lines []string
		want := sent{}
		p := &Plan{Salt: []byte("salt")}
		for range 1 + rng.IntN(30) {
			var tx []int32
			for leaf := range int32(6) {
				if rng.IntN(2) == 0 {
					tx = append(tx, leaf)
				}
			}
			person := []string{"", "a", "b", "c", "d", "e"}[rng.IntN(6)]
			name, text := p.nameOf(person, tx), numbered(tx)
			want.add(lineSum(name, text))
			lines = append(lines, name+"\t"+text)
		}
		slices.Sort(lines)
		var got []string
		met := map[string]bool{}
		r := &peopleReader{tree: tree, most: rng.IntN(20), b: dataset.NewBuilder(tree.LeafDict())}
		r.do = func(of people) error {
			parts++
			for _, name := range of.names {
				if met[name] {
					t.Fatalf("%s comes in two parts", name)
				}
				met[name] = true
			}
			for i, tx := range of.lines.All() {
				name := p.nameOf("", tx)
				if of.units[i] >= 0 {
					name = of.names[of.units[i]]
				}
				got = append(got, name+"\t"+numbered(tx))
			}
			return nil
		}
		for _, line := range lines {
			name, text, _ := strings.Cut(line, "\t")
			if err := r.take(name, text); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.end(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		if !slices.Equal(got, lines) || r.came != want {
			t.Fatalf("%q came, and %q were sent", got, lines)
		}
		if err := r.take("+", numbered(nil)); err == nil {
			t.Fatal("nobody sees that the order is wrong")
		}
	}
	if parts < 500 {
		t.Errorf("only %d parts: the test tests little", parts)
	}
}

// A line is read as it was written, or not at all.
func FuzzNumbered(f *testing.F) {
	f.Add(":0 5 ")
	f.Add(":")
	soak.Fuzz(f, func(t *testing.T, text string) {
		tx, err := unnumbered(text, 6)
		if err == nil && (len(tx) == 0) != (text == ":") {
			t.Fatalf("%q is %v", text, tx)
		}
		if again, err := unnumbered(numbered(tx), 6); err != nil || !slices.Equal(tx, again) {
			t.Fatalf("%v, then %v (%v)", tx, again, err)
		}
	})
}
