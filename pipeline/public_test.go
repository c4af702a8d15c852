package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/coherence"
	"mingle/anonymize/continuous"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/internal/publish"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/report"
)

// made is what a run would publish, and what its custodian sees.
type made struct{ published, report, custodian string }

// world is a small world: all originals of so many lines, and how each is released.
type world struct {
	name  string
	lines []string // every line that an original can have
	n     int      // lines of an original
	every int      // take every so manieth original
	run   func(original string) (made, error)
}

// originals calls do for every original of the world, line order included.
func (w *world) originals(do func(original string)) {
	total := 1
	for range w.n {
		total *= len(w.lines)
	}
	for code := 0; code < total; code += max(1, w.every) {
		var text strings.Builder
		for c, i := code, 0; i < w.n; c, i = c/len(w.lines), i+1 {
			text.WriteString(w.lines[c%len(w.lines)] + "\n")
		}
		do(text.String())
	}
}

// tellsNoMore is the property: whoever has the published file and everything public learns nothing
// of the original from the report. All originals with the same published file have the same report,
// byte for byte. It returns how many published files come from more than one original, and for how
// many of them what the custodian sees differs: there a report that had it would rule originals
// out.
func (w *world) tellsNoMore(t *testing.T) (shared, told int) {
	t.Helper()
	type group struct {
		first      made
		original   string
		more, told bool
	}
	groups := map[string]*group{}
	w.originals(func(original string) {
		got, err := w.run(original)
		if err != nil {
			var infeasible *privacy.Infeasible
			var breach *BreachError
			if !errors.As(err, &infeasible) && !errors.As(err, &breach) {
				t.Fatalf("%s: %q: %v", w.name, original, err)
			}
			return
		}
		g := groups[got.published]
		if g == nil {
			groups[got.published] = &group{first: got, original: original}
			return
		}
		g.more = true
		g.told = g.told || got.custodian != g.first.custodian
		if got.report != g.first.report {
			t.Fatalf("%s: %q and %q are both published as %q, and their reports differ:\n%s\n%s",
				w.name, g.original, original, got.published, g.first.report, got.report)
		}
	})
	for _, g := range groups {
		if g.more {
			shared++
		}
		if g.told {
			told++
		}
	}
	return shared, told
}

// setsOf are all non-empty sets of the items, one a line.
func setsOf(items ...string) []string {
	var out []string
	for set := 1; set < 1<<len(items); set++ {
		var line []string
		for i, item := range items {
			if set>>i&1 == 1 {
				line = append(line, item)
			}
		}
		out = append(out, strings.Join(line, " "))
	}
	return out
}

// gather reads what a run has written, and what it says of it.
func gather(output *publish.File, rep *report.Report, c *report.Custodian) (made, error) {
	if _, err := output.Seek(0, io.SeekStart); err != nil {
		return made{}, err
	}
	published, err := io.ReadAll(output)
	if err != nil {
		return made{}, err
	}
	var public bytes.Buffer // text and page are made from it alone
	if err := rep.WriteJSON(&public); err != nil {
		return made{}, err
	}
	c.Measured = nil
	secret, err := json.Marshal(c)
	return made{string(published), public.String(), string(secret)}, err
}

// smallKM is a world of releases over a hierarchy.
type smallKM struct {
	tree      string
	items     []string
	sensitive string
	promise   privacy.KM
	algorithm string
	settings  Settings
}

func (s smallKM) world(t *testing.T, n, every int) *world {
	dir := t.TempDir()
	tree := put(t, dir, "tree.csv", s.tree)
	family := KM{
		Hierarchy: tree, Promise: s.promise, MaySuppress: s.settings.Suppression != nil,
		AllowUnknownSensitive: true, // some of the originals have no sensitive item
	}
	job := Job{
		Workers: 1, OmitTimings: true,
		Output: filepath.Join(dir, "out.dat"), Report: filepath.Join(dir, "report.json"),
	}
	items := s.items
	if s.sensitive != "" {
		family.Sensitive = put(t, dir, "sensitive.txt", s.sensitive+"\n")
		items = append(slices.Clone(items), s.sensitive)
	}
	entry, err := FindAlgorithm("km", s.algorithm)
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(dir, "data.dat")
	family.Algorithm = entry.Make(s.settings)
	job.Input, job.Family = in, family
	return &world{
		name:  fmt.Sprintf("%s %v %+v", family.Algorithm.Name(), s.promise, s.items),
		lines: setsOf(items...), n: n, every: every,
		run: func(original string) (made, error) {
			put(t, dir, "data.dat", original)
			r := newRun(job)
			defer r.close()
			if err := r.make(context.Background()); err != nil {
				return made{}, err
			}
			return gather(r.output, r.announced, r.custodian())
		},
	}
}

