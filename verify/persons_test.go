package verify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// personTwin is the definition of the promise where persons have several lines, word by word.
type personTwin struct{ twin }

func (t personTwin) holds() bool {
	return t.ordered() && t.published() && t.original() && t.compatible() && t.values() &&
		t.known() && t.emptied()
}

// ordered tells whether each published line comes from its original, with its sensitive items, and
// none is missing.
func (t personTwin) ordered() bool {
	for i := range t.Published.Len() {
		if !t.comes(t.Original.Tx(i), t.Published.Tx(i), t.MaySuppress) || !t.carries(i, i) {
			return false
		}
	}
	return true
}

// fine tells whether lines of enough persons satisfy is, and whether those that show anything, and
// their persons, are diverse.
func (t personTwin) fine(is func(tx []int32) bool) bool {
	persons, shown := map[int32]int{}, map[int32]bool{}
	lines, showing := 0, 0
	withLines, withPersons := map[string]int{}, map[string]map[int32]bool{}
	for i := range t.Published.Len() {
		if !is(t.Published.Tx(i)) {
			continue
		}
		p := t.Persons[i]
		lines++
		if p >= 0 {
			persons[p]++
		}
		if !t.nothing(i) {
			showing++
			if p >= 0 {
				shown[p] = true
			}
		}
		if t.PublishedSensitive == nil {
			continue
		}
		for _, s := range t.PublishedSensitive.Labels(i) {
			withLines[s]++
			if withPersons[s] == nil {
				withPersons[s] = map[int32]bool{}
			}
			if p >= 0 {
				withPersons[s][p] = true
			}
		}
	}
	if len(persons) < t.Promise.K {
		return false
	}
	for _, own := range persons {
		if own*t.Promise.PersonShare > lines {
			return false
		}
	}
	for s := range withLines {
		if t.Promise.Diverse() && (withLines[s]*t.Promise.L > showing ||
			len(withPersons[s])*t.Promise.L > len(shown)) {
			return false
		}
	}
	return true
}

func (t personTwin) published() bool {
	for i := range t.Published.Len() {
		for _, c := range append(subsets(t.Published.Tx(i), t.Promise.M), nil) {
			if !t.fine(func(tx []int32) bool { return subset(c, tx) }) {
				return false
			}
		}
	}
	return true
}

// original looks at items of an original line; without an original, at all that match a line.
func (t personTwin) original() bool {
	lines := [][]int32{leavesOf(t.Tree)}
	if t.Original != nil {
		lines = allLines(t.Original)
	}
	for _, line := range lines {
		for _, c := range subsets(line, t.Promise.M) {
			is := func(tx []int32) bool { return t.match(tx, c) }
			none := t.count(is) == 0 && (t.MaySuppress || t.Original == nil)
			if !none && !t.fine(is) {
				return false
			}
		}
	}
	return true
}

func allLines(d *dataset.Dataset) (out [][]int32) {
	for i := range d.Len() {
		out = append(out, d.Tx(i))
	}
	return out
}

// compatible is condition (c), where some line has a label above another, and the bounds on shares
// of sensitive items and of one person among the same lines.
func (t personTwin) compatible() bool {
	nested := false
	for i := range t.Published.Len() {
		for _, u := range t.Published.Tx(i) {
			for _, v := range t.Published.Tx(i) {
				nested = nested || u != v && t.Tree.Covers(u, v)
			}
		}
	}
	if !nested {
		return true
	}
	for i := range t.Published.Len() {
		if t.Original == nil {
			break
		}
		tx := t.Published.Tx(i)
		for _, x := range t.Original.Tx(i) {
			if t.lowest(x, tx) >= 0 && !t.mayBe(x, tx) {
				return false
			}
		}
	}
	few, shares := t, t
	few.Promise.L, few.Promise.PersonShare = 0, 0
	shares.Promise.K = 0
	for _, c := range subsets(leavesOf(t.Tree), t.Promise.M) {
		is := func(tx []int32) bool {
			return !slices.ContainsFunc(c, func(x int32) bool { return !t.mayBe(x, tx) })
		}
		if t.count(is) > 0 && !(few.fine(is) && shares.fine(is)) {
			return false
		}
	}
	return true
}

