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
	shown := jsonLines(t, published)
	slices.SortFunc(shown[:len(shown)-1], bytes.Compare)
	files := map[string][]byte{
		"p": bytes.Join(shown, nil),
		"o": bytes.Join(withPersons(rng, jsonLines(t, original), persons), nil),
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
	held, nested, broken, closely, shares, counted := 0, 0, 0, 0, 0, 0
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
		var persons []int32
		many := int32(len(r.original) * (1 + rng.IntN(6)))
		for range r.original {
			persons = append(persons, rng.Int32N(many))
			if rng.IntN(8) == 0 {
				persons[len(persons)-1] = -1
			}
		}
		got := judge.Release{
			Engine:  &fake.Engine{Work: work, Rng: fake.Own(rng), Lines: 1 + rng.IntN(40)},
			Version: version,
			Tree:    tree, K: promise.K, M: promise.M, PersonShare: promise.PersonShare,
			Layout: split.Layout{Format: dataset.JSONL, Hierarchy: text, Person: "who"},
			Salt:   []byte{1, 2, byte(rng.IntN(256))},
		}
		published, original := layPlaced(t, rng, dir, r, persons, &got)
		of := verify.KMInput{
			Tree: tree, Promise: promise, Published: published, Persons: numberedFrom0(persons),
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
			if !isNested || promise.PersonShare == 0 {
				t.Fatalf("refused: %s", why)
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
		case strings.Contains(why, "persons"):
			counted++
		case !found.Holds:
			broken++
		case isNested:
			nested++
		default:
			held++
		}
	}
	t.Logf("%d: %d held, %d with labels above others; of too few persons %d, %d child by child; %d "+
		"broken otherwise, %d refused", n, held, nested, counted, closely, broken, shares)
	rare := max(1, n/1000) // some three in a thousand are
	if held < n/50 || nested < n/50 || counted < n/50 || closely < rare || broken < n/100 {
		t.Error("the random releases are one-sided")
	}
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
