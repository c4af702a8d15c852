package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mingle/internal/testdata"
)

// The jobs of three newcomers, from the README to the page that is signed: a hospital's steward, a
// shop's engineer, a researcher. Each page is then opened, where there is a browser, and printed.
func TestNewcomers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	if testing.Short() {
		t.Skip("it makes releases of real data")
	}
	for _, job := range []struct {
		name, data string
		charts     []string
	}{
		{"hospital", "mimic3-demo/DIAGNOSES_ICD.csv", []string{"singled-out", "levels"}},
		{
			"shop", "online-retail-ii/online_retail_ii_2009_2010.csv.gz",
			[]string{"singled-out", "levels"},
		},
		{
			"researcher", "groceries/groceries_named.csv.gz",
			[]string{"singled-out", "inferred-sensitive", "levels"},
		},
	} {
		t.Run(job.name, func(t *testing.T) {
			data := filepath.Dir(filepath.Dir(testdata.Path(t, job.data)))
			script, err := os.ReadFile(filepath.Join("testdata", "newcomers", job.name+".sh"))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			cmd := exec.Command("sh", "-eu")
			cmd.Dir, cmd.Stdin = dir, bytes.NewReader(script)
			cmd.Env = append(os.Environ(), "DATA="+absolute(t, data))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			signed, err := os.ReadFile(filepath.Join(dir, "page.html"))
			if err != nil || strings.Contains(string(signed), `id="draft"`) {
				t.Fatalf("the page is not final: %v", err)
			}
			t.Run("opened", func(t *testing.T) { opened(t, dir, job.name, job.charts) })
		})
	}
}

// opened looks at both pages of a job in a browser, and prints the one that is signed.
func opened(t *testing.T, dir, name string, charts []string) {
	browser := startBrowser(t)
	p := openPage(t, browser, filepath.Join(dir, "page.html"))
	for _, screen := range screens {
		p.on(t, screen)
		p.looksRight(t, charts, nil)
		p.accessible(t, screen)
		if screen == paper {
			p.sheetFits(t)
		}
		p.shoot(t, name, screen)
	}
	secret := openPage(t, browser, filepath.Join(dir, "custodian.html"))
	secret.on(t, phone)
	secret.looksRight(t, charts, nil)
	sh(t, dir, "mingle report report.json -o page.pdf")
	pdf, err := os.ReadFile(filepath.Join(dir, "page.pdf"))
	if err != nil || !strings.HasPrefix(string(pdf), "%PDF") || len(pdf) < 10_000 {
		t.Errorf("%d bytes are printed: %v", len(pdf), err)
	}
}

// sheetFits: what is signed first is one sheet of A4 within its margins, at 96 pixels an inch.
func (p openedPage) sheetFits(t *testing.T) {
	t.Helper()
	const most = (297 - 16 - 18) / 25.4 * 96
	height, err := chromedp.Run(p.ctx, chromedp.Evaluate[float64](
		`document.getElementById("sheet").getBoundingClientRect().height`,
	))
	if err != nil || height > most {
		t.Errorf("the first sheet is %.0f pixels high, of %.0f: %v", height, most, err)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	out, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