// values is what is promised of sensitive columns, word by word: that published values are those of
// the original, and, for whoever knows that there is a value, that at most 1/l of the lines that
// are left and have one, and of the persons with such a line, have any one value there.
func (t personTwin) values() bool {
	for _, c := range t.Columns {
		if !t.valuesHidden(c.Published) {
			return false
		}
	}
	return true
}

// valuesHidden looks at all that may be known: published labels; items of an original line with a
// value, in all ways in which they may be published; and items of anybody, read child by child.
func (t personTwin) valuesHidden(values []string) bool {
	ok := t.manyValues(values, func([]int32) bool { return true })
	for i := range t.Published.Len() {
		if values[i] == "" && !t.Promise.NullIsValue {
			continue
		}
		for _, c := range subsets(t.Published.Tx(i), t.Promise.M) {
			ok = ok && t.manyValues(values, func(tx []int32) bool { return subset(c, tx) })
		}
		own := leavesOf(t.Tree)
		if t.Original != nil {
			own = t.Original.Tx(i)
		}
		for _, c := range subsets(own, t.Promise.M) {
			ok = ok && t.manyValues(values, func(tx []int32) bool { return t.match(tx, c) })
		}
	}
	for _, c := range subsets(leavesOf(t.Tree), t.Promise.M) {
		ok = ok && (!t.valuesGone() ||
			t.manyValues(values, func(tx []int32) bool { return t.match(tx, c) }))
		ok = ok && t.manyValues(values, func(tx []int32) bool {
			return !slices.ContainsFunc(c, func(x int32) bool { return !t.mayBe(x, tx) })
		})
	}
	return ok
}

// manyValues tells whether the lines that are meant, and their persons, hide their values.
func (t personTwin) manyValues(values []string, is func(tx []int32) bool) bool {
	lines, persons := map[string]int{}, map[string]map[int32]bool{"": {}} // "": with any value
	for i, v := range values {
		if v == "" && !t.Promise.NullIsValue || !is(t.Published.Tx(i)) {
			continue
		}
		v = "=" + v
		lines[""]++
		lines[v]++
		if persons[v] == nil {
			persons[v] = map[int32]bool{}
		}
		if p := t.Persons[i]; p >= 0 {
			persons[""][p], persons[v][p] = true, true
		}
	}
	for v := range lines {
		if v != "" && !slices.Contains(t.NotSensitive, v[1:]) &&
			(t.Promise.L*lines[v] > lines[""] ||
				t.Promise.L*len(persons[v]) > len(persons[""])) {
			return false
		}
	}
	return true
}

// randomColumns gives an input of persons one or two sensitive columns, beside its sensitive items
// or in place of them.
func randomColumns(r *rand.Rand, in KMInput) KMInput {
	in = lackingANode(r, in)
	in.Promise.L = 2 + r.IntN(2)
	if r.IntN(2) == 0 {
		in.Promise.ColumnsOnly, in.PublishedSensitive, in.OriginalSensitive = true, nil, nil
	} else {
		in.PublishedSensitive = sparse(r, in.Published.Len(), in.Promise.L)
		if in.OriginalSensitive != nil {
			in.OriginalSensitive = in.PublishedSensitive
		}
	}
	in.Promise.NullIsValue = r.IntN(3) == 0
	for c := range 1 + r.IntN(2) {
		col := SensitiveColumn{Name: string(rune('A' + c))}
		of, empty := in.Promise.L+r.IntN(6), r.IntN(4)
		for i := range in.Published.Len() {
			v := ""
			if r.IntN(4) >= empty {
				v = string(rune('a' + i%of))
			}
			if r.IntN(8) == 0 { // or what a person has in several lines
				v = string(rune('a' + max(0, int(in.Persons[i]))%of))
			}
			col.Published = append(col.Published, v)
		}
		if r.IntN(2) == 0 {
			col.Original = slices.Clone(col.Published)
		}
		in.Columns = append(in.Columns, col)
		in.Promise.Columns = append(in.Promise.Columns, col.Name)
	}
	if r.IntN(3) == 0 {
		in.NotSensitive = []string{"a", "z"}
	}
	return in
}

