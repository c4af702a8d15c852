package dataset

import (
	"slices"
	"strings"
	"testing"
)

// What is taken out of lines and put back makes the same lines; an item that is listed and does not
// occur changes nothing.
func TestSplitAndJoin(t *testing.T) {
	text := "a hiv b\n\nhiv\nb c\ntb a hiv\n"
	d, err := Read(t.Context(), strings.NewReader(text), Options{Format: Fimi})
	if err != nil {
		t.Fatal(err)
	}
	plain, sensitive, err := Split(d, []string{"flu", "hiv", "tb"})
	if err != nil {
		t.Fatal(err)
	}
	wantPlain := [][]string{{"a", "b"}, {}, {}, {"b", "c"}, {"a"}}
	wantSensitive := [][]string{{"hiv"}, {}, {"hiv"}, {}, {"hiv", "tb"}}
	for i := range d.Len() {
		p, s := sortedLabels(plain, i), sortedLabels(sensitive, i)
		if !slices.Equal(p, wantPlain[i]) || !slices.Equal(s, wantSensitive[i]) {
			t.Errorf("line %d is %q and %q", i+1, p, s)
		}
	}
	onlyPlain := make([]int32, d.Dict().Len()) // over a dictionary without the sensitive ones
	dict, err := NewDictionary([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for id, label := range d.Dict().Labels() {
		onlyPlain[id] = -1
		if to, has := dict.ID(label); has {
			onlyPlain[id] = to
		}
	}
	all, err := Join(plain.Recode(dict, onlyPlain), sensitive)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Len() {
		if got, want := sortedLabels(all, i), sortedLabels(d, i); !slices.Equal(got, want) {
			t.Errorf("line %d is %q again, and was %q", i+1, got, want)
		}
	}
	if _, _, err := Split(d, []string{"hiv", "hiv"}); err == nil {
		t.Error("a list that has an item twice is taken")
	}
}

// Transactions and sensitive items of other transactions are not joined.
func TestJoinOfOtherTransactions(t *testing.T) {
	one, two := FromLabels([][]string{{"a"}}), FromLabels([][]string{{"b"}, {"c"}})
	for _, c := range [][2]*Dataset{{one, two}, {two, one}} {
		if all, err := Join(c[0], c[1]); err == nil {
			t.Errorf("%d and %d transactions are %d", c[0].Len(), c[1].Len(), all.Len())
		}
	}
}

func sortedLabels(d *Dataset, i int) []string {
	out := d.Labels(i)
	slices.Sort(out)
	return out
}

// An item with other blanks than a listed one is told; a listed one, and any other, is not.
func TestMisspelt(t *testing.T) {
	d := MustDictionary([]string{"hiv", " tb", "flu", "x "})
	faults := Misspelt(d, []string{"hiv", "tb", "y"})
	if len(faults.List) != 1 || !strings.Contains(faults.List[0].Text, `the data has " tb"`) {
		t.Errorf("told: %v", faults.List)
	}
}
