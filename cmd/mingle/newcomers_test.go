package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/rogpeppe/go-internal/testscript"

	"mingle/internal/soak"
	"mingle/internal/testdata"
)

// The jobs of three newcomers, from the README to the page that is signed, with the mistakes that
// are made on the way: a hospital's steward, a shop's engineer, a researcher. Each page is then
// opened, where there is a browser, and printed.
func TestNewcomersSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes releases of real data")
	}
	data, err := filepath.Abs(testdata.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	work, orders := t.TempDir(), ordersOf(t, data)
	t.Run("scripts", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir: filepath.Join("testdata", "newcomers"), WorkdirRoot: work,
			Cmds: scriptCommands, RequireUniqueNames: true,
			Setup: func(env *testscript.Env) error {
				env.Setenv("DATA", data)
				env.Setenv("ORDERS", orders)
				return nil
			},
			Condition: func(name string) (bool, error) {
				file, is := strings.CutPrefix(name, "data:")
				if name == "soak" {
					return soak.All(), nil
				} else if !is {
					return condition(name)
				}
				_, err := os.Stat(filepath.Join(data, filepath.FromSlash(file)))
				return err == nil, nil
			},
		})
	})
	var browser context.Context // one for all
	for name, charts := range map[string][]string{
		"hospital":   {"singled-out", "levels"},
		"shop":       {"singled-out", "levels"},
		"researcher": {"singled-out", "inferred-sensitive", "levels"},
	} {
		dir := filepath.Join(work, "script-"+name)
		if _, err := os.Stat(filepath.Join(dir, "page.html")); err != nil {
			t.Log("there is no page: see the script ", name)
			continue
		}
		if browser == nil {
			browser = startBrowser(t)
		}
		t.Run(name, func(t *testing.T) { opened(t, browser, dir, name, charts) })
	}
}

// ordersOf is the file of a shop's orders, or one of its first lines, which are of one month; "":
// the data is not here.
func ordersOf(t *testing.T, data string) string {
	t.Helper()
	path := filepath.Join(data, "online-retail-ii", "online_retail_ii_2009_2010.csv.gz")
	in, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer in.Close()
	if soak.All() {
		return path
	}
	zr, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	var first bytes.Buffer
	zw, lines := gzip.NewWriter(&first), bufio.NewScanner(zr)
	for n := 0; n <= 40_000 && lines.Scan(); n++ {
		fmt.Fprintln(zw, lines.Text())
	}
	short := filepath.Join(t.TempDir(), "orders.csv.gz")
	err = errors.Join(lines.Err(), zw.Close())
	if err == nil {
		err = os.WriteFile(short, first.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return short
}

// opened looks at both pages of a job in a browser, and prints the one that is signed.
func opened(t *testing.T, browser context.Context, dir, name string, charts []string) {
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
