package pipeline

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/peel"
	"mingle/privacy"
)

// The public report is the same whoever the persons are, of whom there may be more or fewer: it
// tells of the published file, not of them. The audit file does.
func TestReportsTellNothingOfPersons(t *testing.T) {
	sets := strings.Split(strings.Repeat("a;b a;b c;d c b;d a ", 8), " ")
	sets = sets[:len(sets)-1]
	for _, a := range []anonymize.Algorithm{global.AA{}, peel.Algorithm{}} {
		var released, reports, audits []string
		for persons := range 3 {
			dir := t.TempDir()
			var text strings.Builder
			text.WriteString("who,items\n")
			for i, set := range sets {
				who := []string{string(rune('A' + i%26)), string(rune('a' + i/4)), ""}[persons%3]
				if persons == 2 && i%5 > 0 {
					who = string(rune('0'+i%10)) + string(rune('A'+i%7))
				}
				text.WriteString(who + "," + set + "\n")
			}
			seed := [32]byte{1}
			job := Job{
				Family: KM{
					Hierarchy: put(t, dir, "tree.csv", "a;A;*\nb;A;*\nc;B;*\nd;B;*\n"),
					Promise:   privacy.KM{K: 3, M: 2}, Algorithm: a, PersonColumn: "who",
				},
				Input: put(t, dir, "data.csv", text.String()), Seed: &seed,
				Output: filepath.Join(dir, "out.csv"),
				Report: filepath.Join(dir, "report.json"),
			}
			if _, err := job.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			released = append(released, get(t, job.Output))
			reports = append(reports, get(t, job.Report))
			job.Force, job.Audit = true, filepath.Join(dir, "audit.json")
			if _, err := job.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			audits = append(audits, get(t, job.Audit))
		}
		if len(slices.Compact(released)) != 1 {
			t.Fatalf("%s: the releases differ, and the test tests nothing", a.Name())
		}
		if len(slices.Compact(reports)) != 1 {
			t.Errorf("%s: the reports differ", a.Name())
		}
		for _, text := range audits {
			if !strings.Contains(text, `"several"`) {
				t.Errorf("%s: the audit file does not tell of persons", a.Name())
			}
		}
	}
}