// randomPersons gives the lines of an input to persons, of whom some have several.
func randomPersons(r *rand.Rand, in KMInput) KMInput {
	in.Promise.NegativeKnowledge, in.Promise.Persons = false, true
	if r.IntN(4) == 0 {
		in.Promise.PersonShare = 2 + r.IntN(3)
	}
	n := in.Original.Len()
	among := 2 + r.IntN(n+3)
	in.Persons = make([]int32, n)
	for i := range in.Persons {
		in.Persons[i] = int32(i % among % n)
		if r.IntN(3) == 0 {
			in.Persons[i] = int32(r.IntN(min(n, among)))
		}
		if r.IntN(20) == 0 {
			in.Persons[i] = nobody
		}
	}
	return in
}

// Every verdict is the definition's, where persons have several lines.
func TestSoakPersonsAgainstDefinition(t *testing.T) {
	r := soak.Rand(17, 18)
	held, broken, apart := 0, 0, 0
	rounds := 0
	for range soak.Rounds(t, soak.Share(short(4000, 500), 60_000)) {
		rounds++
		in := randomPersons(r, randomInput(r))
		if r.IntN(3) > 0 {
			in.Promise.L = 0
		}
		f := check(t, in)
		if want := (personTwin{twin{in}}).holds(); f.Holds != want {
			t.Fatalf("holds %v, want %v\npromise %v suppress %v\noriginal %v\npublished %v\n"+
				"persons %v\nsensitive %v\n%+v", f.Holds, want, in.Promise, in.MaySuppress,
				spellAll(in.Original), spellAll(in.Published), in.Persons,
				spellAll(in.PublishedSensitive), f)
		}
		if f.Holds {
			held++
			continue
		}
		broken++
		lines := in
		lines.Promise.Persons, lines.Promise.PersonShare = false, 0
		if check(t, lines).Holds {
			apart++ // lines would have been enough
		}
	}
	t.Logf("%d kept, %d broken, %d of these not by lines", held, broken, apart)
	if held < rounds/20 || broken < rounds/10 || apart < rounds/100 {
		t.Error("the random instances are one-sided")
	}
}

// asItIs is a release of lines that publish every item as it is.
func asItIs(
	t *testing.T, tree *hierarchy.Tree, p privacy.KM, persons []int32, lines ...string,
) KMInput {
	t.Helper()
	var txs [][]string
	for _, l := range lines {
		txs = append(txs, strings.Fields(l))
	}
	d := dataset.FromLabels(txs)
	original, err := tree.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	published, err := tree.EncodePublished(d)
	if err != nil {
		t.Fatal(err)
	}
	return KMInput{
		Tree: tree, Original: original, Published: published, Promise: p, Persons: persons,
	}
}

// The examples of the definition: neither lines alone are enough, nor the lines of a person taken
// together; what several lines of a person tell is not covered.
func TestPersonsByExample(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"}, []string{"s", "*"})
	const p, q, r, nobodys = 0, 1, 2, nobody
	for _, c := range []struct {
		lines   string
		persons []int32
		holds   bool
		breach  string // the items of the first
	}{
		{"a | a b | b", []int32{p, p, q}, false, "a"},
		{"a | b | a b", []int32{p, p, q}, false, "a b"},
		{"a | a b | a b", []int32{p, p, q}, true, ""},
		{"a | a | a", []int32{p, q, nobodys}, true, ""},
		{"a | a | a", []int32{p, nobodys, nobodys}, false, ""}, // the empty set
		{"a b | a | a | b", []int32{nobodys, p, q, r}, false, "b"},
	} {
		in := asItIs(t, tree, privacy.KM{K: 2, M: 2, Persons: true}, c.persons,
			strings.Split(c.lines, "|")...)
		f := check(t, in)
		if f.Holds != c.holds || f.Holds != (personTwin{twin{in}}).holds() {
			t.Errorf("%s: %+v", c.lines, f)
		}
		if !c.holds && (strings.Join(f.Breaches[0].Itemset, " ") != c.breach ||
			!strings.Contains(f.Breaches[0].Message, "person")) {
			t.Errorf("%s: want %s, found %+v", c.lines, c.breach, f.Breaches)
		}
	}
}

