//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mingle/internal/disk"
	"mingle/internal/soak"
)

// faulted is a command that writes, in a directory that holds what it reads.
type faulted struct {
	args    string   // less --force and --quiet; files are those of the directory
	outputs []string // what it writes
	secret  []string // those of them that nobody else may read
	partly  bool     // the first output is a table that grows: its rows stay
}

// every is every command that writes files: the families with all their files, formats that are
// written in different ways, and the rest. They lose little, so that no time goes by with advice.
var every = []faulted{
	{
		"anonymize km shop.csv --input-format basket -H tree.csv -k 2 -m 2 --algorithm exact -o out.csv " +
			"--report report.json --page page.html --audit audit.json --proof least",
		[]string{"out.csv", "report.json", "page.html", "audit.json", "least.opb", "least.pbp"},
		[]string{"audit.json", "least.opb", "least.pbp"},
		false,
	},
	{"anonymize km shop.csv --input-format basket -H tree.csv -k 2 -m 1 --algorithm aa --suppress items " +
		"--max-suppressed 5% -o out.parquet --report report.txt", []string{"out.parquet", "report.txt"}, nil, false},
	{"anonymize km shop.csv --input-format basket -H tree.csv -k 2 -m 1 --algorithm aa --shuffle --seed x " +
		"-o out.jsonl.gz --audit audit.json", []string{"out.jsonl.gz", "audit.json"}, []string{"audit.json"}, false},
	{"anonymize km shop.csv --input-format basket -H tree.csv -k 2 -m 1 --algorithm aa -o out.xlsx", []string{"out.xlsx"}, nil, false},
	{"anonymize km shop.csv --input-format basket -H tree.csv -k 2 -m 1 --algorithm aa -o - --report report.json", []string{"report.json"}, nil, false},
	{
		"anonymize nonreciprocal shop.csv --input-format basket -k 2 --seed x -o out.jsonl --audit audit.json",
		[]string{"out.jsonl", "audit.json"},
		[]string{"audit.json"},
		false,
	},
	{
		"anonymize coherence coherent.csv --input-format basket --private private.txt --h 0.5 -k 3 -p 3 --nugget-support 4 " +
			"-o out.csv --report report.json --audit audit.json",
		[]string{"out.csv", "report.json", "audit.json"},
		[]string{"audit.json"},
		false,
	},
	{"anonymize continuous income.csv -k 2 -m 1 -o out.csv --report report.json", []string{"out.csv", "report.json"}, nil, false},
	{
		"generate shop --transactions 50 --items 45 -o made.csv --catalogue made-tree.csv",
		[]string{"made.csv", "made-tree.csv"},
		nil, false,
	},
	{"generate zipf --transactions 50 -o made.dat.zst", []string{"made.dat.zst"}, nil, false},
	{"hierarchy fanout shop.csv --input-format basket -o made.csv", []string{"made.csv"}, nil, false},
	{"hierarchy prefix shop.csv --input-format basket -o made.csv", []string{"made.csv"}, nil, false},
	{"hierarchy ranges income.csv --width 1000 --fan-out 3 -o made.csv", []string{"made.csv"}, nil, false},
	{"hierarchy convert tree.csv --format json -o made.json", []string{"made.json"}, nil, false},
	{"report told.json --audit secret.json -o page.html", []string{"page.html"}, []string{"page.html"}, false},
	{"sample public.csv --input-format basket -H tree.csv --seed 5 -o made.csv", []string{"made.csv"}, nil, false},
	{"report told.json -o page.txt", []string{"page.txt"}, nil, false},
	{"init shop.csv --input-format basket -H tree.csv -k 2 -m 1 --yes -o made.yaml", []string{"made.yaml"}, nil, false},
	{
		"run release.yaml",
		[]string{"published.csv", "report.json", "page.html", "audit.json"},
		[]string{"audit.json"},
		false,
	},
	{"compare plan.yaml -o made", []string{"made/results.csv", "made/index.html", "made/loss.svg"}, nil, true},
}

