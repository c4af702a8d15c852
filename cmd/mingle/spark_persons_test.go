package main

import (
	"context"
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
	return s, filepath.Join(s.dir, "one", "in.jsonl"), filepath.Join(s.dir, "many", "in.jsonl")
}

// Where persons are counted the release on a cluster has the lines of one machine, in ascending
// order: what a line is says nothing of who stands beside it.
func TestSparkCountsPersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 52))
	made := 0
	for i := range 9 {
		s, one, many := someBaskets(t, rng)
		a := []anonymize.Algorithm{global.AA{}, global.VPA{Parts: 3}, exact.Algorithm{}}[i%3]
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
		release.Vertical.Parts = 3
		release.Engine = &fake.Engine{Rng: rng, Lines: 1 + rng.IntN(40), Work: func(
			ctx context.Context, verb string, plan, in io.Reader, out io.Writer,
		) error {
			return cluster.Work(ctx, verb, plan, pipeline.Version, in, out)
		}}
		published := filepath.Join(s.dir, "one", "out")
		_, refused := pipeline.Job{
			Family: pipeline.KM{
				Layout: release.Layout.Options(), Hierarchy: r.tree.path, Promise: release.Promise,
				Algorithm: a, PersonColumn: "customer",
			},
			Input: one, Output: published, Audit: published + ".audit", Recipe: "mingle",
		}.Run(t.Context())
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
		if done.Finding.Persons < int64(r.promise.K) || strings.Contains(got.String(), "customer") {
			t.Fatalf("%d persons, %s", done.Finding.Persons, got.String())
		}
	}
	if made < 5 {
		t.Errorf("only %d releases were made", made)
	}
}
