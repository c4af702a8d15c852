package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mingle/cluster/engine"
)

// files is all plain files below a folder, and what is in them.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fill writes empty files to a folder, which it makes.
func fill(t *testing.T, folder string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// feasible is a place with files of which there is a release, and that release.
func feasible(t *testing.T, rng *rand.Rand) (*place, []byte) {
	t.Helper()
	for {
		p := random(t, rng)
		p.release.Query = ""
		if want, err := p.local(t); err == nil {
			return p, want
		}
	}
}

// An output that is the input, has it, or lies in it, is refused before any work, whatever it is
// called, also where the input has the mark of a release.
func TestInputsAreNotWrittenOver(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 90))
	for range 4 {
		p, _ := feasible(t, rng)
		in := p.release.Input
		dir := filepath.Dir(in)
		fill(t, dir, "in/_SUCCESS", "unrelated")
		if err := os.Symlink(in, filepath.Join(dir, "link")); err != nil {
			t.Skip(err)
		}
		before := files(t, dir)
		p.release.Force = true
		p.fake.Before = func(step string) error { t.Error("there was work:", step); return nil }
		for _, output := range []string{
			in, in + "/", dir, filepath.Join(in, "new"), dir + "/x/../in", dir + "/link",
			dir + "/link/new",
		} {
			p.release.Output = output
			if _, err := p.release.Make(t.Context()); err == nil ||
				!strings.Contains(err.Error(), "the input ("+in+")") {
				t.Errorf("%s: %v", output, err)
			}
		}
		p.release.Query = "SELECT * FROM text.`" + in + "`"
		p.release.Output = dir
		if _, err := p.release.Make(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "a path of the query ("+in+")") {
			t.Errorf("a query: %v", err)
		}
		if !reflect.DeepEqual(files(t, dir), before) {
			t.Fatal("something has changed")
		}
	}
}

// With Force a former release, and an empty folder, are replaced, and nothing else is.
func TestOnlyReleasesAreReplaced(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 91))
	for _, one := range []struct {
		there    []string
		replaced bool
	}{
		{nil, true},
		{[]string{"part-0", "_SUCCESS"}, true},
		{[]string{"part-0", ".part-0.crc", "_SUCCESS", "._SUCCESS.crc"}, true},
		{[]string{"part-0"}, false},
		{[]string{"part-0", "_SUCCESS", "thesis.txt"}, false},
		{[]string{"part-0", "_SUCCESS", ".hidden"}, false},
		{[]string{"part-0", "_SUCCESS", "sub/part-0"}, false},
		{[]string{"part-0", "_SUCCESS", "part-1/part-0"}, false},
	} {
		p, want := feasible(t, rng)
		fill(t, p.release.Output, one.there...)
		before := files(t, p.release.Output)
		_, refused := p.release.Make(t.Context())
		if refused == nil || !strings.Contains(refused.Error(), "--force") {
			t.Errorf("%q without Force: %v", one.there, refused)
		}
		p.release.Force = true
		_, err := p.release.Make(t.Context())
		switch {
		case one.replaced && (err != nil || !bytes.Equal(p.published(t), want)):
			t.Errorf("%q: %v", one.there, err)
		case !one.replaced && (err == nil || !strings.Contains(err.Error(), "is not replaced")):
			t.Errorf("%q: %v", one.there, err)
		case !one.replaced && !reflect.DeepEqual(files(t, p.release.Output), before):
			t.Errorf("%q: something has changed", one.there)
		}
		if l := p.left(t); len(l) > 0 {
			t.Errorf("left behind: %q", l)
		}
	}
}

// What belongs to a release is in its place before the former release goes, so that a removal that
// fails leaves a whole release; the next run removes what was left.
func TestAFormerReleaseThatStays(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 92))
	broken := errors.New("broken")
	for range 4 {
		p, want := feasible(t, rng)
		fill(t, p.release.Output, "part-0", "_SUCCESS")
		p.release.Force = true
		done, last := 0, false
		p.release.Announce = func(context.Context, []string) (func() error, error) {
			last = true
			return func() error { done++; return nil }, nil
		}
		p.fake.Before = func(step string) error {
			if last && step == "remove" {
				return broken
			}
			return nil
		}
		_, err := p.release.Make(t.Context())
		if !errors.Is(err, broken) || done != 1 || !bytes.Equal(p.published(t), want) {
			t.Fatalf("%v, and %d reports", err, done)
		}
		l, beside := p.left(t), filepath.Dir(p.release.Output)
		if len(l) != 1 || !strings.Contains(err.Error(), "is in its place") ||
			!strings.Contains(err.Error(), "remains at "+filepath.Join(beside, l[0])) {
			t.Errorf("%v, and there is %q", err, l)
		}
		p.fake.Before = nil
		if _, err := p.release.Make(t.Context()); err != nil || len(p.left(t)) > 0 {
			t.Errorf("%v, and there is %q", err, p.left(t))
		}
	}
}