const faultPlan = `title: one algorithm
data:
  - {name: made, shape: {transactions: 60, items: 6, longest: 4, average: 2, exponent: 1, seed: 1}}
runs:
  - {data: made, algorithm: [aa], k: [2, 5], m: 1, fanout: 3}
plots:
  - {name: loss, title: loss against k, x: k, y: ncp}
`

// faultInputs makes what the commands read, in the working directory.
func faultInputs(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"plan.yaml":    faultPlan,
		"private.txt":  "s1\ns2\ns3\n",
		"coherent.csv": "a,b,e,f,s1\nc,e,f,g,s2\na,b,g,s3\na,b,f,g,s2\na,b,d,g,s2\ne,f,g,s1\nb,e,f,g,s3\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{
		"generate shop --transactions 60 --items 45 --seed 3 -o shop.csv --catalogue tree.csv",
		"generate income --records 40 --seed 3 -o income.csv",
		"anonymize km shop.csv --input-format basket -H tree.csv -k 2 -m 1 --algorithm aa -o public.csv --report told.json --audit secret.json",
		"init shop.csv --input-format basket -H tree.csv -k 2 -m 1 --yes -o release.yaml",
	} {
		if code, said := ran(args); code != 0 {
			t.Fatalf("%s: %d %s", args, code, said)
		}
	}
	text := string(must(os.ReadFile("release.yaml"))) // the default algorithm takes its time
	os.WriteFile("release.yaml", []byte(strings.Replace(text, "# algorithm:", "algorithm:\n  name: aa", 1)), 0o644)
}

// ran runs a command in this process.
func ran(args string) (code int, said string) {
	var errs bytes.Buffer
	code = program(append(strings.Fields(args), "--quiet"), nil, &bytes.Buffer{}, &errs)
	return code, errs.String()
}

// stage is where a command is run over and over: its files before, and what a run without a fault
// makes of its outputs.
type scene struct {
	t      *testing.T
	c      faulted
	inputs map[string]string // of every file
	before map[string]string // of the outputs; absent: it is not there
	after  map[string]string
	same   map[string]bool // outputs that two runs write alike
	steps  int             // operations of a run without a fault
}

// snapshot is what every file below the working directory holds.
func snapshot(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reset puts the inputs and the former outputs there, and takes all else away.
func (s *scene) reset() {
	for path := range snapshot(s.t) {
		if _, is := s.inputs[path]; !is {
			os.Remove(path)
		}
	}
	for path, text := range s.before {
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.Remove(path)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *scene) command() string {
	if strings.HasPrefix(s.c.args, "compare ") {
		return s.c.args
	}
	return s.c.args + " --force"
}

// newScene runs the command twice without a fault.
func newScene(t *testing.T, c faulted, before map[string]string) *scene {
	t.Helper()
	s := &scene{t: t, c: c, inputs: snapshot(t), before: before, same: map[string]bool{}}
	var made [2]map[string]string
	for i := range made {
		s.reset()
		s.steps = 0
		var mu sync.Mutex
		stop := disk.Set(&disk.Watch{Before: func(string, string) error {
			mu.Lock()
			defer mu.Unlock()
			s.steps++
			return nil
		}})
		code, said := ran(s.command())
		stop()
		if code != 0 {
			t.Fatalf("%s: %d %s", s.command(), code, said)
		}
		made[i] = snapshot(t)
	}
	s.after = made[0]
	for path, text := range made[0] {
		s.same[path] = made[1][path] == text
		_, read := s.inputs[path]
		if !read && !slices.Contains(c.outputs, path) {
			t.Errorf("%s: it writes %s, which the test does not know", c.args, path)
		}
	}
	for _, path := range c.outputs {
		if s.after[path] == "" {
			t.Errorf("%s: it does not write %s", c.args, path)
		}
	}
	return s
}

// whole tells whether an output is what was there before, or all of what a run writes.
func (s *scene) whole(path, text string) bool {
	before, was := s.before[path]
	switch after := s.after[path]; {
	case was && text == before, text == after:
		return true
	case s.same[path]:
		return false
	case s.c.partly && path == s.c.outputs[0]:
		return true
	case strings.HasSuffix(path, ".json"):
		return json.Valid([]byte(text))
	default: // times and keys differ, lines do not
		return strings.Count(text, "\n") == strings.Count(after, "\n") &&
			text[max(0, len(text)-8):] == after[max(0, len(after)-8):]
	}
}

// look checks what must hold at every moment: what stands under its final name is old or new, and
// nobody but the owner can read what is secret, or not yet verified.
func (s *scene) look(when string) {
	for _, path := range s.c.outputs {
		text, err := os.ReadFile(path)
		if err == nil && !s.whole(path, string(text)) {
			s.t.Errorf("%s: %s: a part of %s stands there, %d bytes", s.c.args, when, path, len(text))
		}
		if err == nil && slices.Contains(s.c.secret, path) && string(text) != s.before[path] {
			s.closed(path, when)
		}
	}
	dirs := []string{".", os.TempDir()}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			info, err := e.Info()
			hidden := strings.HasPrefix(e.Name(), ".mingle-") && strings.HasSuffix(e.Name(), ".new")
			if err == nil && hidden && info.Size() > 0 && info.Sys().(*syscall.Stat_t).Nlink == 1 {
				s.closed(filepath.Join(dir, e.Name()), when)
			}
		}
	}
}

