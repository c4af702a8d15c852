package dataset

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// python is one that has pyarrow, the other implementation of Parquet and Arrow: the one that
// MINGLE_PYTHON names, or that tools/pyarrow.sh made, or python3. Without it the test is skipped.
func python(t *testing.T) string {
	t.Helper()
	name := os.Getenv("MINGLE_PYTHON")
	if cache, err := os.UserCacheDir(); name == "" && err == nil {
		name = filepath.Join(cache, "mingle-pyarrow", "bin", "python")
		if _, err := os.Stat(name); err != nil {
			name = "python3"
		}
	}
	if err := exec.Command(name, "-c", "import pyarrow").Run(); err != nil {
		t.Skip("there is no Python with pyarrow (tools/pyarrow.sh makes one):", err)
	}
	return name
}

// TestPyarrowWrites reads what pyarrow writes: every codec, version, encoding and type.
func TestPyarrowWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("Python says nothing about goroutines")
	}
	dir := t.TempDir()
	out, err := exec.Command(python(t), "testdata/interop.py", "make", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cases, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(cases) < 50 {
		t.Fatalf("%d files: %v", len(cases), err)
	}
	for _, path := range cases {
		others, _ := filepath.Glob(strings.TrimSuffix(path, "json") + "[apfx]*")
		for _, file := range others {
			t.Run(filepath.Base(file), func(t *testing.T) { checkWritten(t, file, path) })
		}
	}
}

func checkWritten(t *testing.T, file, want string) {
	var expected struct {
		Sets    [][]string
		Columns map[string][]string
	}
	text, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), file, Options{SetColumn: "items"})
	if err != nil {
		t.Fatal(err)
	}
	checkInvariants(t, d)
	if d.Len() != len(expected.Sets) {
		t.Fatalf("%d transactions of %d", d.Len(), len(expected.Sets))
	}
	for i, set := range expected.Sets {
		got := d.Labels(i)
		slices.Sort(got)
		slices.Sort(set)
		if !slices.Equal(got, set) {
			t.Fatalf("transaction %d is %q, want %q", i+1, got, set)
		}
	}
	for name, values := range expected.Columns {
		c, _ := d.Column(name)
		diff(t, name, values, c.Values)
	}
}

// TestPyarrowReads has pyarrow read what is written here.
func TestPyarrowReads(t *testing.T) {
	program := python(t)
	d := FromLabels([][]string{{"a", "\"q\"", "é😀"}, {}, {"b", "7", "007"}})
	d.Columns = []Column{{Name: "who", Values: []string{"x", "", "z"}}}
	for _, c := range []struct{ file, form, want string }{
		{"a.parquet", "", `[{"who":"x","items":["\"q\"","a","é😀"]},{"who":null,"items":[]},` +
			`{"who":"z","items":["007","7","b"]}]`},
		{"b.parquet", "t", `[{"t":"1","i":"\"q\"","who":"x"},{"t":"1","i":"a","who":"x"},` +
			`{"t":"1","i":"é😀","who":"x"},{"t":"2","i":null,"who":null},` +
			`{"t":"3","i":"007","who":"z"},{"t":"3","i":"7","who":"z"},` +
			`{"t":"3","i":"b","who":"z"}]`},
		{"a.arrow", "", `[{"who":"x","items":["\"q\"","a","é😀"]},{"who":null,"items":[]},` +
			`{"who":"z","items":["007","7","b"]}]`},
		{"a.arrows", "t", `[{"t":"1","i":"\"q\"","who":"x"},{"t":"1","i":"a","who":"x"},` +
			`{"t":"1","i":"é😀","who":"x"},{"t":"2","i":null,"who":null},` +
			`{"t":"3","i":"007","who":"z"},{"t":"3","i":"7","who":"z"},` +
			`{"t":"3","i":"b","who":"z"}]`},
		{"a.xlsx", "", `[{"who":"x","items":"\"q\";a;é😀"},{"who":null,"items":""},` +
			`{"who":"z","items":"007;7;b"}]`},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if c.file == "a.xlsx" && exec.Command(program, "-c", "import openpyxl").Run() != nil {
			t.Log("there is no openpyxl (tools/pyarrow.sh installs it)")
			continue
		}
		opts := Options{Format: ByExtension(Extension(path)), Name: path}
		if c.form != "" {
			opts.TransactionColumn, opts.ItemColumn = "t", "i"
		}
		if err := os.WriteFile(path, []byte(mustWrite(t, d, opts)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program, "testdata/interop.py", "read", path).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var got, want any
		if json.Unmarshal(out, &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
			t.Fatalf("%s: %s", c.file, out)
		}
		diff(t, c.file, want, got)
	}
}
