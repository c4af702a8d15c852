package verify

import (
	"fmt"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// row is a line of a release with what is published beside it.
type row struct {
	nodes  []int32
	hidden []int32 // sensitive items
	value  string  // of a sensitive column
}

// eachEdit calls do with every release that one edit makes of another: a node or a sensitive item
// dropped, added or exchanged for any other (for those above and below it too), a line dropped,
// duplicated, emptied or added empty, two lines exchanged, a value changed.
func eachEdit(t *hierarchy.Tree, rows []row, hidden int, do func(what string, edited []row)) {
	with := func(what string, i int, r row) {
		edited := slices.Clone(rows)
		edited[i] = r
		do(fmt.Sprintf("line %d: %s", i+1, what), edited)
	}
	for i, r := range rows {
		eachChange(r.nodes, int32(t.Nodes()), func(what string, nodes []int32) {
			with(what, i, row{nodes, r.hidden, r.value})
		})
		eachChange(r.hidden, int32(hidden), func(what string, items []int32) {
			with("sensitive item "+what, i, row{r.nodes, items, r.value})
		})
		for _, v := range []string{"", "v", "w"} {
			if hidden > 0 && v != r.value {
				with(fmt.Sprintf("value %q", v), i, row{r.nodes, r.hidden, v})
			}
		}
		with("emptied", i, row{nil, r.hidden, r.value})
		with("withheld", i, row{})
	}
	eachLineEdit(rows, do)
}

// eachLineEdit are the edits of whole lines.
func eachLineEdit(rows []row, do func(what string, edited []row)) {
	for i, r := range rows {
		do(fmt.Sprintf("line %d dropped", i+1), slices.Delete(slices.Clone(rows), i, i+1))
		for at := range len(rows) + 1 {
			do(fmt.Sprintf("line %d again at %d", i+1, at+1),
				slices.Insert(slices.Clone(rows), at, r))
		}
		for j := range i {
			edited := slices.Clone(rows)
			edited[i], edited[j] = edited[j], edited[i]
			do(fmt.Sprintf("lines %d and %d exchanged", j+1, i+1), edited)
		}
	}
	do("an empty line at the end", append(slices.Clone(rows), row{}))
}

// eachChange calls do with every set that has one element less, more or another than a set.
func eachChange(set []int32, of int32, do func(what string, changed []int32)) {
	for at := range set {
		do(fmt.Sprintf("%d dropped", set[at]), slices.Delete(slices.Clone(set), at, at+1))
	}
	for u := range of {
		if slices.Contains(set, u) {
			continue
		}
		do(fmt.Sprintf("%d added", u), append(slices.Clone(set), u))
		for at := range set {
			changed := slices.Clone(set)
			changed[at] = u
			do(fmt.Sprintf("%d for %d", u, set[at]), changed)
		}
	}
}

// released puts rows into an input.
func released(in KMInput, rows []row) KMInput {
	nodes := dataset.NewBuilder(in.Tree.Dict())
	hidden := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t"}))
	column := SensitiveColumn{Name: "c"}
	for i, r := range rows {
		nodes.Add(slices.Clone(r.nodes))
		hidden.Add(slices.Clone(r.hidden))
		column.Published = append(column.Published, rows[i].value)
	}
	in.Published = nodes.Build()
	if in.Promise.HasSensitiveItems() {
		in.PublishedSensitive = hidden.Build()
	}
	if len(in.Promise.Columns) > 0 {
		in.Columns = []SensitiveColumn{column}
	}
	return in
}

// kept is the verdict of the definitions, by enumeration.
func kept(in KMInput) bool {
	t := twin{in}
	if in.Original != nil && in.Published.Len() != in.Original.Len() && !in.MaySuppress {
		return false
	}
	switch p := in.Promise; {
	case p.Persons:
		return (personTwin{t}).holds()
	case p.SensitiveKnown || len(p.Columns) > 0:
		return (sensitiveTwin{t}).keeps()
	case p.AgainstAlgorithm():
		return t.holds() && t.stronger()
	}
	return t.holds()
}

// promises are one of each kind, and what else there is of a release that makes a difference.
var promises = []struct {
	name     string
	promise  privacy.KM
	suppress bool // items and lines may be missing
	alone    bool // judged without the original
}{
	{"2^1", privacy.KM{K: 2, M: 1}, false, false},
	{"2^2", privacy.KM{K: 2, M: 2}, false, false},
	{"3^2", privacy.KM{K: 3, M: 2}, false, false},
	{"2^3 alone", privacy.KM{K: 2, M: 3}, false, true},
	{"2^2 suppressed", privacy.KM{K: 2, M: 2}, true, false},
	{"2^2 suppressed alone", privacy.KM{K: 2, M: 2}, true, true},
	{"diverse", privacy.KM{K: 2, M: 2, L: 2}, false, false},
	{"diverse alone", privacy.KM{K: 2, M: 1, L: 2}, false, true},
	{"negative", privacy.KM{K: 2, M: 2, NegativeKnowledge: true}, false, false},
	{"negative diverse", privacy.KM{K: 2, M: 2, L: 2, NegativeKnowledge: true}, false, false},
	{"algorithm", privacy.KM{K: 2, M: 2, Knows: privacy.OfAlgorithm}, false, false},
	{"persons", privacy.KM{K: 2, M: 2, Persons: true}, false, false},
	{"persons diverse", privacy.KM{K: 2, M: 1, L: 2, Persons: true}, false, false},
	{"persons share", privacy.KM{K: 2, M: 2, Persons: true, PersonShare: 2}, false, false},
	{
		"persons column", privacy.KM{
			K: 2, M: 1, L: 2, Persons: true, Columns: []string{"c"}, ColumnsOnly: true,
		}, false, false,
	},
	{"known", privacy.KM{K: 2, M: 2, L: 2, SensitiveKnown: true}, false, false},
	{"known alone", privacy.KM{K: 2, M: 3, L: 2, SensitiveKnown: true}, false, true},
	{
		"column",
		privacy.KM{K: 2, M: 2, L: 2, Columns: []string{"c"}, ColumnsOnly: true},
		false, false,
	},
	{
		"column and items", privacy.KM{
			K: 2, M: 2, L: 2, Columns: []string{"c"}, SensitiveKnown: true, NullIsValue: true,
		}, false, false,
	},
	{"diverse suppressed", privacy.KM{K: 2, M: 2, L: 2}, true, false},
	{
		"column suppressed",
		privacy.KM{K: 2, M: 2, L: 2, Columns: []string{"c"}, ColumnsOnly: true},
		true, false,
	},
	{
		"column and items suppressed",
		privacy.KM{K: 2, M: 1, L: 2, Columns: []string{"c"}},
		true, false,
	},
	{
		"column with null suppressed", privacy.KM{
			K: 2, M: 2, L: 2, Columns: []string{"c"}, ColumnsOnly: true, NullIsValue: true,
		}, true, false,
	},
}

// worlds are all originals of three sets of the leaves of figure1, each set once, twice or three
// times. What stands beside a line is chosen by its place and the number of the world.
func worlds() (out [][]row) {
	for a := range 16 {
		for b := range a + 1 {
			for c := range b + 1 {
				for _, times := range [][]int{{2, 2, 2}, {3, 1, 2}} {
					out = append(out, lined([]int{a, b, c}, times, len(out)))
				}
			}
		}
	}
	return out
}

func lined(sets, times []int, world int) (lines []row) {
	for i, set := range sets {
		for range times[i] {
			at := len(lines)
			r := row{nodes: itemsOf(set), value: []string{"v", "w", "x", ""}[(at+world)%4]}
			if (at+world)%3 == 0 {
				r.hidden = []int32{int32((world + world%2*at/3) / 2 % 2)}
			}
			lines = append(lines, r)
		}
	}
	return lines
}

// recodings are all cuts of figure1, and two ways of publishing an item as another node in every
// other line.
var recodings = []func(i int, x int32) int32{
	func(_ int, x int32) int32 { return x },
	func(_ int, x int32) int32 { return []int32{4, 4, 2, 3}[x] },
	func(_ int, x int32) int32 { return []int32{0, 1, 5, 5}[x] },
	func(_ int, x int32) int32 { return 4 + x/2 },
	func(int, int32) int32 { return 6 },
	func(i int, x int32) int32 { return []int32{4 + x/2, 6}[i%2] },
	func(i int, x int32) int32 { return []int32{4 + x/2, x}[i/2%2] },
}

func through(lines []row, to func(i int, x int32) int32) (out []row) {
	for i, r := range lines {
		var nodes []int32
		for _, x := range r.nodes {
			nodes = append(nodes, to(i, x))
		}
		slices.Sort(nodes)
		out = append(out, row{slices.Compact(nodes), r.hidden, r.value})
	}
	return out
}

// Every single edit of a release gets the verdict of the definitions: of all originals of three
// sets over four items, through each recoding, for each kind of promise.
func TestEveryEditSoak(t *testing.T) {
	tree := figure1(t)
	all := worlds()
	verdicts := map[string][2]int{} // kind of promise -> kept, broken
	count := len(all) * len(recodings) * len(promises)
	// all of it takes more than an hour: eleven soaks with MINGLE_SOAK=1 to 11 make it
	stride := soak.Share(count/short(300, 60), 11)
	for n := soak.Turn() % stride; n < count; n += stride {
		kind := promises[n%len(promises)]
		lines := all[n/len(promises)%len(all)]
		recoding := recodings[n/len(promises)/len(all)]
		in := worldOf(tree, lines, kind.promise)
		in.MaySuppress = kind.suppress
		rows := through(lines, recoding)
		one := func(what string, edited []row) {
			in := released(in, edited)
			if kind.alone {
				in.Original, in.OriginalSensitive = nil, nil
			} else if len(in.Columns) > 0 {
				in.Columns[0].Original = valuesOf(lines)
			}
			f := check(t, in)
			if f.Holds != kept(in) {
				t.Fatalf("%s: %s: holds %v, want %v\noriginal %v\npublished %v %v %v\n%+v",
					kind.name, what, f.Holds, !f.Holds, spellAll(in.Original),
					spellAll(in.Published), spellAll(in.PublishedSensitive), in.Columns, f)
			}
			v := verdicts[kind.name]
			if f.Holds {
				v[0]++
			} else {
				v[1]++
			}
			verdicts[kind.name] = v
		}
		one("as it was", rows)
		hidden := 0
		if kind.promise.L > 0 {
			hidden = 2
		}
		eachEdit(tree, rows, hidden, one)
	}
	total := 0
	for name, v := range verdicts {
		total += v[0] + v[1]
		t.Logf("%s: %d kept, %d broken", name, v[0], v[1])
		if !testing.Short() && (v[0] == 0 || v[1] == 0) {
			t.Errorf("%s: %d kept, %d broken: one-sided", name, v[0], v[1])
		}
	}
	t.Logf("%d edited releases", total)
}

// worldOf is an original with what is beside its lines, of four persons and of nobody.
func worldOf(tree *hierarchy.Tree, lines []row, p privacy.KM) KMInput {
	items := dataset.NewBuilder(tree.LeafDict())
	in := KMInput{Tree: tree, Promise: p, Workers: 1}
	for i, r := range lines {
		items.Add(slices.Clone(r.nodes))
		if p.Persons {
			in.Persons = append(in.Persons, []int32{0, 1, 2, 3, 1, nobody}[i])
		}
	}
	in.Original = items.Build()
	if p.HasSensitiveItems() {
		in.OriginalSensitive = released(in, lines).PublishedSensitive
	}
	return in
}

func valuesOf(lines []row) (out []string) {
	for _, r := range lines {
		out = append(out, r.value)
	}
	return out
}
