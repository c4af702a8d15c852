//go:build !windows

package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mingle/anonymize/global"
	"mingle/internal/disk"
	"mingle/internal/publish"
	"mingle/internal/soak"
	"mingle/privacy"
)

// A simulation is a day of use in one folder, all of it drawn from one number: files arrive, runs
// start, alone or two at once on the same targets, are interrupted, or killed; operations fail, the
// disk is full for a while; and somebody reads the release all the time. Each run stands for a
// process of its own. One runs at a time, up to its next change of the disk; who goes on then is
// drawn. So a number gives the same day again: MINGLE_SIMULATION=N plays day N alone, step by step,
// MINGLE_SIMULATION=M-N the days from M to N.

// day is the state of a simulation.
type day struct {
	t     *testing.T
	seed  uint64
	rnd   *rand.Rand
	dir   string
	known map[string]string // releases that were verified, by their text; whose they are
	trace []string          // of what happened, for comparison

	actor   *actor // whose turn it is
	seen    bool   // nothing has changed since the reader looked
	steps   int    // operations so far
	full    [2]int // the disk is full from the first of these steps to before the second
	ensured bool   // a run has ended well, so there is a release
	slow    *slowReader
	failed  bool
}

// actor is a run, which is a process of its own.
type actor struct {
	name                     string
	job                      Job
	steps                    int
	killed, interrupted, bad int // at which operation that happens; below 0: never
	cancel                   context.CancelFunc
	dead                     bool

	turn, parked chan bool
	done         bool
	err          error
}

// slowReader has read the first half of a release, and will read the rest later.
type slowReader struct {
	file *os.File
	head []byte
	rest int // operations until it goes on
}

var dayInputs = []string{
	"a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\n",
	"a1 b1\na2 b1\na1 b1 b2\na1 a2 b2\nb1 b2\nb1\n",
	"a1\na1\na2\na2 b1\nb2 b1\nb1 a1 a2\nb2 a1\n",
}

func (d *day) path(name string) string { return filepath.Join(d.dir, name) }

func (d *day) job(k int) Job {
	return Job{
		Family: KM{
			Hierarchy: d.path("tree.csv"), Promise: privacy.KM{K: k, M: 2}, Algorithm: global.AA{},
		},
		Input: d.path("data.dat"), Output: d.path("out.dat"), Report: d.path("report.json"),
		Audit: d.path("audit.json"), Force: true, Workers: 1, OmitTimings: true,
		process: publish.NewProcess(),
	}
}

// fault notes what must not be, with the number that gives the same day again.
func (d *day) fault(format string, args ...any) {
	if !d.failed {
		d.t.Errorf("day %d (MINGLE_SIMULATION=%d plays it again), operation %d: %s", d.seed, d.seed,
			d.steps, fmt.Sprintf(format, args...))
	}
	d.failed = true
}

// verified are all releases that can come about, each found keeping its promise by counting.
func (d *day) verified() {
	d.known = map[string]string{}
	for i := range dayInputs {
		for _, k := range []int{2, 3} {
			d.arrive(i)
			if _, err := d.job(k).Run(context.Background()); err != nil {
				d.t.Fatal(err)
			}
			text, _ := os.ReadFile(d.path("out.dat"))
			if !keeps(string(text), k) {
				d.t.Fatalf("input %d: the release does not keep k=%d:\n%s", i, k, text)
			}
			d.known[string(text)] = fmt.Sprintf("input %d with k=%d", i, k)
			for _, name := range dayOutputs {
				os.Remove(d.path(name))
			}
		}
	}
}

var dayOutputs = []string{"out.dat", "report.json", "audit.json"}

// keeps counts all pairs of labels, and the labels.
func keeps(text string, k int) bool {
	supports := map[[2]string]int{}
	for line := range strings.Lines(text) {
		labels := strings.Fields(line)
		for i, a := range labels {
			for _, b := range labels[i:] {
				supports[[2]string{a, b}]++
			}
		}
	}
	for _, n := range supports {
		if n < k {
			return false
		}
	}
	return true
}

// arrive puts another input in place, as a program does that knows how.
func (d *day) arrive(i int) {
	next := d.path("arriving")
	if err := os.WriteFile(next, []byte(dayInputs[i]), 0o644); err != nil {
		d.t.Fatal(err)
	}
	if err := os.Rename(next, d.path("data.dat")); err != nil {
		d.t.Fatal(err)
	}
}

// changing are the operations after which another run may go on.
var changing = []string{
	"create", "write", "sync", "chmod", "link", "rename", "remove", "sync directory", "lock", "wait",
}

