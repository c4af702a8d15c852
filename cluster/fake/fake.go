// Package fake is an engine in one process, on local files: for tests. It runs tasks again, throws
// away what a run wrote that was killed, and can spoil what it hands on.
package fake

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mingle/cluster/engine"
)

// Engine runs the work of workers in this process.
type Engine struct {
	// Work is what a worker does.
	Work func(ctx context.Context, verb string, plan, r io.Reader, w io.Writer) error
	Rng  *rand.Rand
	// Lines is how many lines a part of a file has, at most.
	Lines int
	// Unsafe, if not nil, may change the lines between "map" and "reduce".
	Unsafe func(job engine.Job, lines []string) []string
	// Spoil, if not nil, may change the lines that a job returns.
	Spoil func(job engine.Job, lines []string) []string
	// Before, if not nil, is called before every step; an error is the driver's death.
	Before func(step string) error

	// Recut, if not nil, tells before a job whether files are cut in other places from then on.
	// Else jobs that ask for the places of lines find files cut as before.
	Recut func() bool
	// Calm has every task run once.
	Calm bool

	Tasks int // how many were run, with those that were run again
	cuts  uint64
}

// Own is random numbers for an engine, drawn from those of a test. How many an engine takes depends
// on secret names of persons; with numbers of its own the test makes the same inputs each time.
func Own(rng *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())) }

func (e *Engine) step(name string) error {
	if e.Before != nil {
		return e.Before(name)
	}
	return nil
}

// Files implements engine.Engine.
func (e *Engine) Files(_ context.Context, path string) ([]engine.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []engine.File{{Path: path, Bytes: info.Size()}}, nil
	}
	entries, err := os.ReadDir(path)
	var out []engine.File
	for _, f := range entries {
		name := f.Name()
		if name[0] == '.' || name[0] == '_' {
			continue
		}
		if f.IsDir() {
			return nil, fmt.Errorf("%s is a folder in a folder", filepath.Join(path, name))
		}
		out = append(out, engine.File{Path: filepath.Join(path, name)})
	}
	return out, err
}

// part is some lines of a file.
type part struct{ text []byte }

// parts cuts files into parts.
func (e *Engine) parts(job engine.Job) ([]part, error) {
	var out []part
	if e.Recut != nil && e.Recut() {
		e.cuts++
	}
	for _, path := range job.Input {
		rng := e.Rng
		if job.Origin {
			h := fnv.New64a()
			h.Write([]byte(path))
			rng = rand.New(rand.NewPCG(h.Sum64(), e.cuts))
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		at := 0
		var own bytes.Buffer
		n, most, start := 0, 1+rng.IntN(e.Lines), 0
		for line := range bytes.Lines(text) {
			if job.Origin {
				fmt.Fprintf(&own, "file://%s\t%d\t", path, start)
			}
			own.Write(bytes.TrimSuffix(line, []byte("\n")))
			own.WriteByte('\n')
			at += len(line)
			if n++; n == most {
				out = append(out, part{bytes.Clone(own.Bytes())})
				own.Reset()
				n, most, start = 0, 1+rng.IntN(e.Lines), at
			}
		}
		if own.Len() > 0 {
			out = append(out, part{own.Bytes()})
		}
	}
	return out, nil
}

// errKilled ends a run of a task that is killed.
var errKilled = errors.New("killed")

// doomed fails after some bytes.
type doomed struct {
	w    io.Writer
	left int
}

func (d *doomed) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errKilled
	}
	return d.w.Write(p)
}

// task runs one task, perhaps several times, and returns what one whole run wrote.
func (e *Engine) task(ctx context.Context, verb string, plan, in []byte) ([]string, error) {
	for range e.Rng.IntN(3) {
		if e.Calm {
			break
		}
		e.Tasks++
		var lost bytes.Buffer
		w := &doomed{&lost, e.Rng.IntN(4096)}
		if e.Rng.IntN(2) == 0 {
			w.left = 1 << 30 // as a twin of a slow task, whose work is not used
		}
		_ = e.Work(ctx, verb, bytes.NewReader(plan), bytes.NewReader(in), w)
	}
	e.Tasks++
	var out bytes.Buffer
	if err := e.Work(ctx, verb, bytes.NewReader(plan), bytes.NewReader(in), &out); err != nil {
		return nil, err
	}
	return lines(&out)
}

