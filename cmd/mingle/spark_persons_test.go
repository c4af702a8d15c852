package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/cluster"
	"mingle/cluster/fake"
	"mingle/pipeline"
)

// someBaskets is an original of persons with some baskets each, in jsonl, in one file and in some.
func someBaskets(t *testing.T, rng *rand.Rand) (s *stays, one, many string) {
	t.Helper()
	s = &stays{dir: t.TempDir(), rng: rng}
	lines := make([]string, 60+rng.IntN(100))
	for i := range lines {
		var items []string
		for range rng.IntN(5) {
			item := int(12 * rng.Float64() * rng.Float64())
			items = append(items, fmt.Sprintf(`"i%d"`, item))
		}
		if rng.IntN(12) == 0 {
			items = append(items, `"hiv"`)
		}
		who := fmt.Sprint(rng.IntN(40))
		if rng.IntN(9) == 0 {
			who = []string{"null", `""`, `"n/a"`}[rng.IntN(3)]
		}
		lines[i] = fmt.Sprintf(`{"customer":%s,"items":[%s],"day":%d}`, who, strings.Join(items, ","),
			rng.IntN(9)) + "\n"
	}
	s.write(t, "one/in.jsonl", strings.Join(lines, ""))
	files := 1 + rng.IntN(3)
	for f := range files {
		own := lines[f*len(lines)/files : (f+1)*len(lines)/files]
		s.write(t, fmt.Sprintf("many/in.jsonl/part%d", f), strings.Join(own, ""))
	}
	var tree strings.Builder
	for i := range 12 {
		fmt.Fprintf(&tree, "i%d;g%d;h%d;*\n", i, i/2, i/4)
	}
	s.write(t, "tree.csv", tree.String())
	s.args = []string{
		"-H", filepath.Join(s.dir, "tree.csv"), "--person-column", "customer",
		"-k", fmt.Sprint(2 + rng.IntN(4)), "-m", fmt.Sprint(1 + rng.IntN(3)),
	}
	s.write(t, "list.txt", "hiv\n")
	if s.diverse = rng.IntN(2) == 0; s.diverse {
		s.args = append(s.args, "--sensitive", filepath.Join(s.dir, "list.txt"), "-l", "2")
	} else { // an item like others
		s.write(t, "tree.csv", tree.String()+"hiv;g5;h2;*\n")
	}
	if rng.IntN(2) == 0 {
		s.args = append(s.args, "--max-person-share", fmt.Sprintf("1/%d", 2+rng.IntN(3)))
	}
	return s, filepath.Join(s.dir, "one", "in.jsonl"), filepath.Join(s.dir, "many", "in.jsonl")
}

// Where persons are counted the release on a cluster has the lines of one machine, in ascending
// order: what a line is says nothing of who stands beside it. The report says so, and else the
// same.
func TestSparkCountsPersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 52))
	made := 0
	for i := range 10 {
		s, one, many := someBaskets(t, rng)
		a := []anonymize.Algorithm{
			global.AA{},
			global.VPA{Parts: 3},
			exact.Algorithm{},
			local.Algorithm{},
			partition.Algorithm{},
		}[i%5]
		for i%5 > 2 && (s.diverse || slices.Contains(s.args, "--max-person-share")) {
			s, one, many = someBaskets(t, rng)
		}
		r := &sparkRelease{algorithm: a.Name(), output: filepath.Join(s.dir, "out")}
		f := pflag.NewFlagSet("km", pflag.ContinueOnError)
		r.register(f)
		r.who(f)
		if err := f.Parse(s.args); err != nil {
			t.Fatal(err)
		}
		release, err := r.made([]string{many})
		if err != nil {
			t.Fatal(err)
		}
		if release.Vertical.Parts = 3; a.Name() == "local" {
			release.Seed = &[32]byte{1}
		}
		release.Engine = &fake.Engine{Rng: fake.Own(rng), Lines: 1 + rng.IntN(40), Work: func(
			ctx context.Context, verb string, plan, in io.Reader, out io.Writer,
		) error {
			return cluster.Work(ctx, verb, plan, pipeline.Version, in, out)
		}}
		published := filepath.Join(s.dir, "one", "out")
		_, refused := pipeline.Job{
			Family: pipeline.KM{
				Layout: release.Layout.Options(), Hierarchy: r.tree.path, Promise: release.Promise,
				Algorithm: a, PersonColumn: "customer", Sensitive: r.sensitive,
			},
			Input: one, Output: published, Recipe: "mingle", Seed: release.Seed,
			Report: published + ".json",
		}.Run(t.Context())
		var rep bytes.Buffer
		release.Announce = func(ctx context.Context, files []string) (func() error, error) {
			in := &inTurn{ctx: ctx, files: files, open: release.Engine.Open}
			defer in.close()
			made, err := pipeline.Elsewhere{
				Hierarchy: r.tree.path, Original: "in.jsonl", Published: "out",
				Layout: release.Layout.Options(), Promise: release.Promise, Algorithm: a.Name(),
				Sensitive: r.sensitive, Recipe: "mingle", FixedSeed: release.Seed != nil,
			}.Report(ctx, in)
			if err != nil {
				return nil, err
			}
			return func() error { return made.WriteJSON(&rep) }, nil
		}
		done, err := release.Make(t.Context())
		if refused != nil || err != nil {
			if refused == nil || err == nil {
				t.Fatalf("one machine says %v, the cluster %v", refused, err)
			}
			continue
		}
		made++
		var got strings.Builder
		for _, f := range done.Files {
			got.WriteString(text(t, f))
		}
		want := strings.SplitAfter(text(t, published), "\n")
		slices.Sort(want)
		if got.String() != strings.Join(want, "") {
			t.Fatalf("published\n%s\none machine publishes\n%s", got.String(), want)
		}
		theirs, ours := butForOrder(t, text(t, published+".json")), butForOrder(t, rep.String())
		if theirs != ours || !strings.Contains(rep.String(), `"ascending"`) {
			t.Fatalf("reported\n%s\none machine reports\n%s", ours, theirs)
		}
		if done.Finding.Persons < int64(r.promise.K) || strings.Contains(got.String(), "customer") {
			t.Fatalf("%d persons, %s", done.Finding.Persons, got.String())
		}
	}
	if made < 5 {
		t.Errorf("only %d releases were made", made)
	}
}

// butForOrder is a report without what the order of the lines changes: also what is sampled.
func butForOrder(t *testing.T, text string) string {
	t.Helper()
	var rep map[string]any
	if err := json.Unmarshal([]byte(text), &rep); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"shuffled", "ascending", "outputs"} {
		delete(rep, name)
	}
	if warnings, are := rep["warnings"].([]any); are { // the order is of the seed there, and not here
		rep["warnings"] = slices.DeleteFunc(warnings, func(w any) bool {
			return strings.HasPrefix(w.(string), "The order of the lines comes from a fixed seed")
		})
	}
	if test, is := rep["attack"].(map[string]any); is {
		attempts := test["attempts"].([]any)
		test["attempts"] = slices.DeleteFunc(attempts, func(a any) bool {
			return a.(map[string]any)["exact"] != true
		})
	}
	out, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
