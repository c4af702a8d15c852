package cluster_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/cluster/engine"
	"mingle/cluster/fake"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/verify"
)

// inParts are the algorithms of one process that are made in parts on a cluster.
var inParts = map[string]anonymize.Algorithm{
	"local": local.Algorithm{}, "partition": partition.Algorithm{},
}

// parted is a place whose release is made in parts.
func parted(t *testing.T, rng *rand.Rand) *place {
	t.Helper()
	in := brute.Random(rng)
	in.Promise = privacy.KM{K: 2 + rng.IntN(2), M: 1 + rng.IntN(3), L: in.Promise.L}
	if n := in.Data.Len(); n > 0 && rng.IntN(2) == 0 { // lines that are there several times
		var txs, beside []int32
		for range n + rng.IntN(4*n) {
			txs = append(txs, rng.Int32N(int32(n)))
			beside = append(beside, rng.Int32N(int32(n)))
		}
		in.Data = in.Data.Select(txs)
		if in.Sensitive != nil {
			in.Sensitive = in.Sensitive.Select(beside)
		}
	}
	return partedOf(t, rng, in, []string{"local", "partition"}[rng.IntN(2)])
}

// partedOf is a place whose release by an algorithm is made in parts.
func partedOf(t *testing.T, rng *rand.Rand, in anonymize.Input, algorithm string) *place {
	t.Helper()
	p := lay(t, rng, in)
	p.release.Algorithm = algorithm
	p.release.Seed = &[32]byte{byte(rng.IntN(256)), 1}
	p.release.Buckets = 0
	return p
}

// partedOfPersons is that, where the unit is a person.
func partedOfPersons(t *testing.T, rng *rand.Rand) *place {
	t.Helper()
	for {
		p := parted(t, rng)
		if p.in.Promise.L > 0 && p.release.Algorithm == "local" || p.in.Data.Len() < 12 {
			continue
		}
		in := brute.RandomPersons(rng, p.in)
		if in.Promise.K = 2; p.release.Algorithm == "local" {
			in.Promise.L, in.Sensitive = 0, nil
		}
		p = partedOf(t, rng, in, p.release.Algorithm)
		p.fake.Before = p.keepPlaced(t)
		return p
	}
}

// keepPlaced keeps the lines that tell their persons before they are removed.
func (p *place) keepPlaced(t *testing.T) func(step string) error {
	return func(step string) error {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(p.release.Output), "_mingle-parts-*",
			"lines", "part-*"))
		if step != "remove" || len(files) == 0 || err != nil {
			return err
		}
		p.placed = nil
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			p.placed = append(p.placed, text...)
		}
		return nil
	}
}

// inOrder is the published lines of persons in the order of the original, and their sensitive
// items, nil where none are listed.
func (p *place) inOrder(
	t *testing.T, tree *hierarchy.Tree,
) (published, sensitive *dataset.Dataset) {
	t.Helper()
	var lines, beside [][]int32
	for _, line := range strings.Split(strings.TrimSuffix(string(p.placed), "\n"), "\n") {
		head, labels, _ := strings.Cut(line, ":")
		number, _, _ := strings.Cut(head, " ")
		at, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		for len(lines) <= at {
			lines, beside = append(lines, nil), append(beside, nil)
		}
		for _, s := range strings.Fields(labels) {
			var u int32
			if _, err := fmt.Sscan(s, &u); err != nil {
				t.Fatal(err)
			}
			if x := u - int32(tree.Nodes()); x >= 0 {
				beside[at] = append(beside[at], x)
			} else {
				lines[at] = append(lines[at], u)
			}
		}
	}
	if items := p.release.Layout.Sensitive; len(items) > 0 {
		sensitive = datasetOf(dataset.MustDictionary(items), beside)
	}
	return datasetOf(tree.Dict(), lines), sensitive
}

// encoded is the hierarchy and the data with the numbers that workers see.
func (p *place) encoded(t *testing.T) (*hierarchy.Tree, *dataset.Dataset) {
	t.Helper()
	tree, err := p.release.Layout.Tree()
	if err != nil {
		t.Fatal(err)
	}
	d, err := tree.Encode(p.in.Data)
	if err != nil {
		t.Fatal(err)
	}
	return tree, d
}

// whole is what one process publishes.
func (p *place) whole(t *testing.T) ([]byte, error) {
	t.Helper()
	in := p.in
	in.Tree, in.Data = p.encoded(t)
	if in.Seed = p.release.Seed; p.release.Algorithm == "partition" {
		in.Seed = nil
	}
	if in.Promise.Persons && in.Seed != nil { // the command shuffles the lines first
		in = inOrderOf(in)
	}
	g, err := inParts[p.release.Algorithm].Anonymize(t.Context(), in)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = dataset.Write(&out, with(t, g.Published(), in.Sensitive), p.release.Layout.Options())
	if !in.Promise.Persons {
		return out.Bytes(), err
	}
	lines := bytes.SplitAfter(out.Bytes(), []byte("\n"))
	slices.SortFunc(lines, bytes.Compare)
	return bytes.Join(lines, nil), err
}

