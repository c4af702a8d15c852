package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(hearing{m}, map[string]func(){"mingle": main})
}

// hearing are the tests where hangups are heard, also if they were started by nohup: the commands
// that they start would not hear any.
type hearing struct{ *testing.M }

func (h hearing) Run() int {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	return h.M.Run()
}

// The scripts hold, for every command, what it prints, its exit code and the files it leaves.
func TestScripts(t *testing.T) {
	testscript.Run(
		t, testscript.Params{Dir: "testdata", Cmds: scriptCommands, Condition: condition},
	)
}

var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits": exits,
	"files": files,
	"mode":  mode,
	"bytes": writeBytes,

	"sorted": sorted,
	"sqlite": sqliteRun, // of databases
	"sql":    postgresRun,
	"write":  writeSocket,
}

// sorted FILE FILE: the two have the same lines, in any order.
func sorted(ts *testscript.TestScript, neg bool, args []string) {
	lines := func(file string) []string {
		out := strings.Split(ts.ReadFile(file), "\n")
		slices.Sort(out)
		return out
	}
	if got, want := lines(args[0]), lines(args[1]); slices.Equal(got, want) == neg {
		ts.Fatalf(
			"lines of %s:\n%s\nlines of %s:\n%s", args[0], strings.Join(got, "\n"), args[1],
			strings.Join(want, "\n"),
		)
	}
}

// exits CODE COMMAND...: the command ends with this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// files DIR NAME...: the directory holds exactly these files, hidden ones included.
func files(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: files DIR NAME...")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var got []string
	for _, e := range entries {
		// testscript's own, and what makes a directory
		if e.Name() != ".tmp" && e.Name() != ".keep" {
			got = append(got, e.Name())
		}
	}
	want := slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(got, want) {
		ts.Fatalf("files: %s\nwant:  %s", strings.Join(got, " "), strings.Join(want, " "))
	}
}

// mode FILE OCTAL: the file has this mode.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := strconv.FormatUint(uint64(info.Mode().Perm()), 8); got != args[1] {
		ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
	}
}

// bytes FILE QUOTED: writes what a Go string literal says.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// condition adds to the conditions of scripts: [full] where there is a device that is always full,
// [user] where modes bind.
func condition(name string) (bool, error) {
	switch name {
	case "full":
		_, err := os.Stat("/dev/full")
		return err == nil, nil
	case "user":
		return os.Getuid() > 0, nil
	}
	return false, errors.New("no such condition: " + name)
}

// The files under examples are what "mingle generate" makes of the command beside them.
func TestExamplesAreReproducible(t *testing.T) {
	dir := filepath.Join("..", "..", "examples", "shop")
	made := t.TempDir()
	args := []string{
		"generate", "shop", "--transactions", "4000", "--items", "130", "--seed", "1", "--quiet",
		"-o", filepath.Join(made, "baskets.csv"), "--catalogue", filepath.Join(
			made, "catalogue.csv",
		),
	}
	var errs strings.Builder
	if code := program(args, nil, &errs, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, name := range []string{"baskets.csv", "catalogue.csv"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(made, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what the command makes: mingle %s", name, strings.Join(args, " "))
		}
	}
}
