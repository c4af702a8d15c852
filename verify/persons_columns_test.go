package verify

import (
	"slices"
	"strings"
	"testing"

	"mingle/internal/soak"
	"mingle/privacy"
)

// Every verdict is the definition's, where persons have several lines, and a value in a sensitive
// column in some of them. Half of them are judged as where there is too much to look at all
// knowledge one by one.
func TestSoakColumnsOfPersonsAgainstDefinition(t *testing.T) {
	r := soak.Rand(18, 26)
	held, broken, lines, open := 0, 0, 0, 0
	rounds := 0
	for range soak.Rounds(t, soak.Share(short(1000, 300), 30_000)) {
		rounds++
		in := randomColumns(r, randomPersons(r, coarsened(r, randomInput(r))))
		tamper(r, &in)
		j := newJudgement(in, knowledgeLimit)
		if r.IntN(2) == 0 {
			j.limit, j.closer = 0, knowledgeLimit
		}
		f, err := j.takeSteps(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := (personTwin{twin{in}}).holds(); f.Holds != want {
			t.Fatalf("holds %v, want %v\npromise %+v\noriginal %v\npublished %v\npersons %v\n"+
				"sensitive %v\ncolumns %v not %v\n%+v", f.Holds, want, in.Promise,
				spellAll(in.Original), spellAll(in.Published), in.Persons,
				spellAll(in.PublishedSensitive), in.Columns, in.NotSensitive, f)
		}
		if f.Holds {
			held++
			continue
		}
		broken++
		if byValue := func(b Breach) bool {
			return strings.Contains(b.Message, "person") && strings.Contains(b.Message, "column")
		}; slices.ContainsFunc(f.Breaches, byValue) {
			open++
		}
		one := in
		one.Promise.Persons, one.Promise.PersonShare = false, 0
		if check(t, one).Holds {
			lines++ // lines would have been enough
		}
	}
	t.Logf("%d kept, %d broken, %d by persons with a value, %d not by lines", held, broken, open,
		lines)
	if held < rounds/20 || broken < rounds/10 || open < rounds/50 || lines < rounds/200 {
		t.Error("the random instances are one-sided")
	}
}

// A value is bounded among lines and among persons, and both of those with a value.
func TestAValueOfPersonsByExample(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"})
	const none = nobody
	for _, c := range []struct {
		name    string
		persons []int32
		values  string // a line each; -: none
		holds   bool
		breach  string
	}{
		{"half of the lines, half of the persons", []int32{0, 1}, "xy", true, ""},
		{
			"half of the persons, most of the lines",
			[]int32{0, 0, 0, 1},
			"xxxy", false,
			`value "x" of column "c" is in 3 of the 4 transactions with {}`,
		},
		{
			"half of the lines, all persons",
			[]int32{0, 0, 1, 1},
			"xyxy", false,
			`value "x" of column "c" is in 2 of the 2 persons with {}`,
		},
		{
			"persons without a value do not count",
			[]int32{0, 1, 2, 3, 0},
			"xy--y", false,
			`value "y" of column "c" is in 2 of the 3 transactions with {} and a value`,
		},
		{
			"nor do they where lines are enough",
			[]int32{0, 1, 2, 3, 1, 1},
			"xx--yz", false,
			`value "x" of column "c" is in 2 of the 2 persons with {} and a value`,
		},
		{"lines of nobody are lines", []int32{0, 1, none, none}, "x-yz", false, "1 person"},
		{"values of nobody alone", []int32{0, 1, none, none}, "--xy", true, ""},
		{"a value of nobody is nobody's", []int32{0, 1, none, none}, "xyzz", true, ""},
	} {
		var values []string
		for _, v := range c.values {
			values = append(values, strings.Trim(string(v), "-"))
		}
		in := asItIs(t, tree, privacy.KM{
			K: 2, M: 1, L: 2, Persons: true, Columns: []string{"c"}, ColumnsOnly: true,
		}, c.persons, strings.Split(strings.Repeat("a|", len(values)), "|")[:len(values)]...)
		in.Columns = []SensitiveColumn{{Name: "c", Published: values}}
		f := check(t, in)
		if f.Holds != c.holds || f.Holds != (personTwin{twin{in}}).holds() {
			t.Errorf("%s: %+v", c.name, f)
		}
		if !c.holds && !slices.ContainsFunc(f.Breaches, func(b Breach) bool {
			return strings.Contains(b.Message, c.breach)
		}) {
			t.Errorf("%s: %+v", c.name, f.Breaches)
		}
	}
}
