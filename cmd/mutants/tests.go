package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// test is one test of a package.
type test struct {
	Pkg    *tests
	Name   string
	CPU    time.Duration // without a mutant
	Clock  time.Duration // the same by the clock: it may wait
	blocks map[block]bool
}

// block is a run of statements of which all or none are reached.
type block struct {
	file             string
	line, col        int // from
	toLine, toColumn int
}

func (b block) has(m *mutant) bool {
	return b.file == m.File && (m.Line > b.line || m.Line == b.line && m.Col >= b.col) &&
		(m.Line < b.toLine || m.Line == b.toLine && m.Col < b.toColumn)
}

// size is to find the innermost of several blocks.
func (b block) size() int { return (b.toLine-b.line)*1000 + b.toColumn - b.col }

// tests are those of a package, as programs.
type tests struct {
	path, dir string
	program   string // with all mutants
	list      []*test
}

// build makes two programs of a package's tests: with all mutants, and one that tells what is
// reached.
func build(s *source, o *options, pattern, overlay, tmp string, n int) (*tests, error) {
	own, err := list(pattern, false)
	if err != nil {
		return nil, err
	}
	t := &tests{
		path: own[0].ImportPath, dir: own[0].Dir,
		program: filepath.Join(tmp, fmt.Sprintf("mutants%d.test", n)),
	}
	cover := filepath.Join(tmp, fmt.Sprintf("cover%d.test", n))
	for _, args := range [][]string{
		{"test", "-c", "-vet=off", "-overlay", overlay, "-o", t.program, t.path},
		{"test", "-c", "-vet=off", "-cover", "-coverpkg", s.Path, "-o", cover, t.path},
	} {
		cmd := exec.Command("go", args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	names, err := t.command(t.program, "-test.list", ".").Output()
	if err != nil {
		return nil, err
	}
	for name := range strings.FieldsSeq(string(names)) {
		if strings.HasPrefix(name, "Benchmark") {
			continue
		}
		one := &test{Pkg: t, Name: name}
		err := one.measure(cover, filepath.Join(tmp, "cover.out"), o.short)
		if err != nil && o.short { // too short for what it asks
			fmt.Fprintf(os.Stderr, "%s is left out: %.300v\n", name, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(one.blocks) > 0 {
			t.list = append(t.list, one)
		}
	}
	return t, nil
}

// command runs one of the programs where "go test" would.
func (t *tests) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = t.dir
	return cmd
}

// measure finds which blocks a test reaches, and how long it takes.
func (t *test) measure(program, profile string, short bool) error {
	cmd := t.Pkg.command(program, fmt.Sprintf("-test.short=%t", short),
		"-test.run", "^"+t.Name+"$", "-test.coverprofile", profile)
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s fails without a mutant: %w\n%s", t.Name, err, out)
	}
	t.Clock = time.Since(begin)
	t.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	f, err := os.Open(profile)
	if err != nil {
		return err
	}
	defer f.Close()
	t.blocks = map[block]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		p := profiled.FindStringSubmatch(lines.Text())
		if p == nil || p[6] == "0" {
			continue
		}
		n := func(i int) int { v, _ := strconv.Atoi(p[i]); return v }
		t.blocks[block{filepath.Base(p[1]), n(2), n(3), n(4), n(5)}] = true
	}
	return nil
}

var profiled = regexp.MustCompile(`^(.*):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$`)

// reaching gives the tests that reach a mutant, the fastest first.
func reaching(m *mutant, all []*test) []*test {
	var inner block
	for _, t := range all {
		for b := range t.blocks {
			if b.has(m) && (inner.file == "" || b.size() < inner.size()) {
				inner = b
			}
		}
	}
	var out []*test
	for _, t := range all {
		for b := range t.blocks {
			// What is in no block, a case of a switch, is taken for reached with its function.
			if inner.file != "" && b == inner || inner.file == "" && b.file == m.File &&
				b.line >= m.funcFrom && b.toLine <= m.funcTo {
				out = append(out, t)
				break
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *test) int { return cmp.Compare(a.CPU, b.CPU) })
	return out
}

// overlaid writes the files with all mutants aside, and tells the compiler to take them.
func overlaid(s *source, files map[string][]byte, tmp string) (string, error) {
	replace := map[string]string{}
	put := func(path string, text []byte) error {
		replace[path] = filepath.Join(tmp, filepath.Base(path))
		return os.WriteFile(replace[path], text, 0o600)
	}
	for path, text := range files {
		if err := put(path, text); err != nil {
			return "", err
		}
	}
	text := strings.Replace(switches, "package PACKAGE", "package "+s.Name, 1)
	if err := put(filepath.Join(s.Dir, "mutant_switches.go"), []byte(text)); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(tmp, "overlay.json")
	return path, os.WriteFile(path, b, 0o600)
}
