package main

import (
	"runtime"
	"testing"
)

// More workers than can run at a time would only take memory.
func TestWorkersAreAsManyAsCanHelp(t *testing.T) {
	m := machineFlags{workers: 1_000_000}
	if err := m.check(); err != nil || m.workers != 4*runtime.GOMAXPROCS(0) {
		t.Errorf("%d workers, %v", m.workers, err)
	}
}

// A file's name in a recipe is not taken for a flag.
func TestFileNamesAreNoFlags(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.dat": "b.dat", "./-o.dat": "./-o.dat", "-": "-",
	} {
		if got := fileName(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