const (
	shallowTree = "a1;A;*\na2;A;*\nb;*\n"
	deepTree    = "a1;A;B;*\na2;A;B;*\nb;B;*\nc;*\n"
	evenTree    = "a1;A;*\na2;A;*\nb1;B;*\nb2;B;*\n"
)

// Publishing report and release together leaves exactly the originals that the release alone
// leaves: enumerated for every algorithm, suppression and diversity included.
func TestSoakReportsOfSmallReleasesTellNoMore(t *testing.T) {
	shallow, deep, even := []string{"a1", "a2", "b"}, []string{"a1", "a2", "b", "c"}, []string{
		"a1", "a2", "b1", "b2",
	}
	shared, told := 0, 0
	try := func(s smallKM, n, every int) {
		some, differ := s.world(t, n, every).tellsNoMore(t)
		shared, told = shared+some, told+differ
	}
	for n, e := range Algorithms("km") {
		if e.Name == "peel" { // of persons: TestReportsTellNothingOfPersons
			continue
		}
		knows := privacy.OfData
		if e.Name == "core" {
			knows = privacy.OfAlgorithm
		}
		first := privacy.KM{K: 2, M: 1, Knows: knows}
		try(smallKM{tree: shallowTree, items: shallow, promise: first, algorithm: e.Name}, 2, 1)
		if !soak.All() || n%3 != soak.Turn()%3 {
			continue // three soaks take all
		}
		for _, promise := range []privacy.KM{{K: 2, M: 1}, {K: 2, M: 2}, {K: 3, M: 2}} {
			promise.Knows = knows
			try(
				smallKM{tree: shallowTree, items: shallow, promise: promise, algorithm: e.Name}, 3,
				1,
			)
		}
		promise := privacy.KM{K: 2, M: 2, Knows: knows}
		try(smallKM{tree: deepTree, items: deep, promise: promise, algorithm: e.Name}, 3, 7)
		try(smallKM{tree: evenTree, items: even, promise: promise, algorithm: e.Name}, 3, 7)
		try(smallKM{tree: shallowTree, items: shallow, promise: promise, algorithm: e.Name}, 4, 5)
	}
	for _, name := range []string{"aa", "local", "auto", "partition"}[:soak.Share(2, 4)] {
		for _, transactions := range []bool{false, true} {
			s := smallKM{
				tree: shallowTree, items: shallow, promise: privacy.KM{K: 2, M: 2}, algorithm: name,
			}
			s.settings.Suppression = &Suppression{Transactions: transactions, Share: 0.5}
			try(s, soak.Share(2, 3), 1)
		}
		diverse := smallKM{
			tree: shallowTree, items: shallow, sensitive: "s",
			promise: privacy.KM{K: 2, M: 2, L: 2}, algorithm: name,
		}
		try(diverse, soak.Share(2, 3), soak.Share(3, 7))
		if diverse.promise.SensitiveKnown = true; name != "local" {
			try(diverse, soak.Share(2, 3), soak.Share(3, 2))
		}
	}
	if shared < 20 || told < 10 {
		t.Errorf("only %d published files come from several originals, and only %d differ in what the custodian sees",
			shared, told)
	}
}

// The same for bags of numbers.
func TestSoakReportsOfSmallRangesTellNoMore(t *testing.T) {
	dir := t.TempDir()
	shared := 0
	for _, name := range continuous.Algorithms() {
		for _, m := range []int{1, 2} {
			job := Job{
				Family: Continuous{
					Promise: privacy.Continuous{K: 2, M: m}, Algorithm: name, Threshold: 0.001,
					Layout: bag.Layout{Format: dataset.Fimi}, Ranges: hierarchy.RangeOptions{
						Width: "3", Fanout: 2,
					},
				},
				OmitTimings: true,
				Input:       filepath.Join(dir, "data.dat"), Output: filepath.Join(dir, "out.dat"),
				Report: filepath.Join(dir, "report.json"),
			}
			w := &world{
				name: name, lines: []string{"1", "2", "5", "9", "1 1", "1 5", "2 5", "2 9", "5 9"},
				n: soak.Share(2, 4), every: 1,
				run: func(original string) (made, error) {
					put(t, dir, "data.dat", original)
					r := newRun(job)
					defer r.close()
					if err := r.make(context.Background()); err != nil {
						return made{}, err
					}
					return gather(r.output, r.announced, r.custodian())
				},
			}
			some, _ := w.tellsNoMore(t)
			shared += some
		}
	}
	if shared < 20 {
		t.Errorf("only %d published files come from several originals", shared)
	}
}

