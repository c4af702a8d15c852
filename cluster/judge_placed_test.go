package cluster_test

import (
	"bytes"
	"crypto/sha256"
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

// jsonLines is lines of jsonl.
func jsonLines(t *testing.T, d *dataset.Dataset) [][]byte {
	t.Helper()
	var text bytes.Buffer
	if err := dataset.Write(&text, d, dataset.Options{Format: dataset.JSONL}); err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(text.Bytes(), []byte("\n"))
}

// layPlaced writes a release of persons: its original, the published lines, which ascend, and the
// placed ones.
func layPlaced(
	t *testing.T, rng *rand.Rand, dir string, r *recoded, persons []int32, of *judge.Release,
) (published, original *dataset.Dataset) {
	t.Helper()
	published = datasetOf(r.tree.Dict(), r.published)
	original = datasetOf(r.tree.Dict(), r.original)
	var sensitive *dataset.Dataset
	if r.sensitive != nil {
		sensitive = datasetOf(secrets, r.sensitive)
	}
	shown := jsonLines(t, with(t, published, sensitive))
	slices.SortFunc(shown[:len(shown)-1], bytes.Compare)
	files := map[string][]byte{
		"p": bytes.Join(shown, nil),
		"o": bytes.Join(withPersons(rng, jsonLines(t, with(t, original, sensitive)), persons), nil),
	}
	for i, labels := range r.published {
		name := fmt.Sprint("-", rng.IntN(3))
		if p := persons[i]; p >= 0 {
			person := fmt.Sprint("p", p)
			if p&1 == 1 { // as withPersons spells them
				person = fmt.Sprint(p)
			}
			sum := sha256.Sum256(append(slices.Clone(of.Salt), person...))
			name = fmt.Sprintf("%x", sum[:16])
		}
		files["q"] = fmt.Appendf(files["q"], "%018d %s\tsum:", i, name)
		for _, u := range labels {
			files["q"] = fmt.Appendf(files["q"], "%d ", u)
		}
		if sensitive != nil {
			for _, x := range r.sensitive[i] {
				files["q"] = fmt.Appendf(files["q"], "%d ", int32(r.tree.Nodes())+x)
			}
		}
		files["q"] = append(files["q"], '\n')
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	of.Published, of.Original, of.Placed = []string{filepath.Join(dir, "p")},
		[]string{filepath.Join(dir, "o")}, []string{filepath.Join(dir, "q")}
	return published, original
}

// The judge accepts and refuses the same local recodings of persons, whose lines are published in
// another order, as the verifier of one machine, which is told whose each is.
func TestJudgeOfPlacedLinesSoak(t *testing.T) {
	rng := soak.Rand(20, 290)
	dir := t.TempDir()
	held, nested, broken, closely, counted := 0, 0, 0, 0, 0
	shares, unions, mixed, uneven := 0, 0, 0, 0
	often, oftenInUnions, notOften := 0, 0, 0
	n := 0
	for range soak.Rounds(t, soak.Share(500, 4_000)) {
		n++
		text, tree := levels(t, rng)
		promise := privacy.KM{K: 2 + rng.IntN(2), M: 1 + rng.IntN(3), Persons: true}
		r := randomRecoded(rng, tree, promise.K)
		if len(r.original) == 0 {
			continue
		}
		if rng.IntN(5) == 0 {
			promise.PersonShare = 2 + rng.IntN(2)
		}
		if rng.IntN(3) == 0 {
			promise.L = 2 + rng.IntN(2)
			r.hide(rng, promise.L)
		}
		many := int32(len(r.original) * (1 + rng.IntN(6)))
		if promise.L > 0 && rng.IntN(2) == 0 {
			r = twoLevels(rng, tree, promise)
			many = int32(max(1, len(r.original)/(1+rng.IntN(2))))
		}
		var persons []int32
		for range r.original {
			persons = append(persons, rng.Int32N(many))
			if rng.IntN(8) == 0 {
				persons[len(persons)-1] = -1
			}
		}
		if promise.PersonShare > 0 && promise.L == 0 && rng.IntN(3) > 0 {
			r, persons = oneOften(rng, tree, promise)
		}
		got := judge.Release{
			Engine:  &fake.Engine{Work: work, Rng: fake.Own(rng), Lines: 1 + rng.IntN(40)},
			Version: version,
			Tree:    tree, K: promise.K, M: promise.M, PersonShare: promise.PersonShare,
			Layout: split.Layout{Format: dataset.JSONL, Hierarchy: text, Person: "who"},
			Salt:   []byte{1, 2, byte(rng.IntN(256))}, L: promise.L, AllowUnknown: true,
		}
		if promise.L > 0 {
			got.Layout.Sensitive = secrets.Labels()
		}
		published, original := layPlaced(t, rng, dir, r, persons, &got)
		of := verify.KMInput{
			Tree: tree, Promise: promise, Published: published, Persons: numberedFrom0(persons),
		}
		if promise.L > 0 {
			of.PublishedSensitive = datasetOf(secrets, r.sensitive)
			of.OriginalSensitive = of.PublishedSensitive
		}
		var err error
		if of.Original, err = tree.Encode(original); err != nil {
			t.Fatal(err)
		}
		want, err := verify.KM(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		found, err := got.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		why := ""
		if !found.Holds {
			why = found.Breaches[0].Text
		}
		isNested := slices.ContainsFunc(r.published, r.nested)
		if strings.Contains(why, "judged on one machine alone") {
			shares++
			apart := strings.Contains(why, "of theirs in other lines")
			if !isNested && !apart || promise.L == 0 {
				t.Fatalf("refused: %s", why)
			}
			if apart {
				unions++
			}
			continue
		}
		if found.Holds != want.Holds {
			t.Fatalf("%+v: the judge says %v (%+v), the verifier %v (%+v)\n%s\n%v\n%v\n%v", promise,
				found.Holds, found.Breaches, want.Holds, want.Breaches, text, r.original,
				r.published, persons)
		}
		switch {
		case strings.Contains(why, "for whoever reads"):
			closely++
		case strings.Contains(why, "one person has more than"):
			often++
			if strings.Contains(why, "knows these items") {
				oftenInUnions++
			}
		case isNested && found.Holds && promise.PersonShare > 0:
			notOften++
		case strings.Contains(why, "sensitive item"):
			uneven++
		case strings.Contains(why, "persons"):
			counted++
		case found.Holds && promise.L > 0 && found.Local:
			mixed++
		case !found.Holds:
			broken++
		case isNested:
			nested++
		default:
			held++
		}
	}
	t.Logf("%d: %d held, %d with labels above others, %d with l at several levels; of too few persons "+
		"%d, %d child by child; shares too large of %d; %d broken otherwise; %d refused, %d of these "+
		"for what unions of lines may tell", n, held, nested, mixed, counted, closely, uneven, broken,
		shares, unions)
	t.Logf("one person has too many lines in %d, in %d of these in unions alone, and not in %d with "+
		"labels above others", often, oftenInUnions, notOften)
	rare := n / 1000 // some three in a thousand are
	if held < n/50 || nested < n/50 || counted < n/50 || closely < rare || broken < n/100 ||
		mixed < n/200 || uneven < n/50 || unions < n/200 ||
		often < n/100 || oftenInUnions < n/500 || notOften < n/100 {
		t.Error("the random releases are one-sided")
	}
}

// twoLevels is lines with a sensitive item or without, some of which are published at one cut and
// some at another.
func twoLevels(rng *rand.Rand, tree *hierarchy.Tree, p privacy.KM) *recoded {
	var cuts [2][]int32
	for i := range cuts {
		of := make([]int32, tree.Leaves())
		for leaf := range of {
			u := int32(leaf)
			for rng.IntN(3) == 0 && tree.Parent(u) >= 0 {
				u = tree.Parent(u)
			}
			of[leaf] = u
		}
		for leaf, u := range of { // where one is above, all below it are there
			for _, v := range of {
				if tree.Covers(v, int32(leaf)) && tree.Covers(v, u) {
					u = v
				}
			}
			cuts[i] = append(cuts[i], u)
		}
	}
	r := &recoded{tree: tree}
	for range 1 + rng.IntN(2) {
		var original []int32
		for range 1 + rng.IntN(2) {
			original = append(original, rng.Int32N(int32(tree.Leaves())))
		}
		slices.Sort(original)
		original = slices.Compact(original)
		for _, cut := range cuts {
			var labels []int32
			for _, x := range original {
				labels = append(labels, cut[x])
			}
			slices.Sort(labels)
			labels = slices.Compact(labels)
			n := p.K + rng.IntN(3*p.K)
			few := n/p.L - rng.IntN(2)
			for i := range n {
				r.original, r.published = append(r.original, original), append(r.published, labels)
				r.sensitive = append(r.sensitive, nil)
				if i < few {
					r.sensitive[len(r.sensitive)-1] = []int32{0}
				}
			}
		}
	}
	return r
}

// oneOften is lines that layered makes, and one person who has those with a sensitive item there.
func oneOften(rng *rand.Rand, tree *hierarchy.Tree, p privacy.KM) (r *recoded, persons []int32) {
	p.L = p.PersonShare
	r = layered(rng, tree, p)
	for i, s := range r.sensitive {
		persons = append(persons, int32(min(1, len(s))-1)&int32(i+1))
	}
	r.sensitive = nil
	return r, persons
}

// numberedFrom0 numbers persons by their first lines.
func numberedFrom0(persons []int32) []int32 {
	numbers, out := map[int32]int32{-1: -1}, []int32(nil)
	for _, p := range persons {
		if _, known := numbers[p]; !known {
			numbers[p] = int32(len(numbers)) - 1
		}
		out = append(out, numbers[p])
	}
	return out
}

// nested tells whether a line has a label above another.
func (r *recoded) nested(line []int32) bool {
	return slices.ContainsFunc(line, func(u int32) bool {
		return slices.ContainsFunc(line, func(v int32) bool {
			return u != v && r.tree.Covers(u, v)
		})
	})
}
