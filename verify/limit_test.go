package verify

import (
	"slices"
	"strings"
	"testing"

	"mingle/internal/soak"
)

// levels tells whether a line has a label above another one.
func levels(in KMInput) bool {
	for i := range in.Published.Len() {
		line := in.Published.Tx(i)
		for _, u := range line {
			for a := in.Tree.Parent(u); a >= 0; a = in.Tree.Parent(a) {
				if slices.Contains(line, a) {
					return true
				}
			}
		}
	}
	return false
}

// Where there is too much to look at one by one, the judge says so where it must, or its verdict is
// that of looking at all of it.
func TestSoakVerdictWithoutLookingAtKnowledge(t *testing.T) {
	r := soak.Rand(41, 7)
	const persons, linesOnly = true, false
	seen := map[bool]map[string]int{persons: {}, linesOnly: {}}
	for n := range soak.Rounds(t, soak.Share(short(6000, 1500), 200_000)) {
		in := randomInput(r)
		in.Promise.NegativeKnowledge = false
		if n%2 == 0 {
			in = randomPersons(r, in)
		}
		if n%3 > 0 { // so that more hold
			in.Promise.K, in.Promise.M = 2, 1+r.IntN(2)
			in.Published = in.Published.Select(twice(in.Published.Len()))
			in.Original = in.Original.Select(twice(in.Original.Len()))
			in.PublishedSensitive = in.PublishedSensitive.Select(twice(in.PublishedSensitive.Len()))
			if in.OriginalSensitive != nil {
				in.OriginalSensitive = in.PublishedSensitive
			}
			if in.Promise.Persons {
				in.Persons = append(slices.Clone(in.Persons), in.Persons...)
			}
		}
		p := in.Promise
		want, err := judge(t.Context(), in, knowledgeLimit)
		if err != nil {
			t.Fatal(err)
		}
		got, err := judge(t.Context(), in, 0)
		if err != nil {
			unions := levels(in) && (p.Diverse() || p.Persons && p.PersonShare > 0)
			may := unions || p.Persons && p.Diverse()
			if !may || !strings.Contains(err.Error(), "steps would be needed") {
				t.Fatalf("%v, levels %v: %v", p, levels(in), err)
			}
			seen[p.Persons]["not decided"]++
			continue
		}
		if notAll(got) {
			seen[p.Persons]["broken before"]++
		}
		if got.Holds != want.Holds {
			t.Fatalf("%v: without looking %v, by looking %v\npublished %v\nsensitive %v\npersons %v",
				p, got.Holds, want.Holds, spellAll(in.Published), spellAll(in.PublishedSensitive),
				in.Persons)
		}
		addUp := slices.ContainsFunc(got.Notes, func(note string) bool {
			return strings.Contains(note, "shares of persons with a sensitive item add up")
		})
		if addUp && !(p.Persons && p.Diverse()) {
			t.Fatalf("%v: %q", p, got.Notes)
		}
		if got.Recoding != "global" {
			seen[p.Persons][map[bool]string{true: "held", false: "broken"}[got.Holds]]++
		}
	}
	t.Log(seen)
	for _, n := range seen {
		if n["held"] < 20 || n["broken"] < 20 || n["not decided"] == 0 ||
			n["broken before"] < 20 {
			t.Errorf("one-sided: %v", seen)
		}
	}
}
