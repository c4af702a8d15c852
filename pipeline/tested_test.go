package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mingle/anonymize/coherence"
	"mingle/anonymize/continuous"
	"mingle/anonymize/global"
	"mingle/privacy"
	"mingle/report"
)

// visits are sets of 1 to 5 of 20 numbers, small ones the commonest.
func visits() string {
	rng := rand.New(rand.NewPCG(1, 1))
	var s strings.Builder
	for range 300 {
		has := map[int]bool{}
		for range 1 + rng.IntN(5) {
			has[rng.IntN(1+rng.IntN(20))] = true
		}
		for v := range 20 {
			if has[v] {
				fmt.Fprintf(&s, "%d ", 100+v)
			}
		}
		s.WriteString("\n")
	}
	return s.String()
}

// everyKind makes a release of each kind, with a report.
func everyKind(t *testing.T, dir string) map[string]string {
	ctx, in := context.Background(), put(t, dir, "visits.dat", visits())
	var tree strings.Builder
	for v := range 20 {
		fmt.Fprintf(&tree, "%d;group%d;all\n", 100+v, v/5)
	}
	report := func(kind string) string { return filepath.Join(dir, kind+".json") }
	out := func(name string) string { return filepath.Join(dir, name) }
	made := map[string]string{}
	for output, family := range map[string]Family{
		"km.dat": KM{
			Hierarchy: put(t, dir, "tree.csv", tree.String()), Sensitive: put(
				t, dir, "sensitive.txt", "119\n",
			),
			Promise: privacy.KM{K: 5, M: 2, L: 2}, Algorithm: global.AA{},
		},
		"ranges.dat": Continuous{Promise: privacy.Continuous{K: 5, M: 2}, Algorithm: continuous.ACD},
		"nr.jsonl":   Nonreciprocal{Promise: privacy.Nonreciprocal{K: 5}},
		"coherent.dat": Coherence{
			Private:       put(t, dir, "private.txt", "118\n119\n"),
			Promise:       privacy.Coherence{H: 0.9, K: 5, P: 2},
			NuggetSupport: Support{Count: 20}, Scoring: coherence.Scoring(0),
		},
	} {
		job := Job{Family: family, Input: in, Output: out(output), Report: report(family.Name())}
		if _, err := job.Run(ctx); err != nil {
			t.Fatal(err)
		}
		made[family.Name()] = job.Report
	}
	return made
}

// The report of every kind of release follows the schema, and the test in it finds nothing that is
// promised not to be there.
func TestReportsOfEveryKind(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(
		filepath.Join("..", "docs", "report.schema.json"),
	)
	if err != nil {
		t.Fatal(err)
	}
	for kind, path := range everyKind(t, t.TempDir()) {
		var value any
		if err := json.Unmarshal([]byte(get(t, path)), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		rep, err := report.Read(strings.NewReader(get(t, path)))
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Breakdowns) == 0 {
			t.Errorf("%s: the report has no breakdown", kind)
		}
		// of nonreciprocal recoding nothing can be tested without the original
		if rep.Attack == nil {
			if kind != "nonreciprocal" {
				t.Errorf("%s: the report has no test", kind)
			}
			continue
		}
		promised := 0
		for _, a := range rep.Attack.Attempts {
			if a.Promised {
				promised++
			}
			if a.Promised && strings.HasPrefix(a.Figure, "fewer than k") && a.After.Value > 0 {
				t.Errorf(
					"%s: %v of those of whom %d items are known match fewer than k", kind,
					a.After.Value, a.Known,
				)
			}
		}
		if promised == 0 || promised == len(rep.Attack.Attempts) {
			t.Errorf(
				"%s: %d of %d attempts are about what is promised", kind, promised,
				len(rep.Attack.Attempts),
			)
		}
	}
}

// A test that would need more memory than is allowed is left out, and the report says so.
func TestNoTestBeyondTheMemory(t *testing.T) {
	job, _ := exampleJob(t)
	job.Memory = 100
	out, err := job.Run(context.Background())
	if err != nil {
		t.Skipf("the algorithm refuses so little: %v", err)
	}
	if out.Report.Attack != nil || out.Custodian.Attack != nil {
		t.Errorf("%+v", out)
	}
	for _, warnings := range [][]string{out.Report.Warnings, out.Custodian.Warnings} {
		if len(warnings) == 0 || !strings.Contains(
			warnings[len(warnings)-1], "adversarial test was left out",
		) {
			t.Errorf("%q", warnings)
		}
	}
}