// inOrderOf is an input of persons as the command gives it to an algorithm: in the order that the
// seed draws, the persons numbered by their first lines.
func inOrderOf(in anonymize.Input) anonymize.Input {
	from := dataset.DrawOrder(in.Seed, in.Data.Len())
	persons := in.Persons
	in.Data, in.Persons = in.Data.Select(from), nil
	for _, i := range from {
		in.Persons = append(in.Persons, persons[i])
	}
	in.Persons = numberedFrom0(in.Persons)
	return in
}

// holds has the verifier of one machine judge what is published, with its original.
func (p *place) holds(t *testing.T, text []byte) *verify.Finding {
	t.Helper()
	tree, original := p.encoded(t)
	var sensitive *dataset.Dataset
	d, err := dataset.Read(t.Context(), bytes.NewReader(text), p.release.Layout.Options())
	if err == nil {
		d, sensitive, err = p.release.Layout.Apart(d)
	}
	if err == nil {
		d, err = tree.EncodePublished(d)
	}
	if err != nil {
		t.Fatal(err)
	}
	promise := p.in.Promise
	if promise.Persons {
		d, sensitive = p.inOrder(t, tree)
		var again bytes.Buffer
		err := dataset.Write(&again, with(t, d, sensitive), p.release.Layout.Options())
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(again.Bytes(), []byte("\n"))
		slices.SortFunc(lines, bytes.Compare)
		if !bytes.Equal(bytes.Join(lines, nil), text) {
			t.Fatalf("published\n%s\nand with persons\n%s", text, again.Bytes())
		}
	}
	f, err := verify.KM(t.Context(), verify.KMInput{
		Tree: tree, Published: d, Original: original, Promise: promise, Persons: p.in.Persons,
		PublishedSensitive: sensitive, OriginalSensitive: p.in.Sensitive,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// In one part the release is that of one process, byte for byte; where that is refused, so is this.
func TestReleaseInOnePartIsThatOfOneProcessSoak(t *testing.T) {
	rng := soak.Rand(20, 70)
	made := map[string]int{}
	for range soak.Rounds(t, soak.Share(40, 500)) {
		p := parted(t, rng)
		if rng.IntN(3) == 0 {
			p = partedOfPersons(t, rng)
		}
		want, refused := p.whole(t)
		_, err := p.release.Make(t.Context())
		if fmt.Sprint(refused) != fmt.Sprint(err) {
			t.Fatalf("%s: one process says %v, the cluster %v", p.release.Algorithm, refused, err)
		}
		if got := p.published(t); !bytes.Equal(got, want) {
			t.Fatalf("%s published\n%s\none process publishes\n%s", p.release.Algorithm, got, want)
		}
		if l := p.left(t); len(l) > 0 {
			t.Fatalf("left behind: %q", l)
		}
		if err == nil {
			made[p.release.Algorithm]++
		}
		if err == nil && p.release.Promise.Diverse() {
			made["diverse"]++
		}
		if err == nil && p.in.Promise.Persons {
			made["persons"]++
		}
	}
	if made["local"] < 5 || made["partition"] < 5 || made["diverse"] < 3 ||
		made["persons"] < 3 {
		t.Errorf("made: %v", made)
	}
}

// In any number of parts the release as a whole keeps its promise, by the verifier of one machine;
// there is one wherever there is one in one process; and the same seed makes it again, however the
// files are cut and however often tasks are run.
func TestReleaseInPartsKeepsThePromiseSoak(t *testing.T) {
	rng := soak.Rand(20, 71)
	made := map[string]int{}
	several, child, diverse, persons, both, shares := 0, 0, 0, 0, 0, 0
	for range soak.Rounds(t, soak.Share(70, 1_000)) {
		p := parted(t, rng)
		if rng.IntN(2) == 0 {
			p = partedOfPersons(t, rng)
		}
		p.release.Parts = 1 + rng.IntN(4)
		_, refused := p.whole(t)
		done, err := p.release.Make(t.Context())
		if fmt.Sprint(refused) != fmt.Sprint(err) {
			t.Fatalf("%s: one process says %v, the cluster %v", p.release.Algorithm, refused, err)
		}
		if err != nil {
			continue
		}
		made[p.release.Algorithm]++
		notesAre(t, done.Finding.Notes, nil)
		if done.Parts > 1 {
			several++
		}
		text := p.published(t)
		f := p.holds(t, text)
		if !f.Holds || strings.Contains(fmt.Sprint(f.Notes), "stronger") {
			t.Fatalf("%s in %d parts: %+v\n%s", p.release.Algorithm, done.Parts, f, text)
		}
		if strings.Contains(fmt.Sprint(f.Notes), "child by child") {
			child++
		}
		if done.Parts > 1 && p.release.Promise.Diverse() {
			diverse++
		}
		if done.Parts > 1 && p.in.Promise.Persons {
			persons++
			if p.in.Promise.Diverse() {
				both++
			}
			if p.in.Promise.PersonShare > 0 && p.release.Algorithm == "local" {
				shares++
			}
		}
		again := p.release
		again.Output += "-again"
		again.Engine = &fake.Engine{Work: work, Rng: fake.Own(rng), Lines: 1 + rng.IntN(30)}
		if _, err := again.Make(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.release = again
		if other := p.published(t); !bytes.Equal(other, text) {
			t.Fatalf("%s made\n%s\nand again\n%s", again.Algorithm, text, other)
		}
	}
	t.Logf("%v, %d in several parts, %d of these with l, %d of persons, %d of them with l, %d by local "+
		"with a largest share of one; %d read child by child", made, several, diverse, persons, both,
		shares, child)
	if soak.All() { // other inputs in every turn, and as many as there is time for
		return
	}
	if made["local"] < 10 || made["partition"] < 10 || several < 20 || diverse < 3 ||
		persons < 3 || both < 1 || shares < 1 {
		t.Errorf("made: %v, %d in several parts, %d with l", made, several, diverse)
	}
}

// Whatever happens to a line of a release in parts, what is published is a release that holds, or
// there is none. Where lines are counted wrongly it is tried again.
func TestPartsThatAreSpoiltAreNotPublished(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 72))
	refused := map[string]int{}
	for n := range 15 {
		p := parted(t, rng)
		if n%3 == 0 {
			p = partedOfPersons(t, rng)
		}
		p.release.Parts = 1 + rng.IntN(3)
		if _, err := p.whole(t); err != nil {
			continue
		}
		for _, how := range []string{"dropped", "twice", "cut", "changed", "none"} {
			job, done, where := rng.IntN(9), false, ""
			spoil := func(j engine.Job, lines []string) []string {
				if job--; done || job >= 0 || len(lines) == 0 {
					return lines
				}
				done = true
				where = fmt.Sprintf("%s: %q", j.Name, lines)
				return spoilt[how](rng, lines)
			}
			p.fake.Unsafe, p.fake.Spoil = nil, spoil
			if n%2 == 0 {
				p.fake.Unsafe, p.fake.Spoil = spoil, nil
			}
			_, err := p.release.Make(t.Context())
			got := p.published(t)
			switch {
			case err != nil && got != nil:
				t.Fatalf("%s: an output, and the error %v", how, err)
			case err != nil:
				refused[how]++
			case !p.holds(t, got).Holds:
				t.Fatalf("%s in %s: published\n%s", how, where, got)
			case done && how != "changed" && how != "cut" && !strings.Contains(where, "count"):
				t.Fatalf("%s in %s: nobody noticed", how, where)
			}
			if err := os.RemoveAll(p.release.Output); err != nil {
				t.Fatal(err)
			}
		}
	}
	for how := range spoilt {
		if refused[how] < 3 {
			t.Errorf("%s was refused %d times only", how, refused[how])
		}
	}
}

// A driver of parts that is killed at any step leaves no output, and the next run removes what it
// left.
func TestKilledDriverOfParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 73))
	died := errors.New("died")
	for made := 0; made < 4; {
		p := parted(t, rng)
		p.release.Parts = 2
		if _, err := p.whole(t); err != nil {
			continue
		}
		made++
		for at := 0; ; at++ {
			left := at
			p.fake.Before = func(string) error {
				if left--; left < 0 {
					return died
				}
				return nil
			}
			_, err := p.release.Make(t.Context())
			if err == nil {
				break
			}
			if !errors.Is(err, died) || p.published(t) != nil {
				t.Fatalf("killed at step %d: %v", at, err)
			}
		}
		if l := p.left(t); len(l) > 0 || !p.holds(t, p.published(t)).Holds {
			t.Fatalf("left behind: %q", l)
		}
	}
}

// When machines come or go while lines are numbered, and files are cut otherwise, it is tried
// again; where they always are there is no release.
func TestFilesThatAreCutOtherwise(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 74))
	for made := 0; made < 6; {
		p := parted(t, rng)
		p.release.Query = ""
		if _, err := p.whole(t); err != nil || p.in.Data.Len() < 12 {
			continue
		}
		made++
		p.fake.Lines = 3
		jobs, when := 0, made
		p.fake.Recut = func() bool { jobs++; return jobs == when }
		if _, err := p.release.Make(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.release.Force = true
		p.fake.Recut = func() bool { return true }
		if _, err := p.release.Make(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "cut otherwise") {
			t.Fatal(err)
		}
		if l := p.left(t); len(l) > 0 {
			t.Fatalf("left behind: %q", l)
		}
	}
}