// before is what happens at an operation of the run whose turn it is.
func (d *day) before(name, path string) error {
	a := d.actor
	if a == nil {
		return nil
	}
	if !a.dead && slices.Contains(changing, name) {
		a.parked <- true // another may go on
		<-a.turn
	}
	d.steps++
	a.steps++
	d.look()
	d.seen = !slices.Contains(changing, name)
	d.trace = append(d.trace, a.name+" "+name+" "+strings.TrimPrefix(path, d.dir))
	switch {
	case a.dead:
		return errEnded
	case a.steps == a.killed:
		a.dead = true
		return errEnded
	case a.steps == a.interrupted:
		a.cancel()
	case a.steps == a.bad:
		return &disk.Part{Err: syscall.EIO}
	case d.steps >= d.full[0] && d.steps < d.full[1] && needsSpace(name):
		return &disk.Part{Err: syscall.ENOSPC}
	}
	if d.rnd.IntN(200) == 0 {
		d.arrive(d.rnd.IntN(len(dayInputs)))
	}
	if name == "wait" || name == "sync" || name == "sync directory" {
		return disk.ErrSkip
	}
	return nil
}

var errEnded = errors.New("the process has ended")

func needsSpace(name string) bool {
	return slices.Contains([]string{"create", "write", "link", "sync"}, name)
}

// look is the reader, who looks after whatever may change what there is. It is a release that was
// verified, all of it; and once there is one, there always is. Secrets are their owner's.
func (d *day) look() {
	d.lookSlowly()
	if d.seen {
		return
	}
	d.seen = true
	text, err := os.ReadFile(d.path("out.dat"))
	switch {
	case errors.Is(err, os.ErrNotExist):
		if d.ensured {
			d.fault("there is no release any more")
		}
	case d.known[string(text)] == "":
		d.fault("the reader sees %q, which is no verified release", text)
	}
	entries, _ := os.ReadDir(d.dir)
	for _, e := range entries {
		info, err := e.Info()
		secret := e.Name() == "audit.json" ||
			strings.HasPrefix(e.Name(), ".mingle-") && strings.HasSuffix(e.Name(), ".new")
		if err != nil || !secret || info.Size() == 0 || info.Sys().(*syscall.Stat_t).Nlink > 1 {
			continue
		}
		if info.Mode().Perm()&0o077 != 0 {
			d.fault("%s has mode %v", e.Name(), info.Mode())
		}
	}
}

// lookSlowly reads a release in two halves, between which it may be replaced.
func (d *day) lookSlowly() {
	if d.slow == nil {
		if d.rnd.IntN(20) > 0 {
			return
		}
		f, err := os.Open(d.path("out.dat"))
		if err != nil {
			return
		}
		d.slow = &slowReader{f, make([]byte, 5), d.rnd.IntN(100)}
		io.ReadFull(f, d.slow.head)
		return
	}
	if d.slow.rest--; d.slow.rest > 0 {
		return
	}
	rest, err := io.ReadAll(d.slow.file)
	if text := string(d.slow.head) + string(rest); err != nil || d.known[text] == "" {
		d.fault("a slow reader sees %q: %v", text, err)
	}
	d.slow.file.Close()
	d.slow = nil
}

