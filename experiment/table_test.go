package experiment_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mingle/experiment"
)

// Results that end anywhere, as those of a run that was killed while it wrote, can be gone on with:
// the rows before are there, also where a message has several lines.
func TestResultsThatEndAnywhereAreResumed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	table, err := experiment.OpenTable(path)
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{0} // the size with so many rows
	for k := 2; k <= 3; k++ {
		var row experiment.Row
		row.Data, row.Algorithm, row.K = "d", "aa", k
		row.Status = experiment.StatusFailed
		row.Message = "the hierarchy lacks 2 items:\n\"q\"\n\"z\"\n"
		if err := table.Add(row); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(info.Size()))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(text) + 1 {
		if err := os.WriteFile(path, text[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := experiment.OpenTable(path)
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", size, len(text), err)
		}
		want := 0
		for want+1 < len(ends) && ends[want+1] <= size {
			want++
		}
		if len(table.Rows) != want {
			t.Errorf("%d of %d bytes: %d rows, want %d", size, len(text), len(table.Rows), want)
		}
	}
}

// Two runs at once do not both write to a table; when the first has ended the other may.
func TestATableIsOfOneRunAtATime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks here")
	}
	path := filepath.Join(t.TempDir(), "results.csv")
	release, err := experiment.HoldTable(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := experiment.HoldTable(path)
	if err == nil {
		again()
		t.Skip("no locks here")
	}
	if !strings.Contains(err.Error(), "another run is writing it") {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if again, err = experiment.HoldTable(path); err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
}

// The file of a table has one row a cell, the last that was written: after a run that ran cells
// again, and where two runs wrote to it at once.
func TestATableHasOneRowACell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	const plan = `
data: [{name: made, income: 40}, {name: gone, file: nowhere.dat}]
runs: [{data: [gone, made], algorithm: acd, k: 2, m: 1}]
`
	r := open(t, plan, path)
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, body, _ := strings.Cut(string(text), "\n")
	twice := header + "\n" + body + strings.ReplaceAll(body, ",absent,", ",failed,")
	if err := os.WriteFile(path, []byte(twice), 0o600); err != nil {
		t.Fatal(err)
	}
	r = open(t, plan, path)
	look := func(first string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(string(text), "\n"); len(lines) != 4 || lines[0] != header ||
			!strings.HasPrefix(lines[1], "gone,") || !strings.Contains(lines[1], first) ||
			!strings.HasPrefix(lines[2], "made,") {
			t.Errorf("the table is\n%s", text)
		}
	}
	look(",failed,")
	r.Retry = true
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	look(",absent,")
}

// What is no table is refused, and stays as it is, also where no line of it ends.
func TestWhatIsNoTableStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	for _, text := range []string{"mine", "data,first,mine", "mine\nand mine", "a,b\n1,2\n", "\""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := experiment.OpenTable(path)
		after, _ := os.ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), "columns differ") || string(after) != text {
			t.Errorf("%q: %v, and it is %q", text, err, after)
		}
	}
}

// A row in the middle that is damaged is refused, and those after it stay.
func TestADamagedRowCutsNothingOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	table, err := experiment.OpenTable(path)
	if err != nil {
		t.Fatal(err)
	}
	for k := 2; k <= 4; k++ {
		var row experiment.Row
		row.Data, row.Algorithm, row.K, row.Status = "d", "aa", k, experiment.StatusFailed
		row.Message = "why"
		if err := table.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := strings.Replace(string(text), "why", "wh\"y", 1)
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = experiment.OpenTable(path)
	after, _ := os.ReadFile(path)
	if err == nil || !strings.Contains(err.Error(), "line 2") || string(after) != damaged {
		t.Errorf("%v; %d bytes of %d are left", err, len(after), len(damaged))
	}
}
