package cluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/cluster/fake"
	"mingle/cluster/judge"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/verify"
)

// recoded is some lines and what they are published as: few different ones, each some times.
type recoded struct {
	tree      *hierarchy.Tree
	original  [][]int32
	published [][]int32
	sensitive [][]int32 // of the same lines; nil: there are none
}

// levels is a hierarchy of three levels above up to ten items, as a file, and as it is read.
func levels(t *testing.T, rng *rand.Rand) ([]byte, *hierarchy.Tree) {
	t.Helper()
	var text bytes.Buffer
	wide := 1 + rng.IntN(4)
	for i := range 2 + rng.IntN(9) {
		fmt.Fprintf(&text, "%c;A%d;B%d;*\n", 'a'+i, i/wide, i/wide/2)
	}
	tree, err := split.Layout{Format: dataset.Fimi, Hierarchy: text.Bytes()}.Tree()
	if err != nil {
		t.Fatal(err)
	}
	return text.Bytes(), tree
}

// line is some items, each published at a node that all of a child are at or none: what a step of
// local would do; or, now and then, at any node above it.
func (r *recoded) line(rng *rand.Rand) (original, published []int32) {
	at := map[int32]int32{}
	for range rng.IntN(5) {
		at[rng.Int32N(int32(r.tree.Leaves()))] = r.tree.Root()
	}
	free := rng.IntN(12) == 0
	chance := rng.IntN(4) + 1
	for u := r.tree.Root(); u >= 0; u-- { // parents before children
		if int(u) == r.tree.Nodes() || r.tree.IsLeaf(u) {
			continue
		}
		for _, c := range r.tree.Children(u) {
			down := rng.IntN(4) < chance
			for x := range at {
				if at[x] == u && r.tree.Covers(c, x) && (down || free && rng.IntN(2) == 0) {
					at[x] = c
				}
			}
		}
	}
	for x, u := range at {
		original, published = append(original, x), append(published, u)
	}
	return set(original), set(published)
}

