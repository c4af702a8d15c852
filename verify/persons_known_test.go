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

// known is what is promised where sensitive items may be known: for each set of them that a line
// has, the lines that have it, whosever they are, keep what is promised of all.
func (t personTwin) known() bool {
	if !t.Promise.SensitiveKnown || t.PublishedSensitive == nil {
		return true
	}
	if !t.mixed() {
		return false
	}
	for _, line := range allLines(t.PublishedSensitive) {
		for _, told := range subsets(line, t.Promise.M) {
			sub := t.knowing(told)
			if !sub.published() || !sub.original() || !sub.compatible() || !sub.values() {
				return false
			}
		}
	}
	return true
}

// knowing is the lines that have some sensitive items, these left out.
func (t personTwin) knowing(told []int32) personTwin {
	sub := t
	sub.Persons, sub.Columns = nil, nil
	var lines []int32
	for i := range t.Published.Len() {
		if subset(told, t.PublishedSensitive.Tx(i)) {
			lines = append(lines, int32(i))
			sub.Persons = append(sub.Persons, t.Persons[i])
		}
	}
	sub.Published, sub.Original = t.Published.Select(lines), nil
	sub.PublishedSensitive = lacking(t.PublishedSensitive.Select(lines), told)
	for _, c := range t.Columns {
		values := make([]string, len(lines))
		for n, i := range lines {
			values[n] = c.Published[i]
		}
		sub.Columns = append(sub.Columns, SensitiveColumn{Name: c.Name, Published: values})
	}
	sub.Promise.M -= len(told)
	sub.Promise.SensitiveKnown = false
	return sub
}

// mixed is the condition on the published file word by word: every set J of at most m published
// nodes and sensitive items of a line is in single lines of k persons, nobody has too many of the
// lines with J, and l times the lines, or persons, with J and s are at most those with J, for every
// s that is not in J.
func (t personTwin) mixed() bool {
	nodes := int32(t.Tree.Nodes())
	var lines [][]int32
	for i, line := range allLines(t.Published) {
		line = slices.Clone(line)
		for _, s := range t.PublishedSensitive.Tx(i) {
			line = append(line, nodes+s)
		}
		lines = append(lines, line)
	}
	with := func(set []int32) (n int, own map[int32]int) {
		own = map[int32]int{}
		for i, line := range lines {
			if !subset(set, line) {
				continue
			}
			if n++; t.Persons[i] >= 0 {
				own[t.Persons[i]]++
			}
		}
		return n, own
	}
	for _, line := range lines {
		for _, set := range append(subsets(line, t.Promise.M), nil) {
			n, own := with(set)
			if len(own) < t.Promise.K {
				return false
			}
			for _, of := range own {
				if of*t.Promise.PersonShare > n {
					return false
				}
			}
			for s := nodes; s < nodes+int32(t.PublishedSensitive.Dict().Len()); s++ {
				m, persons := with(append(slices.Clone(set), s))
				if !slices.Contains(set, s) &&
					(t.Promise.L*m > n || t.Promise.L*len(persons) > len(own)) {
					return false
				}
			}
		}
	}
	return true
}

// amongKnown is a release of which all is asked behind a sensitive item z that may be known: all
// lines of another one, whose published sets keep the promise, have z, and so many others as hide
// it, of somebody else each.
func amongKnown(r *rand.Rand) KMInput {
	var in KMInput
	for range 20 {
		in = randomPersons(r, repeatedLines(randomInput(r), 1+r.IntN(2)))
		in.MaySuppress, in.OriginalSensitive = false, nil
		in.Promise.K, in.Promise.M, in.Promise.L = 2, 1+r.IntN(2), 2
		in.PublishedSensitive = sparse(r, in.Published.Len(), 2)
		if (personTwin{twin{in}}).published() {
			break
		}
	}
	in.Promise.SensitiveKnown = true
	in.Promise.M++
	n := in.Published.Len()
	sens := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t", "u", "v", "z"}))
	var lines []int32
	for i := range int32(2 * n) {
		if lines = append(lines, i%int32(n)); int(i) < n {
			sens.Add(append(slices.Clone(in.PublishedSensitive.Tx(int(i))), 4))
			continue
		}
		in.Persons = append(in.Persons, i)
		sens.Add(nil)
	}
	in.Published, in.Original = in.Published.Select(lines), in.Original.Select(lines)
	in.PublishedSensitive = sens.Build()
	return in
}

