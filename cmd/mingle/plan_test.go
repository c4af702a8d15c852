package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"mingle/pipeline"
)

// What the page asks for is read as the command reads it, and nothing is run.
func TestPlan(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	job, err := plan(context.Background(), []string{
		"anonymize", "km", "in.csv", "--input-format", "basket", "-H", "tree.csv", "-k", "5", "-m", "2",
		"-o", out, "--workers", "1",
	})
	family, is := job.Family.(pipeline.KM)
	if err != nil || !is || family.Promise.K != 5 || job.Output != out || job.Workers != 1 {
		t.Errorf("%+v %v", job, err)
	}
	want := "mingle anonymize km in.csv --hierarchy tree.csv --input-format basket -k 5 -m 2 --output out.csv"
	if job.Recipe != want {
		t.Errorf("the recipe is %q", job.Recipe)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a plan was run")
	}
	for _, args := range [][]string{
		{"inspect", "in.csv"},
		{"anonymize", "km", "in.csv"},
		{"nothing"},
		{},
		{"anonymize", "km", "in.csv", "-H", "t", "-k", "x", "-m", "2", "-o", out},
		{"anonymize", "km", "in.csv", "-H", "t", "-k", "5", "-m", "2", "-o", out, "--memory", "x"},
	} {
		if job, err := plan(context.Background(), args); err == nil {
			t.Errorf("%q makes the job %+v", args, job)
		}
	}
}
