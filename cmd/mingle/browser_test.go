package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"mingle/internal/testdata"
)

// The page to sign is opened in a browser, as whoever signs it does: of releases of real data, and
// of every kind of release. MINGLE_SCREENSHOTS names a directory to leave pictures in: those in
// docs are made by make screenshots.
func TestReportInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	browser := startBrowser(t)
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, dir string) // nil: nothing but the commands
		lines   string
		charts  []string // of the report
		more    []string // of the custodian's page besides
		words   []string // in the guarantee, and in what it does not cover
	}{
		{
			"groceries", groceries, "mingle anonymize km baskets.csv --input-format long -H tree.csv -k 5 -m 2 --seed test -o published.csv --report report.json --audit audit.json",
			[]string{"singled-out", "linked", "inferred", "levels", "categories", "labels"},
			nil,
			[]string{
				"knows up to 2 items of a person is left with at least 5 candidates",
				"at least 5 published transactions match", "more than 2 items", "membership",
			},
		},
		{
			"mimic3", diagnoses, `mingle hierarchy prefix stays.csv --lengths 4,3,2,1 -o icd9.csv
mingle anonymize km stays.csv -H icd9.csv -k 3 -m 2 --seed test --time-limit 20s -o published.csv --report report.json --audit audit.json`,
			[]string{"singled-out", "linked", "inferred", "levels", "categories", "labels"},
			[]string{"tried"},
			[]string{
				"knows up to 2 items", "at least 3 published transactions match",
				"more than 2 items", "membership",
			},
		},
		{
			"shop", nil, `mingle generate shop --transactions 1000 --items 130 -o baskets.csv --catalogue catalogue.csv
tail -n 1 catalogue.csv | cut -d';' -f1 > sensitive.txt
mingle anonymize km baskets.csv --input-format basket -H catalogue.csv -k 5 -m 2 --sensitive sensitive.txt -l 2 -o published.csv --report report.json --audit audit.json`,
			[]string{"singled-out", "linked", "inferred", "inferred-sensitive", "levels", "labels"},
			nil,
			[]string{"2 items", "at most 1/2"},
		},
		{
			"ranges", nil, `mingle generate income --records 1000 -o income.csv
mingle anonymize continuous income.csv -k 5 -m 2 -o published.csv --report report.json --audit audit.json`,
			[]string{"singled-out", "linked", "inferred", "widths"},
			nil,
			[]string{"2 values"},
		},
		{
			"nonreciprocal", nil, `mingle generate zipf --transactions 1000 --items 60 -o visits.dat
mingle anonymize nonreciprocal visits.dat -k 5 -o published.jsonl --report report.json --audit audit.json`,
			[]string{"uncertainty"},
			[]string{"singled-out", "linked", "inferred", "losses"},
			[]string{"knows all original records", "membership", "Yes, not bounded"},
		},
		{
			"coherence", nil, `mingle generate zipf --transactions 1000 --items 60 -o visits.dat
printf '58\n59\n' > private.txt
mingle anonymize coherence visits.dat --private private.txt --h 0.8 --k 5 --p 2 --nugget-support 50 -o published.dat --report report.json --audit audit.json`,
			[]string{"singled-out", "linked", "inferred", "labels"},
			[]string{"losses"},
			[]string{"2 public items"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.prepare != nil {
				c.prepare(t, dir)
			}
			sh(t, dir, c.lines+"\nmingle report report.json -o report.html\nmingle report report.json --audit audit.json -o custodian.html")
			for page, charts := range map[string][]string{
				"report.html": c.charts, "custodian.html": slices.Concat(c.charts, c.more),
			} {
				p := openPage(t, browser, filepath.Join(dir, page))
				for _, screen := range screens {
					p.on(t, screen)
					p.looksRight(t, charts, c.words)
					if page == "report.html" || screen == phone {
						p.accessible(t, screen)
					}
					if page == "report.html" {
						p.shoot(t, c.name, screen)
					}
				}
				p.prints(t)
			}
		})
	}
}

// The page of a comparison too: its figures are drawn, and only its table of all cells is wider
// than a phone.
func TestComparePageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	browser := startBrowser(t)
	dir := t.TempDir()
	plan := `title: AA and VPA
data: [{name: made, shape: {transactions: 400, items: 20, longest: 8, average: 3, exponent: 1, seed: 1}}]
runs: [{data: made, algorithm: [aa, vpa], k: [2, 5], m: 2}]
plots: [{name: loss, title: loss against k, x: k, y: ncp, claim: the loss grows with k, check: [{rising: "*"}]}]
`
	if err := os.WriteFile(filepath.Join(dir, "plan.yaml"), []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "mingle compare plan.yaml -o out")
	p := openPage(t, browser, filepath.Join(dir, "out", "index.html"))
	for _, screen := range []screen{phone, desktop, paper} {
		p.on(t, screen)
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`(() => {
			const svg = document.querySelector("figure svg").getBoundingClientRect();
			return svg.width > 200 && svg.height > 100 && document.documentElement.scrollWidth <= window.innerWidth && document.body.innerText.includes("holds here");
		})()`))
		if err != nil || !ok {
			t.Errorf("on %s: the figure is not drawn, its verdict is missing, or the page is too wide: %v", screen.name, err)
		}
	}
}

