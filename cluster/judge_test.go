package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/cluster"
	"mingle/cluster/fake"
	"mingle/cluster/judge"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/release"
	"mingle/verify"
)

// verdict is whether a release keeps its promise, and whether that is of l-diversity, or persons.
type verdict struct{ holds, diverse, persons, share bool }

// The judge of a cluster and the verifier of one machine come to one verdict, with the original and
// without, on releases of any cut, also where a line is not its original's.
func TestJudgeAgreesWithTheVerifierSoak(t *testing.T) {
	rng := soak.Rand(20, 11)
	verdicts := map[verdict]int{}
	for range soak.Rounds(t, soak.Share(500, 10_000)) {
		p := random(t, rng)
		in := p.in
		tree, err := p.release.Layout.Tree()
		if err == nil {
			in.Data, err = tree.Encode(in.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
		cut := hierarchy.BottomCut(tree)
		for range rng.IntN(4) {
			if u := rng.Int32N(int32(tree.Nodes())); cut.Alive(u) {
				cut.Lift(u)
			}
		}
		published := release.Global(in.Data, cut).Published()
		if rng.IntN(3) == 0 { // two lines change places
			order := make([]int32, published.Len())
			for i := range order {
				order[i] = int32(i)
			}
			a, b := rng.IntN(len(order)), rng.IntN(len(order))
			order[a], order[b] = order[b], order[a]
			if in.Promise.Persons { // whose lines may stand anywhere: one is there twice
				order[a] = order[b]
			}
			published = published.Select(order)
		}
		shown := in.Sensitive
		if shown != nil && rng.IntN(5) == 0 { // the last line gets another's sensitive items
			order := make([]int32, shown.Len())
			for i := range order {
				order[i] = int32(i)
			}
			order[len(order)-1] = order[rng.IntN(len(order))]
			shown = shown.Select(order)
		}
		var text bytes.Buffer
		shownAll := with(t, published, shown)
		if err := dataset.Write(&text, shownAll, p.release.Layout.Options()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "published")
		if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		files, err := cluster.Files(t.Context(), p.fake, p.release.Layout, p.release.Input)
		if err != nil {
			t.Fatal(err)
		}
		promise := in.Promise
		r := judge.Release{
			Engine: p.fake, Version: version, Layout: p.release.Layout, Tree: tree,
			Published: []string{path}, Original: files, K: promise.K, M: promise.M,
			L: promise.L, PersonShare: promise.PersonShare, AllowUnknown: true,
		}
		of := verify.KMInput{
			Tree: tree, Published: published, Original: in.Data, Promise: promise,
			PublishedSensitive: shown, OriginalSensitive: in.Sensitive,
			Persons: in.Persons,
		}
		if rng.IntN(3) == 0 && !in.Promise.Persons {
			r.Original, of.Original, of.OriginalSensitive = nil, nil, nil
		}
		got, err := r.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := verify.KM(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		if got.Holds != want.Holds {
			t.Fatalf("the judge says %v (%+v), the verifier %v (%+v)\n%s", got.Holds,
				got.Breaches, want.Holds, want.Breaches, text.String())
		}
		verdicts[verdict{
			got.Holds, promise.Diverse(), promise.Persons, promise.PersonShare > 0,
		}]++
	}
	for v, least := range map[verdict]int{
		{true, true, false, false}: 10, {false, true, false, false}: 20,
		{true, false, false, false}: 20, {false, false, false, false}: 20,
		{true, true, true, false}: 3, {false, true, true, false}: 20,
		{true, false, true, false}: 10, {false, false, true, false}: 20,
		{true, false, true, true}: 3, {false, false, true, true}: 10, {false, true, true, true}: 5,
	} {
		if verdicts[v] < least {
			t.Errorf("%+v %d times: %v", v, verdicts[v], verdicts)
		}
	}
}

// A label that is in a line twice tells how many items the person had, whichever worker reads it.
func TestJudgeRefusesRepeats(t *testing.T) {
	for _, c := range []struct {
		text  string
		holds bool
	}{{"A\nA\nA\nA\n", true}, {"A\nA\nA A\nA\n", false}} {
		path := filepath.Join(t.TempDir(), "published")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		layout := split.Layout{Format: dataset.Fimi, Hierarchy: []byte("x1;A;*\nx2;A;*\n")}
		tree, err := layout.Tree()
		if err != nil {
			t.Fatal(err)
		}
		r := judge.Release{
			Engine:  &fake.Engine{Work: work, Rng: fake.Own(rand.New(rand.NewPCG(1, 1))), Lines: 1},
			Version: version, Layout: layout, Tree: tree, Published: []string{path}, K: 2, M: 2,
		}
		if f, err := r.Judge(t.Context()); err != nil || f.Holds != c.holds {
			t.Errorf("%q: %+v, %v", c.text, f, err)
		}
	}
}

// What published files show beside the sets of their lines is noted, whichever worker reads it, by
// the judge and beside what was lost and gained, where repeats are noted, too.
func TestSurplusIsNoted(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	original := write("original", "y,x1\nx1,y\ny,x2\nx1,y\n")
	for _, c := range []struct {
		text  string
		holds bool
		notes []string // parts of those of a comparison; of a judgement all but the first
	}{
		{"A,y\nA,y\nA,y\nA,y\n", true, nil},
		{"A,y\nA,y\ny,A\nA,y\n", true, []string{"not always sorted"}},
		{"A,,y\nA,y\nA,y,\nA,y\n", true, []string{"fields without an item (2)"}},
		{"A,y\nA,A,y\nA,y\ny,,A,y\n", false, []string{
			"more than once in a line (2 in all)", "not always sorted", "without an item (1)",
		}},
	} {
		layout := split.Layout{
			Format: dataset.Basket, Hierarchy: []byte("x1;A;*\nx2;A;*\ny;B;*\n"),
		}
		tree, err := layout.Tree()
		if err != nil {
			t.Fatal(err)
		}
		e := &fake.Engine{Work: work, Rng: fake.Own(rand.New(rand.NewPCG(1, 2))), Lines: 1}
		published := write("published", c.text)
		r := judge.Release{
			Engine: e, Version: version, Layout: layout, Tree: tree, Published: []string{published},
			K: 2, M: 2,
		}
		f, err := r.Judge(t.Context())
		if err != nil || f.Holds != c.holds {
			t.Fatalf("%q: %+v, %v", c.text, f, err)
		}
		judged := c.notes
		if !c.holds {
			judged = c.notes[1:]
		}
		notesAre(t, f.Notes, judged)
		by := cluster.Compared{
			Engine: e, Version: version, Layout: layout, Original: original, Published: published,
		}
		lost, err := by.Measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		notesAre(t, lost.Notes, c.notes)
		gained, err := by.Attack(t.Context(), 2, 1)
		if err != nil || gained.Notes[0] != cluster.NotLinked {
			t.Fatal(gained, err)
		}
		notesAre(t, gained.Notes[1:], c.notes)
	}
}

// notesAre compares notes with a part of each.
func notesAre(t *testing.T, notes, parts []string) {
	t.Helper()
	if len(notes) != len(parts) {
		t.Fatalf("%q, want %q", notes, parts)
	}
	for i, note := range notes {
		if !strings.Contains(note, parts[i]) {
			t.Errorf("%q, want %q", note, parts[i])
		}
	}
}

// What is to be announced with a release and cannot be leaves no release.
func TestAnnouncing(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 12))
	wrong := errors.New("wrong")
	for made := 0; made < 5; {
		p := random(t, rng)
		if _, err := p.local(t); err != nil {
			continue
		}
		made++
		p.release.Announce = func(context.Context, []string) (func() error, error) {
			return nil, wrong
		}
		if _, err := p.release.Make(t.Context()); !errors.Is(err, wrong) {
			t.Fatal(err)
		}
		if p.published(t) != nil || len(p.left(t)) > 0 {
			t.Fatal("there is a release, or part of one")
		}
		done := 0
		p.release.Announce = func(_ context.Context, files []string) (func() error, error) {
			if len(files) == 0 || p.published(t) != nil {
				t.Error("it is announced too late, or without files")
			}
			return func() error { done++; return nil }, nil
		}
		if _, err := p.release.Make(t.Context()); err != nil || done != 1 {
			t.Fatal(err, done)
		}
	}
}
