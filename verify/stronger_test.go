package verify

import (
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// A release may fail the reading child by child and yet keep the condition against any algorithm,
// which implies at least k lines: it holds for the default adversary too. Another release that
// fails both does not.
func TestTheStrongerConditionIsEnough(t *testing.T) {
	tree := leafTree(t, []string{"a1", "A", "*"}, []string{"a2", "A", "*"}, []string{"b", "B", "*"})
	verdict := func(lines [][]string, knows privacy.Knowledge) *Finding {
		published, err := tree.EncodePublished(dataset.FromLabels(lines))
		if err != nil {
			t.Fatal(err)
		}
		f, err := KM(t.Context(), KMInput{
			Tree: tree, Published: published, Promise: privacy.KM{K: 2, M: 1, Knows: knows},
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	// a2 is read child by child as in line 3 alone. Where line 3 has a twin both conditions hold.
	alone := [][]string{{"a1"}, {"a1"}, {"*"}, {"a1", "*"}}
	if f := verdict(alone, privacy.OfData); f.Holds {
		t.Errorf("%+v", f)
	}
	if f := verdict(alone, privacy.OfAlgorithm); f.Holds {
		t.Errorf("%+v", f)
	}
	// Lines 1 and 2 may have a2 by the lowest node and by the wider reading alone; each class has 2
	// lines.
	twins := [][]string{{"a1", "*"}, {"a1", "*"}, {"*"}, {"*"}}
	for _, knows := range []privacy.Knowledge{privacy.OfData, privacy.OfAlgorithm} {
		if f := verdict(twins, knows); !f.Holds {
			t.Errorf("%v: %+v", knows, f)
		}
	}
	// The original has a2 in a line that publishes a1 beside *: not child by child, but in a class
	// of k.
	original, err := tree.Encode(dataset.FromLabels([][]string{
		{"a1", "a2"},
		{"a1", "b"},
		{"b"},
		{"a2"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	published, err := tree.EncodePublished(dataset.FromLabels(twins))
	if err != nil {
		t.Fatal(err)
	}
	f, err := KM(t.Context(), KMInput{
		Tree: tree, Original: original, Published: published,
		Promise: privacy.KM{K: 2, M: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	told := slices.ContainsFunc(f.Notes,
		func(n string) bool { return strings.Contains(n, "stronger condition") })
	if !f.Holds || len(f.Breaches) != 0 || !told {
		t.Errorf("%+v", f)
	}
}
