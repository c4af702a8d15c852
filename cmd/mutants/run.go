package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// fate is what became of a mutant.
type fate string

const (
	killed    fate = "killed"
	timedOut  fate = "timed out" // the tests took several times as long as they do
	survived  fate = "survived"
	unreached fate = "unreached" // no test comes there
	known     fate = "known"     // a page says why it changes nothing
	notRun    fate = "not run"
)

// result is what is noted of a mutant.
type result struct {
	Name, Fate, By string
	Line           int
}

// trials runs mutants.
type trials struct {
	all   []*test
	short bool // tests are asked to be short

	mu   sync.Mutex
	last map[string]*test // of each function: the test that killed a mutant of it last
}

// bounds of the groups in which tests run: those that take no longer than this run in one process.
var bounds = []time.Duration{80 * time.Millisecond, 600 * time.Millisecond, time.Hour}

// try runs the tests that reach a mutant until one fails. The test of the given name, if there is
// one, is run first.
func (r *trials) try(m *mutant, likely string) result {
	out := result{Name: m.name(), Line: m.Line, Fate: string(unreached)}
	tests := reaching(m, r.all)
	if len(tests) == 0 {
		return out
	}
	r.mu.Lock()
	first := r.last[m.File+m.Func]
	r.mu.Unlock()
	groups := grouped(tests)
	if first != nil && first.CPU > bounds[0] && slices.Contains(tests, first) {
		groups = slices.Insert(groups, min(1, len(groups)), []*test{first})
	}
	if at := slices.IndexFunc(tests, func(t *test) bool { return t.Name == likely }); at >= 0 {
		groups = slices.Insert(groups, 0, []*test{tests[at]})
	}
	out.Fate = string(survived)
	for _, g := range groups {
		f, by := r.run(m, g)
		if f == survived {
			continue
		}
		out.Fate, out.By = string(f), by
		r.mu.Lock()
		for _, t := range g {
			if t.Name == by {
				r.last[m.File+m.Func] = t
			}
		}
		r.mu.Unlock()
		break
	}
	return out
}

// grouped puts tests together that run in one process: of one package, and about as slow.
func grouped(tests []*test) [][]*test {
	var out [][]*test
	var bound time.Duration
	for _, t := range tests {
		i, _ := slices.BinarySearch(bounds, t.CPU)
		last := len(out) - 1
		if last < 0 || out[last][0].Pkg != t.Pkg || bound != bounds[i] || i == len(bounds)-1 {
			out, bound = append(out, nil), bounds[i]
			last++
		}
		out[last] = append(out[last], t)
	}
	return out
}

var failed = regexp.MustCompile(`--- FAIL: (\w+)`)

// run runs tests of one package with a mutant. They may use four times the processor time that they
// use without it, and two seconds. By the clock, which counts where a mutant waits for ever, they
// may take ten times as long, and twenty seconds: the machine may be busy. A limit on memory keeps
// it alive.
func (r *trials) run(m *mutant, tests []*test) (fate, string) {
	var names []string
	limit, wait := 2*time.Second, 20*time.Second
	for _, t := range tests {
		names = append(names, t.Name)
		limit += 4 * t.CPU
		wait += 10 * t.Clock
	}
	p := tests[0].Pkg
	script := fmt.Sprintf("ulimit -t %d; ulimit -v 12000000; exec \"$0\" \"$@\"",
		int(limit.Seconds()))
	cmd := p.command("/bin/sh", "-c", script, p.program, "-test.failfast",
		"-test.timeout", wait.String(), fmt.Sprintf("-test.short=%t", r.short),
		"-test.run", "^("+strings.Join(names, "|")+")$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("MINGLE_MUTANT=%d", m.ID), "GOTRACEBACK=none")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return survived, ""
	}
	by := ""
	if f := failed.FindSubmatch(out); f != nil {
		by = string(f[1])
	}
	if stopped(err) || strings.Contains(string(out), "panic: test timed out") {
		return timedOut, by
	}
	return killed, by
}

// stopped tells whether the system ended a process for its processor time.
func stopped(err error) bool {
	exit, ok := err.(*exec.ExitError)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() &&
		(status.Signal() == syscall.SIGKILL || status.Signal() == syscall.SIGXCPU)
}
