package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/cluster"
	"mingle/cluster/engine"
	"mingle/cluster/fake"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/privacy"
)

const version = "test"

// place is data in files, with what a release of them is made of.
type place struct {
	in      anonymize.Input
	release cluster.Release
	fake    *fake.Engine
	placed  []byte // of releases of persons in parts: the lines that tell these
}

// work is what workers of the tests do.
func work(ctx context.Context, verb string, plan, r io.Reader, w io.Writer) error {
	return cluster.Work(ctx, verb, plan, version, r, w)
}

// lay lays data out in some files.
func lay(t *testing.T, rng *rand.Rand, in anonymize.Input) *place {
	t.Helper()
	dir := t.TempDir()
	format := []dataset.Format{dataset.Fimi, dataset.Basket}[rng.IntN(2)]
	layout := split.Layout{Format: format}
	if in.Promise.Persons {
		layout.Format, layout.Person = dataset.JSONL, "who"
	}
	var tree bytes.Buffer
	if err := hierarchy.Write(&tree, in.Tree, hierarchy.ARX); err != nil {
		t.Fatal(err)
	}
	layout.Hierarchy = tree.Bytes()
	input := filepath.Join(dir, "in")
	if err := os.Mkdir(input, 0o777); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := dataset.Write(&text, with(t, in.Data, in.Sensitive), layout.Options()); err != nil {
		t.Fatal(err)
	}
	promise, algorithm := in.Promise, []string{"aa", "exact", "vpa"}[rng.IntN(3)]
	if promise.L > 0 {
		layout.Sensitive = in.Sensitive.Dict().Labels()
	}
	files := 1 + rng.IntN(3)
	spelt := withPersons(rng, bytes.SplitAfter(text.Bytes(), []byte("\n")), in.Persons)
	for f := range files {
		own := bytes.Join(spelt[f*len(spelt)/files:(f+1)*len(spelt)/files], nil)
		if err := os.WriteFile(filepath.Join(input, fmt.Sprint("part", f)), own, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	query := ""
	if rng.IntN(3) == 0 {
		query = filepath.Join(input, "_query")
		if err := os.WriteFile(query, bytes.Join(spelt, nil), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e := &fake.Engine{Work: work, Rng: fake.Own(rng), Lines: 1 + rng.IntN(20)}
	return &place{in: in, fake: e, release: cluster.Release{
		Engine: e, Version: version, Input: input, Query: query, Layout: layout,
		Promise: promise, AllowUnknown: true, Algorithm: algorithm,
		Output: filepath.Join(dir, "out"), Buckets: 1 + rng.IntN(5),
		Table: layout.Format == dataset.Fimi && rng.IntN(3) == 0,
	}}
}

// withPersons is lines of jsonl with a field that says whose they are; nil: there is none. Some are
// told by numbers, and nobody in several ways.
func withPersons(rng *rand.Rand, lines [][]byte, persons []int32) [][]byte {
	for i, p := range persons {
		value := [][2]string{{`"p%d"`, `" p%d "`}, {"%d", `"%d"`}}[p&1][rng.IntN(2)]
		value = fmt.Sprintf(`{"who":`+value+`,`, p)
		if p < 0 {
			value = []string{
				`{"who":null,`, `{"who":"",`, `{"who":"NaN",`, `{"who":" ",`, `{`,
			}[rng.IntN(5)]
		}
		lines[i] = append([]byte(value), lines[i][1:]...)
	}
	return lines
}

// with is lines with their sensitive items; nil: there are none.
func with(t *testing.T, d, sensitive *dataset.Dataset) *dataset.Dataset {
	t.Helper()
	if sensitive == nil {
		return d
	}
	all, err := dataset.Join(d, sensitive)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// random is a place with random data, of which every third has sensitive items, and every other is
// of persons.
func random(t *testing.T, rng *rand.Rand) *place {
	t.Helper()
	in := brute.Random(rng)
	in.Promise = privacy.KM{K: 2 + rng.IntN(3), M: 1 + rng.IntN(4), L: in.Promise.L}
	if rng.IntN(2) == 0 && in.Data.Len() > 0 {
		in = brute.RandomPersons(rng, in)
	}
	return lay(t, rng, in)
}

// algorithms are those of one process.
var algorithms = map[string]anonymize.Algorithm{
	"aa": global.AA{}, "exact": exact.Algorithm{}, "vpa": global.VPA{},
}

// local is what is published in one process, ascending where the lines are of persons; nil where
// that is refused.
func (p *place) local(t *testing.T) ([]byte, error) {
	t.Helper()
	in := p.in
	var err error
	tree, err := p.release.Layout.Tree() // with the numbers that the workers see
	if err == nil {
		in.Tree = tree
		in.Data, err = tree.Encode(in.Data)
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := algorithms[p.release.Algorithm].Anonymize(t.Context(), in)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	published := with(t, g.Published(), in.Sensitive)
	if err := dataset.Write(&out, published, p.release.Layout.Options()); err != nil {
		t.Fatal(err)
	}
	if !in.Promise.Persons {
		return out.Bytes(), nil
	}
	lines := bytes.SplitAfter(out.Bytes(), []byte("\n"))
	slices.SortFunc(lines, bytes.Compare)
	return bytes.Join(lines, nil), nil
}

// published is the files of the output one after another; nil where there is none.
func (p *place) published(t *testing.T) []byte {
	t.Helper()
	if _, err := os.Stat(p.release.Output); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	files, err := cluster.Files(t.Context(), p.fake, p.release.Layout, p.release.Output)
	if err != nil {
		t.Fatal(err)
	}
	out := []byte{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text...)
	}
	return out
}

// left tells whether anything is beside the input and the output.
func (p *place) left(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(p.release.Output))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.Name() != "in" && e.Name() != "out" {
			out = append(out, e.Name())
		}
	}
	return out
}

// The release is that of one process, byte for byte, whatever parts the data are cut into and
// however often tasks are run.
func TestReleaseIsThatOfOneProcess(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 1))
	made, diverse, persons, both, share := 0, 0, 0, 0, 0
	for i := range 300 {
		cluster.SendOften(t.Cleanup, i%3*40)
		p := random(t, rng)
		want, refused := p.local(t)
		done, err := p.release.Make(t.Context())
		if fmt.Sprint(refused) != fmt.Sprint(err) {
			t.Fatalf("one process says %v, the cluster %v", refused, err)
		}
		if got := p.published(t); !bytes.Equal(got, want) {
			t.Fatalf("%s published\n%s\none process publishes\n%s", p.release.Algorithm, got, want)
		}
		if l := p.left(t); len(l) > 0 {
			t.Fatalf("left behind: %q", l)
		}
		if err == nil {
			made++
			notesAre(t, done.Finding.Notes, nil)
		}
		if err == nil && p.release.Promise.Diverse() {
			diverse++
		}
		if err == nil && p.release.Layout.Person != "" {
			persons++
			if p.release.Promise.Diverse() {
				both++
			}
			if p.release.Promise.PersonShare > 0 {
				share++
			}
		}
	}
	if made < 80 || diverse < 20 || persons < 20 || both < 5 || share < 5 {
		t.Errorf("only %d releases were made, %d with l-diversity, %d of persons, %d of these with "+
			"l-diversity, %d with a largest share", made, diverse, persons, both, share)
	}
}

// spoilt is a way to spoil lines.
var spoilt = map[string]func(rng *rand.Rand, lines []string) []string{
	"dropped": func(rng *rand.Rand, lines []string) []string {
		i := rng.IntN(len(lines))
		return append(lines[:i:i], lines[i+1:]...)
	},
	"twice": func(rng *rand.Rand, lines []string) []string {
		return append(lines, lines[rng.IntN(len(lines))])
	},
	"cut": func(rng *rand.Rand, lines []string) []string {
		i := rng.IntN(len(lines))
		if lines[i] != "" {
			lines[i] = lines[i][:rng.IntN(len(lines[i]))]
		}
		return lines
	},
	"changed": func(rng *rand.Rand, lines []string) []string {
		i := rng.IntN(len(lines))
		if b := []byte(lines[i]); len(b) > 0 {
			b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(15))
			lines[i] = string(b)
		}
		return lines
	},
	"none": func(*rand.Rand, []string) []string { return nil },
}

