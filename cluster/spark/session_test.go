package spark

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mingle/cluster/engine"
)

// pretended is a spark-sql that answers as Spark does, and does what a test says where the job
// "count" is asked for.
const pretended = `#!/bin/sh
while IFS= read -r line; do
	case $line in
	"SET mingle.done="*)
		n=${line#*-done-}
		printf "spark-sql (default)> %s\nspark-sql (default)> mingle.done\tmingle-done-%s\n" "$line" "${n%;}"
		echo "Time taken: 0.1 seconds, Fetched 1 row(s)" >&2 ;;
	*"SELECT 'mingle-row-"*)
		row=$(echo "$line" | sed "s/.*SELECT '\(mingle-row-[0-9]*\)'.*/\1/")
		case $line in
		*TRANSFORM*) %s ;;
		*) printf "spark-sql (default)> %%s\t${lines:-1}\n" "$row" ;;
		esac ;;
	*"INSERT OVERWRITE"*) %s ;;
	esac
done
`

// pretend opens an engine on such a program.
func pretend(ctx context.Context, t *testing.T, count string) (*Engine, error) {
	t.Helper()
	return pretendTo(ctx, t, count, nil)
}

// pretendTo is pretend for who listens to how far it is.
func pretendTo(
	ctx context.Context, t *testing.T, count string, tasks func(Tasks),
) (*Engine, error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it is a script of a shell")
	}
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(strings.ReplaceAll(pretended, "%s ;;", count+" ;;"), "%%s", "%s")
	err := os.WriteFile(filepath.Join(home, "bin", "spark-sql"), []byte(text), 0o777)
	if err != nil {
		t.Fatal(err)
	}
	return Open(ctx, Options{Home: home, Master: "local[1]", Worker: "/bin/mingle", Tasks: tasks})
}

func ask(ctx context.Context, e *Engine, output string) ([]string, error) {
	return e.Run(ctx, engine.Job{
		Name: "count", Input: []string{"/x/y.dat"}, Plan: []byte("{}"), Map: "map", Output: output,
	})
}

func TestRowsAreThoseOfTheStatement(t *testing.T) {
	e, err := pretend(t.Context(), t,
		`printf "spark-sql (default)> %%s\tone\n%%s\ttwo\tthree\nechoed\n%%s\t\n" $row $row $row`)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for range 2 {
		rows, err := ask(t.Context(), e, "")
		if err != nil || strings.Join(rows, "|") != "one|two\tthree|" {
			t.Fatalf("%q, %v", rows, err)
		}
	}
}

