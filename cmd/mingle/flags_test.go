package main

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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

// The command of a report, given to a shell, sets the same flags again: lists, too, whose names
// hold commas, quotes and blanks.
func TestTheCommandOfAReportIsTaken(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	names := []string{"a,b", `say "x"`, "it's", " c ", "d"}
	command := func() (*cobra.Command, *[]string, *[]string) {
		cmd := &cobra.Command{Use: "run"}
		each := cmd.Flags().StringArray("sensitive-column", nil, "")
		all := cmd.Flags().StringSlice("keep-columns", nil, "")
		return cmd, each, all
	}
	cmd, _, _ := command()
	for _, list := range []string{"sensitive-column", "keep-columns"} {
		if err := setFlag(cmd.Flags(), list, names); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.TrimPrefix(recipe(cmd, nil), "run ")
	words, err := exec.Command(shell, "-c", `printf '%s\n' `+text).Output()
	if err != nil {
		t.Fatal(err)
	}
	again, each, all := command()
	lines := strings.Split(strings.TrimSuffix(string(words), "\n"), "\n")
	if err := again.ParseFlags(lines); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !slices.Equal(*each, names) || !slices.Equal(*all, names) {
		t.Errorf("%s\ngives %q and %q, want %q", text, *each, *all, names)
	}
}