// l asks for both: of ten lines with a, nine have s, but half of the persons do; and the other way
// round.
func TestPersonsDiversityNeedsLinesAndPersons(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"})
	for _, c := range []struct {
		persons   []int32
		sensitive string // a line each: s or -
		holds     bool
		unit      string
	}{
		{[]int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, "sssssssss-", false, "transactions"},
		{[]int32{0, 0, 0, 1, 1, 1}, "s--s--", false, "persons"},
		{[]int32{0, 0, 1, 1}, "ss--", true, ""},
	} {
		lines := strings.Split(strings.Repeat("a|", len(c.persons)), "|")[:len(c.persons)]
		in := asItIs(t, tree, privacy.KM{K: 2, M: 1, L: 2, Persons: true}, c.persons, lines...)
		b := dataset.NewBuilder(dataset.MustDictionary([]string{"s"}))
		for _, s := range c.sensitive {
			if s == 's' {
				b.Add([]int32{0})
			} else {
				b.Add(nil)
			}
		}
		in.PublishedSensitive = b.Build()
		f := check(t, in)
		if f.Holds != c.holds || f.Holds != (personTwin{twin{in}}).holds() {
			t.Errorf("%v %s: %+v", c.persons, c.sensitive, f)
		}
		if !c.holds && !strings.Contains(f.Breaches[0].Message, c.unit) {
			t.Errorf("%v %s: %s", c.persons, c.sensitive, f.Breaches[0].Message)
		}
	}
}

