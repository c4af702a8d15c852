package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

// oneWayByDefinition: no label of a person is above another one of the same person.
func oneWayByDefinition(in KMInput, person []int32) bool {
	for i, p := range person {
		for j, q := range person {
			if p != q || p == nobody {
				continue
			}
			for _, u := range in.Published.Tx(i) {
				for _, v := range in.Published.Tx(j) {
					if u != v && in.Tree.Covers(u, v) {
						return false
					}
				}
			}
		}
	}
	return true
}

// classesHideByDefinition: in every class of equal lines, those with a sensitive item are at most
// 1/l of its lines, and l times the persons with it there at most those who have no line elsewhere.
func classesHideByDefinition(in KMInput, person []int32) bool {
	classes, all := map[string][]int{}, map[int32]int{}
	for i, p := range person {
		if line := in.Published.Tx(i); len(line) > 0 {
			classes[fmt.Sprint(line)] = append(classes[fmt.Sprint(line)], i)
			all[p]++
		}
	}
	for _, lines := range classes {
		here := map[int32]int{}
		for _, i := range lines {
			here[person[i]]++
		}
		whole := 0
		for p, n := range here {
			if p != nobody && n == all[p] {
				whole++
			}
		}
		for x := range int32(in.PublishedSensitive.Dict().Len()) {
			with, of := 0, map[int32]bool{}
			for _, i := range lines {
				for _, y := range in.PublishedSensitive.Tx(i) {
					if y == x {
						with++
						of[person[i]] = true
					}
				}
			}
			delete(of, nobody)
			if l := in.Promise.L; l*with > len(lines) || l*len(of) > whole {
				return false
			}
		}
	}
	return true
}

// What is said to add up is what the two conditions say, no more and no less; never where lines
// have labels above others, or nobody is known to be a person.
func TestSoakWhatAddsUp(t *testing.T) {
	r := soak.Rand(53, 3)
	oneWay, classes, neither := 0, 0, 0
	for range soak.Rounds(t, soak.Share(short(8000, 3000), 200_000)) {
		in := randomInput(r)
		in.Promise.L = 2 + r.IntN(2)
		if r.IntN(2) == 0 { // few in a line, few different lines
			few := make([]int32, in.Published.Len())
			for i := range few {
				few[i] = int32(r.IntN(min(len(few), 2)))
			}
			in.Published = in.Published.Select(few)
		}
		if r.IntN(2) == 0 {
			in.PublishedSensitive = in.PublishedSensitive.Select(
				make([]int32, in.PublishedSensitive.Len())) // all or none
		}
		in = randomPersons(r, in)
		j := &judgement{
			in: in, f: &Finding{}, person: in.Persons, nested: levels(in),
			sens: in.PublishedSensitive,
		}
		one, whole := oneWayByDefinition(in, in.Persons), classesHideByDefinition(in, in.Persons)
		want := !j.nested && (one || whole)
		if got := j.sharesAddUp(); got != want {
			t.Fatalf("%v, want %v: one way %v, classes %v, nested %v\npublished %v\npersons %v\n"+
				"sensitive %v, l=%d", got, want, one, whole, j.nested, spellAll(in.Published),
				in.Persons, spellAll(in.PublishedSensitive), in.Promise.L)
		}
		if j.person = nil; j.sharesAddUp() {
			t.Fatal("shares of persons add up where there are none")
		}
		switch {
		case j.nested:
		case whole && !one:
			classes++
		case one && !whole:
			oneWay++
		case !one:
			neither++
		}
	}
	t.Logf("one way alone %d, classes alone %d, neither %d", oneWay, classes, neither)
	if oneWay < 30 || classes < 30 || neither < 30 {
		t.Error("the random instances are one-sided")
	}
}

