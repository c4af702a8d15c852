package spark

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/cluster/engine"
)

// Of more files than a statement can name whole folders are read, where the order does not matter.
func TestVeryManyFiles(t *testing.T) {
	said, dir := filepath.Join(t.TempDir(), "said"), t.TempDir()
	t.Setenv("SAID", said)
	e, err := pretend(t.Context(), t, `echo "$line" >"$SAID"; printf "%%s\tone\n" $row`)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	other := filepath.Join(t.TempDir(), "other.dat")
	job := engine.Job{Name: "count", Input: []string{other}, Plan: []byte("{}"), Map: "map"}
	add := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for i := range engine.MostOrdered {
		job.Input = append(job.Input, add(fmt.Sprintf("part-%05d", i)))
	}
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Run(t.Context(), job); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(said)
	if n := strings.Count(string(text), "FROM mingle_file_"); n != 2 {
		t.Errorf("a file and a folder are read as %d views", n)
	}
	const fault = "501 files to read one by one"
	ordered := job
	ordered.Output = filepath.Join(t.TempDir(), "out")
	if _, err := e.Run(t.Context(), ordered); err == nil || !strings.Contains(err.Error(), fault) {
		t.Errorf("in their order: %v", err)
	}
	add("part-99999") // which is not asked for
	if _, err := e.Run(t.Context(), job); err == nil || !strings.Contains(err.Error(), fault) {
		t.Errorf("some of a folder: %v", err)
	}
}
