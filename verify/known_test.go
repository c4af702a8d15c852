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

// sensitiveTwin is the definitions of what is promised of sensitive items that are known and of
// sensitive columns, by enumeration.
type sensitiveTwin struct{ twin }

// keeps tells whether the release keeps a promise with either.
func (t sensitiveTwin) keeps() bool {
	return (t.Original == nil || t.aligned(0, 0)) && t.plain().holdsButForEmptied() &&
		(!t.Promise.SensitiveKnown || t.mixed()) && t.everyKnown() && t.emptied()
}

// plain is the same release with neither; what stands in the columns is there.
func (t sensitiveTwin) plain() twin {
	in := t.KMInput
	in.Promise.SensitiveKnown, in.Promise.Columns = false, nil
	if in.PublishedSensitive != nil {
		in.OriginalSensitive = nil // looked at by itself
	}
	if in.Promise.ColumnsOnly {
		in.Promise.ColumnsOnly, in.Promise.L = false, 0
		// the stronger condition is not defined where anything is sensitive
		in.PublishedSensitive = dataset.FromLabels(make([][]string, in.Published.Len()))
	}
	return twin{in}
}

// mixed is the condition word by word: every set J of at most m published nodes and sensitive items
// that occurs does so k times, and l times the lines with J and s are at most the lines with J, the
// empty one included, for every s that is not in J.
func (t sensitiveTwin) mixed() bool {
	nodes := int32(t.Tree.Nodes())
	var lines [][]int32
	for i := range t.Published.Len() {
		line := slices.Clone(t.Published.Tx(i))
		for _, s := range t.PublishedSensitive.Tx(i) {
			line = append(line, nodes+s)
		}
		lines = append(lines, line)
	}
	sup := func(set ...int32) (n int) {
		for _, line := range lines {
			if subset(set, line) {
				n++
			}
		}
		return n
	}
	sets := [][]int32{nil}
	for _, line := range lines {
		sets = append(sets, subsets(line, t.Promise.M)...)
	}
	for _, set := range sets {
		n := sup(set...)
		if n < t.Promise.K && len(lines) > 0 {
			return false
		}
		for s := range int32(t.PublishedSensitive.Dict().Len()) {
			if !slices.Contains(set, nodes+s) &&
				t.Promise.L*sup(append(slices.Clone(set), nodes+s)...) > n {
				return false
			}
		}
	}
	return true
}

// everyKnown looks at each set of sensitive items that may be known, the empty one included: the
// lines that have it keep what is promised of all, and those among them with a value in a column,
// too.
func (t sensitiveTwin) everyKnown() bool {
	sets := [][]int32{nil}
	if t.Promise.SensitiveKnown {
		for i := range t.PublishedSensitive.Len() {
			sets = append(sets, subsets(t.PublishedSensitive.Tx(i), t.Promise.M)...)
		}
	}
	for _, known := range sets {
		var lines []int32
		for i := range t.Published.Len() {
			if len(known) == 0 || subset(known, t.PublishedSensitive.Tx(i)) {
				lines = append(lines, int32(i))
			}
		}
		if len(known) > 0 {
			sub := t.restricted(lines, false)
			sub.Promise.M -= len(known)
			sub.PublishedSensitive = lacking(t.PublishedSensitive.Select(lines), known)
			if !sub.published() || !sub.original() || !sub.compatible() || !sub.negative() {
				return false
			}
		}
		if !t.valuesKept(lines, len(known)) {
			return false
		}
	}
	return true
}

// valuesKept looks at the columns of some lines, where so many sensitive items are known.
func (t sensitiveTwin) valuesKept(lines []int32, known int) bool {
	for _, c := range t.Columns {
		var filled []int32
		var values [][]string
		for _, i := range lines {
			v := c.Published[i]
			if v == "" && !t.Promise.NullIsValue {
				continue
			}
			filled = append(filled, i)
			if slices.Contains(t.NotSensitive, v) {
				values = append(values, nil)
			} else {
				values = append(values, []string{"=" + v})
			}
		}
		sub := t.restricted(filled, known == 0 && !t.valuesGone())
		sub.Promise.M -= known
		sub.Promise.K, sub.PublishedSensitive = 1, dataset.FromLabels(values)
		if !sub.published() || !sub.original() || !sub.shares() || !sub.negative() {
			return false
		}
	}
	return true
}

