package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mingle/internal/memory"
	"mingle/webui"
)

// A file that is too much is refused while it is read, and so is a view without an end. What was
// made before stays, and a run after it is made as the one before.
func TestServeMemory(t *testing.T) {
	const bound = 160 << 20 // this process holds some tens of MB
	v := visits(t, webui.Options{Memory: bound, Overrun: func(e *memory.Exceeded, _ func() error) {
		t.Errorf("the server would end: %v", e)
	}})
	_, _, at := v.post(v.base+"example", url.Values{})
	shop := strings.TrimSuffix(at, "data")
	v.waits(at, `class="sums"`)
	publish := func() {
		_, _, run := v.post(shop+"choose", url.Values{
			"do": {"run"}, "family": {"km"}, "k": {"5"}, "m": {"2"}, "algorithm": {"aa"},
		})
		if text, found := v.waits(run, `class="verdict`, `<div class="note bad"`); found != `class="verdict` {
			t.Error(text)
		}
	}
	publish()
	dir := t.TempDir()
	refused := fmt.Sprintf("more than %s of memory would be needed", memory.Size(bound))
	large := filepath.Join(dir, "large.dat")
	writeLarge(t, large, 3_000_000)
	_, text, at := v.uploads(v.base+"open", large)
	if !strings.Contains(text, "understood") {
		t.Fatal(text)
	}
	if text, _ := v.waits(at, `<div class="note bad"`, `class="sums"`); !strings.Contains(text, refused) {
		t.Error(text)
	}
	publish()
	endless := filepath.Join(dir, "v.db")
	db, err := sql.Open("sqlite", endless)
	if err == nil {
		_, err = db.Exec(`CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 ` +
			`FROM n) SELECT i AS "transaction", 'item' || i AS item FROM n`)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, text = v.opens(endless, "v", ""); !strings.Contains(text, refused) {
		t.Error(text)
	}
	publish()
}

// writeLarge writes a file of so many items, all different.
func writeLarge(t *testing.T, path string, items int) {
	t.Helper()
	var text bytes.Buffer
	for i := range items {
		fmt.Fprintf(&text, "i%07d%c", i, " \n"[i%2])
	}
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Where the server has to end, nothing of what was uploaded and made stays. It is seen in a process
// of its own, which ends.
func TestServeOverrun(t *testing.T) {
	if os.Getenv("MINGLE_OVERRUN") != "" {
		a := &app{out: io.Discard, errs: os.Stderr}
		a.overrun(&memory.Exceeded{Bound: memory.Least}, func() error { return errors.New("emptied") })
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestServeOverrun$")
	cmd.Env = append(os.Environ(), "MINGLE_OVERRUN=1")
	said, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 3 || !strings.Contains(string(said), "emptied") {
		t.Errorf("%v: %s", err, said)
	}
}
