package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mingle/anonymize/global"
	"mingle/privacy"
	"mingle/report"
)

// What the issue did: from the published file, the report and the hierarchy, guess originals, and
// test each guess against the byte count and the hash in the report. The rare item has a longer
// name than the others of its group, so that the byte count alone told its support; hashes told the
// lines that have it.
func TestGuessesOfTheOriginalCannotBeTested(t *testing.T) {
	job, dir := exampleJob(t)
	const lines = 12
	original := func(rare ...int) string { // the lines that have the rare item
		var text strings.Builder
		for i := range lines {
			item := "common"
			for _, r := range rare {
				if r == i {
					item = "a-much-rarer-item"
				}
			}
			fmt.Fprintf(&text, "%s b%d\n", item, i%2)
		}
		return text.String()
	}
	put(t, dir, "tree.csv", "common;A;*\na-much-rarer-item;A;*\nb0;B;*\nb1;B;*\n")
	put(t, dir, "data.dat", original(2, 5, 7))
	changeKM(&job, func(f *KM) { f.Promise, f.Algorithm = privacy.KM{K: 5, M: 2}, global.AA{} })
	for _, audit := range []string{"", job.Audit} {
		job.Audit, job.Force = audit, true
		if _, err := job.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(get(t, job.Output), "A b0") {
			t.Fatal("the example does not generalize the rare item")
		}
		said := get(t, job.Report)
		for guess := range 1 << lines {
			var rare []int
			for i := range lines {
				if guess>>i&1 == 1 {
					rare = append(rare, i)
				}
			}
			text := original(rare...)
			sum := sha256.Sum256([]byte(text))
			for what, value := range map[string]string{
				"byte count": fmt.Sprintf(`"bytes": %d`, len(text)),
				"hash":       hex.EncodeToString(sum[:]),
			} {
				if strings.Contains(said, value) {
					t.Fatalf("the report confirms the %s of the guess %v", what, rare)
				}
			}
		}
	}
}

// No report of any kind names the size or the hash of the data or of a list, nor what only the
// audit file may say.
func TestReportsOfEveryKindHaveNothingOfTheOriginal(t *testing.T) {
	for kind, path := range everyKind(t, t.TempDir()) {
		for _, input := range []string{"visits.dat", "sensitive.txt", "private.txt"} {
			text := get(t, filepath.Join(filepath.Dir(path), input))
			sum := sha256.Sum256([]byte(text))
			for _, secret := range []string{
				fmt.Sprintf(`"bytes": %d`, len(text)), hex.EncodeToString(sum[:]),
			} {
				if strings.Contains(get(t, path), secret) {
					t.Errorf("%s: the report has %s of %s", kind, secret, input)
				}
			}
		}
		for _, field := range []string{
			"measured", "tried", "withheld", "suppressed", "before", "itemsets", "matches", "gap",
			"seconds", "seed", "support",
		} {
			if strings.Contains(get(t, path), `"`+field+`"`) {
				t.Errorf("%s: the report has a field %q", kind, field)
			}
		}
	}
}

// twoRuns makes two releases of different originals in a directory each, whose files have the same
// names. The published files of the two are the same.
func twoRuns(t *testing.T) [2]Job {
	t.Helper()
	var jobs [2]Job
	for i, data := range []string{exampleData, "a2 b1 b2\na1 b1\na2 b1 b2\na1 a2 b2\n"} {
		job, dir := exampleJob(t)
		put(t, dir, "data.dat", data)
		if _, err := job.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		jobs[i] = job
	}
	if get(t, jobs[0].Output) != get(t, jobs[1].Output) {
		t.Fatal("the two releases differ")
	}
	return jobs
}

