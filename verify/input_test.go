package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

// Every fault of what is given to be judged is told, and nothing is judged.
func TestFaultsOfInput(t *testing.T) {
	tree := figure1(t)
	two := encode(t, tree, lines("a1", "a1"))
	three := encode(t, tree, lines("a1", "a1", "a1"))
	published := publish(t, tree, lines("A", "A"))
	sensitive := dataset.FromLabels(lines("s", ""))
	const columns = "verify: the values of column \"c\" are not of the lines of the data"
	const otherSensitive = "verify: the original sensitive items are not of the same lines as " +
		"the original data"
	for name, c := range map[string]struct {
		change func(in *KMInput)
		want   string // "": none
	}{
		"nothing": {
			func(in *KMInput) { *in = KMInput{Promise: in.Promise} },
			"verify: no hierarchy is given\nverify: no published data is given",
		},
		"no hierarchy": {func(in *KMInput) { in.Tree = nil }, "verify: no hierarchy is given"},
		"no release": {
			func(in *KMInput) { in.Published = nil }, "verify: no published data is given",
		},
		"promise": {func(in *KMInput) { in.Promise.K = 1 }, "k (1) must be at least 2"},
		"nodes": {
			func(in *KMInput) { in.Published = two },
			"verify: the published data is not bound to the nodes of the hierarchy: " +
				"call Tree.EncodePublished",
		},
		"leaves": {
			func(in *KMInput) { in.Original = published },
			"verify: the original: the data is not bound to the leaves of the hierarchy: " +
				"call Tree.Encode",
		},
		"nodes of another hierarchy of the same size": {
			func(in *KMInput) { in.Published = relabelled(published) },
			"verify: the published data is not bound to the nodes of the hierarchy: " +
				"call Tree.EncodePublished",
		},
		"leaves in another order": {
			func(in *KMInput) { in.Original = relabelled(two) },
			"verify: the original: the data is not bound to the leaves of the hierarchy: " +
				"call Tree.Encode",
		},
		"the same leaves and nodes, read from elsewhere": {
			func(in *KMInput) { in.Original, in.Published = copied(two), copied(published) }, "",
		},
		"sensitive": {
			func(in *KMInput) {
				in.Promise.L, in.PublishedSensitive = 2, dataset.FromLabels(lines("s"))
			},
			"verify: the published sensitive items are not of the same lines as the published data",
		},
		"original sensitive": {
			func(in *KMInput) {
				in.Promise.L, in.PublishedSensitive = 2, sensitive
				in.OriginalSensitive = dataset.FromLabels(lines("s"))
			}, otherSensitive,
		},
		"sensitive without original": {
			func(in *KMInput) {
				in.Promise.L, in.Original, in.OriginalSensitive = 2, nil, sensitive
			}, otherSensitive,
		},
		"no sensitive": {
			func(in *KMInput) { in.Promise.L = 2 },
			"verify: l-diversity cannot be checked without the sensitive items",
		},
		"sensitive of the release": {
			func(in *KMInput) { in.Promise.L, in.PublishedSensitive = 2, sensitive }, "",
		},
		"sensitive of the original": {
			func(in *KMInput) { in.Promise.L, in.OriginalSensitive = 2, sensitive }, "",
		},
		"suppressed": {
			func(in *KMInput) { in.MaySuppress, in.Promise.Knows = true, privacy.OfAlgorithm },
			"verify: a promise against the adversary \"algorithm\" cannot be checked where " +
				"items may be missing: any line could have any item",
		},
		"suppressed, and sensitive items known": {
			func(in *KMInput) {
				in.Promise.L, in.OriginalSensitive, in.PublishedSensitive = 2, sensitive, sensitive
				in.MaySuppress, in.Promise.SensitiveKnown = true, true
			},
			"verify: known sensitive items cannot be checked where items or lines may be missing: " +
				"who knows both looks for the person among the lines that lost their items",
		},
		"column missing": {
			func(in *KMInput) {
				in.Promise.L, in.Promise.Columns, in.Promise.ColumnsOnly = 2, []string{"c"}, true
			},
			"verify: 0 sensitive columns are given, and the promise has 1",
		},
		"column too many": {
			func(in *KMInput) { in.Columns = []SensitiveColumn{{}} },
			"verify: 1 sensitive columns are given, and the promise has 0",
		},
		"another column": {
			func(in *KMInput) { *in = withColumn(*in, "d", 2, 2) },
			`verify: sensitive column "d" is given in place of "c"`,
		},
		"values of other lines": {func(in *KMInput) { *in = withColumn(*in, "c", 1, 2) }, columns},
		"values of other originals": {
			func(in *KMInput) { *in = withColumn(*in, "c", 2, 3) }, columns,
		},
		"values of no original": {
			func(in *KMInput) { *in = withColumn(*in, "c", 2, 2); in.Original = nil }, columns,
		},
		"values of the release": {func(in *KMInput) { *in = withColumn(*in, "c", 2, -1) }, ""},
		"values of both":        {func(in *KMInput) { *in = withColumn(*in, "c", 2, 2) }, ""},
		"persons": {
			func(in *KMInput) { in.Promise.Persons, in.Persons = true, []int32{0} },
			"verify: the persons of 1 lines are given, and the original has 2",
		},
		"persons below nobody": {
			func(in *KMInput) { in.Promise.Persons, in.Persons = true, []int32{-2, 0} },
			"verify: the person of line 1 has the number -2: persons are numbered from 0",
		},
		"persons that are fine": {
			func(in *KMInput) { in.Promise.Persons, in.Persons = true, []int32{1, nobody} }, "",
		},
		"persons that are not asked for": {func(in *KMInput) { in.Persons = []int32{7} }, ""},
		"persons of more lines": {
			func(in *KMInput) {
				in.Promise.Persons, in.MaySuppress = true, true
				in.Original, in.Persons = three, []int32{0, 1, 2}
			},
			"verify: lines of the original are missing from the published file: it is not known " +
				"whose the others are",
		},
	} {
		in := KMInput{
			Tree: tree, Published: published, Original: two, Promise: privacy.KM{K: 2, M: 1},
		}
		c.change(&in)
		f, err := KM(t.Context(), in)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != c.want || (f == nil) != (err != nil) {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

// relabelled is the same ids under the same labels in another order.
func relabelled(d *dataset.Dataset) *dataset.Dataset {
	labels := slices.Clone(d.Dict().Labels())
	slices.Reverse(labels)
	return withLabels(d, labels)
}

// copied is the same data over a dictionary of its own.
func copied(d *dataset.Dataset) *dataset.Dataset {
	return withLabels(d, slices.Clone(d.Dict().Labels()))
}

func withLabels(d *dataset.Dataset, labels []string) *dataset.Dataset {
	same := make([]int32, len(labels))
	for id := range same {
		same[id] = int32(id)
	}
	return d.Recode(dataset.MustDictionary(labels), same)
}

func TestContinuousNeedsBags(t *testing.T) {
	if _, err := Continuous(t.Context(), ContinuousInput{}); err == nil {
		t.Error("no bags were judged")
	}
}

// The parts of a release of base sets must be of the same records and items.
func TestPartsOfBaseSets(t *testing.T) {
	data := dataset.FromLabels(lines("a b", "a b"))
	for name, r := range map[string]*release.Nonreciprocal{
		"empty":       {},
		"other items": {Base: data, Uncertain: relabelled(data), Threshold: make([]int32, 2)},
		"fewer":       {Base: data, Uncertain: data, Threshold: make([]int32, 1)},
	} {
		if _, err := Nonreciprocal(t.Context(), NonreciprocalInput{
			Original: data, Published: r, Promise: privacy.Nonreciprocal{K: 2},
		}); err == nil {
			t.Errorf("%s: it was judged", name)
		}
	}
}

// withColumn adds a sensitive column with so many values, distinct ones; -1: no originals.
func withColumn(in KMInput, name string, published, original int) KMInput {
	values := strings.Split("u v w", " ")
	c := SensitiveColumn{Name: name, Published: values[:published]}
	if original >= 0 {
		c.Original = values[:original]
	}
	in.Promise.L, in.Promise.Columns, in.Promise.ColumnsOnly = 2, []string{"c"}, true
	in.Columns = []SensitiveColumn{c}
	return in
}

// The same of the other families.
func TestFaultsOfInputOfOthers(t *testing.T) {
	p := privacy.Coherence{H: 0.5, K: 2, P: 1}
	if f, err := Coherence(t.Context(), CoherenceInput{Promise: p}); f != nil || err == nil ||
		err.Error() != "verify: no published data is given" {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := Coherence(t.Context(), CoherenceInput{
		Published: dataset.FromLabels(nil), Promise: privacy.Coherence{},
	}); f != nil || err == nil {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := Continuous(t.Context(), ContinuousInput{}); f != nil || err == nil {
		t.Errorf("%v, %v", f, err)
	}
	d, other := dataset.FromLabels(lines("a", "b")), dataset.FromLabels(lines("c", "b"))
	more := dataset.FromLabels(lines("a b c", "b"))
	of := func(d *dataset.Dataset, labels []string) *release.Nonreciprocal {
		return &release.Nonreciprocal{
			Base: d, Uncertain: d, Threshold: make([]int32, d.Len()), Labels: labels,
		}
	}
	k, l := privacy.Nonreciprocal{K: 2}, privacy.Nonreciprocal{L: 2}
	const notRead = "the published file was not read with the dictionary of the original"
	const both = "matching needs both the original and the published file"
	for name, c := range map[string]struct {
		in   NonreciprocalInput
		want string
	}{
		"nothing":     {NonreciprocalInput{Promise: k}, both},
		"no original": {NonreciprocalInput{Promise: k, Published: of(d, nil)}, both},
		"no release":  {NonreciprocalInput{Promise: k, Original: d}, both},
		"promise":     {NonreciprocalInput{}, "one of k and l must be given"},
		"other items": {NonreciprocalInput{Promise: k, Original: d, Published: of(other, nil)}, notRead},
		"fewer items": {NonreciprocalInput{Promise: k, Original: more, Published: of(d, nil)}, notRead},
		"more items":  {NonreciprocalInput{Promise: k, Original: d, Published: of(more, nil)}, ""},
		"labels": {
			NonreciprocalInput{Promise: k, Original: d, Published: of(d, nil), Labels: []string{"x"}},
			"1 labels for 2 original records",
		},
		"no labels": {
			NonreciprocalInput{Promise: l, Original: d, Published: of(d, nil)},
			"l-diversity needs labels in the published file, and there are none",
		},
		"labels of the release": {
			NonreciprocalInput{Promise: l, Original: d, Published: of(d, []string{"x", "y"})}, "",
		},
	} {
		f, err := Nonreciprocal(t.Context(), c.in)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != c.want || (f == nil) != (err != nil) {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
		note := "The labels were not compared with those of the original, which were not given."
		if name == "labels of the release" && !slices.Contains(f.Notes, note) {
			t.Errorf("%q", f.Notes)
		}
	}
}

// What is too much to be decided is refused, with what to do.
func TestTooManySetsForAnyAlgorithm(t *testing.T) {
	for _, c := range []struct {
		n, m int
		want float64
	}{{5, 1, 5}, {5, 2, 15}, {5, 5, 32}, {3, 7, 8}, {60, 3, 60 + 1770 + 34220}} {
		if got := combinations(c.n, c.m); got != c.want {
			t.Errorf("%v sets of up to %d of %d, not %v", got, c.m, c.n, c.want)
		}
	}
	b := hierarchy.NewBuilder()
	for i := range 3000 {
		if err := b.Edge(fmt.Sprint("i", i), "*", 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// each item is in three lines, so that it is about sets of them
	every := strings.Join(tree.LeafDict().Labels(), " ")
	in := KMInput{
		Tree: tree, Published: publish(t, tree, lines("*", "*", every)),
		Promise: privacy.KM{K: 3, M: 4, Knows: privacy.OfAlgorithm},
	}
	f, err := KM(t.Context(), in)
	if f != nil || err == nil || err.Error() != "the adversary with the algorithm in mind "+
		"cannot be checked: lines of classes of fewer than k=3 may have more than 1.3e+08 items "+
		"or 1e+11 sets of up to 4; use a smaller m" {
		t.Errorf("%v, %v", f, err)
	}
}

// Where anything is sensitive, lines may be missing or persons are counted, the stronger condition
// is not defined: a release that breaks condition (c) does not pass by it.
func TestTheStrongerConditionIsNotDefined(t *testing.T) {
	tree := leafTree(t, []string{"a1", "A", "*"}, []string{"a2", "A", "*"},
		[]string{"b1", "B", "*"}, []string{"b2", "B", "*"})
	in := KMInput{
		Tree: tree, Promise: privacy.KM{K: 2, M: 1},
		Original:  encode(t, tree, lines("a1 a2 b1", "a1 a2 b1", "a1 b2", "a2 b2")),
		Published: publish(t, tree, lines("a1 * b1", "a1 * b1", "*", "*")),
	}
	if f := check(t, in); !f.Holds {
		t.Fatalf("by itself: %+v", f)
	}
	none := dataset.FromLabels(lines("", "", "", ""))
	for name, change := range map[string]func(in *KMInput){
		"sensitive":          func(in *KMInput) { in.PublishedSensitive = none },
		"original sensitive": func(in *KMInput) { in.OriginalSensitive = none },
		"suppressed":         func(in *KMInput) { in.MaySuppress = true },
		"persons": func(in *KMInput) {
			in.Promise.Persons, in.Persons = true, []int32{0, 1, 2, 3}
		},
		"columns": func(in *KMInput) {
			in.Promise.L, in.Promise.Columns, in.Promise.ColumnsOnly = 2, []string{"c"}, true
			in.Columns = []SensitiveColumn{{Name: "c", Published: []string{"u", "v", "u", "v"}}}
		},
	} {
		in := in
		change(&in)
		if f := check(t, in); f.Holds || f.Breaches[0].Kind != KindCompatible {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