// Whatever happens to a line between workers, or on the way back, the release is the right one or
// there is none. Lines that were changed so that nothing changes do no harm.
func TestWhatIsSpoiltIsNotPublished(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 2))
	refused := map[string]int{}
	for n := range 70 {
		p := random(t, rng)
		want, err := p.local(t)
		if err != nil {
			continue
		}
		for _, how := range []string{"dropped", "twice", "cut", "changed", "none"} {
			job, done := rng.IntN(10), false
			where := ""
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
			case err == nil && !bytes.Equal(got, want):
				t.Fatalf("%s: published\n%s\nand not\n%s", how, got, want)
			case err != nil && got != nil:
				t.Fatalf("%s: an output, and the error %v", how, err)
			case err != nil:
				refused[how]++
			}
			if err == nil && done && how != "changed" && how != "cut" {
				t.Fatalf("%s in %s: nobody noticed", how, where)
			}
			if err := os.RemoveAll(p.release.Output); err != nil {
				t.Fatal(err)
			}
		}
	}
	for how := range spoilt {
		if refused[how] < 10 {
			t.Errorf("%s was refused %d times only", how, refused[how])
		}
	}
}

// A driver that is killed at any step leaves the output as it was, and the next run removes what
// it left.
func TestKilledDriver(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 3))
	died := errors.New("died")
	for range 8 {
		p := random(t, rng)
		want, err := p.local(t)
		if err != nil {
			continue
		}
		p.release.Force = rng.IntN(2) == 0
		var former []byte
		if p.release.Force {
			former = []byte("former\n")
			if err := os.Mkdir(p.release.Output, 0o777); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string][]byte{"part-0": former, "_SUCCESS": nil} {
				err := os.WriteFile(filepath.Join(p.release.Output, name), text, 0o666)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
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
			if !errors.Is(err, died) {
				t.Fatal(err)
			}
			// a former output may be under its second name until the next run
			if got := p.published(t); !(bytes.Equal(got, former) || bytes.Equal(got, want) ||
				got == nil && strings.Contains(fmt.Sprint(p.left(t)), "_mingle-former-out-")) {
				t.Fatalf("killed at step %d: published %q", at, got)
			}
		}
		if got := p.published(t); !bytes.Equal(got, want) {
			t.Fatalf("published %q and not %q", got, want)
		}
		if l := p.left(t); len(l) > 0 {
			t.Fatalf("left behind: %q", l)
		}
	}
}