// groceries writes the real baskets and their tree, whose groups are named apart from the items.
func groceries(t *testing.T, dir string) {
	baskets := testdata.Path(t, "groceries/groceries_named.csv.gz")
	var tree strings.Builder
	for _, r := range testdata.Rows(t, "groceries/groceries_items_hierarchy.csv") {
		tree.WriteString(strings.TrimSpace(r[1]) + ";" + r[2] + " (group);" + r[3] + " (department);everything\n")
	}
	if err := os.WriteFile(
		filepath.Join(dir, "tree.csv"), []byte(tree.String()), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "gzip -dc '"+baskets+"' > baskets.csv")
}

// diagnoses takes patient and code out of the table of diagnoses.
func diagnoses(t *testing.T, dir string) {
	sh(t, dir, "{ echo transaction,item; tail -n +2 '"+testdata.Path(t, "mimic3-demo/DIAGNOSES_ICD.csv")+"' | cut -d, -f2,5; } > stays.csv")
}

// sh runs lines of shell code; "mingle" is the program under test.
func sh(t *testing.T, dir, lines string) {
	t.Helper()
	cmd := exec.Command("sh", "-eu")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(lines)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, lines, out)
	}
}

// startBrowser starts the browser that is installed, or skips the test.
func startBrowser(t *testing.T) context.Context {
	path := ""
	for _, name := range []string{
		os.Getenv("MINGLE_BROWSER"), "chromium", "chromium-browser", "google-chrome", "chrome",
	} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip(
			"no Chromium is installed: tools/browser.sh installs one, or MINGLE_BROWSER names it",
		)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true), chromedp.Flag("hide-scrollbars", true))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, closeIt := chromedp.NewContext(ctx)
	t.Cleanup(closeIt)
	if err := chromedp.Do(ctx); err != nil {
		t.Skipf("the browser %s does not start: %v", path, err)
	}
	return ctx
}

// screen is what a page is looked at on.
type screen struct {
	name          string
	width, height int64
	media         string
	scheme        string // of colours
}

var (
	phone   = screen{"phone", 390, 844, "", "light"}
	desktop = screen{"desktop", 900, 1300, "", "light"}
	paper   = screen{"paper", 680, 1000, "print", "light"} // A4 within its margins
	dark    = screen{"dark", 900, 1300, "", "dark"}
	screens = []screen{phone, desktop, paper, dark}
)

// openedPage is a page in a tab of its own.
type openedPage struct{ ctx context.Context }

func openPage(t *testing.T, browser context.Context, path string) openedPage {
	t.Helper()
	tab, closeIt := chromedp.NewContext(browser)
	t.Cleanup(closeIt)
	p := openedPage{tab}
	p.do(t, chromedp.Navigate("file://"+filepath.ToSlash(path)))
	return p
}

func (p openedPage) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// on turns to another screen.
func (p openedPage) on(t *testing.T, s screen) {
	t.Helper()
	p.do(t, chromedp.EmulateViewport(s.width, s.height), chromedp.Func(func(
		ctx context.Context, tab *chromedp.Target,
	) error {
		_, err := cdp.Call(
			ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Media: s.media,
				Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: s.scheme},
				},
			},
		)
		return err
	}))
}

// seen is what the browser says of a page. A text that is not laid out, or out of sight, is not in
// it.
type seen struct {
	Verdict, Guarantee, Answers, NotCovered, Text string
	// pixels by which the page is wider than the screen
	Wide int
	// that are drawn: with bars and words of some size
	Charts []string
	// words of charts that stick out of their drawing, and texts that leave the screen
	Cut, Off []string
	Loaded   int // files besides the page
}

const look = `(() => {
	const box = e => e.getBoundingClientRect(), drawn = e => box(e).width > 0 && box(e).height > 0;
	const text = id => { const e = document.getElementById(id); return e && drawn(e) ? e.innerText : "" };
	const charts = [...document.querySelectorAll("figure.chart")].filter(f => {
		const svg = f.querySelector("svg");
		return svg && box(svg).width > 200 && box(svg).height > 10 && [...svg.querySelectorAll("path")].some(drawn) && [...svg.querySelectorAll("text")].every(drawn);
	});
	const cut = charts.flatMap(f => {
		const frame = box(f.querySelector("svg"));
		return [...f.querySelectorAll("text")].filter(e => box(e).left < frame.left - 1 || box(e).right > frame.right + 1).map(e => f.id + ": " + e.textContent);
	});
	const off = [...document.querySelectorAll("th, td, p, li, code, figure, .field, .said")].filter(e => drawn(e) && (box(e).right > window.innerWidth + 1 || box(e).left < -1)).map(e => e.tagName + ": " + e.innerText.slice(0, 40));
	return {
		verdict: text("verdict"), guarantee: text("guarantee"), answers: text("answers"), notCovered: text("not-covered"), text: document.body.innerText,
		wide: document.documentElement.scrollWidth - window.innerWidth, charts: charts.map(f => f.id), cut: cut, off: off,
		loaded: performance.getEntriesByType("resource").length,
	};
})()`

