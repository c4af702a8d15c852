//go:build linux

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mingle/internal/memory"
	"mingle/internal/soak"
)

// hostile is a shape of data that asks for much. Items are numbers, so that lines are sets and
// bags.
type hostile struct {
	name    string
	items   int
	lines   func(yield func(line func(yield func(item int))))
	parents func(write func(child, parent string)) // nil: groups of ten, of a hundred, and so on
	// seconds after which a command is interrupted in make soak; 0: 20
	wait int
}

// equal are n lines with the same items.
func equal(n int, items func(yield func(int))) func(func(func(func(int)))) {
	return func(yield func(func(func(int)))) {
		for range n {
			yield(items)
		}
	}
}

func upTo(n, step int) func(func(int)) {
	return func(yield func(int)) {
		for i := 0; i < n; i += step {
			yield(i)
		}
	}
}

// half are lines with a random half of the items.
func half(lines, items int) func(func(func(func(int)))) {
	return func(yield func(func(func(int)))) {
		rng := rand.New(rand.NewPCG(1, 1))
		for range lines {
			yield(func(item func(int)) {
				for i := range items {
					if rng.IntN(2) == 0 {
						item(i)
					}
				}
			})
		}
	}
}

// chains puts each item below a chain of groups.
func chains(items, levels int) func(func(child, parent string)) {
	return func(write func(child, parent string)) {
		for i := range items {
			below := fmt.Sprint(i)
			for l := range levels - 1 {
				group := fmt.Sprintf("g%d_%d", i, l)
				write(below, group)
				below = group
			}
			write(below, "*")
		}
	}
}

// hostiles are the shapes: of a size that takes moments, or whole.
func hostiles(all bool) []hostile {
	size := func(quick, whole int) int {
		if all {
			return whole
		}
		return quick
	}
	long, many, huge := size(1000, 10_000), size(50_000, 10_000_000), size(100_000, 60_000_000)
	return []hostile{
		{name: "every second item of 1,000 in five lines", items: 1000, lines: equal(5, upTo(1000, 2))},
		{name: "half of the items in long lines", items: 2 * long, lines: half(6, 2*long)},
		{name: "many equal long lines", items: long, lines: equal(100, upTo(long, 1))},
		{name: "the highest hierarchy", items: 20, lines: half(50, 20), parents: chains(20, 1000)},
		{name: "a chain of groups", items: 4, lines: half(50, 4), parents: chains(
			4, size(2000, 100_000),
		)},
		{name: "many items", items: many, wait: 120, lines: func(yield func(func(func(int)))) {
			for i := 0; i < many; i += 10 {
				yield(func(item func(int)) {
					for j := range 10 {
						item(i + j)
					}
				})
			}
		}},
		{name: "one line with everything", items: huge, wait: 120, lines: func(yield func(func(func(int)))) {
			yield(upTo(huge, 1))
			yield(upTo(2, 1))
			yield(upTo(2, 1))
		}},
		{name: "one item in all lines", items: 1001, lines: func(yield func(func(func(int)))) {
			for i := range size(20_000, 1_000_000) {
				yield(func(item func(int)) { item(0); item(1 + i%1000) })
			}
		}},
	}
}

// write writes the data and the hierarchy.
func (h hostile) write(t *testing.T, dir string) {
	t.Helper()
	create(t, filepath.Join(dir, "data.dat"), func(w *bufio.Writer) {
		h.lines(func(line func(func(int))) {
			line(func(i int) { fmt.Fprintf(w, "%d ", i) })
			w.WriteString("\n")
		})
	})
	create(t, filepath.Join(dir, "tree.csv"), func(w *bufio.Writer) {
		edge := func(child, parent string) { fmt.Fprintf(w, "%s;%s\n", child, parent) }
		if h.parents != nil {
			h.parents(edge)
			return
		}
		groups := (h.items + 9) / 10
		for i := range h.items {
			edge(fmt.Sprint(i), fmt.Sprintf("a%d", i/10))
		}
		for i := range groups {
			edge(fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i/10))
		}
		for i := range (groups + 9) / 10 {
			edge(fmt.Sprintf("b%d", i), "*")
		}
	})
	create(t, filepath.Join(dir, "private.txt"), func(w *bufio.Writer) { w.WriteString("0\n") })
}

func create(t *testing.T, path string, write func(w *bufio.Writer)) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<16)
	write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// hostileCommands are all that read data. The last argument of those that write is the file.