// restricted is the same of some of the lines.
func (t sensitiveTwin) restricted(lines []int32, original bool) twin {
	sub := t.KMInput
	sub.Published = t.Published.Select(lines)
	if sub.Original != nil && original {
		sub.Original = t.Original.Select(lines)
	} else {
		sub.Original = nil
	}
	sub.Promise.NullIsValue = true // what is known is on all of these lines: none has nothing
	return twin{sub}
}

func lacking(d *dataset.Dataset, gone []int32) *dataset.Dataset {
	to := make([]int32, d.Dict().Len())
	for i := range to {
		if to[i] = int32(i); slices.Contains(gone, int32(i)) {
			to[i] = -1
		}
	}
	return d.Recode(d.Dict(), to)
}

// randomSensitiveInput is a release with known sensitive items, sensitive columns or both.
func randomSensitiveInput(r *rand.Rand) KMInput {
	in := randomInput(r)
	in.MaySuppress, in.OriginalSensitive, in.PublishedSensitive = false, nil, nil
	in.Promise.M, in.Promise.L = 1+r.IntN(3), 2+r.IntN(2)
	in.Promise.NegativeKnowledge = r.IntN(8) == 0
	n := in.Published.Len()
	columns := r.IntN(3)
	if columns < 2 {
		in.Promise.SensitiveKnown = columns == 0 || r.IntN(2) == 0
		in.PublishedSensitive = sparse(r, n, in.Promise.L)
		if r.IntN(2) == 0 {
			in.OriginalSensitive = in.PublishedSensitive
		}
	}
	in.Promise.ColumnsOnly = columns == 2
	for c := range min(columns, 1+r.IntN(2)) {
		col := SensitiveColumn{Name: string(rune('A' + c)), Published: make([]string, n)}
		of := in.Promise.L + r.IntN(6)
		at := r.IntN(of)
		for i := range col.Published {
			if r.IntN(8) > 0 {
				at++
			}
			if r.IntN(6) > 0 {
				col.Published[i] = string(rune('a' + at%of))
			}
		}
		if in.Original != nil && r.IntN(2) == 0 {
			col.Original = slices.Clone(col.Published)
		}
		in.Columns = append(in.Columns, col)
		in.Promise.Columns = append(in.Promise.Columns, col.Name)
	}
	if len(in.Columns) > 0 {
		if !in.Promise.SensitiveKnown {
			in = lackingANode(r, in)
		}
		in.Promise.NullIsValue = r.IntN(3) == 0
		if r.IntN(3) == 0 {
			in.NotSensitive = []string{"a", "z"}
		}
	}
	return in
}

// lackingANode is, now and then, the same where items may be left out, and all at some node are.
func lackingANode(r *rand.Rand, in KMInput) KMInput {
	in.MaySuppress = !in.Promise.SensitiveKnown && r.IntN(4) == 0
	if !in.MaySuppress {
		return in
	}
	to := make([]int32, in.Tree.Nodes())
	for u := range to {
		to[u] = int32(u)
	}
	to[r.IntN(len(to))] = -1
	in.Published = in.Published.Recode(in.Tree.Dict(), to)
	return in
}

// sparse are sensitive items in few of the lines, such that often as many share one as hide it.
func sparse(r *rand.Rand, n, l int) *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t", "u", "v"}))
	of, at, kinds := l*(1+r.IntN(3)), r.IntN(6), 1+r.IntN(2)
	for i := range n {
		var tx []int32
		if (i+at)%of == 0 {
			tx = append(tx, int32(r.IntN(kinds)))
		}
		if r.IntN(40) == 0 {
			tx = append(tx, int32(r.IntN(4)))
		}
		b.Add(tx)
	}
	return b.Build()
}

// coarsened publishes items as coarse nodes more often, so that more promises hold.
func coarsened(r *rand.Rand, in KMInput) KMInput {
	if r.IntN(4) == 0 {
		return in
	}
	to := make([]int32, in.Tree.Nodes())
	for u := range to {
		to[u] = in.Tree.Root()
	}
	if r.IntN(2) == 0 { // the children of the root
		for u := range int32(len(to)) {
			for v := u; in.Tree.Parent(v) >= 0; v = in.Tree.Parent(v) {
				to[u] = v
			}
		}
		to[in.Tree.Root()] = in.Tree.Root()
	}
	in.Published = in.Published.Recode(in.Tree.Dict(), to)
	return in
}

