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
	rng := rand.New(rand.NewPCG(20, 60+uint64(soak.Turn())<<8))
	dir := t.TempDir()
	held, child, broken, stronger, closely, unions, uneven, diverse := 0, 0, 0, 0, 0, 0, 0, 0
	n := soak.Share(700, 20_000) // other releases in each turn
	for range n {
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
			r.hide(rng, promise.L)
		}
		of := verify.KMInput{Tree: tree, Promise: promise}
		e := &fake.Engine{Work: work, Rng: rng, Lines: 1 + rng.IntN(40)}
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
		switch {
		case !found.Holds && len(found.Breaches) > 0 &&
			strings.Contains(found.Breaches[0].Text, "for whoever reads"):
			closely++
		case !found.Holds && len(found.Breaches) > 0 &&
			strings.Contains(found.Breaches[0].Text, "is left with"):
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
	if diverse < n/100 || unions < n/400 {
		t.Errorf("of %d with l: %d, %d", n, diverse, unions)
	}
	if held < n/50 || child < n/50 || broken < n/50 || closely < n/200 {
		t.Errorf("of %d: %d, %d, %d, %d", n, held, child, broken, closely)
	}
}
