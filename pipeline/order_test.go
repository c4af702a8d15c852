package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/coherence"
	"mingle/anonymize/global"
	"mingle/attack"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/privacy"
	"mingle/report"
)

// All orders are as likely. With 24,000 draws of 24 orders chi square with 23 degrees of freedom
// is over 60 once in 30,000 tests of a true generator; the seeds are fixed, so it passes or not.
func TestOrdersAreAsLikely(t *testing.T) {
	count := map[string]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 24000 {
		var seed [32]byte
		for i := range seed {
			seed[i] = byte(rng.Uint32())
		}
		key := ""
		for _, tx := range dataset.DrawOrder(&seed, 4) {
			key += string(rune('0' + tx))
		}
		count[key]++
	}
	chi := 0.0
	for _, n := range count {
		d := float64(n) - 1000
		chi += d * d / 1000
	}
	if len(count) != 24 || chi > 60 {
		t.Errorf("%d orders, chi square %.1f", len(count), chi)
	}
}

// lines are those of a published file.
func lines(t *testing.T, path string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(get(t, path), "\n"), "\n")
}

func auditOf(t *testing.T, path string) *report.Audit {
	t.Helper()
	a, err := report.ReadAudit(strings.NewReader(get(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A shuffled release has the lines of the one that is not, in the order that the audit file tells.
// It is verified, attacked and measured with the audit file, and not taken for a release of the
// original without it.
func TestShuffledReleasesOfEveryFamily(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	for range 60 {
		items := []string{}
		for item := range 6 {
			if rng.IntN(3) == 0 {
				items = append(items, string(rune('1'+item)))
			}
		}
		text.WriteString(strings.Join(items, " ") + "\n")
	}
	for name, family := range map[string]Family{
		"km": KM{Promise: privacy.KM{K: 3, M: 2}, Algorithm: global.AA{}},
		"continuous": Continuous{
			Layout:  bag.Layout{Format: dataset.Fimi},
			Promise: privacy.Continuous{K: 3, M: 2}, Threshold: 0.001,
		},
		"coherence": Coherence{
			Promise: privacy.Coherence{H: 1, K: 3, P: 2}, NuggetSupport: Support{Count: 3},
			Scoring: coherence.ByNuggets,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if km, is := family.(KM); is {
				km.Hierarchy = put(
					t, dir, "tree.csv", "1;a;*\n2;a;*\n3;b;*\n4;b;*\n5;c;*\n6;c;*\n",
				)
				family = km
			}
			job := Job{
				Family: family, Input: put(t, dir, "data.dat", text.String()),
				Output: filepath.Join(dir, "plain.dat"),
			}
			if _, err := job.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			plain := lines(t, job.Output)
			job.Output, job.Shuffle = filepath.Join(dir, "out.dat"), true
			job.Report, job.Audit = filepath.Join(dir, "r.json"), filepath.Join(dir, "a.json")
			out, err := job.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if !out.Report.Shuffled {
				t.Error("the report does not say that the lines were shuffled")
			}
			judgeShuffled(t, job, plain)
		})
	}
}

func judgeShuffled(t *testing.T, job Job, plain []string) {
	t.Helper()
	got, order := lines(t, job.Output), auditOf(t, job.Audit).Order
	if slices.Equal(got, plain) {
		t.Error("the lines are as in the original")
	}
	for i, line := range got {
		if line != plain[order[i]-1] {
			t.Fatalf("line %d is %q, and that of transaction %d %q", i+1, line, order[i], plain[order[i]-1])
		}
	}
	if text := get(t, job.Report); strings.Contains(text, `"order"`) || strings.Contains(text, `"seed"`) {
		t.Error("the report tells the order")
	}
	pair := pairOf(job)
	if f, err := pair.Verify(context.Background()); err != nil || f.Holds ||
		!strings.Contains(strings.Join(f.Notes, " "), "--audit") {
		t.Errorf("without the audit file: %+v, %v", f, err)
	}
	pair.Audit = job.Audit
	if f, err := pair.Verify(context.Background()); err != nil || !f.Holds {
		t.Errorf("with the audit file: %+v, %v", f, err)
	}
	if _, err := pair.Attack(context.Background(), attack.Options{M: 1, K: 2}); err != nil {
		t.Error(err)
	}
	// the seed of the audit file makes the same release
	seed := [32]byte{}
	if err := json.Unmarshal([]byte(`"`+auditOf(t, job.Audit).Seed+`"`), (*report.Key)(&seed)); err != nil {
		t.Fatal(err)
	}
	again := job
	again.Seed, again.Output, again.Workers = &seed, job.Output+"2.dat", 3
	again.Report, again.Audit = "", ""
	if _, err := again.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if get(t, again.Output) != get(t, job.Output) {
		t.Error("the seed makes another release")
	}
}

// A damaged order, or one of other data, is refused.
func TestOrdersThatAreNone(t *testing.T) {
	job, dir := exampleJob(t)
	job.Shuffle = true
	if _, err := job.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]int32{{1, 2, 3}, {1, 2, 2, 4}, {0, 1, 2, 3}, {1, 2, 3, 5}} {
		a := auditOf(t, job.Audit)
		a.Order = order
		var text bytes.Buffer
		if err := a.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "damaged.json")
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		pair := pairOf(job)
		pair.Audit = path
		if _, err := pair.Verify(context.Background()); err == nil {
			t.Errorf("the order %v is taken", order)
		}
	}
}