// Spark goes on after a statement that failed, and has no rows.
func TestAStatementThatFailed(t *testing.T) {
	e, err := pretend(t.Context(), t,
		`echo "org.apache.spark.SparkException: Subprocess exited with status 2. Error: mingle: line 7" >&2`)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := ask(t.Context(), e, ""); err == nil || !strings.Contains(err.Error(), "line 7") {
		t.Errorf("%v", err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := ask(t.Context(), e, out); err == nil || !strings.Contains(err.Error(), "not written") {
		t.Errorf("%v", err)
	}
	if err := os.Mkdir(out, 0o777); err != nil { // part of the output is there
		t.Fatal(err)
	}
	if _, err := ask(t.Context(), e, out); err == nil {
		t.Error("part of an output was taken for all of it")
	}
}

// A job without rows has a reason, also where Spark names none: that there are no lines only where
// there are none.
func TestNoRowsAtAll(t *testing.T) {
	for script, none := range map[string]bool{"lines=0": true, "lines=7": false} {
		e, err := pretend(t.Context(), t, script)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if _, err := ask(t.Context(), e, ""); err == nil || errors.Is(err, engine.ErrNoLines) != none {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func TestSparkThatEnds(t *testing.T) {
	e, err := pretend(t.Context(), t,
		`printf "%%s\tone\n" $row; echo "java.lang.OutOfMemoryError: heap" >&2; exit 3`)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := ask(t.Context(), e, ""); err == nil || !strings.Contains(err.Error(), "heap") {
		t.Errorf("%v", err)
	}
	if _, err := ask(t.Context(), e, ""); err == nil {
		t.Error("a job after the end was done")
	}
}

func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	e, err := pretend(ctx, t, `echo "Error: now" >&2; sleep 600`)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	cause := errors.New("enough")
	go func() {
		for !strings.Contains(strings.Join(e.session.from(0), " "), "now") {
			runtime.Gosched()
		}
		stop(cause)
	}()
	if _, err := ask(ctx, e, ""); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
}

func TestWhatCannotBeAStatementIsRefused(t *testing.T) {
	e, err := pretend(t.Context(), t, ":")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, path := range []string{"/x/a b", "/x/a'b", "/x/%41", "/x/a;b", "/x/\n", "/x/a:b"} {
		if _, err := e.view(t.Context(), sourceOf(path)); err == nil {
			t.Errorf("%q was read", path)
		}
	}
	if _, err := Open(t.Context(), Options{Master: "local", Worker: "/bin/my program"}); err == nil ||
		!strings.Contains(err.Error(), "rename") {
		t.Errorf("%v", err)
	}
	if _, err := Open(t.Context(), Options{Worker: "/bin/mingle"}); err == nil ||
		!strings.Contains(err.Error(), "--master") {
		t.Errorf("%v", err)
	}
}

// A view that could not be made is none, however often it is asked for.
func TestAViewThatFailed(t *testing.T) {
	e, err := pretend(t.Context(), t, ":")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		v, err := e.view(t.Context(), sourceOf("/x/y.dat"))
		if v != "" || err == nil || err.Error() != "spark-sql has ended" {
			t.Errorf("%q, %v", v, err)
		}
	}
}

func TestPathsOfThisMachineAndOthers(t *testing.T) {
	for path, want := range map[string]string{
		"/x/y": "file:///x/y", "file:///x/y": "file:///x/y", "file:/x/y": "file:///x/y",
		"hdfs://host/x": "hdfs://host/x", "s3a://lake/x": "s3a://lake/x",
	} {
		if got := uri(path); got != want {
			t.Errorf("%s is %s, not %s", path, got, want)
		}
	}
}

// What is wrong is found in what Spark says, however it says it.
func TestReasons(t *testing.T) {
	for _, one := range []struct {
		told []string
		want string
	}{
		{[]string{"Time taken: 1 seconds", "26/11/23 04:01:36 WARN Utils: x"}, ""},
		{
			[]string{"[TABLE_OR_VIEW_NOT_FOUND] The table", "'Project", "Time taken: 1 s"},
			"[TABLE_OR_VIEW_NOT_FOUND] The table",
		},
		{[]string{
			"26/11/23 04:01:36 WARN Utils: x", "Number of column aliases; line 1", "'Project",
			"Time taken: 1 s",
		}, "Number of column aliases; line 1"},
		{
			[]string{"something", "java.lang.RuntimeException: mingle: line 7"},
			"a worker says of its part of the lines: line 7",
		},
		{
			[]string{
				"26/11/30 ERROR SparkScriptTransformationExec: mingle: interrupted: nothing was written",
				"26/11/30 ERROR Executor: Exception in task 0.0 in stage 4.0 (TID 3)",
				"org.apache.spark.SparkException: Subprocess exited with status 137. Error: mingle: " +
					"interrupted: nothing was written",
				"Job aborted due to stage failure: Subprocess exited with status 137. Error: ",
			},
			"a worker was killed, or has ended without a word: is there too little memory?",
		},
		{
			[]string{
				"java.io.IOException: Stream closed",
				"Job aborted due to stage failure: java.io.IOException: Stream closed",
			},
			"a worker was killed, or has ended without a word: is there too little memory?",
		},
		{
			[]string{
				"org.apache.spark.SparkException: Subprocess exited with status 1. Error: mingle: internal " +
					"fault: the run broke off: signal: killed",
			},
			"a worker was killed, or has ended without a word: is there too little memory?",
		},
		{
			[]string{
				"org.apache.spark.SparkException: Subprocess exited with status 137. Error: ",
				"Job aborted due to stage failure: java.io.IOException: No space left on device",
			},
			"Job aborted due to stage failure: java.io.IOException: No space left on device",
		},
		{
			[]string{
				"org.apache.spark.SparkException: Subprocess exited with status 137. Error: ",
				"java.lang.RuntimeException: mingle: line 7",
			},
			"a worker says of its part of the lines: line 7",
		},
	} {
		if got := reason(one.told); got != one.want {
			t.Errorf("%q: %q, not %q", one.told, got, one.want)
		}
	}
}

// Spark's bars are told of and are no messages; what stands beside them is one.
func TestHowFarSparkIs(t *testing.T) {
	var told []Tasks
	e, err := pretendTo(t.Context(), t, `
		printf "\r[Stage 3:====>     (5 + 2) / 16]\r[Stage 3:=>(6 + 2) / 16][Stage 4:> (0 + 0) / 8]" >&2
		printf "\r           \rorg.apache.spark.SparkException: mingle: line 7\n\r[Stage 4:=>(7 + 1) / 8]" >&2`,
		func(t Tasks) { told = append(told, t) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t.Context(), e, ""); err == nil || !strings.Contains(err.Error(), "line 7") {
		t.Errorf("%v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if want := []Tasks{{3, 5, 16}, {3, 6, 16}, {4, 0, 8}, {4, 7, 8}}; !slices.Equal(told, want) {
		t.Errorf("told of %v, not %v", told, want)
	}
}

// Spark is asked to end before it is killed, so that it can remove what it wrote; where it writes
// unless it is told is a folder that nobody else may look at, and which goes with the session.
func TestInterruptedSparkRemovesItsFiles(t *testing.T) {
	left := filepath.Join(t.TempDir(), "left")
	t.Setenv("LEFT", left)
	ctx, stop := context.WithCancelCause(t.Context())
	e, err := pretend(ctx, t, `trap 'rm "$LEFT"; exit' TERM; echo "$SPARK_SUBMIT_OPTS" >"$LEFT"; `+
		`echo "Error: now" >&2; while true; do sleep 0.1; done`)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	given := ""
	go func() {
		for !strings.Contains(strings.Join(e.session.from(0), " "), "now") {
			runtime.Gosched()
		}
		text, _ := os.ReadFile(left)
		given = string(text)
		stop(errors.New("enough"))
	}()
	if _, err := ask(ctx, e, ""); err == nil {
		t.Error("there was no interrupt")
	}
	if _, err := os.Lstat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its file is still there: %v", err)
	}
	_, own, _ := strings.Cut(given, "-Djava.io.tmpdir=")
	own, _, _ = strings.Cut(own, " ")
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%q: its files are in %v, %v", given, info, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(own); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", own, err)
	}
}

// A folder for temporary files that stands in no statement is refused before anything is started.
func TestFolderWithABlank(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my files")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "bin", "spark-sql"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	_, err := open(t.Context(), Options{Home: home})
	if err == nil || !strings.Contains(err.Error(), "my files") ||
		!strings.Contains(err.Error(), onlyPlain) {
		t.Error(err)
	}
}

func TestKeysThatAreNone(t *testing.T) {
	for _, key := range []string{"", "abcd", "no key"} {
		if _, err := seal(key, []byte("plan")); err == nil ||
			!strings.Contains(err.Error(), "the key of the plans cannot be read") {
			t.Errorf("%q: %v", key, err)
		}
	}
}