// Whatever is mixed of two runs is found, with the audit file: even where both published the same.
func TestMixturesOfTwoRunsAreFound(t *testing.T) {
	same := twoRuns(t)
	other, dir := exampleJob(t)
	put(t, dir, "data.dat", exampleData+"a1 b1\na2 b2\n")
	if _, err := other.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	check := func(rep, published, original, audit Job) bool {
		m, err := ReportCheck{
			Report: rep.Report, Published: published.Output, Original: original.Input,
			Audit:     audit.Audit,
			Hierarchy: original.Family.(KM).Hierarchy, Files: &Files{},
		}.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return m.Same
	}
	for _, runs := range [][2]Job{{same[0], same[1]}, {same[0], other}} {
		alike := get(t, runs[0].Output) == get(t, runs[1].Output)
		for mixture := range 16 {
			of := func(bit int) Job { return runs[mixture>>bit&1] }
			want := mixture == 0 || mixture == 15
			// the published files are the same
			if rest := mixture &^ 2; alike && (rest == 0 || rest == 13) {
				want = true
			}
			if got := check(of(0), of(1), of(2), of(3)); got != want {
				t.Errorf("report of run %d, published of %d, original of %d, audit of %d: same is %v",
					mixture&1, mixture>>1&1, mixture>>2&1, mixture>>3&1, got)
			}
		}
	}
}

// Without the audit file the published file and the hierarchy can be checked, and nothing else.
func TestCheckOfWhatIsPublic(t *testing.T) {
	job, dir := exampleJob(t)
	job.Audit = ""
	if _, err := job.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		check ReportCheck
		same  bool
	}{
		"as it was made": {ReportCheck{
			Published: job.Output, Hierarchy: job.Family.(KM).Hierarchy,
		}, true},
		"another published": {ReportCheck{
			Published: put(t, dir, "changed.dat", get(t, job.Output)+"A b2\n"),
		}, false},
		"another hierarchy": {ReportCheck{
			Published: job.Output, Hierarchy: put(t, dir, "changed.csv", exampleTree+"c;*;ALL\n"),
		}, false},
		"the original itself": {ReportCheck{Published: job.Input}, false},
	} {
		c.check.Report, c.check.Files = job.Report, &Files{}
		m, err := c.check.Run(context.Background())
		if err != nil || m.Same != c.same {
			t.Errorf("%s: %v %+v", name, err, m)
		}
	}
	_, err := ReportCheck{
		Report: job.Report, Published: job.Output, Original: job.Input, Files: &Files{},
	}.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "give the audit file too") {
		t.Error(err)
	}
}

// A report that was changed by a single letter is not the one that the audit file names; an audit
// file alone tells its published file and its original.
func TestCheckWithTheAuditFile(t *testing.T) {
	job, dir := exampleJob(t)
	if _, err := job.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	changed := put(
		t, dir, "changed.json",
		strings.Replace(get(t, job.Report), `"holds": true`, `"holds":  true`, 1),
	)
	m, err := ReportCheck{
		Report: changed, Published: job.Output, Audit: job.Audit, Files: &Files{},
	}.Run(context.Background())
	if err != nil || m.Same {
		t.Errorf("a changed report: %v %+v", err, m)
	}
	m, err = ReportCheck{
		Report: job.Audit, Published: job.Output, Original: job.Input, Files: &Files{},
	}.Run(context.Background())
	if err != nil || !m.Same || len(m.Files) != 2 {
		t.Errorf("the audit file alone: %v %+v", err, m)
	}
	m, err = ReportCheck{
		Report: job.Audit, Published: job.Output, Original: job.Family.(KM).Hierarchy,
		Files: &Files{},
	}.Run(context.Background())
	if err != nil || m.Same {
		t.Errorf("another original: %v %+v", err, m)
	}
}

// With an audit file the keyed hashes are all that differs between two reports of one release; with
// the same key nothing does.
func TestKeyedHashesAreAllThatTheAuditFileChanges(t *testing.T) {
	jobs := twoRuns(t)
	var plain []string
	for _, job := range jobs {
		var rep report.Report
		if err := json.Unmarshal([]byte(get(t, job.Report)), &rep); err != nil {
			t.Fatal(err)
		}
		if rep.Inputs[0].Keyed == "" {
			t.Error("there is no keyed hash")
		}
		rep.Inputs[0].Keyed = ""
		var text bytes.Buffer
		if err := rep.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		plain = append(plain, text.String())
	}
	if plain[0] != plain[1] {
		t.Error("the reports of two originals with the same release differ")
	}
	var first string
	for range 2 {
		job := jobs[0]
		job.Key, job.Force, job.OmitTimings = &report.Key{7}, true, true
		if _, err := job.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		text := get(t, job.Report) + get(t, job.Audit)
		if first != "" && text != first {
			t.Error("the same key does not give the same bytes")
		}
		first = text
	}
}