// The same for coherence: which items were suppressed, and how often they occurred, is not told.
func TestSoakReportsOfSmallCoherentReleasesTellNoMore(t *testing.T) {
	dir := t.TempDir()
	shared, told := 0, 0
	for _, promise := range []privacy.Coherence{{H: 0.5, K: 2, P: 1}, {H: 0.7, K: 2, P: 2}} {
		job := Job{
			Family: Coherence{
				Promise: promise, NuggetSupport: Support{Count: 2}, Private: put(
					t, dir, "private.txt", "s\n",
				),
				Scoring: coherence.Scoring(0),
			},
			Workers: 1, OmitTimings: true,
			Input: filepath.Join(dir, "data.dat"), Output: filepath.Join(dir, "out.dat"),
			Report: filepath.Join(dir, "report.json"),
		}
		w := &world{
			name: promise.String(), lines: setsOf("a", "b", "c", "s"), n: soak.Share(2, 3),
			every: 1,
			run: func(original string) (made, error) {
				// none of the private items is in the data: refused
				if !strings.Contains(original, "s") {
					return made{}, &privacy.Infeasible{}
				}
				put(t, dir, "data.dat", original)
				r := newRun(job)
				defer r.close()
				if err := r.make(context.Background()); err != nil {
					return made{}, err
				}
				return gather(r.output, r.announced, r.custodian())
			},
		}
		some, differ := w.tellsNoMore(t)
		shared, told = shared+some, told+differ
	}
	if shared < 10 || told < 10 {
		t.Errorf("only %d published files come from several originals, and only %d differ in what the custodian sees",
			shared, told)
	}
}

// The same for nonreciprocal recoding, with seeds that the adversary does not know.
func TestSoakReportsOfSmallNonreciprocalReleasesTellNoMore(t *testing.T) {
	dir := t.TempDir()
	shared, told := 0, 0
	for _, algorithm := range []string{"nr", "cahd"} {
		for seed := range soak.Rounds(t, soak.Share(1, 4)) {
			job := Job{
				Family: Nonreciprocal{Promise: privacy.Nonreciprocal{K: 2}, Algorithm: algorithm},
				Seed:   &[32]byte{byte(seed)}, Workers: 1,
				Input: filepath.Join(dir, "data.dat"), Output: filepath.Join(dir, "out.jsonl"),
				Report: filepath.Join(dir, "report.json"),
			}
			w := &world{
				name: algorithm, lines: setsOf("a", "b", "c"), n: 3, every: 1,
				run: func(original string) (made, error) {
					put(t, dir, "data.dat", original)
					r := newRun(job)
					defer r.close()
					if err := r.make(context.Background()); err != nil {
						return made{}, err
					}
					return gather(r.output, r.announced, r.custodian())
				},
			}
			some, differ := w.tellsNoMore(t)
			shared, told = shared+some, told+differ
		}
	}
	if shared < 10 || told < 1 {
		t.Errorf("only %d published files come from several originals, and only %d differ in what the custodian sees",
			shared, told)
	}
}

// A recipient who has the published file, the hierarchy, the list of sensitive items and the
// parameters, and nothing else, makes the same report again, byte for byte.
func TestRecipientsCanMakeTheReportAgain(t *testing.T) {
	for _, l := range []int{0, 2} {
		job, dir := exampleJob(t)
		family := job.Family.(KM)
		job.Audit, family.Promise.L = "", l
		if l > 0 {
			put(t, dir, "data.dat", "a1 b1 b2 s\na2 b1\na2 b1 b2\na1 a2 b2 z\n")
			family.Sensitive = put(t, dir, "sensitive.txt", "s\nz\n")
		}
		job.Family = family
		if _, err := job.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		rep, err := report.Read(strings.NewReader(get(t, job.Report)))
		if err != nil {
			t.Fatal(err)
		}
		opened, err := Pair{
			Family: family, Published: job.Output, Files: &Files{},
		}.open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		in := opened.(*kmTask)
		again, err := (&publicKM{
			public: public{
				recipe: rep.Command, inputs: rep.Inputs, written: rep.Outputs[0], test: true,
			},
			promise: family.Promise, algorithm: rep.Algorithm, tree: in.tree,
			published: in.published, hidden: in.hidden,
			whole: in.whole, sensitive: in.sensitive,
		}).report(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := again.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		if text.String() != get(t, job.Report) {
			t.Errorf(
				"l=%d: the report cannot be made again:\n%s\n%s", l, get(t, job.Report),
				text.String(),
			)
		}
	}
}
