package experiment_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/experiment"
	"mingle/internal/publish"
)

const twoFigures = `
title: %
data: [{name: made, shape: {transactions: 10, items: 4, longest: 3, average: 2, exponent: 1, seed: 1}}]
runs: [{data: made, algorithm: aa, k: 2, m: 1}]
plots: [{name: one, title: %, x: k, y: ncp}, {name: two, x: k, y: ncp}]
`

func draw(t *testing.T, dir, title string) error {
	t.Helper()
	p, err := experiment.Read(strings.NewReader(strings.ReplaceAll(twoFigures, "%", title)), "plan", os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	return p.WriteFigures(&publish.Set{Force: true}, dir, nil)
}

// Somebody who has the page open while it is drawn anew keeps the former one, whole.
func TestFiguresAreReplacedNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	if err := draw(t, dir, "former"); err != nil {
		t.Fatal(err)
	}
	page, err := os.Open(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	if err := draw(t, dir, "latter"); err != nil {
		t.Skip("an open file cannot be replaced here: ", err)
	}
	if text, _ := io.ReadAll(page); !strings.Contains(string(text), "<title>former") {
		t.Errorf("the page was written over: %.80q", text)
	}
}

// When one figure cannot be written, all are as they were.
func TestFiguresAppearTogether(t *testing.T) {
	dir := t.TempDir()
	if err := draw(t, dir, "former"); err != nil {
		t.Fatal(err)
	}
	figure, err := os.ReadFile(filepath.Join(dir, "one.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "two.svg")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "two.svg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := draw(t, dir, "latter"); err == nil {
		t.Fatal("a directory was replaced by a figure")
	}
	if again, _ := os.ReadFile(filepath.Join(dir, "one.svg")); !bytes.Equal(figure, again) {
		t.Error("the first figure is new")
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil || !strings.Contains(string(page), "<title>former") {
		t.Errorf("%v: %.80q", err, page)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".mingle-*")); left != nil {
		t.Errorf("left: %v", left)
	}
}