func (s *scene) closed(path, when string) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		s.t.Errorf("%s: %s: %s has mode %v", s.c.args, when, path, info.Mode())
	}
}

// mischief is what happens at one operation.
type mischief struct {
	n    int   // the operation, counted from 0
	err  error // that it fails with
	dead bool  // the process ends there: nothing is done on the disk from then on
}

// errDead is what operations of a process that has ended fail with: they are not done.
var errDead = errors.New("the process has ended")

// unchanging are operations after which the files are as they were before.
var unchanging = []string{"open", "read", "close", "stat", "list", "lock", "wait", "sync", "sync directory"}

// run runs the command with a fault. hit is the operation that it met, "" where there are fewer.
func (s *scene) run(m mischief) (code int, said, hit string) {
	var mu sync.Mutex
	n := 0
	when := func() string { return fmt.Sprintf("fault %v at %d (%s)", m.err, m.n, hit) }
	stop := disk.Set(&disk.Watch{
		Before: func(name, path string) error {
			mu.Lock()
			defer mu.Unlock()
			if n == m.n+1 { // what failed may have been done by half
				s.look(when())
			}
			if name == "wait" && n <= m.n {
				return nil
			}
			n++
			switch {
			case n-1 == m.n:
				hit = name + " " + filepath.Base(path)
				return m.err
			case n > m.n && m.dead:
				return errDead
			}
			return nil
		},
		After: func(name, _ string) {
			mu.Lock()
			defer mu.Unlock()
			if !slices.Contains(unchanging, name) {
				s.look(when())
			}
		},
	})
	defer stop()
	code, said = ran(s.command())
	s.look(when())
	return code, said, hit
}