func hostileCommands() (list [][]string) {
	km := strings.Fields("anonymize km data.dat -H tree.csv --hierarchy-format pairs -k 2 -m 3")
	for _, a := range []string{
		"oa", "da", "aa", "exact", "vpa", "lra", "partition", "local", "auto",
	} {
		list = append(list, append(slices.Clone(km), "--algorithm", a, "-o", "out.dat"))
	}
	for _, more := range []string{
		"--algorithm local --time-limit 2s", "--time-limit 2s", "--algorithm aa --memory 200MB",
		"--algorithm da --memory 200MB",
		"--memory 200MB --time-limit 2s",
		"--algorithm aa --suppress items --max-suppressed 0.1 --time-limit 2s",
		"--algorithm aa --suppress transactions --max-suppressed 0.1 --time-limit 2s",
	} {
		list = append(list, slices.Concat(km, strings.Fields(more), []string{"-o", "out.dat"}))
	}
	for _, text := range []string{
		"verify km data.dat data.dat -H tree.csv --hierarchy-format pairs -k 2 -m 3",
		"attack data.dat data.dat -H tree.csv --hierarchy-format pairs -m 3",
		"measure data.dat data.dat -H tree.csv --hierarchy-format pairs",
		"inspect data.dat -m 3",
		"hierarchy check tree.csv data.dat --hierarchy-format pairs",
		"anonymize coherence data.dat --private private.txt --h 1 -k 2 -p 3 --nugget-support 2 -o out.dat",
		"anonymize nonreciprocal data.dat -k 2 --algorithm nr -o out.jsonl",
		"anonymize nonreciprocal data.dat -k 2 --algorithm cahd -o out.jsonl",
		"anonymize continuous data.dat -k 2 -m 3 --algorithm acd -o out.dat",
		"anonymize continuous data.dat -k 2 -m 3 --algorithm aa -o out.dat",
		"anonymize continuous data.dat -k 2 -m 3 --algorithm local -o out.dat",
		"verify continuous data.dat data.dat -k 2 -m 3",
		"verify coherence data.dat data.dat --private private.txt --h 1 -k 2 -p 3",
	} {
		list = append(list, strings.Fields(text))
	}
	return list
}

// Whatever the shape of the data, a command holds to its bound on memory: it is done, or refused in
// words, or goes on until it is interrupted, and then it ends and leaves nothing. Five lines with
// every second item of 1,000 took local 9.3 GB.
func TestHostileShapesSoak(t *testing.T) {
	commands := hostileCommands()
	for s, shape := range hostiles(soak.All()) {
		dir := t.TempDir()
		shape.write(t, dir)
		for c, args := range commands {
			named := s == 0 && slices.Contains(args, "--time-limit")
			whole := soak.All() && (c+soak.Turn())%4 == 0 // four soaks take all
			if whole || named || c == (3*s+1)%len(commands) {
				shape.holdsToItsBound(t, dir, args)
			}
		}
	}
}

// holdsToItsBound runs a command in 6 GB of addresses and interrupts it after a while.
func (h hostile) holdsToItsBound(t *testing.T, dir string, args []string) {
	t.Helper()
	what := h.name + ": mingle " + strings.Join(args, " ")
	bound := int64(memory.Default)
	if at := slices.Index(args, "--memory"); at >= 0 {
		f := memoryFlag{text: args[at+1]}
		bound, _ = f.given()
	}
	out := filepath.Join(dir, args[len(args)-1])
	if slices.Contains(args, "-o") {
		defer os.Remove(out)
	}
	limited := []string{"-c", `ulimit -v 6291456; exec mingle "$@"`, "sh"}
	cmd := exec.Command("sh", append(limited, args...)...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &said
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait := time.Duration(soak.Share(4, cmp.Or(h.wait, 20))) * time.Second
	enough := time.AfterFunc(wait, func() { cmd.Process.Signal(os.Interrupt) })
	hung := time.AfterFunc(10*time.Minute, func() { cmd.Process.Kill() })
	peak := mostHeld(cmd)
	enough.Stop()
	hung.Stop()
	code := cmd.ProcessState.ExitCode()
	seconds := time.Since(begun).Seconds()
	t.Logf("%s: exit code %d, %d MB, %.1f s: %s", what, code, peak>>20, seconds, said.String())
	if peak > bound {
		t.Errorf("%s: it held %d MB", what, peak>>20)
	}
	known := slices.Contains([]int{codeDone, codeInput, codeBroken, codeInterrupted}, code)
	// a verdict of verify is on standard output
	silent := code != codeDone && code != codeBroken && said.Len() == 0
	if !known || silent || strings.Contains(said.String(), "goroutine ") {
		t.Errorf("%s: exit code %d: %s", what, code, said.String())
	}
	if _, err := os.Stat(out); slices.Contains(args, "-o") && (err == nil) != (code == codeDone) {
		t.Errorf("%s: exit code %d, and the file: %v", what, code, err)
	}
}

// mostHeld waits for a process and tells the most memory that it held, in bytes, as it is looked at
// while it runs. What the system says at its end is too much: the process begins as a copy of the
// test, and what that holds counts.
func mostHeld(cmd *exec.Cmd) (most int64) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	path := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	for {
		select {
		case <-ended:
			return most
		case <-time.After(2 * time.Millisecond):
			text, _ := os.ReadFile(path) // it may have ended
			_, after, _ := strings.Cut(string(text), "VmHWM:")
			var kilobytes int64
			_, _ = fmt.Sscan(after, &kilobytes)
			most = max(most, kilobytes<<10)
		}
	}
}
