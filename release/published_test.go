package release_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/release"
)

func spell(d *dataset.Dataset) (out []string) {
	for i := range d.Len() {
		out = append(out, strings.Join(d.Labels(i), " "))
	}
	return out
}

// Three transactions through a cut, and with a node for each occurrence, one of them suppressed.
func TestGeneralizedIsPublished(t *testing.T) {
	tree := certificateTree(t)
	data, err := tree.Encode(dataset.FromLabels([][]string{{"a", "c"}, {}, {"a", "b", "d"}}))
	if err != nil {
		t.Fatal(err)
	}
	cut, err := hierarchy.NewCut(tree, []int32{4, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		release *release.Generalized
		global  bool
		each    [][2]int32 // item and node of each occurrence
		want    []string
	}{
		"global": {
			release.Global(data, cut), true,
			[][2]int32{{0, 4}, {2, 2}, {0, 4}, {1, 4}, {3, 3}},
			[]string{"c a..b", "", "d a..b"},
		},
		"local": {
			release.Local(tree, data, []int32{4, release.Suppressed, 6, 1, 5}), false,
			[][2]int32{{0, 4}, {2, release.Suppressed}, {0, 6}, {1, 1}, {3, 5}},
			[]string{"a..b", "", "b c..d *"},
		},
	} {
		g := c.release
		var each [][2]int32
		g.Each(func(item, node int32) {
			if at := len(each); g.Node(at) != node {
				t.Errorf("%s: node %d of occurrence %d, and %d", name, node, at, g.Node(at))
			}
			each = append(each, [2]int32{item, node})
		})
		if g.Tree != tree || g.IsGlobal() != c.global || !slices.Equal(each, c.each) {
			t.Errorf("%s: global %v, %v, want %v", name, g.IsGlobal(), each, c.each)
		}
		if got := spell(g.Published()); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The lines of a local release are the lines of the original.
func TestLocalReleasesKeepTheNumbersOfLines(t *testing.T) {
	tree := certificateTree(t)
	b := dataset.NewBuilder(tree.LeafDict())
	b.AddAt([]int32{0}, 3)
	b.AddAt([]int32{1}, 7)
	p := release.Local(tree, b.Build(), []int32{4, 4}).Published()
	if p.Line(0) != 3 || p.Line(1) != 7 {
		t.Errorf("lines %d and %d", p.Line(0), p.Line(1))
	}
}

// A cut may change afterwards; a release made of it does not.
func TestGlobalReleasesKeepTheirMap(t *testing.T) {
	tree := certificateTree(t)
	cut, err := hierarchy.NewCut(tree, []int32{4, 5})
	if err != nil {
		t.Fatal(err)
	}
	data, err := tree.Encode(dataset.FromLabels([][]string{{"a"}}))
	if err != nil {
		t.Fatal(err)
	}
	g := release.Global(data, cut)
	if !slices.Equal(g.Map, cut.Map()) || &g.Map[0] == &cut.Map()[0] {
		t.Errorf("%v", g.Map)
	}
}

func numbers(t *testing.T, lines ...string) *bag.Bags {
	t.Helper()
	var fields [][]string
	for _, l := range lines {
		fields = append(fields, strings.Fields(l))
	}
	b, err := bag.FromFields(bag.Numbers(), fields)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Values 1, 2 and 5, as terms in any order: those in use are kept, ascending and once.
func TestRangesArePublished(t *testing.T) {
	data := numbers(t, "1 5", "2 5 5")
	terms := numbers(t, "[1-2] 5 [1-5] 7").Terms()
	find := func(text string) bag.Term {
		return terms[slices.IndexFunc(terms, func(x bag.Term) bool { return x.String() == text })]
	}
	low, five, wide, unused := find("[1-2]"), find("5"), find("[1-5]"), find("7")
	for name, c := range map[string]struct {
		release *release.Ranges
		global  bool
		terms   string
		want    []string
	}{
		"global": {
			release.GlobalRanges(data, []bag.Term{low, low, five}), true, "[1-2] 5",
			[]string{"[1-2] 5", "[1-2] 5 5"},
		},
		"local": {
			release.LocalRanges(data, []bag.Term{wide, unused, five, low, five},
				[]int32{3, 0, 3, 4, 2}),
			false, "[1-2] [1-5] 5",
			[]string{"[1-2] [1-5]", "[1-2] 5 5"},
		},
	} {
		r := c.release
		var kept []string
		for _, x := range r.Terms {
			kept = append(kept, x.String())
		}
		if global := r.Map != nil; global != c.global || strings.Join(kept, " ") != c.terms {
			t.Errorf("%s: global %v, terms %v, want %s", name, global, kept, c.terms)
		}
		p := r.Published()
		for i, want := range c.want {
			if got := strings.Join(p.Texts(i), " "); got != want {
				t.Errorf("%s: record %d is %s, want %s", name, i, got, want)
			}
		}
	}
}

func TestSuppressionIsPublished(t *testing.T) {
	data := dataset.FromLabels([][]string{{"a", "b", "s"}, {"a", "c"}, {"b"}})
	s := &release.Suppression{Data: data, Items: []int32{0, 2}} // a and c
	if got := spell(s.Published()); !slices.Equal(got, []string{"b s", "", "b"}) {
		t.Errorf("%q", got)
	}
}

// A published record is its possible worlds, by enumeration of all records over three items.
func TestMatchesIsThePossibleWorlds(t *testing.T) {
	dict := dataset.MustDictionary([]string{"a", "b", "c"})
	set := func(bits int) (out []int32) {
		for x := range int32(3) {
			if bits>>x&1 == 1 {
				out = append(out, x)
			}
		}
		return out
	}
	one := func(bits int) *dataset.Dataset {
		b := dataset.NewBuilder(dict)
		b.Add(set(bits))
		return b.Build()
	}
	for n := range 8 * 8 * 4 {
		base, uncertain, threshold := n%8, n/8%8, n/64
		r := &release.Nonreciprocal{
			Base: one(base), Uncertain: one(uncertain), Threshold: []int32{int32(threshold)},
		}
		if r.Len() != 1 || r.Dict() != dict {
			t.Fatalf("%d records over %v", r.Len(), r.Dict())
		}
		for world := range 8 {
			differs := world ^ base
			want := differs&^uncertain == 0 && len(set(differs)) <= threshold
			if r.Matches(0, set(world)) != want {
				t.Fatalf("base %v, uncertain %v, threshold %d: %v matches %v", set(base),
					set(uncertain), threshold, set(world), !want)
			}
		}
	}
}

// Without a dictionary the items are those of the file; with one, new items come behind its own.
func TestDictionariesOfPublishedRecords(t *testing.T) {
	const text = `{"items":["b","a"],"uncertain":["c"],"threshold":1}`
	read := func(dict *dataset.Dictionary) *release.Nonreciprocal {
		r, err := release.ReadNonreciprocal(strings.NewReader(text), dict)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	empty, err := release.ReadNonreciprocal(
		strings.NewReader(`{"items":[],"uncertain":[],"threshold":0}`), nil)
	if err != nil || empty.Dict().Len() != 0 {
		t.Errorf("%v of no items at all", err)
	}
	for name, c := range map[string]struct {
		dict *dataset.Dictionary
		want []string
	}{
		"none":    {nil, []string{"b", "a", "c"}},
		"all":     {dataset.MustDictionary([]string{"a", "b", "c", "d"}), []string{"a", "b", "c", "d"}},
		"one new": {dataset.MustDictionary([]string{"c", "a"}), []string{"c", "a", "b"}},
	} {
		r := read(c.dict)
		if got := r.Dict().Labels(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if name == "all" && r.Dict() != c.dict {
			t.Error("another dictionary, though no item is new")
		}
		tx := r.Base.Tx(0)
		if !slices.IsSorted(tx) || len(tx) != 2 || len(r.Uncertain.Tx(0)) != 1 {
			t.Errorf("%s: %v, %v", name, tx, r.Uncertain.Tx(0))
		}
	}
}

// A disk that is full is told of.
func TestWritersTellOfFaults(t *testing.T) {
	tree, p := program(t)
	full := brokenWriter{errors.New("no space left")}
	r, err := release.ReadNonreciprocal(strings.NewReader(publishedFile), nil)
	if err != nil {
		t.Fatal(err)
	}
	many := &release.Nonreciprocal{}
	lines := make([]int32, 5000)
	many.Base, many.Uncertain = r.Base.Select(lines), r.Uncertain.Select(lines)
	many.Threshold = make([]int32, len(lines))
	for name, write := range map[string]func() error{
		"program":      func() error { return p.WriteOPB(full, tree) },
		"certificate":  func() error { return (&release.Certificate{}).Write(full, tree) },
		"records":      func() error { return r.WriteJSON(full) },
		"many records": func() error { return many.WriteJSON(full) },
	} {
		if err := write(); !errors.Is(err, full.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// What is wrong with a program is said, with its line.
func TestFaultsOfPrograms(t *testing.T) {
	tree, _ := program(t)
	const objective, line = "program: it has no objective", "program, line "
	const place = " stands out of place"
	const before = "the objective stands before the constraints"
	const neither = "the constraint is neither the clause of a rare set that stands before it " +
		"nor of two nodes"
	const set = "a rare set has its support and its labels, and a clause follows it"
	for _, c := range []struct{ from, to, want string }{
		{programText, "", objective},
		{programText, "\n* said\n \n", objective},
		{"x3 \"*\"", "x2 \"*\"", line + `3: variable "x2"` + place},
		{"x3 \"*\"", "x \"*\"", line + `3: variable "x"` + place},
		{"x3 \"*\"", "x3y \"*\"", line + `3: variable "x3y"` + place},
		{"x3 \"*\"", "3 \"*\"", line + `3: variable "3"` + place},
		{"* rare 1 \"a\"", "* node x4 \"a\"\n* rare 1 \"a\"", line + `7: variable "x4"` + place},
		{"x3 \"*\"", "x3", line + "3: variable x3 needs one node"},
		{"x3 \"*\"", "x3 \"*\" \"a\"", line + "3: variable x3 needs one node"},
		{"x3 \"*\"", "x3 *", line + "3: here a quoted label is expected: *"},
		{"x3 \"*\"", "x3 \"?\"", line + `3: the hierarchy has no node "?"`},
		{"rare 1 \"a\"", "rare one \"a\"", line + "7: " + set},
		{"1 x1 1 x2 >= 1 ;\n", "", line + "8: " + set},
		{"rare 1 \"a\"", "rare 1 \"?\"", line + `7: the hierarchy has no node "?"`},
		{"\n1 x2 >= 1 ;\n", "\n", "program: after the last rare set no clause follows"},
		{"min: 10", "min: ten", line + `4: "ten x1" is no factor and variable`},
		{"min: 10 x1", "min: 10", line + "4: here factors and variables are expected, then \" ;\""},
		{"12 x3 ;", "12 x3", line + "4: here factors and variables are expected, then \" ;\""},
		{
			"min: 10 x1", "min: 0 x1",
			line + "4: the objective names variable 1 twice, negated or not positive",
		},
		{
			"2 x2 12", "2 x2 2 x2 12",
			line + "4: the objective names variable 2 twice, negated or not positive",
		},
		{
			"2 x2 12", "2 ~x2 12",
			line + "4: the objective names variable 2 twice, negated or not positive",
		},
		{"min: 10 x1 2 x2 12 x3 ;\n", "min: ;\nmin: ;\n", line + "5: " + before + ", once"},
		{"min: 10 x1 2 x2 12 x3 ;\n", "", line + "4: " + before},
		{"\n1 x2 >= 1", "\n1 x9 >= 1", line + `10: "1 x9" is no factor and variable`},
		{"\n1 x2 >= 1", "\n2 x2 >= 1", line + "10: the factors of a constraint are 1"},
		{"\n1 x2 >= 1", "\n1 x2 >= 2", line + "10: here factors and variables are expected, " +
			"then \">= 1 ;\""},
		{"\n1 x2 >= 1", "\n1 ~x2 >= 1", line + "10: " + neither},
		{"\n1 x2 >= 1", "\n>= 1", line + "10: " + neither},
		{"1 x1 1 ~x3", "1 ~x1 1 x3", line + "5: " + neither},
		{"1 x1 1 ~x3", "1 ~x1 1 ~x3", line + "5: " + neither},
		{"1 x1 1 ~x3", "1 x1 1 x3", line + "5: " + neither},
		{"1 x1 1 ~x3", "1 x1", line + "5: " + neither},
		{"1 x1 1 ~x3", "1 x1 1 ~x3 1 x2", line + "5: " + neither},
		{"1 x1 1 x2 >=", "1 x1 1 ~x2 >=", line + "8: " + neither},
		{"1 x1 1 ~x3", "\v1 x1 1 ~x3", line + "5: it has a control character ('\\v')"},
		{"1 x1 1 ~x3", "1 x1\r1 ~x3", line + "5: it has a control character ('\\r')"},
	} {
		text := strings.Replace(programText, c.from, c.to, 1)
		_, err := release.ReadOPB(strings.NewReader(text), tree)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q for %q: %v, want %s", c.to, c.from, err, c.want)
		}
	}
	broken := brokenReader{errors.New("unplugged")}
	if _, err := release.ReadOPB(broken, tree); !errors.Is(err, broken.err) {
		t.Errorf("%v", err)
	}
	if _, err := release.ReadCertificate(broken, tree); !errors.Is(err, broken.err) {
		t.Errorf("%v", err)
	}
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

// The program in a file says what it is of, what its numbers mean, and that it is secret.
func TestProgramsSayWhatTheyAre(t *testing.T) {
	tree, p := program(t)
	if n := p.Constraints(); n != 4 {
		t.Errorf("%d constraints", n)
	}
	p.Loss[1] = 0
	p.Loss[2] = 1
	var file strings.Builder
	if err := p.WriteOPB(&file, tree); err != nil {
		t.Fatal(err)
	}
	head := "* #variable= 3 #constraint= 4\n" +
		"* SECRET, for the custodian alone: below stand combinations that few have\n" +
		"* least loss of a global recoding with k=3, m=2: a variable is 1 where its\n" +
		"* node, or one above it, is published; the objective is NCP times the leaves\n" +
		"* times all item occurrences\n"
	if diff := cmp.Diff(head, file.String()[:len(head)]); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(file.String(), "min: 10 x1 1 x3 ;\n") {
		t.Errorf("the objective of\n%s", file.String())
	}
	back, err := release.ReadOPB(strings.NewReader(file.String()), tree)
	if err != nil || !slices.Equal(back.Loss, []int64{10, 0, 1}) {
		t.Errorf("read back %+v, %v", back, err)
	}
	if _, loss, ok := p.Lifted(tree, nil); ok || loss != 0 {
		t.Errorf("no cut at all is one, of loss %d", loss)
	}
	if lifted, loss, ok := p.Lifted(tree, []int32{0, 1, 2, 3}); !ok || loss != 0 ||
		slices.Contains(lifted, true) {
		t.Errorf("the cut of the leaves loses %d, %v %v", loss, lifted, ok)
	}
}

// A clause that names nodes of one parent twice is of that parent once.
func TestClausesOfOneParent(t *testing.T) {
	tree := certificateTree(t)
	p := release.NewProgram(tree, []int{1, 1, 1, 1}, &release.Certificate{
		Clauses: []release.Clause{{Nodes: []int32{0, 1, 2}, Support: 1}},
	})
	if got := p.Clauses[0].Vars; !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("%v", got)
	}
}

// What is wrong with a certificate's form is said.
func TestFaultsOfCertificates(t *testing.T) {
	tree := certificateTree(t)
	const format = `{"format":"mingle-certificate/1","scale":1`
	for text, want := range map[string]string{
		`{"format":"","scale":1}`:                     `certificate: the format is "", not "mingle-certificate/1"`,
		`{"format":"mingle-certificate/1","scale":0}`: "certificate: the scale must be at least 1",
		format + `,"nodes":["a"],"clauses":[{"nodes":[-1],"support":1}]}`: "certificate: node -1 is " +
			"not in its list of 1",
		format + `,"nodes":["a"],"clauses":[{"nodes":[1],"support":1}]}`: "certificate: node 1 is " +
			"not in its list of 1",
		format + `,"proof":{"branch":2,"sides":[{},{}]}}`: "certificate: node 2 is not in its " +
			"list of 0",
		format + `,"proof":{"sides":[{},{},{}]}}`: "certificate: a case distinction has two sides",
		format + `,"nodes":["?"]}`:                `certificate: the hierarchy has no node "?"`,
	} {
		_, err := release.ReadCertificate(strings.NewReader(text), tree)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	c, err := release.ReadCertificate(strings.NewReader(format+"}"), tree)
	if err != nil || c.Scale != 1 || c.Proof != nil {
		t.Errorf("%+v, %v", c, err)
	}
	c.Scale, c.Bound = 5, 17
	if c.Loss() != 3 {
		t.Errorf("17 in fifths is at least %d", c.Loss())
	}
	// labels are listed once
	c.Clauses = []release.Clause{
		{Nodes: []int32{0, 2}, Support: 1}, {Nodes: []int32{2, 0}, Support: 1},
	}
	var file strings.Builder
	if err := c.Write(&file, tree); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(file.String(), `"nodes":["a","c"],`) {
		t.Error(file.String())
	}
	// a step without a case distinction has no sides
	c.Proof = &release.Proof{Threshold: 1}
	if err := c.Write(&file, tree); err != nil || strings.Contains(file.String(), "sides") {
		t.Errorf("%v, %s", err, file.String())
	}
}

// Faults of published records that the others do not show.
func TestFaultsOfPublishedRecords(t *testing.T) {
	const fine = `{"items":["a"],"uncertain":[],"threshold":0}`
	for text, want := range map[string]string{
		`{"items":["a"],"uncertain":[],"threshold":"x"}`: `line 1: field "threshold": json: ` +
			"cannot unmarshal string into Go value of type int32",
		`{"items":["a"],"threshold":0}`: "line 1: must have items, uncertain and threshold",
		`{"items":["a"],"uncertain":["","c","c"],"threshold":0}`: "line 1: uncertain has an " +
			"item without a name",
		`{"items":["a"],"uncertain":["b","b","c","c"],"threshold":0}`: "line 1: uncertain names " +
			`"b" twice`,
		fine + "\n" + `{"items":["a"],"uncertain":[],"threshold":0,"label":"x"}` + "\n" + fine: //
		"line 2: either all lines have a label or none\nline 3: either all lines have a label or " +
			"none",
		`{"items":["a","b"],"uncertain":["b","a","b"],"threshold":0}`: "line 1: uncertain names " +
			`"b" twice`,
		fine + "\n" + `{"items":["a"],"uncertain":[],"threshold":0,"own":1}`: "line 2: field " +
			`"own" is not known: a line is {"items":[...],"uncertain":[...],"threshold":n}`,
	} {
		_, err := release.ReadNonreciprocal(strings.NewReader(text), nil)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Items are written in their natural order, whatever that of the dictionary.
func TestRecordsAreWrittenInNaturalOrder(t *testing.T) {
	dict := dataset.MustDictionary([]string{"i10", "i9"})
	b := dataset.NewBuilder(dict)
	b.Add([]int32{0, 1})
	r := &release.Nonreciprocal{Base: b.Build(), Uncertain: b.Build(), Threshold: []int32{1}}
	var file strings.Builder
	if err := r.WriteJSON(&file); err != nil {
		t.Fatal(err)
	}
	want := `{"items":["i9","i10"],"uncertain":["i9","i10"],"threshold":1}` + "\n"
	if file.String() != want {
		t.Errorf("%s, want %s", file.String(), want)
	}
}