// listing is the names of all files, those for temporary files too.
func (s *scene) listing() []string {
	var out []string
	for path := range snapshot(s.t) {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// harmless are operations whose failing loses nothing, and that a run need not tell of: closing
// what was read or has been synced; listing a directory to clean up behind runs that were killed; a
// lock of a temporary file; looking for what need not be there; being refused the folder to sync
// it, for one may write into what one may not list. The outputs are whole and new then.
func harmless(hit string, err error) bool {
	name, path, _ := strings.Cut(hit, " ")
	if info, wrong := os.Stat(path); name == "open" && wrong == nil && info.IsDir() {
		return errors.Is(err, fs.ErrPermission)
	}
	return slices.Contains([]string{"close", "list", "lock", "stat"}, name)
}

// fails checks a run in which one operation fails.
func (s *scene) fails(m mischief) bool {
	s.reset()
	code, said, hit := s.run(m)
	if hit == "" {
		return false
	}
	what := fmt.Sprintf("%s: %q at %d fails with %v", s.c.args, hit, m.n, m.err)
	if code == 0 && !harmless(hit, m.err) {
		s.t.Errorf("%s: exit code 0", what)
	}
	if code != 0 && said == "" {
		s.t.Errorf("%s: exit code %d, and not a word", what, code)
	}
	if code == codeInput && ofMachine(m.err) {
		s.t.Errorf("%s: exit code %d: the input is not at fault: %s", what, code, said)
	}
	got := snapshot(s.t)
	placed := code == 0 || strings.Contains(said, "all files are in place") ||
		strings.Contains(said, "could not be removed: remove it")
	for i, path := range s.c.outputs {
		if i == 0 && s.c.partly {
			continue
		}
		if isNew := got[path] != s.before[path]; isNew != placed {
			s.t.Errorf("%s: %s is new: %v; exit code %d: %s", what, path, isNew, code, said)
		}
	}
	for path := range got {
		_, input := s.inputs[path]
		_, output := s.after[path]
		if !input && !output && !strings.HasPrefix(hit, "remove") {
			s.t.Errorf("%s: %s is left", what, path)
		}
	}
	if soak.All() || strings.HasPrefix(hit, "remove") {
		s.again(what)
	}
	return true
}

// again runs the command without a fault: it works, and leaves nothing else.
func (s *scene) again(what string) {
	code, said := ran(s.command())
	if code != 0 {
		s.t.Errorf("%s: the next run: exit code %d: %s", what, code, said)
	}
	for _, path := range s.listing() {
		if _, known := s.after[path]; !known {
			s.t.Errorf("%s: %s is left after the next run", what, path)
		}
	}
}

// ends checks a run whose process ends.
func (s *scene) ends(n int) bool {
	s.reset()
	_, _, hit := s.run(mischief{n, errDead, true})
	if hit == "" {
		return false
	}
	s.look("after the end at " + hit)
	s.again(fmt.Sprintf("%s: it ended before %q, operation %d", s.c.args, hit, n))
	return true
}

// Every operation of every command that writes fails, for one of five reasons, and the process ends
// before each. A soak takes a quarter of the operations, with one reason each (see soak.Turn:
// twenty take all). After every operation that changes something, and after the fault, the files
// are looked at.
func TestFaultsAtEveryStepSoak(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	reasons := []error{
		syscall.EIO, &disk.Part{Err: syscall.ENOSPC}, syscall.EINTR, syscall.EACCES, syscall.EDQUOT,
	}
	t.Chdir(t.TempDir())
	os.Mkdir("tmp", 0o700)
	t.Setenv("TMPDIR", filepath.Join(must(os.Getwd()), "tmp"))
	faultInputs(t)
	total := 0
	for i, c := range every {
		for _, before := range []map[string]string{{}, former(c)} {
			s := newScene(t, c, before)
			stride := soak.Share(67, 4)
			for n := (7*i + len(before) + soak.Turn()) % stride; n < s.steps+5; n += stride {
				total += s.sweep(n, reasons[(n+soak.Turn()/stride)%len(reasons)])
			}
			s.before = nil
			s.reset()
		}
	}
	t.Logf("%d faults in %d commands", total, len(every))
}

// sweep lets the n-th operation fail, and the process end there.
func (s *scene) sweep(n int, reason error) (done int) {
	if s.fails(mischief{n, reason, false}) {
		done++
	}
	if s.ends(n) {
		done++
	}
	return done
}

// former is what a run before wrote into the outputs, which is not what this one will write.
func former(c faulted) map[string]string {
	out := map[string]string{}
	for _, path := range c.outputs {
		if !c.partly {
			out[path] = "what was in " + path + " before\n"
		}
	}
	return out
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
