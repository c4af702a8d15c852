package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/cluster"
	"mingle/pipeline"
)

// In one part local and partition publish and report on a cluster what they do on one machine, with
// the same seed.
func TestSparkInOnePart(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 80))
	for i := range 6 {
		s := someStays(t, rng)
		var lines strings.Builder
		for n := range 40 + rng.IntN(60) {
			for it := range 16 {
				if rng.IntN(5+it) == 0 {
					fmt.Fprintf(&lines, "i%d ", it)
				}
			}
			if i%3 > 0 && n%13 < len(s.list) {
				lines.WriteString(s.list[n%13])
			}
			lines.WriteString("\n")
		}
		s.write(t, "one/plain.dat", lines.String())
		a := []anonymize.Algorithm{local.Algorithm{}, partition.Algorithm{}}[i%2]
		s.args = []string{
			"-H", filepath.Join(s.dir, "tree.csv"), "-k", "3", "-m", "2",
			"--input-format", "fimi",
		}
		if i%3 > 0 {
			s.args = append(s.args, "--sensitive", filepath.Join(s.dir, "list.txt"), "-l", "3")
		}
		if a.Name() == "local" {
			s.args = append(s.args, "--seed", fmt.Sprint("text ", i))
		}
		flags, release, err := s.asked(t, a.Name())
		if err != nil {
			t.Fatal(err)
		}
		release.Input = filepath.Join(s.dir, "one", "plain.dat")
		var got bytes.Buffer
		release.Announce = func(ctx context.Context, files []string) (func() error, error) {
			in := &inTurn{ctx: ctx, files: files, open: release.Engine.Open}
			defer in.close()
			made, err := pipeline.Elsewhere{
				Hierarchy: flags.tree.path, Original: "plain.dat", Published: "out",
				Layout: release.Layout.Options(), Promise: release.Promise, Algorithm: a.Name(),
				Sensitive: flags.sensitive, Recipe: "mingle", FixedSeed: release.Seed != nil,
			}.Report(ctx, in)
			if err != nil {
				return nil, err
			}
			return func() error { return made.WriteJSON(&got) }, nil
		}
		made, err := release.Make(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.sameAsOneMachine(t, release, flags, a, got.String())
		if made.Parts != 1 {
			t.Errorf("%d parts", made.Parts)
		}
	}
}

// sameAsOneMachine compares a release and its report with those of one machine.
func (s *stays) sameAsOneMachine(
	t *testing.T, r *cluster.Release, flags *sparkRelease, a anonymize.Algorithm, reported string,
) {
	t.Helper()
	out, rep := filepath.Join(s.dir, "one", "out"), filepath.Join(s.dir, "one", "report.json")
	job := pipeline.Job{
		Family: pipeline.KM{
			Layout: r.Layout.Options(), Hierarchy: flags.tree.path, Promise: r.Promise,
			Algorithm: a, Sensitive: flags.sensitive,
		},
		Input: r.Input, Output: out, Report: rep, Recipe: "mingle", Seed: r.Seed,
	}
	if _, err := job.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := cluster.Files(t.Context(), r.Engine, r.Layout, r.Output)
	if err != nil {
		t.Fatal(err)
	}
	var published strings.Builder
	for _, f := range files {
		published.WriteString(text(t, f))
	}
	if want := text(t, out); published.String() != want {
		t.Errorf("%s published\n%s\none machine publishes\n%s", a.Name(), published.String(), want)
	}
	if want := text(t, rep); reported != want {
		t.Errorf("%s reported\n%s\none machine reports\n%s", a.Name(), reported, want)
	}
}