// Every verdict on releases with known sensitive items and sensitive columns is the definition's.
func TestSoakSensitiveAgainstDefinition(t *testing.T) {
	r := soak.Rand(18, 2)
	held := map[string]int{}
	seen := map[string]int{}
	for range soak.Rounds(t, soak.Share(short(2000, 500), 60_000)) {
		in := coarsened(r, randomSensitiveInput(r))
		if r.IntN(4) == 0 {
			in.Original, in.OriginalSensitive = nil, nil
			for c := range in.Columns {
				in.Columns[c].Original = nil
			}
		}
		tamper(r, &in)
		f := check(t, in)
		if want := (sensitiveTwin{twin{in}}).keeps(); f.Holds != want {
			t.Fatalf("holds %v, want %v\npromise %+v\noriginal %v\npublished "+
				"%v\nsensitive %v\ncolumns %v not %v\n%+v", f.Holds, want, in.Promise,
				spellAll(in.Original), spellAll(in.Published), spellAll(in.PublishedSensitive),
				in.Columns, in.NotSensitive, f)
		}
		kind := kindOf(in)
		seen[kind]++
		if f.Holds {
			held[kind]++
		}
	}
	for kind, n := range seen {
		t.Logf("%s: %d of %d kept", kind, held[kind], n)
		if held[kind] < n/20 || held[kind] > n*19/20 {
			t.Errorf("the random instances of %s are one-sided: %d of %d kept", kind, held[kind], n)
		}
	}
}

func kindOf(in KMInput) string {
	var kinds []string
	if in.Promise.SensitiveKnown {
		kinds = append(kinds, "known items")
	}
	if len(in.Columns) > 0 {
		kinds = append(kinds, "columns")
	}
	if len(in.Columns) > 0 && (twin{in}).valuesGone() {
		kinds = append(kinds, "some withheld")
	}
	return strings.Join(kinds, " and ")
}

// tamper changes, now and then, a sensitive item or a value of one line.
func tamper(r *rand.Rand, in *KMInput) {
	i := r.IntN(in.Published.Len())
	if in.PublishedSensitive != nil && r.IntN(8) == 0 {
		b := dataset.NewBuilder(in.PublishedSensitive.Dict())
		for n := range in.Published.Len() {
			tx := slices.Clone(in.PublishedSensitive.Tx(n))
			switch {
			case n == i && len(tx) > 0 && r.IntN(3) > 0:
				tx = tx[1:]
			case n == i:
				tx = append(tx, int32(r.IntN(4)))
			}
			b.Add(tx)
		}
		in.PublishedSensitive = b.Build()
	}
	if in.MaySuppress && r.IntN(2) == 0 {
		withhold(r, in)
	}
	if len(in.Columns) > 0 && r.IntN(10) == 0 {
		in.Columns[0].Published = slices.Clone(in.Columns[0].Published)
		in.Columns[0].Published[i] = "b"
	}
}