// randomKnownOfPersons is a release of persons of whom sensitive items may be known, now and then
// with sensitive columns too.
func randomKnownOfPersons(r *rand.Rand) KMInput {
	if r.IntN(3) == 0 {
		return amongKnown(r)
	}
	in := randomInput(r)
	if r.IntN(2) == 0 {
		in = coarsened(r, in)
	}
	if r.IntN(4) > 0 {
		in = repeatedLines(in, 2+r.IntN(3))
	}
	in = randomPersons(r, in)
	in.MaySuppress, in.OriginalSensitive = false, nil
	in.Promise.K, in.Promise.M = 2, 1+r.IntN(3)
	if in.Promise.L = 2; r.IntN(4) == 0 {
		in.Promise.K, in.Promise.L = 2+r.IntN(2), 2+r.IntN(2)
	}
	in.Promise.SensitiveKnown = true
	if r.IntN(3) == 0 {
		in = randomColumns(r, in)
		in.Promise.ColumnsOnly = false
	}
	in.PublishedSensitive = sparse(r, in.Published.Len(), in.Promise.L)
	if r.IntN(2) == 0 {
		in.OriginalSensitive = in.PublishedSensitive
	}
	return in
}

// repeatedLines has all lines several times.
func repeatedLines(in KMInput, times int) KMInput {
	var lines []int32
	for i := range in.Published.Len() * times {
		lines = append(lines, int32(i%in.Published.Len()))
	}
	in.Published, in.Original = in.Published.Select(lines), in.Original.Select(lines)
	return in
}

// Every verdict is the definition's, where persons have several lines and sensitive items may be
// known. Half of them are judged as where there is too much to look at all knowledge one by one.
func TestSoakKnownOfPersonsAgainstDefinition(t *testing.T) {
	r := soak.Rand(18, 31)
	held, broken, lines, unknown, local, unions := 0, 0, 0, 0, 0, 0
	rounds := 0
	for range soak.Rounds(t, soak.Share(short(400, 150), 20_000)) {
		rounds++
		in := randomKnownOfPersons(r)
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
			if held++; f.Recoding != "global" {
				local++
			}
			continue
		}
		broken++
		one := in
		one.Promise.Persons, one.Promise.PersonShare = false, 0
		if check(t, one).Holds {
			lines++ // lines would have been enough
		}
		one = in
		one.Promise.SensitiveKnown, one.OriginalSensitive = false, nil
		if check(t, one).Holds {
			unknown++ // nothing else breaks
		}
		if !slices.ContainsFunc(f.Breaches, func(b Breach) bool {
			return b.Kind != KindKnowledge && b.Kind != KindCompatible
		}) && (personTwin{twin{one}}).holds() {
			unions++
		}
	}
	t.Logf("%d kept, %d of them local, %d broken, %d not by lines, %d by what is known alone, "+
		"%d of them in unions alone", held, local, broken, lines, unknown, unions)
	if held < rounds/50 || broken < rounds/10 || lines < rounds/200 || unknown < rounds/20 ||
		local < rounds/500 {
		t.Error("the random instances are one-sided")
	}
}