// Where what belongs to a release cannot be put in its place, all is as it was.
func TestWhatBelongsToAReleaseFails(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 93))
	wrong := errors.New("wrong")
	for i := range 6 {
		p, _ := feasible(t, rng)
		p.release.Force = i%2 == 0
		if p.release.Force {
			fill(t, p.release.Output, "part-0", "_SUCCESS")
		}
		before := files(t, filepath.Dir(p.release.Output))
		p.release.Announce = func(context.Context, []string) (func() error, error) {
			return func() error { return wrong }, nil
		}
		_, err := p.release.Make(t.Context())
		if !errors.Is(err, wrong) || !strings.Contains(err.Error(), "nothing was published") {
			t.Error(err)
		}
		if !reflect.DeepEqual(files(t, filepath.Dir(p.release.Output)), before) {
			t.Error("something has changed")
		}
	}
}

// What runs of another output have left, or are at, is theirs, also where its name begins with that
// of this one.
func TestFoldersOfOtherOutputsStay(t *testing.T) {
	p, want := feasible(t, rand.New(rand.NewPCG(20, 94)))
	dir := filepath.Dir(p.release.Output)
	end := "-" + strings.Repeat("x", 26)
	theirs := []string{
		"_mingle-staging-out-b" + end, "_mingle-former-out-b" + end, "_mingle-rows-out-b" + end,
		"_mingle-parts-out-b" + end,
	}
	for _, name := range theirs {
		fill(t, dir, name+"/part-0")
	}
	fill(t, dir, "_mingle-staging-out"+end+"/part-0")
	if _, err := p.release.Make(t.Context()); err != nil || !bytes.Equal(p.published(t), want) {
		t.Fatal(err)
	}
	if l := p.left(t); len(l) != len(theirs) {
		t.Errorf("left: %q", l)
	}
}

// More files than can be published in their order are refused before they are counted; other
// releases take them.
func TestVeryManyFilesInTheirOrder(t *testing.T) {
	p, _ := feasible(t, rand.New(rand.NewPCG(20, 91)))
	var names []string
	for i := range engine.MostOrdered + 1 {
		names = append(names, fmt.Sprintf("more-%d", i))
	}
	fill(t, p.release.Input, names...)
	steps := 0
	p.fake.Before = func(string) error { steps++; return nil }
	p.release.Algorithm = "aa"
	_, err := p.release.Make(t.Context())
	if err == nil || !strings.Contains(err.Error(), "to publish in their order") || steps > 1 {
		t.Errorf("%v, after %d steps", err, steps)
	}
	p.release.Algorithm, p.release.Parts = "partition", 1
	if _, err := p.release.Make(t.Context()); err != nil {
		t.Error(err)
	}
}

// While a release is made nobody else may look at what lies beside it.
func TestFoldersBesideTheOutputAreTheOwners(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 92))
	seen := map[string]bool{}
	for i := 0; i < 200 && len(seen) < 3; i++ {
		p := random(t, rng)
		if i%2 == 0 {
			p.release.Algorithm, p.release.Parts, p.release.Vertical.Parts = "partition", 1, 0
		}
		p.fake.Before = func(string) error {
			dir := filepath.Dir(p.release.Output)
			for _, kind := range []string{"rows", "parts", "staging"} {
				found, err := filepath.Glob(filepath.Join(dir, "_mingle-"+kind+"-*"))
				for _, f := range found {
					info, err := os.Stat(f)
					if err != nil || info.Mode().Perm() != 0o700 {
						t.Fatalf("%s: %v, %v", f, info, err)
					}
					seen[kind] = true
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			return nil
		}
		p.release.Make(t.Context()) // which there may be none of
		if left := p.left(t); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
	}
	if len(seen) < 3 {
		t.Errorf("only %v were looked at", seen)
	}
}
