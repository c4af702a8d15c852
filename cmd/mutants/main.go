// Command mutants changes one thing at a time in a package and sees whether a test fails: what no
// test notices is not tested. All changes are compiled into one program, each behind a switch, so
// that a mutant costs no more than the tests that reach it, until one fails. docs/mutants.md tells
// what is changed and what was found.
//
//	mutants [-tests PACKAGES] [-known FILE] [-from FILE] [-to FILE] PACKAGE
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

//go:embed switch.go.txt
var switches string

func main() {
	var o options
	flag.StringVar(&o.tests, "tests", "",
		"further packages whose tests are run, with commas between")
	flag.StringVar(&o.known, "known", "",
		"page that names mutants, with the reason why no test can notice: they are not run")
	flag.StringVar(&o.from, "from", "", "results of another run: what was killed there is not run")
	flag.BoolVar(&o.again, "again", false, "run what was killed there all the same, the test that "+
		"killed it first")
	flag.StringVar(&o.to, "to", "", "file for the results")
	flag.StringVar(&o.only, "only", "", "run only mutants whose name matches this expression")
	flag.DurationVar(&o.slowest, "slowest", 0, "leave out tests that take longer; 0: none")
	flag.BoolVar(&o.short, "short", false, "ask the tests to be short")
	flag.BoolVar(&o.list, "list", false, "list the mutants, run none")
	flag.IntVar(&o.workers, "workers", 2, "mutants at once")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	o.pkg = flag.Arg(0)
	ok, err := o.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

type options struct {
	pkg, tests, known, from, to, only string
	list, short, again                bool
	workers                           int
	slowest                           time.Duration
}

// run tries the mutants of a package; it returns false if one survives that is not known.
func (o *options) run() (bool, error) {
	s, err := load(o.pkg)
	if err != nil {
		return false, err
	}
	mutants, files := mutate(s)
	if o.list {
		for _, m := range mutants {
			fmt.Println(m.name())
		}
		return true, nil
	}
	tmp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(tmp)
	overlay, err := overlaid(s, files, tmp)
	if err != nil {
		return false, err
	}
	r, err := o.testsOf(s, overlay, tmp)
	if err != nil {
		return false, err
	}
	known, err := readKnown(o.known)
	if err != nil {
		return false, err
	}
	earlier, err := readResults(o.from)
	if err != nil {
		return false, err
	}
	t := &tried{o: o, trials: r, known: known, earlier: earlier}
	if t.only, err = regexp.Compile(o.only); err != nil {
		return false, err
	}
	if o.to != "" {
		if t.to, err = os.Create(o.to); err != nil {
			return false, err
		}
		defer t.to.Close()
	}
	results, err := t.all(mutants)
	if err != nil {
		return false, err
	}
	for _, name := range stale(known, results) {
		fmt.Printf("named, and not there: %s\n", name)
	}
	return tell(s, results), nil
}

// testsOf builds the tests that try the mutants of a package: its own, and further ones.
func (o *options) testsOf(s *source, overlay, tmp string) (*trials, error) {
	r := &trials{last: map[string]*test{}, short: o.short}
	patterns := append([]string{s.Path}, strings.FieldsFunc(o.tests,
		func(c rune) bool { return c == ',' })...)
	for i, pattern := range patterns {
		t, err := build(s, o, pattern, overlay, tmp, i)
		if err != nil {
			return nil, err
		}
		for _, one := range t.list {
			if o.slowest == 0 || one.CPU <= o.slowest {
				r.all = append(r.all, one)
			}
		}
	}
	return r, nil
}

// tried is a run under way.
type tried struct {
	*trials
	o       *options
	only    *regexp.Regexp
	known   map[string]bool
	earlier map[string]result

	mu   sync.Mutex
	to   *os.File // results, one a line; nil: they are not kept
	done int
}

// all tries all mutants that are neither named nor killed before.
func (t *tried) all(mutants []*mutant) ([]result, error) {
	results := make([]result, len(mutants))
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, t.o.workers)
	for w := range t.o.workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(mutants); i = int(next.Add(1)) - 1 {
				results[i] = t.one(mutants[i])
				if errs[w] = t.note(results[i], len(mutants)); errs[w] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return results, errors.Join(errs...)
}

func (t *tried) one(m *mutant) result {
	before, was := t.earlier[m.name()]
	switch {
	case t.known[m.name()]:
		return result{Name: m.name(), Line: m.Line, Fate: string(known)}
	case was && !t.o.again && (before.Fate == string(killed) || before.Fate == string(timedOut)):
		return before
	case !t.only.MatchString(m.name()):
		return result{Name: m.name(), Line: m.Line, Fate: string(notRun)}
	}
	return t.try(m, before.By)
}

// note keeps a result, and says how far the run is.
func (t *tried) note(r result, of int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done++; t.done%200 == 0 {
		fmt.Fprintf(os.Stderr, "%d of %d\n", t.done, of)
	}
	if t.to == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err == nil {
		_, err = t.to.Write(append(line, '\n'))
	}
	return err
}

// readResults reads those of an earlier run, which may have been stopped.
func readResults(path string) (map[string]result, error) {
	out := map[string]result{}
	if path == "" {
		return out, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out[r.Name] = r
	}
	return out, nil
}
