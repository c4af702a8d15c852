package attack

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
)

// knowing is a case of lines of items and, in capital letters, of sensitive items, published as
// they are, but for the sensitive items that are left out.
func knowing(t *testing.T, lines []string, person []int32, leftOut map[int]string) *Case {
	t.Helper()
	var items, sensitive, carried [][]string
	for i, line := range lines {
		var plain, hidden []string
		for _, x := range strings.Fields(line) {
			if x == strings.ToUpper(x) {
				hidden = append(hidden, x)
			} else {
				plain = append(plain, x)
			}
		}
		items, sensitive = append(items, plain), append(sensitive, hidden)
		carried = append(carried, slices.DeleteFunc(slices.Clone(hidden),
			func(x string) bool { return x == leftOut[i] }))
	}
	d := dataset.FromLabels(items)
	tree, err := hierarchy.Fanout(d.Dict().Labels(), 2)
	if err != nil {
		t.Fatal(err)
	}
	data, err := tree.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	published, err := tree.EncodePublished(d)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Generalized(tree, data, published)
	if err != nil {
		t.Fatal(err)
	}
	if person != nil {
		if err := c.ByPersons(person); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Knowing(); err == nil {
		t.Fatal("known without any")
	}
	had := dataset.FromLabels(sensitive)
	left := dataset.NewBuilder(had.Dict())
	for _, labels := range carried {
		var tx []int32
		for _, x := range labels {
			id, _ := had.Dict().ID(x)
			tx = append(tx, id)
		}
		left.Add(tx)
	}
	if err := c.Sensitive(had, left.Build()); err != nil {
		t.Fatal(err)
	}
	k, err := c.Knowing()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Candidates for whoever knows items and sensitive items are counted here one by one.
func TestSensitiveItemsAreKnown(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 36))
	for range 100 {
		lines := []string{"a b c S T"}
		for range 4 + rng.IntN(12) {
			line := ""
			for _, x := range []string{"a", "b", "c", "S", "T"} {
				if rng.IntN(2) == 0 {
					line += x + " "
				}
			}
			lines = append(lines, line)
		}
		person := make([]int32, len(lines))
		for i := range person {
			person[i] = int32(rng.IntN(len(person)/2+1)) - 1
		}
		judgeCandidates(t, knowing(t, lines, person, nil), person)
	}
}

// A line with a sensitive item is one line for whoever knows it, and its person one candidate;
// where the item was left out, others are.
func TestKnowingASensitiveItemIsCounted(t *testing.T) {
	lines := []string{"a S", "a S", "a S", "a", "b S", "b S"}
	person := []int32{0, 0, 1, 2, 3, 3}
	k := knowing(t, lines, person, nil)
	r, err := k.Run(t.Context(), Options{M: 2, K: 2})
	if err != nil {
		t.Fatal(err)
	}
	// a and S: two persons; b and S: one
	if got := r.SinglingOut[1].After; got.Fewest != 1 || got.Unique.Value != 2.0/5 {
		t.Errorf("%+v", got)
	}
	if !slices.ContainsFunc(r.Inference, func(i Inference) bool { return i.Of == "sensitive" }) {
		t.Error("sensitive items are not inferred any more")
	}
	k = knowing(t, lines, person, map[int]string{4: "S", 5: "S"})
	if r, err = k.Run(t.Context(), Options{M: 2, K: 2}); err != nil {
		t.Fatal(err)
	}
	if got := r.SinglingOut[1].After; got.Unique.Value > 0 || r.Missing != 2 {
		t.Errorf("%+v, missing %d", got, r.Missing)
	}
	if _, err := k.Run(t.Context(), Options{M: 2, K: 2, NegativeKnowledge: true}); err == nil {
		t.Error("what is lacked is counted, too")
	}
}

// A sensitive item that is left out everywhere is expected as often as it is frequent, as any item
// that is published nowhere.
func TestASensitiveItemThatIsLeftOutEverywhereIsExpected(t *testing.T) {
	k := knowing(t, []string{"a S", "a", "b", "b T", "b T"}, nil, map[int]string{0: "S"})
	r, err := k.Run(t.Context(), Options{M: 1, K: 2})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Inference, func(i Inference) bool { return i.Of == "sensitive" })
	// S of one person: 1/5; T of two, who have b, as three have: 2/3
	got := r.Inference[at]
	if math.Abs(got.After.Average.Value-(1.0/5+2*2.0/3)/3) > 1e-9 || got.After.Largest < 2.0/3 {
		t.Errorf("%+v", got)
	}
}

func TestNearlyAllIsNotAll(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 0.00001: "0.001 %", 0.5: "50.00 %", 0.99994: "99.99 %",
		0.99997: "over 99.99 %", 1: "100.00 %",
	} {
		if got := plainPercent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

func TestOneIsNotSeveral(t *testing.T) {
	var s strings.Builder
	r := Result{Persons: 1, Records: 1, Missing: 1, Notes: []string{NobodyHas(1), NobodyHas(2000)}}
	if err := r.WriteText(&s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Attack on 1 transaction, published as 1 record (", "(1 occurrence)\n", "has 1 item\n",
		"has 2,000 items\n",
	} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("%q is not in\n%s", want, s.String())
		}
	}
}

// A sensitive item that is published nowhere is counted with the others: one note says how many.
func TestOneNoteSaysWhatIsNotPublished(t *testing.T) {
	d := dataset.FromLabels([][]string{{"a", "b"}, {"a"}, {"a"}})
	tree, err := hierarchy.Fanout(d.Dict().Labels(), 2)
	if err != nil {
		t.Fatal(err)
	}
	data, err := tree.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	published, err := tree.EncodePublished(dataset.FromLabels([][]string{{"a"}, {"a"}, {"a"}}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Generalized(tree, data, published) // b is nowhere
	if err != nil {
		t.Fatal(err)
	}
	had := dataset.FromLabels([][]string{{"S"}, {"S"}, {}})
	left := dataset.NewBuilder(had.Dict())
	for range 3 {
		left.Add(nil)
	}
	if err := c.Sensitive(had, left.Build()); err != nil {
		t.Fatal(err)
	}
	if c, err = c.Knowing(); err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), Options{M: 1, K: 2})
	if err != nil {
		t.Fatal(err)
	}
	notes := slices.DeleteFunc(r.Notes, func(note string) bool {
		return !strings.Contains(note, "not published at all")
	})
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "2 items ") {
		t.Error(notes)
	}
}
