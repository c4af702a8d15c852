package pipeline_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"mingle/anonymize/global"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/report"
	"mingle/report/page"
)

// A page shows names as people may read them: one that was not changed is that of its audit file,
// whatever its inputs are called.
func TestPagesOfStrangeNamesAreChecked(t *testing.T) {
	for _, called := range []string{
		"plain.dat", "a\x01b.dat", "a\u202eb.dat", "a\xffb.dat", "a&'<b.dat", "a\nb.dat",
	} {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		for name, text := range map[string]string{
			called: "a b\na b\n", "tree.csv": "a;*\nb;*\n",
		} {
			if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
				t.Skipf("%q: %v", name, err) // not every system has such names
			}
		}
		job := pipeline.Job{
			Family: pipeline.KM{
				Hierarchy: at("tree.csv"), Promise: privacy.KM{K: 2, M: 1}, Algorithm: global.AA{},
			},
			Input: at(called), Output: at("out.dat"), Page: at("page.html"), Audit: at("audit.json"),
			RenderPage: func(w io.Writer, r *report.Report) error {
				return page.Write(w, &report.Outcome{Report: r})
			},
		}
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatalf("%q: %v", called, err)
		}
		m, err := pipeline.ReportCheck{
			Report: job.Page, Published: job.Output, Audit: job.Audit, Original: job.Input,
			Files: &pipeline.Files{},
		}.Run(t.Context())
		if err != nil || !m.Same {
			t.Errorf("%q: %+v, %v", called, m, err)
		}
	}
}