// letters is a release of single letters under one root, as they are, with sensitive items.
func letters(t *testing.T, p privacy.KM, lines ...string) KMInput {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, x := range []string{"a", "b", "c", "d"} {
		if err := b.Edge(x, "*", 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	items, sens := dataset.NewBuilder(tree.Dict()), dataset.NewBuilder(
		dataset.MustDictionary([]string{"s1", "s2", "s3"}))
	for _, line := range lines {
		var tx, hidden []int32
		for _, x := range strings.Fields(line) {
			if u, ok := tree.Node(x); ok {
				tx = append(tx, u)
			} else if s := int32(strings.Index("s1s2s3", x)); s >= 0 {
				hidden = append(hidden, s/2)
			}
		}
		items.Add(tx)
		sens.Add(hidden)
	}
	return KMInput{
		Tree: tree, Published: items.Build(), PublishedSensitive: sens.Build(), Promise: p,
	}
}

// A sensitive item in one line leaves it, which only knowing it tells.
func TestAKnownSensitiveItemIsCounted(t *testing.T) {
	p := privacy.KM{K: 2, M: 2, L: 2}
	in := letters(t, p, "a s1", "a", "a", "a")
	if !check(t, in).Holds {
		t.Error("without knowledge of sensitive items it holds")
	}
	in.Promise.SensitiveKnown = true
	f := check(t, in)
	if f.Holds || f.Breaches[0].Message != "{s1} is in 1 published transaction, fewer than 2" {
		t.Errorf("%+v", f)
	}
	// one sensitive item tells another
	in = letters(t, p, "a s1 s2", "a s1 s2", "a", "a", "a", "a")
	in.Promise.SensitiveKnown = true
	f = check(t, in)
	if f.Holds || f.Breaches[0].Message !=
		`"s2" is in 2 of the 2 transactions with {s1}, more than 1/2 of them` {
		t.Errorf("%+v", f)
	}
}

// Known absences are not covered: s1, s1, s2, s2 holds, and who knows that a person has not s1
// knows that it is s2.
func TestKnownAbsenceOfSensitiveItemsIsNotCovered(t *testing.T) {
	in := letters(t, privacy.KM{K: 2, M: 2, L: 2, SensitiveKnown: true},
		"a s1", "a s1", "a s2", "a s2")
	if f := check(t, in); !f.Holds {
		t.Errorf("%+v", f)
	}
	if s := strings.Join(in.Promise.NotCovered(), "\n"); !strings.Contains(s,
		"does not have a sensitive item is not covered") {
		t.Error(s)
	}
}

// Nine empty values and one of HIV are not 10 % for somebody who knows that there is a value.
func TestAnEmptyValueIsNone(t *testing.T) {
	p := privacy.KM{K: 2, M: 1, L: 2, Columns: []string{"diagnosis"}, ColumnsOnly: true}
	in := letters(t, p, "a", "a", "a", "a", "a", "a", "a", "a", "a", "a")
	in.PublishedSensitive = nil
	values := make([]string, 10)
	values[3] = "HIV"
	in.Columns = []SensitiveColumn{{Name: "diagnosis", Published: values}}
	f := check(t, in)
	if f.Holds || f.Breaches[0].Message != `value "HIV" of column "diagnosis" is in 1 of the 1 `+
		`transaction with {} and a value in that column, more than 1/2 of them` {
		t.Errorf("%+v", f)
	}
	in.Promise.NullIsValue, in.NotSensitive = true, []string{""}
	if f := check(t, in); !f.Holds ||
		!strings.Contains(f.Inequality, "any one, but those listed as not sensitive") {
		t.Errorf("%+v", f)
	}
	in.NotSensitive = nil // then the empty one is in more than half of the lines
	if f := check(t, in); f.Holds || f.Breaches[0].Sensitive != "" ||
		strings.Contains(f.Inequality, "not sensitive") {
		t.Errorf("%+v", f)
	}
	in.Promise.OpenValues = true // it is said, though none of the open values is here
	if f := check(t, in); f.Holds || !strings.Contains(f.Inequality, "not sensitive") {
		t.Errorf("%+v", f)
	}
}

// withhold makes some lines publish nothing or, now and then, all but one thing.
func withhold(r *rand.Rand, in *KMInput) {
	all, n := r.IntN(4) > 0, in.Published.Len()
	lines := make([]bool, n)
	for i := range lines {
		lines[i] = r.IntN(4) == 0
	}
	emptied := func(d *dataset.Dataset) *dataset.Dataset {
		if d == nil || !all && r.IntN(3) == 0 {
			return d
		}
		b := dataset.NewBuilder(d.Dict())
		for i := range n {
			if lines[i] {
				b.Add(nil)
			} else {
				b.Add(slices.Clone(d.Tx(i)))
			}
		}
		return b.Build()
	}
	in.Published, in.PublishedSensitive = emptied(in.Published), emptied(in.PublishedSensitive)
	for c := range in.Columns {
		if !all && r.IntN(3) == 0 {
			continue
		}
		in.Columns[c].Published = slices.Clone(in.Columns[c].Published)
		for i := range n {
			if lines[i] {
				in.Columns[c].Published[i] = ""
			}
		}
	}
}