// looksRight looks for the verdict, the charts, the guarantee in words and what it does not cover.
func (p openedPage) looksRight(t *testing.T, charts, words []string) {
	t.Helper()
	s, err := chromedp.Run(p.ctx, chromedp.Evaluate[seen](look))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^VERIFIED(, WITH CAUTION)?: the published data keeps`).MatchString(s.Verdict) {
		t.Errorf("the verdict is %q", s.Verdict)
	}
	if s.Wide > 0 {
		t.Errorf("the page is %d pixels wider than the screen", s.Wide)
	}
	if s.Loaded > 0 {
		t.Errorf("the page loads %d other files", s.Loaded)
	}
	if len(s.Off) > 0 {
		t.Errorf("texts leave the screen: %s", strings.Join(s.Off, "; "))
	}
	if len(s.Cut) > 0 {
		t.Errorf("words stick out of their chart: %s", strings.Join(s.Cut, ", "))
	}
	for _, c := range charts {
		if !slices.Contains(s.Charts, c) {
			t.Errorf("chart %q is not drawn, only %s", c, strings.Join(s.Charts, ", "))
		}
	}
	for _, part := range []struct{ name, text string }{{"guarantee", s.Guarantee}, {"three questions", s.Answers}, {"what is not covered", s.NotCovered}} {
		if len(part.text) < 60 {
			t.Errorf("%s is not told: %q", part.name, part.text)
		}
	}
	for _, w := range append([]string{"To be reviewed when", "Residual risk"}, words...) {
		if !strings.Contains(s.Text, w) {
			t.Errorf("%q is not on the page", w)
		}
	}
}

// axe is the source of axe-core, which tools/browser.sh gets by npm; "": it is not here.
func axe() string {
	path := os.Getenv("MINGLE_AXE")
	if cache, err := os.UserCacheDir(); path == "" && err == nil {
		path = filepath.Join(cache, "mingle", "axe", "node_modules", "axe-core", "axe.min.js")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}

// accessible lets axe-core look at the page, where it is installed.
func (p openedPage) accessible(t *testing.T, s screen) {
	t.Helper()
	source := axe()
	if source == "" {
		t.Log("axe-core is not here: tools/browser.sh gets it, or MINGLE_AXE names axe.min.js")
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	look := func(ctx context.Context, tab *chromedp.Target) ([]string, error) {
		if _, err := chromedp.Evaluate[chromedp.Void](source+"; null")(ctx, tab); err != nil {
			return nil, err
		}
		return chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.flatMap(v =>
			v.nodes.map(n => v.id + ": " + v.help + ": " + n.html.slice(0, 200))).concat(
			r.passes.length < 20 ? ["only " + r.passes.length + " rules were looked at"] : []))`,
			chromedp.EvalAwaitPromise)(ctx, tab)
	}
	found, err := chromedp.Run(ctx, look)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range found[:min(len(found), 10)] {
		t.Errorf("on %s, axe-core: %s", s.name, fault)
	}
}

// prints makes a document of it, as a browser's print dialogue does.
func (p openedPage) prints(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	data, err := chromedp.Run(ctx, func(ctx context.Context, tab *chromedp.Target) ([]byte, error) {
		r, err := cdp.Call(ctx, tab, cdppage.PrintToPDF, cdppage.PrintToPDFParams{})
		if err != nil {
			return nil, err
		}
		return r.Data, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(data), "%PDF") || len(data) < 10_000 {
		t.Errorf("%d bytes are printed", len(data))
	}
}

// shoot leaves a small picture of the upper part of the page, where pictures are wanted.
func (p openedPage) shoot(t *testing.T, name string, s screen) {
	t.Helper()
	dir := os.Getenv("MINGLE_SCREENSHOTS")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(p.ctx, func(
		ctx context.Context, tab *chromedp.Target,
	) ([]byte, error) {
		yes := true
		r, err := cdp.Call(ctx, tab, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{
			Clip: &cdppage.Viewport{
				Width: float64(s.width), Height: 1700, Scale: 0.75,
			},
			CaptureBeyondViewport: &yes,
		})
		if err != nil {
			return nil, err
		}
		return r.Data, nil
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "report-"+name+"-"+s.name+".png"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
