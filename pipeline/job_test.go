package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
)

// The example of terrovitis-2008, figure 2.
const (
	exampleData = "a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\n"
	exampleTree = "a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n"
)

// exampleJob is a job in a directory of its own.
func exampleJob(t *testing.T) (Job, string) {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "data.dat", exampleData)
	put(t, dir, "tree.csv", exampleTree)
	return Job{
		Family: KM{
			Hierarchy: filepath.Join(dir, "tree.csv"), Promise: privacy.KM{K: 2, M: 2},
			Algorithm: global.AA{},
		},
		Input:  filepath.Join(dir, "data.dat"),
		Output: filepath.Join(dir, "out.dat"), Report: filepath.Join(dir, "report.json"),
		Audit: filepath.Join(dir, "audit.json"),
	}, dir
}

// changeKM changes the parameters of k^m-anonymity.
func changeKM(j *Job, change func(*KM)) {
	family := j.Family.(KM)
	change(&family)
	j.Family = family
}

// pairOf are the files of a job that has run.
func pairOf(j Job) Pair {
	return Pair{Family: j.Family, Original: j.Input, Published: j.Output, Files: &Files{}}
}

func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// onlyInputs fails the test if a run has left anything behind.
func onlyInputs(t *testing.T, dir string, inputs ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	inputs = append(inputs, "data.dat", "tree.csv")
	for _, e := range entries {
		if !strings.Contains(" "+strings.Join(inputs, " ")+" ", " "+e.Name()+" ") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestJobOnTheWorkedExample(t *testing.T) {
	job, _ := exampleJob(t)
	out, err := job.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := get(t, job.Output), "A b1 b2\nA b1\nA b1 b2\nA b2\n"; got != want {
		t.Errorf("published %q, want %q", got, want)
	}
	losses := out.Custodian.Losses
	if !out.Report.Verification.Holds || len(losses) == 0 || losses[0].Value != 2.5/11 {
		t.Errorf("%+v %+v", out.Report.Verification, out.Custodian.Losses)
	}
	// by hand: 10 labels, 4 of them A of 2 of 4 leaves; A may stand for one item or for two
	for i, want := range []float64{2. / 10, 2. / 10, 4. / 14} {
		if got := out.Report.Losses[i]; math.Abs(got.Value-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", got.Name, got.Value, want)
		}
	}
}

// fake returns a release it was told to.
type fake func(anonymize.Input) (*release.Generalized, error)

func (fake) Name() string { return "fake" }

func (fake) Traits() anonymize.Traits { return anonymize.Traits{} }

func (f fake) Anonymize(_ context.Context, in anonymize.Input) (*release.Generalized, error) {
	return f(in)
}

// Whatever an algorithm returns, nothing that breaks the promise gets out.
func TestBadReleasesLeaveNoFile(t *testing.T) {
	cut := func(in anonymize.Input, labels ...string) *hierarchy.Cut {
		var nodes []int32
		for _, l := range labels {
			u, _ := in.Tree.Node(l)
			nodes = append(nodes, u)
		}
		c, err := hierarchy.NewCut(in.Tree, nodes)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for name, algorithm := range map[string]fake{
		"the original itself": func(in anonymize.Input) (*release.Generalized, error) {
			return release.Global(in.Data, hierarchy.BottomCut(in.Tree)), nil
		},
		"a wrong cut": func(in anonymize.Input) (*release.Generalized, error) {
			return release.Global(in.Data, cut(in, "a1", "a2", "B")), nil
		},
		"other transactions": func(in anonymize.Input) (*release.Generalized, error) {
			return release.Global(in.Data.Select([]int32{0, 1, 2}), cut(in, "ALL")), nil
		},
		"the order changed": func(in anonymize.Input) (*release.Generalized, error) {
			return release.Global(
				in.Data.Select([]int32{3, 2, 1, 0}), cut(in, "A", "b1", "b2"),
			), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			job, dir := exampleJob(t)
			changeKM(&job, func(f *KM) { f.Algorithm = algorithm })
			_, err := job.Run(context.Background())
			var breach *BreachError
			if !errors.As(err, &breach) || breach.Finding.BreachCount == 0 || len(
				breach.Finding.Breaches,
			) == 0 {
				t.Fatalf("error: %v", err)
			}
			onlyInputs(t, dir)
		})
	}
}

func TestFailuresLeaveNoFile(t *testing.T) {
	fault := errors.New("a fault")
	for name, change := range map[string]func(*Job){
		"the algorithm fails": func(j *Job) {
			changeKM(j, func(f *KM) {
				f.Algorithm = fake(func(anonymize.Input) (*release.Generalized, error) {
					return nil, fault
				})
			})
		},
		"the promise cannot be kept": func(j *Job) { changeKM(j, func(f *KM) { f.Promise.K = 5 }) },
		"bad parameters":             func(j *Job) { changeKM(j, func(f *KM) { f.Promise = privacy.KM{K: 1, M: 0} }) },
		"no such input":              func(j *Job) { j.Input += "x" },
		"report and output are one":  func(j *Job) { j.Report = j.Output },
		"the output is the input":    func(j *Job) { j.Output, j.Force = j.Input, true },
		"no directory":               func(j *Job) { j.Audit = filepath.Join(j.Audit, "no", "x") },
	} {
		t.Run(name, func(t *testing.T) {
			job, dir := exampleJob(t)
			change(&job)
			if _, err := job.Run(context.Background()); err == nil {
				t.Fatal("no error")
			}
			onlyInputs(t, dir)
			if get(t, filepath.Join(dir, "data.dat")) != exampleData {
				t.Error("the input was changed")
			}
		})
	}
}

// A run that is interrupted in any phase leaves nothing, and the former files as they were.
func TestInterruptInEveryPhaseSoak(t *testing.T) { interruptEach(t, soak.Share(5, 1)) }

// So does one of several goroutines; this one is for the race detector.
func TestInterruptInSomePhases(t *testing.T) { interruptEach(t, 40) }

func interruptEach(t *testing.T, stride int) {
	for _, former := range []bool{false, true} {
		for stages := 0; ; stages += stride {
			job, dir := exampleJob(t)
			if former {
				job.Force = true
				put(t, dir, "out.dat", "former")
			}
			ctx, cancel := context.WithCancelCause(context.Background())
			stopped := errors.New("stopped")
			left := stages
			job.Progress = func(anonymize.Progress) {
				if left--; left < 0 {
					cancel(stopped)
				}
			}
			_, err := job.Run(ctx)
			if ctx.Err() == nil { // it came to its end before
				if err != nil || stages < 3 {
					t.Fatalf("after %d calls: %v", stages, err)
				}
				break
			}
			if !errors.Is(err, stopped) {
				t.Errorf("interrupted at call %d: %v", stages, err)
			}
			if former {
				onlyInputs(t, dir, "out.dat")
				if get(t, job.Output) != "former" {
					t.Error("the former file is gone")
				}
			} else {
				onlyInputs(t, dir)
			}
		}
	}
}

// The report is the same, byte for byte, for any number of workers and in any directory.
func TestReportIsReproducible(t *testing.T) {
	var first string
	for _, workers := range []int{1, 2, 8} {
		job, _ := exampleJob(t)
		job.Workers, job.Audit = workers, ""
		if _, err := job.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		text := get(t, job.Report) + get(t, job.Output)
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("%d workers: another report", workers)
		}
		if strings.Contains(text, filepath.Dir(job.Input)) {
			t.Error("the report names a directory")
		}
	}
}

// What is safe to publish has no support of the original; the audit file has, and only its owner
// may read it.
func TestReportAndAudit(t *testing.T) {
	job, _ := exampleJob(t)
	if _, err := job.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	var audit report.Audit
	if err := json.Unmarshal([]byte(get(t, job.Audit)), &audit); err != nil {
		t.Fatal(err)
	}
	if len(audit.Items) != 4 || audit.Items[0].Item != "a1" || audit.Items[0].Support != 2 || audit.Items[0].PublishedAs[0] != "A" {
		t.Errorf("audit: %+v", audit.Items)
	}
	if strings.Contains(get(t, job.Report), `"support"`) {
		t.Error("the report has supports")
	}
	rep, err := report.Read(strings.NewReader(get(t, job.Report)))
	if err != nil || len(rep.Inputs) != 2 || len(rep.Outputs) != 1 {
		t.Fatalf("%v %+v", err, rep)
	}
	sum := newSummer()
	sum.Write([]byte(get(t, job.Output)))
	if got := sum.file("", "", "").SHA256; got != rep.Outputs[0].SHA256 {
		t.Errorf("the report says %s, the file has %s", rep.Outputs[0].SHA256, got)
	}
}

func TestSensitiveItemsStayAsTheyAre(t *testing.T) {
	job, dir := exampleJob(t)
	put(t, dir, "data.dat", "a1 b1 b2 s\na2 b1\na2 b1 b2\na1 a2 b2 z\n")
	changeKM(&job, func(f *KM) {
		f.Sensitive, f.Promise.L = put(t, dir, "sensitive.txt", "s\n\nz\r\ns\n"), 2
	})
	if _, err := job.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(get(t, job.Output)), "\n") {
		has := ""
		for _, item := range strings.Fields(line) {
			if item == "s" || item == "z" {
				has += item
			}
		}
		if want := []string{"s", "", "", "z"}[i]; has != want {
			t.Errorf("line %d publishes %q, want %q", i+1, has, want)
		}
	}
	finding, err := pairOf(job).Verify(context.Background())
	if err != nil || !finding.Holds {
		t.Errorf("%v %+v", err, finding)
	}
}