// What cannot be checked is an error, not a verdict.
func TestPersonsThatAreNotKnown(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"})
	good := asItIs(t, tree, privacy.KM{K: 2, M: 1, Persons: true}, []int32{0, 1}, "a", "a")
	for name, change := range map[string]func(in *KMInput){
		"original": func(in *KMInput) { in.Original, in.Persons = nil, nil },
		"persons":  func(in *KMInput) { in.Persons = nil },
		"numbered": func(in *KMInput) { in.Persons = []int32{0, 7} },
		"missing": func(in *KMInput) {
			in.Published, in.MaySuppress = in.Published.Select([]int32{1}), true
		},
		"negative knowledge": func(in *KMInput) { in.Promise.NegativeKnowledge = true },
		"algorithm":          func(in *KMInput) { in.Promise.Knows = privacy.OfAlgorithm },
	} {
		in := good
		change(&in)
		if _, err := KM(t.Context(), in); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !check(t, good).Holds {
		t.Error("the good one does not hold")
	}
}

// What is taken to add up does so: where nothing is checked set by set, no verdict holds that the
// definition does not.
func TestSoakSharesOfPersonsAddUp(t *testing.T) {
	r := soak.Rand(19, 20)
	held, open := 0, 0
	for range soak.Rounds(t, soak.Share(short(10_000, 5_000), 200_000)) {
		in := randomPersons(r, randomInput(r))
		if !in.Promise.Diverse() {
			continue
		}
		in.Promise.K, in.Promise.L, in.Promise.PersonShare = 2, 2, 0 // so that more hold
		f, err := judge(t.Context(), in, 0)
		if err != nil {
			if !strings.Contains(err.Error(), "shares of persons") {
				t.Fatal(err)
			}
			open++
			continue
		}
		if f.Recoding == "global" || !f.Holds {
			continue
		}
		held++
		if !(personTwin{twin{in}}).holds() {
			t.Fatalf("it does not hold\npromise %v suppress %v\noriginal %v\npublished %v\npersons "+
				"%v\nsensitive %v\n%+v", in.Promise, in.MaySuppress, spellAll(in.Original),
				spellAll(in.Published), in.Persons, spellAll(in.PublishedSensitive), f)
		}
	}
	t.Logf("%d local recodings held, %d were not decided", held, open)
	if held == 0 || open == 0 {
		t.Error("the random instances are one-sided")
	}
}

// Where there is too much to be checked set by set, and only those sets are looked at that may
// break shares of persons, every verdict is the definition's, too.
func TestSoakUnionsOfPersonsAgainstDefinition(t *testing.T) {
	r := soak.Rand(21, 22)
	held, broken, open := 0, 0, 0
	for range soak.Rounds(t, soak.Share(5_000, 100_000)) {
		in := randomPersons(r, randomInput(r))
		in.Promise.K, in.Promise.PersonShare = 2, 0
		switch in.Promise.L = 2; {
		case in.PublishedSensitive == nil || r.IntN(4) == 0:
			in.Promise.L, in.Promise.PersonShare = 0, 2
		case r.IntN(4) == 0:
			in.Promise.PersonShare = 2 + r.IntN(2)
		}
		j := newJudgement(in, 0)
		if j.closer = knowledgeLimit; r.IntN(8) == 0 {
			j.closer = 0
		}
		f, err := j.takeSteps(t.Context())
		if err != nil {
			if !strings.Contains(err.Error(), "shares of persons") {
				t.Fatal(err)
			}
			open++
			continue
		}
		if want := (personTwin{twin{in}}).holds(); f.Holds != want {
			t.Fatalf("holds %v, want %v\npromise %v suppress %v\noriginal %v\npublished %v\n"+
				"persons %v\nsensitive %v\n%+v", f.Holds, want, in.Promise, in.MaySuppress,
				spellAll(in.Original), spellAll(in.Published), in.Persons,
				spellAll(in.PublishedSensitive), f)
		}
		if !slices.ContainsFunc(f.Notes, func(note string) bool {
			return strings.Contains(note, "could break them")
		}) {
			continue
		}
		if f.Holds {
			held++
		} else if !slices.ContainsFunc(f.Breaches, func(b Breach) bool {
			return b.Kind != KindKnowledge && b.Kind != KindCompatible
		}) {
			broken++ // nothing else is
		}
	}
	t.Logf("%d held, %d broken, %d were not decided", held, broken, open)
	if held < 50 || broken < 5 || open < 10 {
		t.Error("the random instances are one-sided")
	}
}

// Lines of nobody known are of no person, and of no one person.
func TestLinesOfNobody(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"})
	three := asItIs(t, tree, privacy.KM{K: 2, M: 1, Persons: true, PersonShare: 2},
		[]int32{nobody, nobody, nobody, 0, 1}, "a", "a", "a", "a", "a")
	if f := check(t, three); !f.Holds {
		t.Errorf("three of five lines are nobody's: %+v", f.Breaches)
	}
	for _, c := range []struct {
		persons []int32 // of the lines that match
		breach  bool    // one person has more than half of them
	}{
		{[]int32{nobody, nobody, nobody, 0, 1}, false},
		{[]int32{0, 0, 0, 1, nobody}, true},
		{[]int32{0, 0, 1, nobody}, false},
		{[]int32{0, 1}, false},
		{[]int32{nobody, 0}, false},
		{[]int32{0}, true},
	} {
		s := &seeker{adversary: &adversary{
			promise: privacy.KM{PersonShare: 2}, person: c.persons,
		}}
		s.shareOfOne([]int32{0}, ones(len(c.persons)), len(c.persons))
		if got := s.found.count > 0; got != c.breach {
			t.Errorf("lines of %v: a breach %v", c.persons, got)
		}
	}
}

// Each sensitive item is judged once for each set, also where it was in the set before.
func TestSharesAreJudgedOnce(t *testing.T) {
	s := newShares(dataset.FromLabels([][]string{{"s"}, {"s"}, nil}))
	for range 3 {
		s.begin()
		s.add(0, 0)
		s.add(1, 0)
		s.add(2, 1)
		found := &witnesses{}
		if s.judge(found, nil, 2, 3, 2); found.count != 1 { // 2 of 3 lines, 1 of 2 persons
			t.Fatalf("%d breaches: %+v", found.count, found.kept)
		}
	}
}

// A class hides what at most 1/l of its lines have, and of the persons who are in no other.
func TestWholeClasses(t *testing.T) {
	for _, c := range []struct {
		persons   []int32
		sensitive string // of the lines, which are all alike
		hides     bool
	}{
		{[]int32{0, 0, 1, 2}, "ss--", true},           // half of the lines, a third of the persons
		{[]int32{0, 0, 0, 1, 2}, "sss--", false},      // more lines
		{[]int32{0, 1, 1, 2, 2, 2}, "ss----", false},  // a third of the lines, two of three persons
		{[]int32{nobody, nobody, 1, 2}, "ss--", true}, // nobody's
		{[]int32{nobody, nobody, 1}, "ss-", false},
	} {
		published := dataset.FromLabels(lines(strings.Fields(strings.Repeat("a ",
			len(c.persons)))...))
		var sensitive [][]string
		for _, s := range c.sensitive {
			sensitive = append(sensitive, slices.DeleteFunc([]string{string(s)},
				func(s string) bool { return s == "-" }))
		}
		u := newPersonLines(published, c.persons)
		if got := u.wholeClasses(dataset.FromLabels(sensitive), 2); got != c.hides {
			t.Errorf("%v %s: %v", c.persons, c.sensitive, got)
		}
	}
}