// Child by child, shares among persons are those of the definition: of every set of items that a
// line may have, lines and persons with a sensitive item are at most 1/l of all that may have it.
func TestSoakUnionsOfPersonsThatAddUp(t *testing.T) {
	r := soak.Rand(61, 9)
	kept, broken, bounded, unions, torn := 0, 0, 0, 0, 0
	for range soak.Rounds(t, soak.Share(short(6000, 2000), 200_000)) {
		in := leveledShares(t, r)
		if !levels(in) {
			continue
		}
		in.Promise.Persons, in.Promise.PersonShare = true, r.IntN(3)
		in.Persons = make([]int32, in.Published.Len())
		most := 2 + r.IntN(len(in.Persons)+1)
		for i := range in.Persons {
			in.Persons[i] = int32(r.IntN(most)) - 1 // one is nobody
		}
		j := &judgement{
			in: in, pool: newPool(1+r.IntN(2), nil), limit: knowledgeLimit, nested: true,
			f: newFinding(in.Promise, "", in.Published.Len()), sens: in.PublishedSensitive,
			person: in.Persons,
		}
		if err := j.childShares(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := sharesOfPersonsByDefinition(in)
		if got := j.f.BreachCount == 0; got != want {
			t.Fatalf("%v: %v, want %v\npublished %v\npersons %v\nsensitive %v\n%+v", in.Promise, got,
				want, spellAll(in.Published), in.Persons, spellAll(in.PublishedSensitive), j.f)
		}
		before := j.f.BreachCount
		j.limit = j.readerOfPersons(j.newReader(childByChild)).steps() // just enough
		if err := j.childShares(t.Context()); err != nil || j.f.BreachCount != 2*before {
			t.Fatalf("%v, %d and then %d breaches", err, before, j.f.BreachCount-before)
		}
		if j.limit = 0; want {
			kept++
		} else {
			broken++
		}
		if err := j.childShares(t.Context()); err != nil {
			bounded++
		} else if !want {
			t.Fatal("there is no bound on what is looked at")
		}
		if !(personTwin{twin{in}}).published() {
			continue // what the proof of unions rests on
		}
		j.closer, before = knowledgeLimit, j.f.BreachCount
		j.f.Breaches = nil
		if err := j.childShares(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := j.f.BreachCount == before; got != want {
			t.Fatalf("unions, %v: %v, want %v\npublished %v\npersons %v\nsensitive %v\n%+v",
				in.Promise, got, want, spellAll(in.Published), in.Persons,
				spellAll(in.PublishedSensitive), j.f)
		}
		for _, b := range j.f.Breaches {
			personTwin{twin{in}}.checkShare(t, b)
		}
		if unions++; !want {
			torn++
		}
	}
	t.Logf("%d kept, %d broken, %d bounded, of %d with shares in order as published %d broken",
		kept, broken, bounded, unions, torn)
	if kept < 50 || broken < 50 || bounded < 100 || torn < short(20, 5) {
		t.Error("the random instances are one-sided")
	}
}

// checkShare looks a breach among lines read child by child up: as many lines, or persons where it
// says so, may have its items as it says, and have the sensitive item with them.
func (t personTwin) checkShare(tt *testing.T, b Breach) {
	tt.Helper()
	var items []int32
	for _, label := range b.Itemset {
		x, _ := t.Tree.Node(label)
		items = append(items, x)
	}
	all, with, own := map[int32]bool{}, map[int32]bool{}, map[int32]int{}
	lines, linesWith, most := 0, 0, 0
	for i := range t.Published.Len() {
		tx := t.Published.Tx(i)
		if slices.ContainsFunc(items, func(x int32) bool { return !t.mayBe(x, tx) }) {
			continue
		}
		lines, all[t.Persons[i]] = lines+1, true
		if p := t.Persons[i]; p != nobody {
			own[p]++
			most = max(most, own[p])
		}
		if slices.Contains(t.PublishedSensitive.Labels(i), b.Sensitive) {
			linesWith, with[t.Persons[i]] = linesWith+1, true
		}
	}
	delete(all, nobody)
	delete(with, nobody)
	n, of := lines, linesWith
	if strings.HasPrefix(b.Message, "one person has") {
		if b.Support != lines || b.Needed != most*t.Promise.PersonShare {
			tt.Fatalf("one person has %d of %d lines by definition: %+v", most, lines, b)
		}
		return
	}
	if strings.Contains(b.Message, "person that") || strings.Contains(b.Message, "persons that") {
		n, of = len(all), len(with)
	}
	if b.Support != n || b.Needed != of*t.Promise.L || b.Needed <= b.Support {
		tt.Fatalf("%d of %d lines, %d of %d persons by definition\npublished %v\npersons %v\n"+
			"sensitive %v\n%+v", linesWith, lines, len(with), len(all), spellAll(t.Published),
			t.Persons, spellAll(t.PublishedSensitive), b)
	}
}

func sharesOfPersonsByDefinition(in KMInput) bool {
	in.Promise.K = 0
	tw := personTwin{twin{in}}
	for _, c := range subsets(leavesOf(in.Tree), in.Promise.M) {
		is := func(tx []int32) bool {
			return !slices.ContainsFunc(c, func(x int32) bool { return !tw.mayBe(x, tx) })
		}
		if tw.count(is) > 0 && !tw.fine(is) {
			return false
		}
	}
	return true
}

// Read plainly, shares among persons are those of the definition, too: of every set of items that a
// line of the original has, where the published view is in order.
func TestSoakPlainUnionsOfPersons(t *testing.T) {
	r := soak.Rand(61, 10)
	kept, broken := 0, 0
	for range soak.Rounds(t, soak.Share(short(15_000, 6_000), 250_000)) {
		in := leveledShares(t, r)
		in.Promise.K, in.Promise.L = 0, 2
		in.Promise.Persons, in.Promise.PersonShare = true, r.IntN(3)
		if r.IntN(3) == 0 {
			in.Promise.L, in.Promise.PersonShare, in.PublishedSensitive = 0, 2, nil
		}
		in.Persons = make([]int32, in.Published.Len())
		most := 2 + r.IntN(len(in.Persons)+1)
		for i := range in.Persons {
			in.Persons[i] = int32(r.IntN(most)) - 1 // one is nobody
		}
		if !(personTwin{twin{in}}).published() {
			continue // what the proof rests on
		}
		in.Original, in.MaySuppress = randomOriginal(r, in.Tree), true
		j := &judgement{
			in: in, pool: newPool(1+r.IntN(2), nil), limit: knowledgeLimit,
			f: newFinding(in.Promise, "", in.Published.Len()), sens: in.PublishedSensitive,
			person: in.Persons,
		}
		if err := j.checkUnions(t.Context(), plainly); err != nil {
			t.Fatal(err)
		}
		want := (personTwin{twin{in}}).original()
		if got := j.f.BreachCount == 0; got != want {
			t.Fatalf("%+v: %v, want %v\npublished %v\npersons %v\nsensitive %v\noriginal %v\n%+v",
				in.Promise, got, want, spellAll(in.Published), in.Persons,
				spellAll(in.PublishedSensitive), spellAll(in.Original), j.f)
		}
		for _, b := range j.f.Breaches {
			if b.Needed <= b.Support {
				t.Fatalf("what is in order is told as a breach: %+v", b)
			}
		}
		if want {
			kept++
		} else {
			broken++
		}
	}
	t.Logf("%d kept, %d broken", kept, broken)
	if kept < 20 || broken < short(20, 5) {
		t.Error("the random instances are one-sided")
	}
}

// Of the lines with A no person has more than half, nor of those with a1 below it, nor of those
// with both; but of the lines that the item a1 leaves one has four of six.
func TestOnePersonHasMostOfAUnion(t *testing.T) {
	in := KMInput{
		Tree:    leafTree(t, []string{"a1", "A", "*"}, []string{"a2", "A", "*"}, []string{"b", "*"}),
		Promise: privacy.KM{M: 2, Persons: true, PersonShare: 2},
		Persons: []int32{0, 0, 1, 2, 0, 0, 3, 4},
	}
	var err error
	in.Published, err = in.Tree.EncodePublished(dataset.FromLabels([][]string{
		{"A"}, {"A"}, {"A", "a1"}, {"A", "a1"}, {"a1"}, {"a1"}, {"b"}, {"b"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if in.Original, err = in.Tree.Encode(dataset.FromLabels([][]string{{"a1"}})); err != nil {
		t.Fatal(err)
	}
	if !(personTwin{twin{in}}).published() {
		t.Fatal("the published view is not in order")
	}
	j := &judgement{
		in: in, pool: newPool(1, nil), limit: knowledgeLimit, person: in.Persons,
		f: newFinding(in.Promise, "", in.Published.Len()),
	}
	if err := j.checkUnions(t.Context(), plainly); err != nil {
		t.Fatal(err)
	}
	if len(j.f.Breaches) != 1 || j.f.Breaches[0].Support != 6 || j.f.Breaches[0].Needed != 8 {
		t.Errorf("%+v", j.f)
	}
}

// So it is of two items where the lines of each of them are in order: six other persons have lines
// with one of the two alone.
func TestOnePersonHasMostOfWhatTwoItemsLeave(t *testing.T) {
	in := KMInput{
		Tree: leafTree(t, []string{"a1", "A", "*"}, []string{"a2", "A", "*"}, []string{"b", "*"},
			[]string{"c", "*"}),
		Promise: privacy.KM{M: 2, Persons: true, PersonShare: 2},
		Persons: []int32{0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 7, 8},
	}
	var err error
	in.Published, err = in.Tree.EncodePublished(dataset.FromLabels(lines(
		"A b", "A b", "A a1 b", "A a1 b", "a1 b", "a1 b", "A", "A a1", "a1", "a1", "b", "b",
	)))
	if err != nil {
		t.Fatal(err)
	}
	in.Original, err = in.Tree.Encode(dataset.FromLabels(lines("a1 b")))
	if err != nil {
		t.Fatal(err)
	}
	tw := personTwin{twin{in}}
	if !tw.published() || tw.original() {
		t.Fatal("the example is none")
	}
	j := &judgement{
		in: in, pool: newPool(1, nil), limit: knowledgeLimit, person: in.Persons,
		f: newFinding(in.Promise, "", in.Published.Len()),
	}
	if err := j.checkUnions(t.Context(), plainly); err != nil || len(j.f.Breaches) != 1 ||
		len(j.f.Breaches[0].Itemset) != 2 {
		t.Errorf("%v, %+v", err, j.f)
	}
}

// Of the lines with A, two of six have s, and two of the four persons. Whoever knows b2, and reads
// A beside b1 as other than B, is left with five lines, and with three persons.
func TestPersonsOfATornChild(t *testing.T) {
	tree := leafTree(t, []string{"b1", "B", "A", "*"}, []string{"b2", "B", "A", "*"},
		[]string{"a", "A", "*"}, []string{"c", "*"})
	in := sharesOf(t, tree, lines("A", "A", "A", "A", "A", "A b1"), lines("s", "s", "", "", "", ""), 2)
	in.Promise.Persons, in.Persons = true, []int32{0, 1, 2, 2, 2, 3}
	tw := personTwin{twin{in}}
	if tw.Promise.K = 1; !tw.published() || sharesOfPersonsByDefinition(in) {
		t.Fatal("the example is none")
	}
	j := &judgement{
		in: in, pool: newPool(1, nil), limit: knowledgeLimit, person: in.Persons,
		sens: in.PublishedSensitive, f: newFinding(in.Promise, "", in.Published.Len()),
	}
	if err := j.checkUnions(t.Context(), childByChild); err != nil || len(j.f.Breaches) != 1 ||
		j.f.Breaches[0].Support != 3 || j.f.Breaches[0].Needed != 4 {
		t.Errorf("%v, %+v", err, j.f)
	}
}

// Of the seven lines with A one person has three, and of the five that whoever reads the lines
// child by child is left with, too: beside x1, A stands for nothing below X. So the share of that
// person is too large for whoever knows x2 of somebody.
func TestOnePersonHasMostOfWhatIsReadChildByChild(t *testing.T) {
	in := threeLinesOfOne(t, false)
	f := check(t, in)
	if f.Holds || f.Holds != (personTwin{twin{in}}).holds() {
		t.Fatalf("holds: %v", f)
	}
	for _, b := range f.Breaches {
		if b.Kind != KindKnowledge && b.Kind != KindCompatible || b.Support != 5 || b.Needed != 6 {
			t.Errorf("%+v", b)
		}
	}
	if in.Promise.PersonShare = 0; !check(t, in).Holds {
		t.Error("it is not the share of one person alone")
	}
}

// threeLinesOfOne is a release of which one person has three lines of the five that are left to
// whoever reads them child by child, or of the six with one more line of somebody else.
func threeLinesOfOne(t *testing.T, more bool) KMInput {
	t.Helper()
	original := []string{"x2", "x2", "x1", "x1 y", "y", "x1 y", "x1 y"}
	published := []string{"A", "A", "A", "A", "A", "A x1", "A x1"}
	persons := []int32{0, 0, 0, 1, 2, 3, 4}
	if more {
		original, published = append(original, "y"), append(published, "A")
		persons = append(persons, 5)
	}
	tree := leafTree(t, []string{"x1", "X", "A", "*"}, []string{"x2", "X", "A", "*"},
		[]string{"y", "Y", "A", "*"})
	in := KMInput{
		Tree: tree, Persons: persons,
		Promise: privacy.KM{K: 2, M: 2, Persons: true, PersonShare: 2},
	}
	var err error
	if in.Original, err = tree.Encode(dataset.FromLabels(lines(original...))); err != nil {
		t.Fatal(err)
	}
	in.Published, err = tree.EncodePublished(dataset.FromLabels(lines(published...)))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// The same with one line more, of somebody else: three of six are not more than half. Whoever looks
// closely at unions says the same as whoever tries all that may be known.
func TestOnePersonHasHalfOfWhatIsReadChildByChild(t *testing.T) {
	in := threeLinesOfOne(t, true)
	for _, limit := range []float64{0, knowledgeLimit} {
		f, err := judge(t.Context(), in, limit)
		if err != nil || !f.Holds {
			t.Errorf("limit %v: %v %+v", limit, err, f)
		}
	}
	if !(personTwin{twin{in}}).holds() {
		t.Error("by the definition it does not hold")
	}

	// most of the persons have s; that one person has half of the lines is still no fault
	in.Promise.L = 2
	in.OriginalSensitive = dataset.FromLabels(lines("s", "s", "s", "s", "s", "", "", ""))
	j := newJudgement(in, 0)
	j.closer = knowledgeLimit
	f, err := j.takeSteps(t.Context())
	if err != nil || f.Holds {
		t.Fatalf("%v %+v", err, f)
	}
	for _, b := range f.Breaches {
		if strings.Contains(b.Message, "one person has") {
			t.Errorf("%+v", b)
		}
	}
}

// Where it is not known whose the published lines are, nothing is said to have been bounded.
func TestWhatIsNotLookedAtIsNotSaidToBeBounded(t *testing.T) {
	tree := leafTree(t, []string{"x", "A", "*"}, []string{"y", "A", "*"})
	in := KMInput{
		Tree:    tree,
		Promise: privacy.KM{K: 2, M: 1, L: 2, Persons: true, PersonShare: 2},
		Persons: []int32{0, 1},
	}
	var err error
	in.Original, err = tree.Encode(dataset.FromLabels(lines("x", "y")))
	if err != nil {
		t.Fatal(err)
	}
	in.OriginalSensitive = dataset.FromLabels(lines("s", ""))
	in.Published, err = tree.EncodePublished(dataset.FromLabels(lines("A x", "A", "A")))
	if err != nil {
		t.Fatal(err)
	}
	f := check(t, in)
	if f.Holds {
		t.Error("three lines are published of two")
	}
	for _, n := range f.Notes {
		if strings.Contains(n, "bounded among lines") {
			t.Error(n)
		}
	}
}