func TestStreams(t *testing.T) {
	job, dir := exampleJob(t)
	var out bytes.Buffer
	job.Input, job.In = "-", strings.NewReader(exampleData)
	changeKM(&job, func(f *KM) { f.Layout.Format = dataset.Fimi })
	job.Output, job.Out, job.Report, job.Audit = "-", &out, "", ""
	if _, err := job.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := "A b1 b2\nA b1\nA b1 b2\nA b2\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
	onlyInputs(t, dir)
}

// Every format and compression is written, read back and verified on the way.
func TestFormats(t *testing.T) {
	for _, name := range []string{
		"out.dat", "out.dat.gz", "out.dat.zst", "out.csv", "out.jsonl", "out.txt", "out.csv.gz",
	} {
		job, dir := exampleJob(t)
		job.Output = filepath.Join(dir, name)
		if _, err := job.Run(context.Background()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f, err := pairOf(job).Verify(context.Background()); err != nil || !f.Holds {
			t.Errorf("%s: %v %+v", name, err, f)
		}
	}
}

// One changed item, one dropped transaction, one raised support: each is refused, with a line to
// look up.
func TestTamperedReleasesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"a changed item":        "A b1 b2\nA b2\nA b1 b2\nA b2\n",
		"an unknown item":       "A b1 b2\nA b1\nA b1 b2\nA bx\n",
		"a dropped transaction": "A b1 b2\nA b1\nA b2\n",
		"a raised support":      "A b1 b2\nA b1 b2\nA b1 b2\nA b2\n",
		"an added transaction":  exampleData + "A b2\n",
		"a dropped item":        "A b1 b2\nA b1\nA b1\nA b2\n",
		"the original":          exampleData,
	} {
		t.Run(name, func(t *testing.T) {
			job, dir := exampleJob(t)
			job.Output = put(t, dir, "published.dat", text)
			finding, err := pairOf(job).Verify(context.Background())
			if err != nil || finding.Holds || len(finding.Breaches) == 0 || finding.Breaches[0].Message == "" {
				t.Fatalf("%v %+v", err, finding)
			}
		})
	}
}

func TestAlgorithmsAreFoundByName(t *testing.T) {
	for _, e := range algorithms {
		found, err := FindAlgorithm(e.Family, e.Name)
		if err != nil || found.New(Settings{}).Name() != e.Name {
			t.Errorf("%s %s: %v", e.Family, e.Name, err)
		}
	}
	if _, err := FindAlgorithm("km", "no"); err == nil || !strings.Contains(
		err.Error(), "aa, da, oa",
	) {
		t.Error(err)
	}
}
