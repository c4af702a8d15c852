package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/attack"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/report"
	"mingle/verify"
)

// frequent is a guarantee that stands here to show what one has to declare: every published item is
// in at least K lines; rarer items are left out.
type frequent struct {
	K int
	// keep is a fault of the algorithm: it leaves nothing out.
	keep bool
}

func (frequent) Name() string { return "frequent" }

func (f frequent) Validate() error {
	if f.K < 2 {
		return fmt.Errorf("k (%d) must be at least 2", f.K)
	}
	return nil
}

func (f frequent) begin(e *env) task { return &frequentTask{frequent: f, sets: sets{env: e}} }

type frequentTask struct {
	frequent
	sets
	release, published *dataset.Dataset
}

func (*frequentTask) inputs() []string           { return nil }
func (*frequentTask) refuse(*Job) error          { return nil }
func (*frequentTask) knownMost() int             { return 1 }
func (*frequentTask) bind(context.Context) error { return nil }
func (*frequentTask) foresee(*Forecast) error    { return nil }

func (t *frequentTask) anonymize(context.Context) error {
	stay := make([]int32, t.raw.Dict().Len())
	for item, n := range t.raw.Supports() {
		if stay[item] = int32(item); int(n) < t.K && !t.keep {
			stay[item] = -1
		}
	}
	t.release = t.raw.Recode(t.raw.Dict(), stay)
	return nil
}

func (t *frequentTask) write(w io.Writer) error { return t.put(w, t.release) }

func (t *frequentTask) parse(ctx context.Context, in io.Reader, own bool) (err error) {
	t.published, err = t.parsed(ctx, in, own)
	return err
}

func (t *frequentTask) verify(context.Context) (*verify.Finding, error) {
	f := &verify.Finding{Holds: true, Promise: "frequent items", Transactions: t.published.Len()}
	for item, n := range t.published.Supports() {
		if n > 0 && int(n) < t.K {
			f.Holds = false
			f.BreachCount++
			label := t.published.Dict().Label(int32(item))
			f.Breaches = append(f.Breaches, verify.Breach{Message: label + " is rare"})
		}
	}
	return f, nil
}

func (t *frequentTask) losses(context.Context) ([]report.Loss, error) {
	left := t.raw.Occurrences() - t.published.Occurrences()
	return []report.Loss{{Name: "occurrences", Value: share(left, t.raw.Occurrences())}}, nil
}

func (t *frequentTask) attack() (*attack.Case, test, error) {
	plan := test{k: t.K, m: 1, draws: testedMost, persons: t.raw.Len(), records: t.published.Len()}
	published, err := t.over(t.raw.Dict(), t.published)
	if err != nil {
		return nil, plan, err
	}
	c, err := attack.Suppressed(t.raw, published)
	return c, plan, err
}

func (t *frequentTask) public(_ context.Context, common *public) (*report.Report, error) {
	guarantee := report.Guarantee{Model: t.Name(), Statement: "frequent items"}
	rep := common.report(guarantee, "leave rare items out", "suppression")
	rep.Published = report.Count(t.published, nil)
	return rep, nil
}

func (*frequentTask) remedies(context.Context) ([]string, error) { return nil, nil }

func (t *frequentTask) custodian(out *report.Custodian) { out.Method = "rare items first" }
func (t *frequentTask) audit(*report.Audit) error       { return nil }

// A new guarantee declares a task; files, verdict, losses, attack, report and audit file are then
// those of every family.
func TestAFamilyIsAllThatAGuaranteeNeeds(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "data.dat", "a b\na b c\na\nb d\n")
	job := Job{
		Family: frequent{K: 2}, Input: in, Output: filepath.Join(dir, "out.dat"),
		Report: filepath.Join(dir, "report.json"), Audit: filepath.Join(dir, "audit.json"),
	}
	out, err := job.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, job.Output); got != "a b\na b\na\nb\n" {
		t.Errorf("published:\n%s", got)
	}
	if v := out.Custodian.Losses[0].Value; v != 2.0/8 || out.Custodian.Attack == nil {
		t.Errorf("losses %v, attack %v", v, out.Custodian.Attack)
	}
	finding, err := pairOf(job).Verify(context.Background())
	if err != nil || !finding.Holds {
		t.Errorf("%v %+v", err, finding)
	}
	if !strings.Contains(get(t, job.Audit), "rare items first") {
		t.Error("the audit file does not say how it was done")
	}
	job.Family, job.Force = frequent{K: 2, keep: true}, true
	var breach *BreachError
	if _, err = job.Run(context.Background()); !errors.As(err, &breach) {
		t.Errorf("a release that breaks the promise: %v", err)
	}
	if got := get(t, job.Output); got != "a b\na b\na\nb\n" {
		t.Error("a refused release took the place of the former one")
	}
}

// Every family has a name of its own, refuses parameters that say nothing, and does a trial of data
// at hand or says what it lacks.
func TestFamilies(t *testing.T) {
	names := Families()
	for i, f := range families {
		if slices.Index(names, f.Name()) != i {
			t.Errorf("two families are called %s", f.Name())
		}
		if f.Validate() == nil {
			t.Errorf("%s is promised without parameters", f.Name())
		}
		if _, err := (Trial{Family: f}).Run(context.Background()); err == nil {
			t.Errorf("%s: a trial of nothing", f.Name())
		}
	}
	if err := UnknownFamily("no"); !strings.Contains(err.Error(), strings.Join(names, ", ")) {
		t.Error(err)
	}
}

// What compares two files says so where there is one, in every family; and no file alone is a fault
// of the program.
func TestPairsWithoutAnOriginal(t *testing.T) {
	in := put(t, t.TempDir(), "data.dat", "1 2\n1 2\n")
	for _, f := range families {
		p := Pair{Family: f, Published: in, Files: &Files{}}
		_, err := p.Attack(context.Background(), attack.Options{M: 1, K: 2})
		if err == nil || !strings.Contains(err.Error(), "original") {
			t.Errorf("%s: an attack on one file: %v", f.Name(), err)
		}
	}
	p := Pair{Family: KM{Promise: privacy.KM{K: 2, M: 1}}, Published: in, Files: &Files{}}
	if _, err := p.Verify(context.Background()); err == nil {
		t.Error("a file alone, without a hierarchy, is judged")
	}
}