func set(nodes []int32) []int32 {
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// other is another original of the same published line, child-closed, if it finds one, or else the
// given one.
func (r *recoded) other(rng *rand.Rand, original, published []int32) []int32 {
	for range 20 {
		var items []int32
		for _, u := range published {
			lo, hi := r.tree.Range(u)
			for range 1 + rng.IntN(2) {
				items = append(items, lo+rng.Int32N(hi-lo))
			}
		}
		items = set(items)
		used := map[int32]bool{}
		good := true
		for _, x := range items {
			u := x
			for !slices.Contains(published, u) {
				u = r.tree.Parent(u)
			}
			used[u] = true
			good = good && !slices.ContainsFunc(published, func(v int32) bool {
				return v != u && r.tree.Covers(u, v) && r.tree.Covers(childTo(r.tree, u, x), v)
			})
		}
		if good && len(used) == len(published) {
			return items
		}
	}
	return original
}

// childTo is the child of u that leads to x.
func childTo(t *hierarchy.Tree, u, x int32) int32 {
	for x != u && t.Parent(x) != u {
		x = t.Parent(x)
	}
	return x
}

// add adds a published line some times, with originals that it may have.
func (r *recoded) add(rng *rand.Rand, original, published []int32, times int) {
	for range times {
		if o := r.other(rng, original, published); o != nil {
			r.original, r.published = append(r.original, o), append(r.published, published)
		}
	}
}

// randomRecoded is lines most of which are there k times or more, and some of them once or twice
// more with a label above besides: so condition (a) often holds, and not always (c).
func randomRecoded(rng *rand.Rand, tree *hierarchy.Tree, k int) *recoded {
	r := &recoded{tree: tree}
	for range 1 + rng.IntN(4) {
		original, published := r.line(rng)
		r.add(rng, original, published, max(1, k-1+rng.IntN(4)-rng.IntN(2)))
		if len(published) > 0 && rng.IntN(2) == 0 {
			more, up := slices.Clone(published), published[rng.IntN(len(published))]
			for rng.IntN(3) > 0 && tree.Parent(up) >= 0 {
				up = tree.Parent(up)
			}
			r.add(rng, nil, set(append(more, up)), 1+rng.IntN(2))
			if rng.IntN(2) == 0 {
				r.add(rng, nil, []int32{up}, rng.IntN(k+1))
			}
		}
	}
	if n := len(r.original); n > 0 && rng.IntN(10) == 0 { // something is wrong
		i, j := rng.IntN(n), rng.IntN(n)
		switch rng.IntN(3) {
		case 0:
			r.original[i], r.original[j] = r.original[j], r.original[i]
		case 1:
			r.original[i] = set(append(slices.Clone(r.original[i]),
				rng.Int32N(int32(tree.Leaves()))))
		default:
			r.published[i] = set(append(slices.Clone(r.published[i]),
				rng.Int32N(int32(tree.Nodes()))))
		}
	}
	return r
}

// shown is some lines without originals: labels on all levels, and some with a label above besides.
func shown(rng *rand.Rand, tree *hierarchy.Tree, k int) *recoded {
	r := &recoded{tree: tree}
	for range 1 + rng.IntN(4) {
		var line []int32
		for range 1 + rng.IntN(3) {
			line = append(line, rng.Int32N(int32(tree.Nodes())))
		}
		for range k + rng.IntN(2) {
			r.published = append(r.published, set(line))
		}
		if rng.IntN(2) == 0 {
			r.published = append(r.published, set(append(slices.Clone(line), tree.Root())))
		}
		if rng.IntN(2) == 0 {
			r.published = append(r.published, []int32{tree.Root()})
		}
	}
	return r
}

// hide gives some lines sensitive items: of those that are published alike not more than 1/l have
// one, or some have one too many, which lines with some of the labels may make up for.
func (r *recoded) hide(rng *rand.Rand, l int) {
	lines, own := map[string]int{}, map[string]int{}
	for _, p := range r.published {
		lines[fmt.Sprint(p)]++
	}
	for _, p := range r.published {
		var s []int32
		for x := range int32(2) {
			class := fmt.Sprint(p)
			key := fmt.Sprint(class, x)
			if _, is := own[key]; !is {
				own[key] = lines[class]/l + (5-rng.IntN(6))/5 - rng.IntN(2)
			}
			if rng.IntN(4) > 0 && own[key] > 0 {
				own[key]--
				s = append(s, x)
			}
		}
		r.sensitive = append(r.sensitive, s)
	}
}

// uneven is a set of at most m items, if there is any, that leaves lines more than 1/l of which
// have a sensitive item, by the definition: plainly, if an original line has the set or none is
// given, or child by child.
func (r *recoded) uneven(p privacy.KM, originals [][]int32) []int32 {
	var found, items []int32
	var rec func(from int32)
	rec = func(from int32) {
		if len(items) > 0 {
			had := originals == nil || slices.ContainsFunc(originals, func(o []int32) bool {
				return !slices.ContainsFunc(items, func(x int32) bool {
					return !slices.Contains(o, x)
				})
			})
			if had && r.leaves(items, p.L, r.matches) || r.leaves(items, p.L, r.compatible) {
				found = slices.Clone(items)
			}
		}
		for x := from; found == nil && len(items) < p.M && int(x) < r.tree.Leaves(); x++ {
			items = append(items, x)
			rec(x + 1)
			items = items[:len(items)-1]
		}
	}
	rec(0)
	return found
}

// leaves tells whether more than 1/l of the lines that may have some items have a sensitive one.
func (r *recoded) leaves(items []int32, l int, may func(line []int32, x int32) bool) bool {
	n, own := 0, [2]int{}
	for i, line := range r.published {
		if slices.ContainsFunc(items, func(x int32) bool { return !may(line, x) }) {
			continue
		}
		n++
		for _, x := range r.sensitive[i] {
			own[x]++
		}
	}
	return own[0]*l > n || own[1]*l > n
}

// matches tells whether a line has an item, or a label above it.
func (r *recoded) matches(line []int32, x int32) bool {
	return slices.ContainsFunc(line, func(u int32) bool { return r.tree.Covers(u, x) })
}

// compatible tells whether an item is compatible with a line.
func (r *recoded) compatible(line []int32, x int32) bool {
	return slices.ContainsFunc(line, func(u int32) bool {
		return u == x || r.tree.Covers(u, x) && !slices.ContainsFunc(line, func(v int32) bool {
			return r.tree.Covers(childTo(r.tree, u, x), v)
		})
	})
}

// layered is lines with a label, with one above it, and with both, which make up for the sensitive
// items of the others twice; and lines that make up for the sensitive items of all.
func layered(rng *rand.Rand, tree *hierarchy.Tree, p privacy.KM) *recoded {
	r := &recoded{tree: tree}
	low := rng.Int32N(int32(tree.Nodes()) - 1)
	up := tree.Parent(low)
	for rng.IntN(2) == 0 && tree.Parent(up) >= 0 {
		up = tree.Parent(up)
	}
	n := p.K + rng.IntN(3)
	r.add(rng, nil, []int32{low, up}, n)
	both := len(r.published)
	for _, u := range []int32{low, up} {
		r.add(rng, nil, []int32{u}, n/(p.L-1)+rng.IntN(3))
	}
	if rng.IntN(3) == 0 {
		original, published := r.line(rng)
		r.add(rng, original, published, p.K+rng.IntN(2))
	}
	for range rng.IntN(6 * p.K) {
		r.original, r.published = append(r.original, nil), append(r.published, nil)
	}
	left := map[int32]int{}
	for i, line := range r.published {
		var s []int32
		if i >= both && len(line) == 1 {
			if _, is := left[line[0]]; !is {
				left[line[0]] = (both + n/(p.L-1)) / p.L
			}
			if left[line[0]]--; left[line[0]] >= 0 {
				s = []int32{0}
			}
		}
		r.sensitive = append(r.sensitive, s)
	}
	return r
}

// secrets are the sensitive items of the tests.
var secrets = dataset.MustDictionary([]string{"s0", "s1"})

// datasetOf is lines of items of a dictionary.
func datasetOf(dict *dataset.Dictionary, lines [][]int32) *dataset.Dataset {
	b := dataset.NewBuilder(dict)
	for _, l := range lines {
		b.Add(slices.Clone(l))
	}
	return b.Build()
}

// layLines writes lines to files, with their sensitive items.
func layLines(
	t *testing.T, rng *rand.Rand, dir string, tree *hierarchy.Tree, lines, sensitive [][]int32,
) (*dataset.Dataset, []string) {
	t.Helper()
	d := datasetOf(tree.Dict(), lines)
	all := d
	if sensitive != nil {
		all = with(t, d, datasetOf(secrets, sensitive))
	}
	var text bytes.Buffer
	if err := dataset.Write(&text, all, dataset.Options{Format: dataset.Fimi}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	spelt, files := bytes.SplitAfter(text.Bytes(), []byte("\n")), 1+rng.IntN(2)
	var names []string
	for f := range files {
		own := bytes.Join(spelt[f*len(spelt)/files:(f+1)*len(spelt)/files], nil)
		names = append(names, filepath.Join(dir, fmt.Sprint("part", f)))
		if err := os.WriteFile(names[f], own, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return d, names
}

// The judge of a cluster accepts and refuses the same local recodings as the verifier of one
// machine, with the original and without: but for those that the verifier accepts for a stronger
// condition, which the judge does not know.
func TestJudgeOfLocalRecodingsSoak(t *testing.T) {
	rng := soak.Rand(20, 60)
	dir := t.TempDir()
	held, child, broken, stronger, closely, unions, uneven, diverse := 0, 0, 0, 0, 0, 0, 0, 0
	n := 0
	for range soak.Rounds(t, soak.Share(700, 10_000)) { // other releases in each turn
		n++
		text, tree := levels(t, rng)
		promise := privacy.KM{K: 2 + rng.IntN(2), M: 1 + rng.IntN(3)}
		r := randomRecoded(rng, tree, promise.K)
		blind := rng.IntN(3) == 0
		if blind {
			r = shown(rng, tree, promise.K)
		} else if len(r.original) == 0 {
			continue
		}
		if rng.IntN(2) == 0 && len(r.published) > 0 {
			promise.L = 2 + rng.IntN(2)
			if !blind && rng.IntN(2) == 0 {
				r = layered(rng, tree, promise)
			} else {
				r.hide(rng, promise.L)
			}
		}
		of := verify.KMInput{Tree: tree, Promise: promise}
		e := &fake.Engine{Work: work, Rng: fake.Own(rng), Lines: 1 + rng.IntN(40)}
		e.Recut = func() bool { return rng.IntN(200) == 0 }
		got := judge.Release{
			Engine: e, Version: version, Tree: tree, K: promise.K, M: promise.M,
			Layout: split.Layout{Format: dataset.Fimi, Hierarchy: text}, L: promise.L,
			AllowUnknown: true,
		}
		if promise.L > 0 {
			got.Layout.Sensitive = secrets.Labels()
			of.PublishedSensitive = datasetOf(secrets, r.sensitive)
		}
		var original *dataset.Dataset
		of.Published, got.Published = layLines(t, rng, filepath.Join(dir, "p"), tree, r.published,
			r.sensitive)
		if !blind && rng.IntN(3) > 0 {
			var err error
			original, got.Original = layLines(t, rng, filepath.Join(dir, "o"), tree, r.original,
				r.sensitive)
			of.OriginalSensitive = of.PublishedSensitive
			if of.Original, err = tree.Encode(original); err != nil {
				t.Fatal(err)
			}
		}
		want, err := verify.KM(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		found, err := got.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(want.Notes, " ")
		switch {
		case found.Holds == want.Holds:
		case want.Holds && strings.Contains(notes, "keeps the stronger condition"):
			stronger++
		default:
			t.Fatalf("%+v: the judge says %v (%+v), the verifier %v (%+v)\n%s\n%v\n%v",
				promise, found.Holds, found.Breaches, want.Holds, want.Breaches, text, r.original,
				r.published)
		}
		byUnions := !found.Holds && len(found.Breaches) > 0 &&
			strings.Contains(found.Breaches[0].Text, "is left with")
		if promise.L > 0 {
			var originals [][]int32
			if original != nil {
				originals = r.original
			}
			set := r.uneven(promise, originals)
			if found.Holds && set != nil || byUnions && set == nil {
				t.Fatalf("%+v: the judge says %v (%+v), the definition %v\n%s\n%v\n%v", promise,
					found.Holds, found.Breaches, set, text, r.original, r.published)
			}
		}
		switch {
		case !found.Holds && len(found.Breaches) > 0 &&
			strings.Contains(found.Breaches[0].Text, "for whoever reads"):
			closely++
		case byUnions:
			unions++
		case !found.Holds && promise.L > 0:
			uneven++
		case promise.L > 0 && strings.Contains(notes, "child by child"):
			diverse++
		case !found.Holds:
			broken++
		case strings.Contains(notes, "child by child"):
			child++
		case found.Local:
			held++
		}
	}
	t.Logf("%d: %d held, %d of them read child by child; %d broken, %d by that; %d stronger", n,
		held+child, child, broken+closely, closely, stronger)
	t.Logf("with l: %d held, read child by child; %d broken, %d more by unions", diverse, uneven,
		unions)
	if diverse < n/50 || unions < n/50 {
		t.Errorf("of %d with l: %d, %d", n, diverse, unions)
	}
	if held < n/50 || child < n/50 || broken < n/50 || closely < n/200 {
		t.Errorf("of %d: %d, %d, %d, %d", n, held, child, broken, closely)
	}
}