func lines(r io.Reader) ([]string, error) {
	var out []string
	s := bufio.NewReader(r)
	for {
		line, err := s.ReadString('\n')
		if line != "" {
			out = append(out, strings.TrimSuffix(line, "\n"))
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Run implements engine.Engine.
func (e *Engine) Run(ctx context.Context, job engine.Job) ([]string, error) {
	if err := e.step(job.Name); err != nil {
		return nil, err
	}
	parts, err := e.parts(job)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 && job.Output == "" {
		return nil, fmt.Errorf("%s: %w", job.Name, engine.ErrNoLines)
	}
	if job.By != "" {
		if parts, err = e.by(ctx, job, parts); err != nil {
			return nil, err
		}
	}
	if job.Output != "" {
		return nil, e.write(ctx, job, parts)
	}
	var all []string
	for _, i := range e.Rng.Perm(len(parts)) {
		own, err := e.task(ctx, job.Map, job.Plan, parts[i].text)
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	if e.Unsafe != nil {
		all = e.Unsafe(job, all)
	}
	switch {
	case job.Reduce != "":
		all, err = e.reduce(ctx, job, all)
	case job.Below > 0:
		all, err = addUp(all, job)
	}
	if err == nil && e.Spoil != nil {
		all = e.Spoil(job, all)
	}
	if job.Each == nil {
		return all, err
	}
	for i := 0; i < len(all) && err == nil; i++ {
		err = job.Each(all[i])
	}
	return nil, err
}

// by is the parts that Map gets where By brings lines of a name together.
func (e *Engine) by(ctx context.Context, job engine.Job, parts []part) ([]part, error) {
	var all []string
	for _, i := range e.Rng.Perm(len(parts)) {
		own, err := e.task(ctx, job.By, job.Plan, parts[i].text)
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	if e.Unsafe != nil {
		all = e.Unsafe(job, all)
	}
	var out []part
	for _, own := range e.named(all) {
		out = append(out, part{own})
	}
	return out, nil
}

// Rows implements engine.Engine, for queries that are the path of a file: its lines are the rows.
func (e *Engine) Rows(_ context.Context, query, output string) error {
	if err := e.step("rows"); err != nil {
		return err
	}
	text, err := os.ReadFile(query)
	if err != nil {
		return err
	}
	if err := os.Mkdir(output, 0o777); err != nil {
		return err
	}
	all := bytes.SplitAfter(text, []byte("\n"))
	for i, half := range [][][]byte{all[:len(all)/2], all[len(all)/2:]} {
		if err := e.step("write"); err != nil {
			return err
		}
		name := filepath.Join(output, fmt.Sprintf("part-%05d.txt", i))
		if err := os.WriteFile(name, bytes.Join(half, nil), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// sorted is what Map makes of parts, in ascending order, in some pieces.
func (e *Engine) sorted(ctx context.Context, job engine.Job, parts []part) ([][]string, error) {
	var all []string
	for _, p := range parts {
		own, err := e.task(ctx, job.Map, job.Plan, p.text)
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	if job.Placed {
		all = placed(all)
	} else {
		slices.Sort(all)
	}
	at := e.Rng.IntN(len(all) + 1)
	return [][]string{all[:at], all[at:]}, nil
}

// placed is lines in the order of what stands before their first tab, without it.
func placed(lines []string) []string {
	slices.SortStableFunc(lines, func(a, b string) int {
		x, _, _ := strings.Cut(a, "\t")
		y, _, _ := strings.Cut(b, "\t")
		return strings.Compare(x, y)
	})
	for i, line := range lines {
		_, lines[i], _ = strings.Cut(line, "\t")
	}
	return lines
}

// write writes a file for each part, or what is sorted.
func (e *Engine) write(ctx context.Context, job engine.Job, parts []part) error {
	if err := os.Mkdir(job.Output, 0o777); err != nil {
		return err
	}
	pieces := make([][]string, len(parts))
	inOrder := job.Sorted || job.Placed
	if inOrder {
		var err error
		if pieces, err = e.sorted(ctx, job, parts); err != nil {
			return err
		}
	}
	for i, own := range pieces {
		if err := e.step("write"); err != nil {
			return err
		}
		var err error
		if !inOrder {
			own, err = e.task(ctx, job.Map, job.Plan, parts[i].text)
		}
		if err != nil {
			return err
		}
		if e.Spoil != nil {
			own = e.Spoil(job, own)
		}
		var text strings.Builder
		for _, line := range own {
			text.WriteString(line + "\n")
		}
		kind := ".txt"
		if job.Table {
			kind = engine.Table // by its name alone
		}
		name := filepath.Join(job.Output, fmt.Sprintf("part-%05d%s", i, kind))
		if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(job.Output, "_SUCCESS"), nil, 0o666)
}

// reduce brings lines of a name together and hands them to a few workers.
func (e *Engine) reduce(ctx context.Context, job engine.Job, all []string) ([]string, error) {
	var out []string
	for _, own := range e.named(all) {
		told, err := e.task(ctx, job.Reduce, job.Plan, own)
		if err != nil {
			return nil, err
		}
		out = append(out, told...)
	}
	return out, nil
}

// named is the lines of some tasks: each name in one of them, ascending.
func (e *Engine) named(all []string) [][]byte {
	tasks := make([][]string, 1+e.Rng.IntN(4))
	for _, line := range all {
		name, _, _ := strings.Cut(line, "\t")
		h := fnv.New32a()
		h.Write([]byte(name))
		t := int(h.Sum32()) % len(tasks)
		tasks[t] = append(tasks[t], line)
	}
	out := make([][]byte, len(tasks))
	for i, own := range tasks {
		slices.SortStableFunc(own, func(a, b string) int {
			x, _, _ := strings.Cut(a, "\t")
			y, _, _ := strings.Cut(b, "\t")
			return strings.Compare(x, y)
		})
		for _, line := range own {
			out[i] = append(append(out[i], line...), '\n')
		}
	}
	return out
}

// group is what was added up of some names.
type group struct {
	sum, names int64
	least      string
}

// namedSum is what was added up of a name.
type namedSum struct{ own, all, most int64 }

// addUp adds up numbers by name; see engine.Job.
func addUp(all []string, job engine.Job) ([]string, error) {
	sums := map[string]int64{}
	for _, line := range all {
		name, text, _ := strings.Cut(line, "\t")
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		sums[name] += n
	}
	names := map[string]namedSum{}
	for name, n := range sums {
		whole, _, isPart := strings.Cut(name, "/")
		if isPart = isPart && job.Share > 0 && name[0] != '@'; !isPart {
			whole = name
		}
		of := names[whole]
		if of.all += n; isPart {
			of.most = max(of.most, n)
		} else {
			of.own = n
		}
		names[whole] = of
	}
	groups := map[string]*group{}
	for name, of := range names {
		id, n := ">", of.all
		switch {
		case name[0] == '@':
			id = name
		case of.own < job.Below && job.Listed:
			id = "<" + name
		case of.own < job.Below:
			id = "<" + strconv.Itoa(len(name)%3)
		case job.Share*of.most > of.own && job.Listed:
			id = "/" + name
		case job.Share*of.most > of.own:
			id = "/" + strconv.Itoa(len(name)%3)
		}
		g := groups[id]
		if g == nil {
			g = &group{least: name}
			groups[id] = g
		}
		g.sum, g.names, g.least = g.sum+n, g.names+1, min(g.least, name)
	}
	var out []string
	for id, g := range groups {
		out = append(out, fmt.Sprintf("%s\t%d\t%d\t%s", id, g.sum, g.names, g.least))
	}
	return out, nil
}

// Private implements engine.Engine.
func (e *Engine) Private(_ context.Context, path string) (string, error) {
	return filepath.Join(path, "lines"), os.Mkdir(path, 0o700)
}

// Move implements engine.Engine.
func (e *Engine) Move(_ context.Context, from, to string) error {
	if err := e.step("move"); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if filepath.Base(from) == "lines" {
		return os.Remove(filepath.Dir(from))
	}
	return nil
}

// Remove implements engine.Engine.
func (e *Engine) Remove(_ context.Context, path string) error {
	if err := e.step("remove"); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// Exists implements engine.Engine.
func (e *Engine) Exists(_ context.Context, path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Open implements engine.Engine.
func (e *Engine) Open(_ context.Context, path string) (io.ReadCloser, error) {
	return os.Open(path)
}

// Siblings implements engine.Engine.
func (e *Engine) Siblings(_ context.Context, path, prefix string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(filepath.Dir(path), prefix+"*"))
	slices.Sort(found)
	return found, err
}

// Close implements engine.Engine.
func (e *Engine) Close() error { return nil }
