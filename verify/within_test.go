package verify

import (
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// A judgement of some lines has these lines, by their numbers in the file, and the lines of the
// original that they come from; or no original where that is not to be asked.
func TestAmongSomeLines(t *testing.T) {
	tree := figure1(t)
	j := &judgement{
		in: KMInput{
			Tree: tree, Published: publish(t, tree, lines("A", "a1", "B", "b1", "A B")),
			Original: encode(t, tree, lines("a1", "a2", "a1", "b1", "b1", "a2 b2")),
		},
		of: []int32{0, 2, 3, 4, 5}, pool: newPool(1, nil), f: &Finding{},
	}
	sub := j.among([]int32{1, 2, 4}, nil, true)
	sub.within.known = []string{"s"}
	asked := []int32{0, 2}
	beyond := sub.among(asked, nil, false)
	if !slices.Equal(asked, []int32{0, 2}) {
		t.Errorf("the lines asked for are %v now", asked)
	}
	for _, c := range []struct {
		j                   *judgement
		published, original string
		lines               []int
	}{
		{sub, "a1|B|A B", "a1|b1|a2 b2", []int{1, 2, 4}},
		{beyond, "a1|A B", "", []int{1, 4}},
	} {
		var got []int
		for i := range c.j.in.Published.Len() {
			got = append(got, c.j.line(i))
		}
		if p, o := joined(c.j.in.Published), joined(c.j.in.Original); p != c.published ||
			o != c.original || !slices.Equal(got, c.lines) {
			t.Errorf("%q from %q, lines %v; want %q from %q, %v", p, o, got, c.published,
				c.original, c.lines)
		}
	}
	if !slices.Equal(beyond.within.known, []string{"s"}) {
		t.Errorf("%v is known", beyond.within.known)
	}
}

func joined(d *dataset.Dataset) string {
	var out []string
	for _, line := range spellAll(d) {
		out = append(out, strings.Join(line, " "))
	}
	return strings.Join(out, "|")
}

// Whoever may know one thing and knows a sensitive item knows no label beside it: of the four lines
// with t two have s, though both of those with A.
func TestNothingIsKnownBesideTheLastThing(t *testing.T) {
	tree := figure1(t)
	in := KMInput{
		Tree: tree, Promise: privacy.KM{K: 2, M: 1, L: 2, SensitiveKnown: true},
		Published: publish(t, tree, lines("A a1", "A a1", "B b1", "B b1",
			"A a1", "A a1", "A a1", "A a1", "A a1", "A a1", "B b1", "B b1")),
		PublishedSensitive: dataset.FromLabels(lines("s t", "s t", "t", "t",
			"s", "s", "", "", "", "", "", "")),
	}
	if f := check(t, in); !f.Holds || !(sensitiveTwin{twin{in}}).keeps() {
		t.Errorf("%+v", f.Breaches)
	}
}

// A line that is not read as its original is told once, whatever columns stand beside it.
func TestLinesThatDoNotObeyAreToldOnce(t *testing.T) {
	tree := figure1(t)
	in := KMInput{
		Tree: tree,
		Promise: privacy.KM{
			K: 2, M: 1, L: 2, Columns: []string{"diagnosis"}, ColumnsOnly: true,
		},
		Published: publish(t, tree, lines("ALL a1", "ALL a1", "ALL a1", "ALL a1")),
		Original:  encode(t, tree, lines("a1 a2", "a1 b1", "a1 b1", "a1 b1")),
		Columns: []SensitiveColumn{
			{Name: "diagnosis", Published: []string{"x", "y", "z", "w"}},
		},
	}
	if f := check(t, in); f.BreachCount != 1 || f.Breaches[0].Kind != KindCompatible {
		t.Errorf("%+v", f.Breaches)
	}
}

// Which lines have a value is not known. Of six lines with ALL, three with a1 beside it, whoever
// has a2 may be in three; only two of them have a value.
func TestLinesWithAValueAreNoClass(t *testing.T) {
	tree := figure1(t)
	in := KMInput{
		Tree: tree,
		Promise: privacy.KM{
			K: 3, M: 1, L: 2, Columns: []string{"diagnosis"}, ColumnsOnly: true,
		},
		Published: publish(t, tree, lines("ALL", "ALL", "ALL", "ALL a1", "ALL a1", "ALL a1")),
		Columns: []SensitiveColumn{
			{Name: "diagnosis", Published: []string{"x", "y", "", "y", "z", ""}},
		},
	}
	if f := check(t, in); !f.Holds || !(sensitiveTwin{twin{in}}).keeps() {
		t.Errorf("%+v", f.Breaches)
	}
	in.Columns[0].Published[1] = "x" // half of the four with ALL, both of those that a2 may be in
	f := check(t, in)
	if len(f.Breaches) == 0 || f.Breaches[0].Kind != KindCompatible ||
		!strings.HasPrefix(f.Breaches[0].Message, `value "x" of column "diagnosis" is in 2 of the 2`) {
		t.Errorf("%+v", f.Breaches)
	}
}
