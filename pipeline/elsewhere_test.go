package pipeline_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/pipeline"
	"mingle/privacy"
)

// A release that was made elsewhere has the report of a job that publishes the same lines.
func TestReportOfAReleaseMadeElsewhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 30))
	dir := t.TempDir()
	var data, tree strings.Builder
	for range 300 {
		fmt.Fprintln(&data, rng.IntN(8), 8+rng.IntN(8))
	}
	for i := range 16 {
		fmt.Fprintf(&tree, "%d;g%d;*\n", i, i/4)
	}
	in, catalogue := filepath.Join(dir, "in.dat"), filepath.Join(dir, "tree.csv")
	out, rep := filepath.Join(dir, "out.dat"), filepath.Join(dir, "report.json")
	for path, text := range map[string]string{in: data.String(), catalogue: tree.String()} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	promise := privacy.KM{K: 5, M: 2}
	job := pipeline.Job{
		Family: pipeline.KM{Hierarchy: catalogue, Promise: promise, Algorithm: global.AA{}},
		Input:  in, Output: out, Report: rep, Recipe: "mingle",
	}
	if _, err := job.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(rep)
	if err != nil {
		t.Fatal(err)
	}
	published, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	made, err := pipeline.Elsewhere{
		Hierarchy: catalogue, Original: "in.dat", Published: "out.dat",
		Layout: dataset.Options{Format: dataset.Fimi}, Promise: promise, Algorithm: "aa",
		Recipe: "mingle",
	}.Report(t.Context(), bytes.NewReader(published))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := made.WriteJSON(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("elsewhere\n%s\nthe job\n%s", got.String(), want)
	}
}