// The examples of the definition, with s1 known: neither lines alone are enough, nor persons alone,
// nor the lines of a person taken together.
func TestKnownOfPersonsByExample(t *testing.T) {
	const p, q, r, u, nobodys = 0, 1, 2, 3, nobody
	for _, c := range []struct {
		name    string
		lines   string
		persons []int32
		holds   bool
		breach  string
	}{
		{
			"two lines with s1, of one person",
			"a s1 | a s1 | a | a | a | a",
			[]int32{p, p, q, r, u, u},
			false, "{s1} is in published transactions of 1 person, fewer than 2",
		},
		{
			"of two persons",
			"a s1 | a s1 | a | a | a | a",
			[]int32{p, q, r, u, u, u},
			true, "",
		},
		{
			"and one of nobody, which adds nothing",
			"a s1 | a s1 | a | a | a | a",
			[]int32{p, nobodys, q, r, u, u},
			false, "{s1} is in published transactions of 1 person, fewer than 2",
		},
		{
			"a and s1 in two lines of a person",
			"a s1 | b s1 | a | b | a | b | a | b",
			[]int32{p, q, p, q, r, r, u, u},
			false, "{s1, a} is in published transactions of 1 person, fewer than 2",
		},
		{
			"half of the lines with s1 have s2, and all persons",
			"a s1 s2 | a s1 s2 | a s1 | a s1 | a | a | a | a",
			[]int32{p, q, p, q, r, u, r, u},
			false, `"s2" is in 2 of the 2 persons with {s1}, more than 1/2 of them`,
		},
		{
			"half of the persons with s1 have s2, and most of the lines",
			"a s1 s2 | a s1 s2 | a s1 s2 | a s1 s2 | a s1 | a s1 | a | a | a | a | a | a",
			[]int32{p, p, q, q, r, u, 4, 5, 6, 7, 8, 9},
			false, `"s2" is in 4 of the 6 transactions with {s1}, more than 1/2 of them`,
		},
		{
			"s1 and s2 together, of one person and of nobody",
			"a s1 s2 | a s1 s2 | a s1 | a s1 | a s1 | a s2 | a s2 | a s2 | a | a | a | a",
			[]int32{p, nobodys, q, r, u, 4, 5, 6, 7, 8, 9, 10},
			false, "{s1, s2} is in published transactions of 1 person, fewer than 2",
		},
		{
			"of two",
			"a s1 s2 | a s1 s2 | a s1 | a s1 | a s1 | a s2 | a s2 | a s2 | a | a | a | a",
			[]int32{p, u, q, r, 11, 4, 5, 6, 7, 8, 9, 10},
			true, "",
		},
	} {
		in := letters(t, privacy.KM{
			K: 2, M: 2, L: 2, Persons: true, SensitiveKnown: true,
		}, strings.Split(c.lines, "|")...)
		original, err := in.Tree.Encode(in.Published)
		if err != nil {
			t.Fatal(err)
		}
		in.Original, in.Persons = original, c.persons
		f := check(t, in)
		if f.Holds != c.holds || f.Holds != (personTwin{twin{in}}).holds() {
			t.Errorf("%s: %+v", c.name, f)
		}
		if !c.holds && !slices.ContainsFunc(f.Breaches, func(b Breach) bool {
			return b.Message == c.breach
		}) {
			t.Errorf("%s: %+v", c.name, f.Breaches)
		}
	}
}

// Of the lines with s1, one person may have no more than a share.
func TestKnownOfPersonsBoundsOne(t *testing.T) {
	in := letters(t, privacy.KM{
		K: 2, M: 1, L: 2, Persons: true, SensitiveKnown: true, PersonShare: 2,
	}, "a s1", "a s1", "a s1", "a", "a", "a")
	in.Persons = []int32{0, 0, 1, 2, 2, 3}
	original, err := in.Tree.Encode(in.Published)
	if err != nil {
		t.Fatal(err)
	}
	in.Original = original
	want := "one person has 2 of the 3 transactions that match {s1}, more than 1/2 of them"
	if f := check(t, in); f.Holds || f.Breaches[0].Message != want {
		t.Errorf("%+v", f.Breaches)
	}
	in.Persons[1] = nobody
	in.PublishedSensitive = dataset.FromLabels([][]string{{"s1"}, {"s1"}, {"s1"}, nil, nil, nil})
	if f := check(t, in); !f.Holds {
		t.Errorf("%+v", f.Breaches)
	}
}

// Whoever knows one sensitive item, and no more, does not know a label besides.
func TestKnownOfPersonsIsNoMoreThanM(t *testing.T) {
	in := letters(t, privacy.KM{K: 2, M: 1, L: 2, Persons: true, SensitiveKnown: true},
		"a s1", "b s1", "a", "a", "b", "b")
	in.Persons = []int32{0, 1, 2, 3, 4, 5}
	original, err := in.Tree.Encode(in.Published)
	if err != nil {
		t.Fatal(err)
	}
	in.Original = original
	f := check(t, in)
	if !f.Holds || !(personTwin{twin{in}}).holds() {
		t.Errorf("%+v", f.Breaches)
	}
	if f.Itemsets != 2 { // {a} and {b}
		t.Errorf("%d sets were counted", f.Itemsets)
	}
}