// start begins a run that waits for its turn.
func (d *day) start(name string, fated bool) *actor {
	a := &actor{
		name: name, turn: make(chan bool), parked: make(chan bool),
		killed: -1, interrupted: -1, bad: -1,
	}
	a.job = d.job(2 + d.rnd.IntN(2))
	when := 1 + d.rnd.IntN(260)
	if fated {
		switch d.rnd.IntN(4) {
		case 0:
			a.killed = when
		case 1:
			a.interrupted = when
		case 2:
			a.bad = when
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	go func() {
		<-a.turn
		_, a.err = a.job.Run(ctx)
		cancel()
		a.done = true
		a.parked <- true
	}()
	return a
}

// together lets runs go on in turns, up to their ends.
func (d *day) together(actors ...*actor) {
	for len(actors) > 0 {
		i := d.rnd.IntN(len(actors))
		for j, a := range actors { // who is far behind: they meet where files are put in place
			if a.steps+15 < actors[i].steps {
				i = j
			}
		}
		d.actor = actors[i]
		d.actor.turn <- true
		<-d.actor.parked
		if d.actor.done {
			actors = slices.Delete(actors, i, i+1)
		}
	}
	d.actor = nil
}

// belongs tells whether the three files are of one run, as the audit file names the others.
func (d *day) belongs() bool {
	var audit struct {
		Outputs []struct{ SHA256 string }
	}
	text, err := os.ReadFile(d.path("audit.json"))
	if err != nil || json.Unmarshal(text, &audit) != nil {
		return false
	}
	for _, name := range []string{"out.dat", "report.json"} {
		text, err := os.ReadFile(d.path(name))
		sum := sha256.Sum256(text)
		if err != nil || !slices.ContainsFunc(audit.Outputs, func(o struct{ SHA256 string }) bool {
			return o.SHA256 == hex.EncodeToString(sum[:])
		}) {
			return false
		}
	}
	return true
}

// outputs is what the outputs hold.
func (d *day) outputs() (out [3]string) {
	for i, name := range dayOutputs {
		text, _ := os.ReadFile(d.path(name))
		out[i] = string(text)
	}
	return out
}

// slot is one or two runs, and what must hold after them.
func (d *day) slot(n int) {
	d.full = [2]int{}
	if d.rnd.IntN(4) == 0 {
		from := d.steps + d.rnd.IntN(300)
		d.full = [2]int{from, from + 1 + d.rnd.IntN(100)}
	}
	before, whole := d.outputs(), d.belongs()
	actors := []*actor{d.start(fmt.Sprint(n, "A"), true)}
	if d.rnd.IntN(2) == 0 {
		actors = append(actors, d.start(fmt.Sprint(n, "B"), true))
	}
	d.together(slices.Clone(actors)...)
	killed, good, tidy := false, 0, true
	for _, a := range actors {
		said := strings.ReplaceAll(fmt.Sprint(a.name, " ", a.err), d.dir, "")
		d.trace = append(d.trace, said)
		killed = killed || a.dead
		if a.err == nil && !a.dead {
			good++
			d.ensured = true
		}
		// it says what the user has to do: "remove it", or "move it"
		tidy = tidy && (a.err == nil || !strings.Contains(a.err.Error(), "move it"))
	}
	d.seen = false
	d.look()
	switch {
	case killed || !tidy:
	case good > 0 && !d.belongs():
		d.fault("a run ended well, but the files are not those of one run")
	case good == 0 && d.outputs() != before:
		d.fault("no run ended well, but the files are others (of one run before: %v)", whole)
	}
}

// end is a last run without mischief: it works, and leaves nothing but its files.
func (d *day) end() {
	d.full = [2]int{}
	a := d.start("end", false)
	d.together(a)
	if a.err != nil {
		d.fault("the last run failed: %v", a.err)
		return
	}
	if !d.belongs() {
		d.fault("the files of the last run are not those of one run")
	}
	entries, _ := os.ReadDir(d.dir)
	for _, e := range entries {
		if !slices.Contains(append(dayOutputs, "data.dat", "tree.csv"), e.Name()) {
			d.fault("the day leaves %s", e.Name())
		}
	}
}

// play plays the day of a number.
func play(t *testing.T, seed uint64, known map[string]string) *day {
	t.Helper()
	d := &day{t: t, seed: seed, rnd: rand.New(rand.NewPCG(seed, 1)), known: known, dir: scratch(t)}
	defer os.RemoveAll(d.dir)
	put(t, d.dir, "tree.csv", exampleTree)
	if known == nil {
		d.verified()
	}
	d.arrive(0)
	stop := disk.Set(&disk.Watch{
		Before: d.before,
		Random: func(b []byte) {
			for i := range b {
				b[i] = byte(d.rnd.Uint32())
			}
		},
	})
	defer stop()
	for n := range 2 + d.rnd.IntN(4) {
		d.slot(n)
	}
	d.end()
	if d.slow != nil {
		d.slow.file.Close()
	}
	return d
}

// scratch is a folder in memory where there is one.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "mingle-day-")
	if err != nil {
		dir, err = os.MkdirTemp("", "mingle-day-")
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Each day, every reader at every moment sees a whole release that was verified, or none.
func TestSimulationSoak(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	first := play(t, 0, nil)
	if n, err := strconv.ParseUint(os.Getenv("MINGLE_SIMULATION"), 10, 64); err == nil {
		d := play(t, n, first.known)
		t.Log(strings.Join(d.trace, "\n"))
		return
	}
	from, to := uint64(0), uint64(soak.Share(50, 10_000))
	if _, err := fmt.Sscanf(os.Getenv("MINGLE_SIMULATION"), "%d-%d", &from, &to); err == nil {
		to++
	}
	steps := 0
	for seed := from; seed < to; seed++ {
		steps += play(t, seed, first.known).steps
		if t.Failed() {
			return
		}
	}
	t.Logf("days %d to %d, %d operations", from, to-1, steps)
}

// A number gives the same day again.
func TestSimulationIsReproducible(t *testing.T) {
	first := play(t, 7, nil)
	second := play(t, 7, first.known)
	for i := range max(len(first.trace), len(second.trace)) {
		if i >= min(len(first.trace), len(second.trace)) || first.trace[i] != second.trace[i] {
			t.Fatalf("from operation %d of %d and %d on they differ", i, len(first.trace),
				len(second.trace))
		}
	}
}
